"""Shell commands: the cases that must not get through, and the ones that should."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from induscode.kernel.tool import ToolKind
from induscode.policy.literals import literals
from induscode.policy.modes import Mode
from induscode.policy.paths import command_subject
from induscode.policy.shellwords import plain_words
from induscode.policy.subject import CallView
from induscode.policy.verdict import Allow, Ask, Deny
from tests.policy.calls import PLAIN_ENVIRONMENT, allow, bash, deny, judge

FIRST_WORDS = ("git", "ls", "cat", "make", "true", "echo")

# `{0}` is a command whose first word a rule allows.
SMUGGLED = (
    "{0} && git clean -fd",
    "{0};rm x",
    "{0} ; rm x",
    "{0} || rm x",
    "{0} &",
    "{0} & rm x",
    "{0} | sh",
    "{0} |& sh",
    "{0}\nrm x",
    "{0}\r\nrm x",
    "{0} > ~/.bashrc",
    "{0} >> x",
    "{0} < x",
    "{0} 2>&1",
    "{0} <<E\nrm x\nE",
    "{0} <<< x",
    '{0} "$(touch P)"',
    "{0} $(touch P)",
    "{0} `touch P`",
    '{0} "`touch P`"',
    "{0} <(touch P)",
    "{0} >(touch P)",
    '{0} "${{x:=$(touch P)}}"',
    "{0} ${{IFS}}x",
    "{0} $'\\x41'",
    '{0} $"x"',
    "({0})",
    "{{ {0}; }}",
    "! {0}",
    "FOO=bar {0}",
    "LD_PRELOAD=./x.so {0}",
    "PATH=.:$PATH {0}",
    "'FOO'=bar {0}",
    "{0} \\\nrm",
    "{0} a\\ b",
    "{0} *",
    "{0} ?",
    "{0} [a]",
    "{0} {{a,b}}",
    "{0} ~/x",
    "{0} x=~/y",
    "{0} # rm",
    "{0} 'open",
    '{0} "open',
    "{0}\t-x",
    "{0} a\u200bb",
    "{0} \u202ercs",
    "{0} a\u00a0b",
    "{0} a\u3164b",
    "{0} \x1b[2J",
    "{0} \x00x",
    "{0} \x9b2J",
    "env {0}",
    "env env {0}",
    "timeout 5 {0}",
    "xargs {0}",
    "sudo {0}",
    "command {0}",
    "exec {0}",
    "eval {0}",
    "bash -c '{0}'",
    "sh -c '{0}'",
    "nohup {0}",
    "time {0}",
    "./{0}",
    "cd /tmp; {0}",
    "function x {0}",
)
VARIANTS = [shape.format(word) for shape, word in product(SMUGGLED, FIRST_WORDS)]


def test_there_are_more_than_200_variants() -> None:
    assert len(set(VARIANTS)) > 200


@pytest.mark.parametrize("command", VARIANTS)
def test_a_rule_that_allows_the_first_word_allows_nothing_smuggled(
    workspace: Path, command: str
) -> None:
    rules = [allow(f"bash({word} *)") for word in FIRST_WORDS]

    verdict = judge(bash(workspace, command), workspace, *rules)

    assert isinstance(verdict, Ask)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("sed *", "sed '1e touch P' x"),
        ("sed *", "sed 'w /p' x"),
        ("sed *", "sed w/tmp/a.txt x"),
        ("sed *", "sed 's/a/b/e' x"),
        ("sed *", "sed 's/a/b/w /p' x"),
        ("sed *", "sed -n -e '1e touch P' x"),
        ("sed *", "sed --expression=1ex x"),
        ("sed *", "sed -i s/a/b/ x"),
        ("sort *", "sort -o /home/x/.profile a"),
        ("sort *", "sort -uo x a"),
        ("sort *", "sort --outp=x a"),
        ("sort *", "sort --compress-program=./x a"),
        ("git log *", "git log --output=/p"),
        ("git *", "git log --outpu=/p"),
        ("git *", "git -c core.pager=./x log"),
        ("git *", "git config core.pager ./x"),
        ("git *", "git bisect run ./x"),
        ("git diff *", "git diff --ext-diff"),
        ("git fetch *", "git fetch --upload-pack=./x ."),
        ("git rebase *", "git rebase -x ./x main"),
        ("git grep *", "git grep -O./x a"),
        ("find *", "find . -fprintf /p x"),
        ("find *", "find . -exec rm x"),
        ("find *", "find . -delete"),
        ("rg *", "rg --pre ./x a"),
        ("tar *", "tar -cf x --to-command=./x a"),
        ("tar *", "tar --checkpoint-action=exec=./x a"),
        ("env *", "env rm x"),
        ("timeout *", "timeout 5 rm x"),
        ("xargs *", "xargs rm"),
        ("npx *", "npx evil"),
        ("bash *", "bash -c ls"),
        ("bash *", "bash -lc ls"),
        ("sh *", "sh -c ls"),
        ("python *", "python -c 'import os'"),
        ("python3 *", "python3 -m timeit x"),
        ("python3.11 *", "python3.11 -"),
        ("python -c *", "python -c 'import os'"),
        ("node *", "node -e x"),
        ("perl *", "perl -e x"),
        ("awk *", "awk 'BEGIN {system(\"x\")}'"),
        ("docker *", "docker run x"),
        ("curl *", "curl -so x example.com"),
        ("make *", "make -f /tmp/x"),
        ("*", "env rm x"),
        ("*", "git log --output=/p"),
        ("*", "bash x.sh"),
    ],
)
def test_the_star_of_a_rule_does_not_reach_another_program_or_another_file(
    workspace: Path, rule: str, command: str
) -> None:
    assert isinstance(judge(bash(workspace, command), workspace, allow(f"bash({rule})")), Ask)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("python *", "python script.py -c"),
        ("python -m pytest *", "python -m pytest -x tests"),
        ("bash *", "bash build.sh --fast"),
        ("sed *", "sed -n 1,20p Makefile"),
        ("sed *", "sed s/a/b/g README.md"),
        ("git commit *", "git commit -m 'a message'"),
        ("git *", "git push origin main"),
        ("timeout 60 make test", "timeout 60 make test"),
        ("bash -c ls", "bash -c ls"),
        ("docker ps *", "docker ps -a"),
        ("make *", "make test"),
        ("find *", "find . -newer README.md"),
        ("tar *", "tar -tzf x.tgz"),
    ],
)
def test_the_star_reaches_what_its_author_meant(workspace: Path, rule: str, command: str) -> None:
    assert isinstance(judge(bash(workspace, command), workspace, allow(f"bash({rule})")), Allow)


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "ls; rm x",
        "true;" * 50 + "rm x",
        "a && b || rm x",
        "$(rm x)",
        "`rm x`",
        'echo "$(rm x)"',
        "bash -c 'rm x'",
        "bash -c \"bash -c 'rm x'\"",
        "r\\m x",
        "'rm' x",
        'r"m" x',
        "$'rm' x",
        "$'\\x72m' x",
        "/bin/rm x",
        "./rm",
        "env env rm x",
        "timeout 5 rm x",
        "xargs rm",
        "FOO=bar rm x",
        "x=rm; $x y",
        "{rm,x}",
        "(rm x)",
        "sh <<E\nrm x\nE",
        "ls\nrm x",
        "find . -exec rm {} +",
        "ls 'unclosed; rm x",
    ],
)
def test_a_deny_rule_sees_the_word_wherever_it_is_spelled_out(
    workspace: Path, command: str
) -> None:
    verdict = judge(bash(workspace, command), workspace, deny("bash(rm *)"), mode=Mode.FULL)

    assert isinstance(verdict, Deny)


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("git push", True),
        ("git -C /x push --force", True),
        ("true; git push", True),
        ("git commit -m 'push it'", False),
        ("git log; echo push", False),
        ("git pull", False),
    ],
)
def test_several_denied_words_are_sought_in_order_within_one_command(
    workspace: Path, command: str, denied: bool
) -> None:
    verdict = judge(bash(workspace, command), workspace, deny("bash(git push *)"), mode=Mode.FULL)

    assert isinstance(verdict, Deny) is denied


def test_a_file_of_the_workspace_in_front_of_a_command_is_not_that_command(
    workspace: Path,
) -> None:
    for name in ("ls", "git"):
        program = workspace / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    environ = {**PLAIN_ENVIRONMENT, "PATH": f"{workspace}/bin:/usr/bin:/bin"}

    for command in ("ls", "git push"):
        subject = command_subject(command, workspace, environ)
        call = CallView("bash", ToolKind.SHELL, {"command": command}, subject)
        rules = (allow("bash(ls *)"), allow("bash(git push *)"))
        assert isinstance(judge(call, workspace, *rules), Ask), command


def test_a_relative_entry_of_the_search_path_never_counts(workspace: Path) -> None:
    program = workspace / "ls"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environ = {**PLAIN_ENVIRONMENT, "PATH": f".:{os.pathsep}/usr/bin:/bin"}

    subject = command_subject("ls", workspace, environ)

    assert subject.program is not None
    assert not subject.program.is_relative_to(workspace)


@pytest.mark.parametrize("command", ["", " ", "''", "'' x", "=x", "A=1", "\n"])
def test_nothing_to_run_is_not_plain(command: str) -> None:
    assert plain_words(command) is None


def test_quotes_are_taken_off_plain_words() -> None:
    words = plain_words("""grep -n 'a *$(b)' "c d"e f~1 g#h '' héllo""")

    assert words == ("grep", "-n", "a *$(b)", "c de", "f~1", "g#h", "", "héllo")


def test_reading_literals_takes_time_in_proportion_to_the_command() -> None:
    command = "bash -c '" * 2000 + "x" + "\\" * 5000 + '"' * 5001

    assert literals(command)
    assert plain_words("a'" * 5001) is None
