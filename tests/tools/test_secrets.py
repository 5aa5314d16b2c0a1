"""Tools never cut a secret in two, and no part of one is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ShellOutcome, ToolContext, ToolResult
from induscode.policy.redaction import Secrets
from induscode.tools.bounded import bounded
from induscode.tools.limits import LINE_CHARACTERS, OUTPUT_END_BYTES
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.marked import MarkAwareFilesystem
from induscode.tools.processes.line import Mode
from induscode.tools.spill import Spill
from tests.decks import bound

KEY = "sk-canary-9f2c41d7e8"
MARK = "[redacted: MY_KEY]"
KNOWN = Secrets([("MY_KEY", KEY)])


async def ran(folder: Path, command: str) -> tuple[ShellOutcome, str]:
    told: list[str] = []
    shell = LocalShell(folder / "spill", secrets=KNOWN)
    outcome = await shell.run(
        command, cwd=folder, seconds=20, cancel=CancelToken(), progress=told.append
    )
    return outcome, "".join(told)


@pytest.mark.parametrize("cut", [1, 9, len(KEY) - 1])
async def test_a_secret_said_in_two_goes_becomes_one_mark(tmp_path: Path, cut: int) -> None:
    outcome, told = await ran(tmp_path, f"printf -- {KEY[:cut]}; sleep 0.15; printf -- {KEY[cut:]}")
    assert outcome.output == told == MARK


async def test_half_a_secret_at_the_end_is_said_when_nothing_more_comes(tmp_path: Path) -> None:
    outcome, told = await ran(tmp_path, f"printf 'x {KEY[:9]}'")
    assert outcome.output == told == f"x {KEY[:9]}"


@pytest.mark.parametrize("before", range(OUTPUT_END_BYTES - len(KEY), OUTPUT_END_BYTES + 3, 7))
async def test_no_file_and_no_end_of_a_long_output_has_a_part_of_it(
    tmp_path: Path, before: int
) -> None:
    (tmp_path / "key").write_text(KEY)
    fill = f"head -c {before} /dev/zero | tr '\\0' x"
    outcome, told = await ran(tmp_path, f"{fill}; cat key; {fill}; {fill}; cat key; {fill}")
    assert outcome.spilled is not None
    whole = outcome.spilled.read_text()
    assert whole.count(MARK) == 2
    for text in (whole, outcome.output, outcome.tail, told):
        assert KEY[:4] not in text
        assert KEY[4:] not in text


async def test_a_spilled_text_has_none(tmp_path: Path) -> None:
    kept = Spill(tmp_path, KNOWN.text).keep("x", f"a {KEY}")
    assert kept.read_text() == f"a {MARK}"


def context(folder: Path) -> ToolContext:
    return ToolContext(
        cwd=folder,
        fs=MarkAwareFilesystem(LocalFilesystem(), KNOWN),
        shell=LocalShell(folder / "spill", secrets=KNOWN),
        cancel=CancelToken(),
        progress=lambda _: None,
        spill=Spill(folder / "spill", KNOWN.text).keep,
        clean=KNOWN.text,
    )


@pytest.mark.parametrize("before", [LINE_CHARACTERS - 9, 14_990, 60_000])
async def test_a_long_file_is_redacted_before_it_is_cut(tmp_path: Path, before: int) -> None:
    (tmp_path / "long").write_text("y" * before + KEY + "z" * 80_000)
    read = bound("read", tmp_path).tool
    result = await read.execute({"path": "long"}, context(tmp_path))
    assert KEY[:5] not in repr(result)


class Talkative:
    """A tool that says much, with the secret where a result is cut."""

    name = label = "talk"
    description = ""
    parameters: Mapping[str, Any] = {"type": "object"}
    read_only = True

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.text("a" * (arguments["at"]) + KEY + "b" * 1000)


@pytest.mark.parametrize("at", [490, 500, 485])
async def test_a_long_result_is_redacted_before_it_is_cut(tmp_path: Path, at: int) -> None:
    tool = bounded(Talkative(), limit=1000)
    result = await tool.execute({"at": at}, context(tmp_path))
    assert KEY[:5] not in repr(result)


async def test_a_mark_never_takes_the_place_of_the_secret_in_a_file(tmp_path: Path) -> None:
    files = MarkAwareFilesystem(LocalFilesystem(), KNOWN)
    file = tmp_path / "f"
    file.write_text(f"KEY={KEY}")
    with pytest.raises(OSError, match="would be lost"):
        files.write(file, f"KEY={MARK}".encode())
    assert file.read_text() == f"KEY={KEY}"
    for fine in (f"KEY={KEY} # {MARK}", "KEY=", f"see {MARK}"):
        files.write(tmp_path / "other", fine.encode())
    files.write(file, b"KEY=")


async def test_what_comes_before_the_first_command_is_done_once(tmp_path: Path) -> None:
    done: list[int] = []
    shell = LocalShell(tmp_path, environ={}, before_first=lambda: done.append(1))
    assert done == []
    for _ in range(2):
        await shell.run(
            "true", cwd=tmp_path, seconds=9, cancel=CancelToken(), progress=lambda _: None
        )
    assert done == [1]


async def test_a_program_that_is_started_beside_the_shell_counts_as_a_command(
    tmp_path: Path,
) -> None:
    done: list[int] = []
    shell = LocalShell(tmp_path, environ={}, before_first=lambda: done.append(1))
    with (tmp_path / "said").open("wb") as said:
        outputs = (said.fileno(), said.fileno())
        line = await shell.keeper.begin(
            ("/bin/sh", "-c", "true"), tmp_path, {}, outputs=outputs, mode=Mode.FOREGROUND
        )
    assert done == [1]
    line.close()
    await shell.close()
