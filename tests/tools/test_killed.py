"""A command does not outlive a program that was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.tools.waiting import until_gone, until_written

PROGRAM = """
import asyncio, sys
from pathlib import Path
from induscode.kernel.cancel import CancelToken
from induscode.tools.local_shell import LocalShell

async def main():
    shell = LocalShell(Path(sys.argv[1]))
    await shell.run(f"echo $$ > {sys.argv[1]}/pid; exec sleep 300", cwd=Path(sys.argv[1]),
                    seconds=300, cancel=CancelToken(), progress=lambda text: None)

asyncio.run(main())
"""


async def test_a_command_dies_with_us_when_we_are_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)]) as program:
        pid = int(await until_written(tmp_path / "pid"))

        program.send_signal(signal.SIGKILL)

        await until_gone(pid)
