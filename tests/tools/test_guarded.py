"""What was judged is what is touched, whatever happens to the names in between."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Effect, Rule, parse_rule
from induscode.policy.subject import CallView, NoSubject
from induscode.policy.verdict import Allow, Ask, Layer
from induscode.tools.guarded import GuardedFilesystem, GuardedShell
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.spill import Spill
from tests.decks import bound_deck

SECRET = "the neighbour's secret"


class House:
    """A workspace, a neighbour outside it, and the tools as a session binds them."""

    def __init__(self, root: Path, mode: Mode = Mode.ACCEPT_EDITS, *rules: Rule) -> None:
        self.work = root / "work"
        self.outside = root / "outside"
        for folder in (self.work / "sub", self.outside):
            folder.mkdir(parents=True)
            (folder / "note.txt").write_text(SECRET if folder is self.outside else "plain")
        self.permission = SessionPermission(Policy(mode, self.work, rules))
        self.tools = bound_deck(self.work)
        self.spill = root / "spill"

    def view(self, tool: str, **arguments: Any) -> CallView:
        return self.permission.view(self.tools[tool], arguments)

    def context(self, call: CallView) -> ToolContext:
        return ToolContext(
            cwd=self.work,
            fs=GuardedFilesystem(LocalFilesystem(), partial(self.permission.reaches, call)),
            shell=GuardedShell(LocalShell(self.spill, environ={}), call.subject),
            cancel=CancelToken(),
            progress=lambda _: None,
            spill=Spill(self.spill).keep,
        )

    async def run(self, call: CallView) -> ToolResult:
        arguments: Mapping[str, Any] = call.arguments
        return await self.tools[call.tool].tool.execute(arguments, self.context(call))

    def turn_to_outside(self) -> None:
        """What an attacker does between the judgement and the deed."""
        (self.work / "sub" / "note.txt").unlink()
        (self.work / "sub").rmdir()
        (self.work / "sub").symlink_to(self.outside)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(Path(os.path.realpath(tmp_path)))


async def test_a_link_swapped_in_after_the_judgement_is_not_read(house: House) -> None:
    call = house.view("read", path="sub/note.txt")
    assert isinstance(house.permission.judge(call), Allow)
    house.turn_to_outside()

    result = await house.run(call)

    assert result.is_error
    assert SECRET not in plain_text(result.content)
    assert "not allowed there" in plain_text(result.content)


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_a_link_swapped_in_after_the_judgement_is_not_written(
    house: House, tool: str
) -> None:
    arguments = {"content": "x"} if tool == "write" else {"old_text": "the", "new_text": "x"}
    call = house.view(tool, path="sub/note.txt", **arguments)
    assert isinstance(house.permission.judge(call), Allow)
    house.turn_to_outside()

    assert (await house.run(call)).is_error
    assert (house.outside / "note.txt").read_text() == SECRET
    assert [path.name for path in house.outside.iterdir()] == ["note.txt"]


async def test_a_file_replaced_by_a_link_is_not_followed(house: House) -> None:
    call = house.view("write", path="sub/note.txt", content="x")
    (house.work / "sub" / "note.txt").unlink()
    (house.work / "sub" / "note.txt").symlink_to(house.outside / "note.txt")

    assert (await house.run(call)).is_error
    assert (house.outside / "note.txt").read_text() == SECRET


async def test_a_link_swapped_in_is_not_read_through_a_person_s_answer_either(house: House) -> None:
    call = house.view("read", path=str(house.outside / "note.txt"))
    assert isinstance(house.permission.judge(call), Ask)
    assert SECRET in plain_text((await house.run(call)).content), "the answer was yes"
    (house.outside / "note.txt").unlink()
    other = house.outside.with_name("other")
    other.write_text("another secret")
    (house.outside / "note.txt").symlink_to(other)

    result = await house.run(call)

    assert result.is_error
    assert "another secret" not in plain_text(result.content)


async def test_a_link_to_a_denied_file_is_not_read(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    rule = parse_rule("read(sub/.env)", effect=Effect.DENY, layer=Layer.USER)
    house = House(root, Mode.FULL, rule)
    (house.work / "sub" / ".env").write_text("KEY=1234")
    call = house.view("read", path="sub/note.txt")
    assert isinstance(house.permission.judge(call), Allow)
    (house.work / "sub" / "note.txt").unlink()
    (house.work / "sub" / "note.txt").symlink_to(".env")

    assert "KEY=1234" not in plain_text((await house.run(call)).content)


@contextmanager
def swapping(house: House) -> Generator[Path]:
    """A path that is a folder, a link out and nothing, in turns, all the time."""
    place = house.work / "sub"
    real, link = house.work / "real", house.work / "link"
    place.rename(real)
    link.symlink_to(house.outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for source in (real, link):
                with suppress(OSError):  # a write that found nothing there made a folder
                    source.rename(place)
                if os.path.lexists(source):
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    place.rename(source)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield place / "note.txt"
    finally:
        over.set()
        swapper.join()


def test_no_read_leaves_the_path_while_somebody_swaps_it_all_the_time(house: House) -> None:
    files, read, failed = LocalFilesystem(), 0, 0
    with swapping(house) as place:
        while not (read >= 200 and failed >= 200):
            try:
                assert files.read(place) == b"plain"
                read += 1
            except OSError:
                failed += 1


def test_no_write_leaves_the_path_while_somebody_swaps_it_all_the_time(house: House) -> None:
    files = LocalFilesystem()
    with swapping(house) as place:
        for number in range(1_000):
            with suppress(OSError):
                files.write(place, str(number).encode())
    assert [path.name for path in house.outside.iterdir()] == ["note.txt"]
    assert (house.outside / "note.txt").read_text() == SECRET


async def test_a_command_runs_only_where_it_was_judged(house: House) -> None:
    call = house.view("bash", command="ls", cwd="sub")
    assert isinstance(house.permission.judge(call), Allow)
    house.turn_to_outside()

    assert (await house.run(call)).is_error
    with pytest.raises(PermissionError):
        await house.context(call).shell.run(
            "ls", cwd=house.outside, seconds=5, cancel=CancelToken(), progress=lambda _: None
        )


async def test_a_call_cannot_run_another_command_than_the_one_judged(house: House) -> None:
    def run(call: CallView, command: str) -> Any:
        return house.context(call).shell.run(
            command,
            cwd=house.work,
            seconds=5,
            cancel=CancelToken(),
            progress=lambda _: None,
        )

    judged = house.view("bash", command="ls")
    assert (await run(judged, "ls")).code == 0
    for call in (judged, house.view("read", path="sub/note.txt")):
        with pytest.raises(PermissionError):
            await run(call, "touch made")
    assert not (house.work / "made").exists()


@pytest.mark.parametrize(
    "touch",
    [
        lambda fs, path: fs.read(path),
        lambda fs, path: fs.open(path),
        lambda fs, path: fs.names(path.parent),
        lambda fs, path: fs.write(path, b""),
    ],
    ids=["read", "open", "names", "write"],
)
def test_a_tool_cannot_reach_further_than_its_call_said(
    house: House, touch: Callable[[GuardedFilesystem, Path], object]
) -> None:
    call = CallView("odd", house.tools["read"].kind, {}, NoSubject())
    files = GuardedFilesystem(LocalFilesystem(), partial(house.permission.reaches, call))

    with pytest.raises(PermissionError):
        touch(files, house.outside / "note.txt")
    assert not files.is_file(house.outside / "note.txt")
    assert not files.is_dir(house.outside)
    assert files.read(house.work / "sub" / "note.txt") == b"plain"


def test_reading_what_is_no_file_leaves_no_descriptor_behind(house: House) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    os.mkfifo(house.work / "pipe")
    before = descriptors()
    for _ in range(5):
        for name in ("sub", "pipe", "missing"):
            with pytest.raises(OSError, match=r"directory|regular|exist|No such"):
                LocalFilesystem().read(house.work / name)
    assert descriptors() == before


def test_what_was_granted_to_read_is_not_granted_to_write(house: House) -> None:
    call = house.view("read", path=str(house.outside / "note.txt"))
    files = GuardedFilesystem(LocalFilesystem(), partial(house.permission.reaches, call))

    assert files.read(house.outside / "note.txt") == SECRET.encode()
    with pytest.raises(PermissionError):
        files.write(house.outside / "note.txt", b"")


async def test_a_call_spawns_only_the_command_and_place_that_were_judged(house: House) -> None:
    judged = house.view("bash", command="ls", cwd="sub")
    for call, command, cwd in (
        (judged, "touch made", house.work / "sub"),
        (judged, "ls", house.outside),
        (house.view("read", path="sub/note.txt"), "ls", house.work / "sub"),
    ):
        with pytest.raises(PermissionError):
            await house.context(call).shell.spawn(command, cwd=cwd)
    spawned = await house.context(judged).shell.spawn("ls", cwd=house.work / "sub")
    await spawned.wait()
    assert spawned.outputs[0].since(0) == ("note.txt\n", 0)
