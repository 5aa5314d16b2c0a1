"""The promised table of modes, through the door of features: what is asked about is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from induscode.errors import ServiceRefused
from induscode.feature.capability import ScopedFs
from induscode.feature.services import ScopedFiles
from induscode.policy.modes import Deed, Mode
from tests.features.services.desk import Desk
from tests.policy.calls import allow
from tests.policy.test_modes import PROMISED
from tests.policy.variants import carrying

MODES = list(Mode)
ALL = ScopedFs(read=True, write=True, execute=True)


async def _read(files: ScopedFiles) -> object:
    return files.read("README.md")


async def _write(files: ScopedFiles) -> object:
    return files.write("new.txt", b"x")


async def _protected(files: ScopedFiles) -> object:
    return files.write(".git/hooks/pre-commit", b"x")


async def _look(files: ScopedFiles) -> object:
    return await files.run("ls")


async def _act(files: ScopedFiles) -> object:
    return await files.run("touch made.txt")


USES: dict[Deed, Callable[[ScopedFiles], Awaitable[object]]] = {
    Deed.READ_INSIDE: _read,
    Deed.WRITE_INSIDE: _write,
    Deed.WRITE_PROTECTED: _protected,
    Deed.SHELL_READ_ONLY: _look,
    Deed.SHELL_OTHER: _act,
}


def files_of(desk: Desk) -> ScopedFiles:
    files = desk.handed().files(ALL)
    assert isinstance(files, ScopedFiles)
    return files


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("deed", list(USES))
async def test_each_cell_holds_for_the_file_service(tmp_path: Path, deed: Deed, mode: Mode) -> None:
    desk = Desk(tmp_path, mode=mode)
    (desk.workspace / "README.md").write_text("hello\n")
    use, cell = USES[deed], PROMISED[deed].split()[MODES.index(mode)]

    if cell == "allow":
        await use(files_of(desk))
    else:
        with pytest.raises(ServiceRefused):
            await use(files_of(desk))
    changed = (desk.workspace / "new.txt").exists() or (desk.workspace / "made.txt").exists()
    assert changed == (cell == "allow" and deed in {Deed.WRITE_INSIDE, Deed.SHELL_OTHER})


async def test_no_disguised_command_runs_for_a_feature_under_a_rule_for_its_first_word(
    tmp_path: Path,
) -> None:
    commands = carrying(60)
    rules = [allow(f"bash({command.split()[0]} *)") for command in commands if command.split()]
    desk = Desk(tmp_path, mode=Mode.ASK, rules=rules)
    for command in commands:
        with pytest.raises(ServiceRefused):
            await files_of(desk).run(command, seconds=5)
    assert list(desk.workspace.iterdir()) == []
