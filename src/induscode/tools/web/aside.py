"""Work that is done beside us, in a process of its own: it cannot hold us up, and it can be ended.

Pages are written by strangers and read by large libraries. One that takes for ever, or all memory,
costs a process that is killed when its time is over or the user stops.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from induscode.tools.web.limits import ASIDE_BYTES
from induscode.tools.web.problem import WebProblem

__all__ = ["INSTALL", "Faulted", "aside", "require"]

INSTALL = "pip install 'induscode[web]'"
_WORKER = Path(__file__).with_name("worker.py")
_answers = msgspec.json.Decoder(dict[str, Any])


class Faulted(Exception):
    """The work could not be done; says why in somebody else's words."""


def require(*packages: str, purpose: str) -> None:
    """Raises `WebProblem` that says what to install."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise WebProblem(_not_installed(missing[0], purpose))


async def aside(job: Mapping[str, Any], *, seconds: float, purpose: str) -> dict[str, Any]:
    """Do a job of `worker.py`. Raises `Faulted` when it fails or is not done in time, `WebProblem`
    when something is not installed. The process is gone when this returns, raises or is
    cancelled."""
    path = [entry for entry in sys.path if Path(entry).is_absolute()]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-X", "utf8", str(_WORKER)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=ASIDE_BYTES,
        cwd="/",
        env={"LANG": "C.UTF-8"},
        start_new_session=True,  # an interrupt from the keyboard is ours to handle
    )
    try:
        async with asyncio.timeout(seconds):
            line = await _asked(process, msgspec.json.encode({**job, "path": path}))
    except TimeoutError:
        raise Faulted(f"it took more than {seconds:g} s") from None
    finally:
        await _ended(process)
    if not line.endswith(b"\n"):
        raise Faulted("it took too much memory or time")
    return _checked(_answers.decode(line), purpose)


async def _asked(process: Process, job: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise Faulted("it could not be started")
    process.stdin.write(job + b"\n")
    try:
        await process.stdin.drain()
        return await process.stdout.readline()
    except ConnectionError:
        return b""  # it died while we wrote
    except ValueError:
        raise Faulted(f"it is longer than {ASIDE_BYTES:,} bytes") from None


async def _ended(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is None:
        process.kill()
    await process.wait()


def _checked(answer: dict[str, Any], purpose: str) -> dict[str, Any]:
    if "missing" in answer:
        raise WebProblem(_not_installed(answer["missing"], purpose))
    if "fault" in answer:
        raise Faulted(" ".join(str(answer["fault"]).split())[:300])
    return answer


def _not_installed(package: str, purpose: str) -> str:
    return f"{purpose} needs the package {package}; the user can install it: {INSTALL}"
