"""No command, and nothing that it started, outlives a program that was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.processes.escapes import ESCAPES, alive, marked, new_marker
from tests.tools.waiting import until, until_written

PROGRAM = """
import asyncio, sys
from pathlib import Path
from induscode.kernel.cancel import CancelToken
from induscode.tools.local_shell import LocalShell

async def main():
    folder, way, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    shell = LocalShell(folder)
    if way == "run":
        await shell.run(command, cwd=folder, seconds=300, cancel=CancelToken(),
                        progress=lambda text: None)
    else:
        await shell.spawn(command, cwd=folder)
        await asyncio.sleep(300)

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["run", "spawn"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
async def test_nothing_outlives_us_when_we_are_killed(
    tmp_path: Path, way: str, number: signal.Signals
) -> None:
    marker, everything = new_marker(), "\n".join(ESCAPES.values())
    command = f"{everything}\necho > {tmp_path}/ready\nexec sleep 300"
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), way, marked(marker, command)]
    with subprocess.Popen(words) as program:
        await until_written(tmp_path / "ready")
        assert len(alive(marker)) > len(ESCAPES)

        program.send_signal(number)

        await until(lambda: alive(marker) == [])
