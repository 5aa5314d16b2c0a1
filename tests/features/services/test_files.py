"""Files and commands for a feature: its grant, its scope and the gate, each by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from induscode.errors import Cancelled, ServiceRefused
from induscode.feature.capability import ScopedFs
from induscode.feature.services import ScopedFiles
from induscode.kernel.cancel import CancelToken
from induscode.policy.modes import Mode
from tests.features.services.desk import Desk
from tests.policy.calls import deny
from tests.requirements import requirement
from tests.tools.waiting import until

ALL = ScopedFs(read=True, write=True, execute=True)
USES: dict[str, Callable[[ScopedFiles], object]] = {
    "read": lambda files: files.read("a.txt"),
    "write": lambda files: files.write("b.txt", b"b"),
    "execute": lambda files: files.run("pwd"),
}


def files_of(desk: Desk, wanted: ScopedFs = ALL) -> ScopedFiles:
    (desk.workspace / "a.txt").write_bytes(b"a")
    files = desk.handed().files(wanted)
    assert isinstance(files, ScopedFiles)
    return files


async def use(files: ScopedFiles, flag: str) -> None:
    done = USES[flag](files)
    if isinstance(done, Awaitable):
        await done


async def test_a_granted_feature_reads_writes_lists_and_runs_in_the_workspace(desk: Desk) -> None:
    files = files_of(desk)
    files.write("new/deep.txt", b"deep")
    assert files.read("new/deep.txt") == b"deep"
    assert files.names() == ("a.txt", "new/")
    outcome = await files.run("pwd")
    assert (outcome.output.strip(), outcome.code) == (str(desk.workspace), 0)


@requirement("feature.capability.scoped-fs", "invariant.06.withdrawn-while-running")
@pytest.mark.parametrize("flag", USES)
async def test_a_held_handle_refuses_what_was_withdrawn_and_nothing_else(
    desk: Desk, flag: str
) -> None:
    files = files_of(desk)
    await use(files, flag)
    desk.grants.withdraw(ScopedFs(**{flag: True}))
    with pytest.raises(ServiceRefused, match="withdrawn"):
        await use(files, flag)
    assert any(f"scoped-fs({flag}) may not be used" in said for said in desk.diagnostics())
    for other in USES.keys() - {flag}:
        await use(files, other)


@requirement("feature.capability.scoped-fs")
@pytest.mark.parametrize("flag", USES)
async def test_a_handle_does_no_more_than_it_was_asked_for(desk: Desk, flag: str) -> None:
    files = files_of(desk, ScopedFs(**{flag: True}))
    await use(files, flag)
    for other in USES.keys() - {flag}:
        with pytest.raises(ServiceRefused, match=f"this handle is for scoped-fs\\({flag}\\)"):
            await use(files, other)


@requirement("feature.capability.three-questions")
@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "sub/../../secret",
        "../repo-evil/secret",
        "link",
        "linked/secret",
        "/etc/hostname",
        "{workspace}/a.txt",
        "",
        "a\0b",
    ],
)
def test_no_path_leads_out_of_the_workspace(tmp_path: Path, path: str) -> None:
    desk = Desk(tmp_path, mode=Mode.FULL)
    files = files_of(desk)
    for folder in (desk.root, desk.root / "repo-evil"):
        folder.mkdir(exist_ok=True)
        (folder / "secret").write_bytes(b"secret")
    (desk.workspace / "sub").mkdir()
    (desk.workspace / "link").symlink_to(desk.root / "secret")
    (desk.workspace / "linked").symlink_to(desk.root)
    named = path.replace("{workspace}", str(desk.workspace))
    with pytest.raises(ServiceRefused):
        files.read(named)
    with pytest.raises(ServiceRefused):
        files.write(named, b"changed")
    assert (desk.root / "secret").read_bytes() == b"secret"
    assert (desk.root / "repo-evil" / "secret").read_bytes() == b"secret"


def test_a_tilde_is_an_ordinary_letter_of_a_name(desk: Desk) -> None:
    files_of(desk).write("~/note", b"n")
    assert (desk.workspace / "~" / "note").read_bytes() == b"n"


def test_a_link_put_there_after_the_judgement_leads_nowhere(desk: Desk) -> None:
    files = files_of(desk)
    outside = desk.root / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(b"secret")
    folder = desk.workspace / "folder"
    folder.mkdir()
    (folder / "x").write_bytes(b"ours")

    def swap() -> None:
        if not folder.is_symlink():
            folder.rename(desk.workspace / "moved")
            folder.symlink_to(outside)

    desk.before_judging = swap
    with pytest.raises(OSError, match="leads elsewhere"):
        files.read("folder/x")


@requirement("feature.capability.three-questions")
@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".indus/config.toml", ".bashrc"])
@pytest.mark.parametrize("mode", Mode)
def test_protected_names_are_refused_in_every_mode(tmp_path: Path, path: str, mode: Mode) -> None:
    desk = Desk(tmp_path, mode=mode)
    with pytest.raises(ServiceRefused, match=r"nobody is asked|does not permit"):
        files_of(desk).write(path, b"run me")
    assert not (desk.workspace / path).exists()


async def test_plan_mode_reads_and_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, mode=Mode.PLAN)
    files = files_of(desk)
    assert files.read("a.txt") == b"a"
    assert (await files.run("ls")).code == 0
    with pytest.raises(ServiceRefused, match="plan mode does not permit write"):
        files.write("b.txt", b"b")
    with pytest.raises(ServiceRefused, match="plan mode does not permit bash"):
        await files.run("touch b.txt")
    assert not (desk.workspace / "b.txt").exists()


async def test_what_a_person_would_be_asked_is_refused(tmp_path: Path) -> None:
    desk = Desk(tmp_path, mode=Mode.ASK)
    files = files_of(desk)
    with pytest.raises(ServiceRefused, match="nobody is asked on behalf of a feature"):
        files.write("b.txt", b"b")
    with pytest.raises(ServiceRefused, match="nobody is asked on behalf of a feature"):
        await files.run("touch b.txt")
    assert not (desk.workspace / "b.txt").exists()


@requirement("feature.capability.three-questions")
async def test_rules_of_the_user_hold_for_features_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path, mode=Mode.FULL, rules=[deny("read(.env)"), deny("bash(touch *)")])
    files = files_of(desk)
    (desk.workspace / ".env").write_text("KEY=1")
    for path in (".env", "./.env"):
        with pytest.raises(ServiceRefused, match="denied by the rule"):
            files.read(path)
    with pytest.raises(ServiceRefused, match="denied by the rule"):
        await files.run("touch b.txt")


@pytest.mark.parametrize("command", ["", " ", "a\0b", "echo \ud800"])
async def test_what_is_no_command_is_refused(desk: Desk, command: str) -> None:
    with pytest.raises(ServiceRefused):
        await files_of(desk).run(command)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_a_command_needs_a_time(desk: Desk, seconds: float) -> None:
    with pytest.raises(ServiceRefused, match="more than 0"):
        await files_of(desk).run("pwd", seconds=seconds)


async def test_a_command_can_be_cancelled(tmp_path: Path) -> None:
    desk = Desk(tmp_path, mode=Mode.FULL)
    cancel = CancelToken()
    files = files_of(desk)
    running = asyncio.ensure_future(files.run("touch here; sleep 60", cancel=cancel))
    await until((desk.workspace / "here").exists)
    cancel.cancel("enough")
    with pytest.raises(Cancelled, match="enough"):
        await running


def test_what_is_no_bytes_touches_no_file(desk: Desk) -> None:
    with pytest.raises(TypeError):
        files_of(desk).write("b.txt", "text")
    assert files_of(desk).names() == ("a.txt",)
