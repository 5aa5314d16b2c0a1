"""Where paths lead, and the places that are special."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.paths import inside, resolve
from induscode.policy.verdict import Allow, Ask, Deny
from tests.policy.calls import bash, deny, judge, read, write


@pytest.mark.parametrize(
    "path",
    [
        "../repo-evil/secret",
        "src/../../repo-evil/secret",
        "/etc/passwd",
        "~/x",
        "~root/x",
        "..",
        "/",
        "src/deep/../../../x",
    ],
)
def test_what_leads_out_of_the_workspace_asks(workspace: Path, path: str) -> None:
    assert isinstance(judge(read(workspace, path), workspace), Ask)
    assert isinstance(judge(write(workspace, path), workspace, mode=Mode.ACCEPT_EDITS), Ask)


@pytest.mark.parametrize("path", [".", "src", "src/missing/new.py", "src/../README.md", "./a b"])
def test_what_stays_inside_is_allowed_even_when_it_does_not_exist(
    workspace: Path, path: str
) -> None:
    assert isinstance(judge(read(workspace, path), workspace), Allow)
    assert isinstance(judge(write(workspace, path), workspace, mode=Mode.ACCEPT_EDITS), Allow)


def test_a_prefix_twin_is_outside(workspace: Path) -> None:
    assert not inside(workspace, workspace.with_name("repo-evil") / "secret")
    assert inside(workspace, workspace)
    assert inside(Path("/"), Path("/etc"))


def test_a_link_out_is_judged_by_where_it_leads(workspace: Path) -> None:
    (workspace / "out").symlink_to(workspace.with_name("repo-evil"))
    (workspace / "file").symlink_to("/etc/passwd")

    for path in ("out/secret", "out/new/file", "file", "src/../out/secret"):
        assert isinstance(judge(read(workspace, path), workspace), Ask), path
        verdict = judge(write(workspace, path), workspace, mode=Mode.FULL)
        assert isinstance(verdict, Ask), path
    for command in ("cat out/secret", "cat file", "ls out", "cat out/../repo-evil/secret"):
        assert isinstance(judge(bash(workspace, command), workspace), Ask), command


def test_dots_after_a_link_are_followed_as_the_system_follows_them(workspace: Path) -> None:
    target = workspace.with_name("elsewhere") / "deep"
    target.mkdir(parents=True)
    (workspace / "link").symlink_to(target)

    assert resolve(workspace, "link/../x") == workspace.with_name("elsewhere") / "x"
    assert isinstance(judge(bash(workspace, "cat link/../x"), workspace), Ask)


def test_a_link_to_a_denied_file_is_denied_under_both_names(workspace: Path) -> None:
    (workspace / "innocent").symlink_to(".env")
    (workspace / "secrets").symlink_to("docs")

    rules = (deny("read(.env)"), deny("read(secrets/**)"))

    assert isinstance(judge(read(workspace, "innocent"), workspace, *rules, mode=Mode.FULL), Deny)
    verdict = judge(bash(workspace, "cat innocent"), workspace, *rules, mode=Mode.FULL)
    assert isinstance(verdict, Deny)
    verdict = judge(read(workspace, "secrets/guide.md"), workspace, *rules, mode=Mode.FULL)
    assert isinstance(verdict, Deny)


def test_a_link_that_turns_in_a_circle_is_no_trouble(workspace: Path) -> None:
    (workspace / "one").symlink_to("two")
    (workspace / "two").symlink_to("one")

    assert inside(workspace, resolve(workspace, "one/x"))


@pytest.mark.parametrize("text", ["", "a\0b"])
def test_text_that_cannot_be_a_path_is_a_value_error(workspace: Path, text: str) -> None:
    with pytest.raises(ValueError, match="NUL"):
        resolve(workspace, text)


@pytest.mark.parametrize(
    "path",
    [
        ".indus/config.toml",
        ".indus",
        "sub/.indus/addons/x/manifest.toml",
        ".git/hooks/post-checkout",
        ".git/config",
        ".GIT/Config",
        ".git",
        ".git/modules/sub/hooks/pre-push",
        ".git/modules/sub/config",
        ".bashrc",
        "home/.zshenv",
        ".profile",
        "src/../.git/config",
    ],
)
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACCEPT_EDITS, Mode.FULL])
def test_writing_a_protected_name_asks_in_every_mode_even_when_it_is_missing(
    workspace: Path, path: str, mode: Mode
) -> None:
    assert isinstance(judge(write(workspace, path), workspace, mode=mode), Ask)


def test_a_link_does_not_hide_a_protected_name(workspace: Path) -> None:
    (workspace / "hooks").symlink_to(".git")
    (workspace / ".bashrc").symlink_to("src/deep/a.py")

    for path in ("hooks/config", ".bashrc"):
        assert isinstance(judge(write(workspace, path), workspace, mode=Mode.FULL), Ask), path


@pytest.mark.parametrize("path", [".env", ".gitignore", ".github/config", "indus/x", "config"])
def test_ordinary_names_are_not_protected(workspace: Path, path: str) -> None:
    assert isinstance(judge(write(workspace, path), workspace, mode=Mode.ACCEPT_EDITS), Allow)


@pytest.mark.parametrize(
    "path",
    [
        "/dev/zero",
        "/dev/stdin",
        "/dev/../dev/tty",
        "/proc/self/root/etc/passwd",
        "/proc/1/environ",
        "/proc/self/environ",
        "/proc/self/task/1/environ",
        "/proc/self/mem",
    ],
)
def test_devices_and_other_processes_are_refused_in_every_mode(workspace: Path, path: str) -> None:
    for mode in Mode:
        assert isinstance(judge(read(workspace, path), workspace, mode=mode), Deny)
        assert isinstance(judge(write(workspace, path), workspace, mode=mode), Deny)


def test_a_command_that_names_another_process_is_refused_but_dev_null_is_not(
    workspace: Path,
) -> None:
    for command in ("cat /proc/1/environ", "ls /proc/self/root/etc", "x < /proc/$PPID/environ"):
        assert isinstance(judge(bash(workspace, command), workspace, mode=Mode.FULL), Deny), command
    assert isinstance(judge(bash(workspace, "make > /dev/null"), workspace, mode=Mode.FULL), Allow)


def test_our_own_directories_are_protected_and_spilled_output_is_readable(workspace: Path) -> None:
    own = workspace / "home"
    spilled = workspace.with_name("spill")
    policy = Policy(Mode.FULL, workspace, own=(own,), readable=(spilled,))
    asking = Policy(Mode.ASK, workspace, own=(own,), readable=(spilled,))

    assert isinstance(decide(write(workspace, "home/config.toml"), policy), Ask)
    assert isinstance(decide(read(workspace, f"{spilled}/x.txt"), asking), Allow)
    assert isinstance(decide(bash(workspace, f"tail {spilled}/x.txt"), asking), Allow)
    assert isinstance(decide(write(workspace, f"{spilled}/x.txt"), policy), Ask)


def test_the_working_directory_counts_as_it_is(workspace: Path) -> None:
    (workspace / "etc").symlink_to("/etc")

    assert isinstance(judge(bash(workspace / "src", "ls"), workspace), Allow)
    assert isinstance(judge(bash(workspace / "etc", "ls"), workspace), Ask)
    assert isinstance(judge(bash(Path("/"), "ls"), workspace), Ask)
