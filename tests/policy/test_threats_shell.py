"""The shell cases of the list of threats, by name and in generated variants: none is allowed.

Not here, because only confinement answers them: what a program does once it runs (`make`, a script
of the workspace), and code that is computed (`base64 -d | sh` under a rule that denies `rm`).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from induscode.policy.exact import always_rule
from induscode.policy.modes import Mode
from induscode.policy.shellwords import plain_words
from induscode.policy.verdict import Allow, Ask, Deny
from tests.policy.calls import allow, bash, deny, judge
from tests.policy.variants import FIRST_WORDS, carrying, disguised

# As the list of threats writes them, with the first word that a rule allows.
NAMED = """
git fetch && git clean -fd
ls;rm x
ls &
ls |& sh
cd /outside; cat x
echo x > ~/.bashrc
echo "$(touch P)"
echo `touch P`
cat <(touch P)
: "${x:=$(touch P)}"
sed '1e touch P'
sed '1e touch P' README.md
sed 'w /p'
sed 'w /p' README.md
sort -o ~/.profile
sort -o /home/x/.profile README.md
git log --output=/p
find . -fprintf /p x
find . -exec rm x
find . -exec rm {} +
find . -delete
FOO=bar cmd
LD_PRELOAD=./x.so ls
PATH=.:$PATH ls
env env rm
timeout 5 rm
xargs rm
bash -c ls
printf -v 'x[$(touch P)]' y
test -v 'x[$(touch P)]'
git remote-ext x 'sh -c touch% P'
git clone -u ./evil . copy
""".strip().splitlines()
NAMED += ["true;" * 50 + "curl example.com", "sh <<E\nrm x\nE", "cat <<E | sh\nrm x\nE"]

CARRYING = carrying(300)
DISGUISED = disguised(200)
RULES = [allow(f"bash({word} *)") for word in FIRST_WORDS]


def test_the_corpus_has_500_distinct_variants_and_is_the_same_in_every_run() -> None:
    assert len(set(CARRYING) | set(DISGUISED)) == 500
    assert carrying(300) == CARRYING
    assert disguised(200) == DISGUISED


@pytest.mark.parametrize("command", NAMED)
def test_a_named_threat_asks_under_a_rule_for_its_first_word(workspace: Path, command: str) -> None:
    first = command.replace(";", " ").split()[0]

    verdict = judge(bash(workspace, command), workspace, allow(f"bash({first} *)"))

    assert isinstance(verdict, Ask)
    assert isinstance(judge(bash(workspace, command), workspace, mode=Mode.PLAN), Deny)


def test_no_variant_is_allowed_by_a_rule_for_its_first_word(workspace: Path) -> None:
    for command in (*CARRYING, *DISGUISED):
        verdict = judge(bash(workspace, command), workspace, *RULES)
        assert isinstance(verdict, Ask), command


def test_no_variant_is_allowed_by_a_rule_for_every_command(workspace: Path) -> None:
    for command in CARRYING:
        verdict = judge(bash(workspace, command), workspace, allow("bash(*)"))
        assert isinstance(verdict, Ask), command


def test_plan_mode_refuses_every_variant_whatever_the_rules(workspace: Path) -> None:
    for command in (*CARRYING, *DISGUISED):
        verdict = judge(bash(workspace, command), workspace, *RULES, mode=Mode.PLAN)
        assert isinstance(verdict, Deny), command


def test_full_mode_refuses_every_variant_that_carries_a_denied_command(workspace: Path) -> None:
    for command in CARRYING:
        verdict = judge(bash(workspace, command), workspace, deny("bash(touch *)"), mode=Mode.FULL)
        assert isinstance(verdict, Deny), command


def test_the_variants_are_alive_in_a_real_shell(tmp_path: Path) -> None:
    """A corpus that would do nothing proves nothing."""
    alive = 0
    for number, command in enumerate(CARRYING):
        place = tmp_path / str(number)
        place.mkdir()
        subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=place,
            env={"PATH": "/usr/bin:/bin", "HOME": str(place)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
        alive += os.path.lexists(place / "P")

    assert alive > len(CARRYING) * 0.8, f"{alive} of {len(CARRYING)}"


DENIED_WORD = """
sudo rm x
/bin/rm x
r\\m x
'rm' x
$'rm' x
$'\\x72\\x6d' x
$'\\u0072m' x
$'\\162m' x
xargs rm
find . -exec rm {} ;
bash -c "rm x"
bash -lc 'rm x'
bash -c 'bash -c "bash -c \\"rm x\\""'
eval rm x
eval "r\\m x"
true && rm x
(rm x)
{ rm x; }
if true; then rm x; fi
!rm x
! rm x
busybox rm x
command rm x
r''m x
r$@m x
r${x}m x
r$(true)m x
r`true`m x
{r,}m x
r{m,} x
{rm,x}
/bin/r? x
/bin/r[m] x
/b*/rm x
${x:-rm} y
${x:=rm} y
env -S 'rm x'
env -Srm x
env -Srm\\ x
echo x | xargs -n1 rm
ssh host rm x
python3 -c "import os; os.system('rm x')"
""".strip().splitlines()


@pytest.mark.parametrize("command", [*DENIED_WORD, "ls\nrm x", "r\\\nm x", "true;" * 500 + "rm x"])
def test_a_denied_command_is_seen_however_it_is_spelled(workspace: Path, command: str) -> None:
    verdict = judge(bash(workspace, command), workspace, deny("bash(rm *)"), mode=Mode.FULL)

    assert isinstance(verdict, Deny)


@pytest.mark.parametrize(
    "command",
    [
        "echo {1..100000}",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "$(" * 40 + "x" + ")" * 40,
    ],
)
def test_a_command_too_intricate_to_read_asks_only_where_something_is_denied(
    workspace: Path, command: str
) -> None:
    call = bash(workspace, command)

    assert isinstance(judge(call, workspace, mode=Mode.FULL), Allow)
    for rule in (deny("bash(rm *)"), deny("read(.env)"), deny("write(src/**)")):
        assert isinstance(judge(call, workspace, rule, mode=Mode.FULL), Ask)
    assert isinstance(judge(call, workspace, deny("mcp__x"), mode=Mode.FULL), Allow)


@pytest.mark.parametrize(
    "command",
    """
    python x.py
    python3.12 x.py
    pypy3 x
    bash x.sh
    sh x
    env x
    sudo ls
    xargs ls
    timeout 5 ls
    nohup ls
    git status
    git push origin main
    npm run build
    npm test
    pnpm run x
    yarn x
    npx x
    uv run x
    poetry run x
    make test
    just test
    cargo test
    go test
    pytest
    docker run x
    node x.js
    awk x
    ./script
    bin/tool
    /usr/bin/python3 x
    /usr/bin/env x
    find . -exec ls
    sort -o x y
    perl x
    cmake --build .
    no-such-program-anywhere
    """.strip().splitlines(),
)
def test_always_is_never_offered_for_what_runs_something_else(
    workspace: Path, command: str
) -> None:
    assert always_rule(bash(workspace, command.strip())) is None


@pytest.mark.parametrize("command", ["ls /etc", "mkdir out", "cat /etc/hosts", "cp a b", "touch x"])
def test_always_is_offered_for_what_does_the_same_for_ever(workspace: Path, command: str) -> None:
    call = bash(workspace, command)

    rule = always_rule(call)

    assert rule is not None
    assert isinstance(judge(call, workspace, rule), Allow)


@pytest.mark.parametrize("folder", ["repo/bin", "repo/src/deep/bin"])
def test_always_is_not_offered_for_a_program_of_the_workspace(workspace: Path, folder: str) -> None:
    from_below = workspace / "src/deep"
    place = workspace.parent / folder
    place.mkdir(parents=True)
    for name in ("mytool", "ls"):
        (place / name).write_text("#!/bin/sh\n")
        (place / name).chmod(0o755)
    environ = {"PATH": f"{place}:/usr/bin:/bin", "HOME": "/nonexistent"}

    for name in ("mytool", "ls"):
        assert always_rule(bash(from_below, name, environ=environ)) is None


ALPHABET = "aab\u00e9. --'\"\\$`*?[]{}~#!=:,@%^+/;&|<>()\t\n\r\x7f\u200b\u3000\xa0"


def test_bash_splits_what_is_called_plain_into_exactly_the_same_words(tmp_path: Path) -> None:
    """The independent judge: a reader that is more permissive than bash is the bug."""
    random = Random(20_260_104)
    plain: dict[str, tuple[str, ...]] = {}
    tried = 0
    while len(plain) < 2_000:
        tried += 1
        command = "".join(random.choices(ALPHABET, k=random.randrange(1, 14)))
        words = plain_words(command)
        if words is not None:
            plain[command] = words
    for name in ("a", "b", "ab", "aa", "aab", ".a", "-a"):
        (tmp_path / name).touch()
    script = "for c in \"$@\"; do eval \"printf '%s\\0' $c\"; printf '\\1\\0'; done"
    commands = list(plain)
    done = subprocess.run(
        ["/bin/bash", "-c", script, "bash", *commands],
        cwd=tmp_path,
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "HOME": "/home/nobody"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=60,
    )

    answers = done.stdout.decode().split("\0\1\0")[:-1]
    assert done.stderr == b""
    assert tried > len(plain)
    assert len(answers) == len(commands)
    for command, answer in zip(commands, answers, strict=True):
        assert tuple(answer.split("\0")) == plain[command], command


def test_bash_runs_what_is_called_plain_as_one_command_with_those_words(tmp_path: Path) -> None:
    """The same from the first word on: no assignment, no keyword, no second command."""
    random = Random(20_260_105)
    plain: dict[str, tuple[str, ...]] = {}
    while len(plain) < 500:
        command = "a" + "".join(random.choices(ALPHABET, k=random.randrange(1, 12)))
        words = plain_words(command)
        if words is not None and "/" not in words[0]:
            plain[command] = words
    script = (
        "command_not_found_handle() { printf '%s\\0' \"$@\"; };"
        ' for c in "$@"; do eval "$c"; printf \'\\1\\0\'; done'
    )
    done = subprocess.run(
        ["/bin/bash", "-c", script, "bash", *plain],
        cwd=tmp_path,
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "HOME": "/home/nobody"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=60,
    )

    answers = done.stdout.decode().split("\0\1\0")[:-1]
    assert [tuple(answer.split("\0")) for answer in answers] == list(plain.values())
    assert not any(tmp_path.iterdir())
