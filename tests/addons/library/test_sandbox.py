"""Nothing is granted until it is, and a path is what it comes to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.addons.sandbox import (
    INVISIBLE_CODE_POINTS,
    SandboxPolicy,
    expand_path,
    resolve_path,
    scrub_invisible,
)
from tests.requirements import requirement

REPO = SandboxPolicy.confined_to("/repo")


@requirement("addons.sandbox.deny-by-default", "addons.sandbox.defaults")
def test_the_default_grants_nothing() -> None:
    policy = SandboxPolicy()
    assert policy == SandboxPolicy.deny_all()
    assert policy == SandboxPolicy(
        allow_fs=False, workspace_root=None, timeout_ms=30_000, env_allowlist=()
    )
    assert not any(policy.permits_path(path) for path in ("/", ".", "/tmp", "x"))
    assert not any(policy.permits_env(name) for name in ("PATH", "HOME", ""))


@requirement("addons.sandbox.grant-without-root")
def test_a_grant_without_a_root_is_none_and_a_root_without_a_grant_is_none() -> None:
    assert not SandboxPolicy(allow_fs=True).permits_path("/repo/x")
    assert not SandboxPolicy(workspace_root=Path("/repo")).permits_path("/repo/x")


@requirement("addons.sandbox.confined-to")
@pytest.mark.parametrize(
    "path", ["/repo", "/repo/", "/repo/a/b", "/repo/./a", "/repo/a/../b", "a/b", "", "//repo/a"]
)
def test_what_is_at_or_under_the_root_is_permitted(path: str) -> None:
    assert REPO.permits_path(path)
    assert REPO.permits_path(Path(path))


@requirement("addons.sandbox.dotdot-escape", "addons.sandbox.prefix-twin")
@pytest.mark.parametrize(
    "path",
    [
        "/", "/etc/passwd", "/repo/../etc/passwd", "/repo/a/../../etc", "../etc", "a/../../x",
        "/repo-evil", "/repo-evil/x", "/repo2", "/re", "/REPO/x", "~/x", "/repo/a\0b",
        "/repo/\u200b../etc", "/repo/.\u200b./etc", "\u00a0/etc", "/repo/..",
    ],
)  # fmt: skip
def test_what_comes_out_of_the_root_is_not(path: str) -> None:
    assert not REPO.permits_path(path)


def test_a_root_is_what_it_comes_to() -> None:
    policy = SandboxPolicy.confined_to("/a/../repo/\u200b")
    assert policy.permits_path("/repo/x")
    assert not policy.permits_path("/a/x")
    assert SandboxPolicy.confined_to("/").permits_path("/etc")


@requirement("addons.sandbox.lexical-no-io")
def test_the_decision_touches_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").symlink_to("/etc")
    policy = SandboxPolicy.confined_to(tmp_path)

    def refuse(*given: object, **named: object) -> None:
        raise AssertionError(f"looked at {given}")

    for name in ("stat", "lstat", "open", "readlink", "listdir", "scandir", "getcwd"):
        monkeypatch.setattr(os, name, refuse)
    answers = (policy.permits_path(tmp_path / "out"), policy.permits_path("x/y"))
    denied = policy.permits_path(tmp_path / ".." / "x")
    monkeypatch.undo()
    assert (answers, denied) == ((True, True), False)


@requirement("addons.sandbox.env-allowlist")
def test_only_names_on_the_list_are_inherited() -> None:
    policy = SandboxPolicy(env_allowlist=("PATH", "LANG"))
    names = ("PATH", "LANG", "path", "PATH ", "LANGUAGE", "", "*")
    assert [policy.permits_env(name) for name in names] == [True, True, *[False] * 5]


@requirement("addons.path.invisible-code-points")
def test_the_list_of_invisible_characters_is_explicit() -> None:
    assert set(INVISIBLE_CODE_POINTS) == {
        0xA0, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x2000, 0x200B),
        0x202F, 0x205F, 0x3000,
    }  # fmt: skip


@requirement("addons.path.scrub-invisible", "addons.path.astral-survive")
def test_scrubbing_takes_out_the_list_and_trims_ascii_space() -> None:
    for point in INVISIBLE_CODE_POINTS:
        assert scrub_invisible(f"{chr(point)}a{chr(point)}b{chr(point)}") == "ab"
    assert scrub_invisible(" \t\r\n\v\fa b\u00a0 \n") == "a b"
    assert scrub_invisible("🎉 \U0001d4b3 é 日本") == "🎉 \U0001d4b3 é 日本"
    assert scrub_invisible("a\u202eb") == "a\u202eb"


@requirement("addons.path.expand-home", "addons.path.tilde-inside", "addons.path.home-unresolvable")
def test_only_a_leading_tilde_is_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path("/home/ann")
    assert expand_path("~", home) == "/home/ann"
    assert expand_path(" \u200b~/a/b", home) == "/home/ann/a/b"
    for path in ("a/~/b", "/x/~", "~bob/x", "x~", "~~"):
        assert expand_path(path, home) == path
    monkeypatch.setenv("HOME", "/home/eve")
    assert expand_path("~/a") == "/home/eve/a"
    monkeypatch.delenv("HOME")
    assert expand_path("~/a") == "~/a"
    assert expand_path("~") == "~"


@requirement("addons.path.resolve")
def test_a_relative_path_is_anchored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    base, home = Path("/base"), Path("/home/ann")
    assert resolve_path("\ufeffa/b", base) == Path("/base/a/b")
    assert resolve_path("/x", base) == Path("/x")
    assert resolve_path("~/x", base, home) == Path("/home/ann/x")
    assert resolve_path("a") == tmp_path / "a"
