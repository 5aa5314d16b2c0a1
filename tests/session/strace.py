"""Runs a Python module under strace: what it asked of the system, in order, and faults put in."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CALLS = "openat,close,flock,pread64,pwrite64,write,ftruncate,fdatasync,fsync,rename,mkdir,unlink"
_ROW = re.compile(r"(?P<name>\w+)\((?P<rest>.*)\)\s+= (?P<value>-?\d+|\?)(?P<note>.*)$")


@dataclass(frozen=True)
class Call:
    """One system call; `text` is its arguments, with the paths behind descriptors."""

    name: str
    text: str
    value: int
    failed: bool


@dataclass(frozen=True)
class Traced:
    code: int
    output: list[str]
    calls: list[Call]

    def about(self, *words: str) -> list[Call]:
        """The calls that mention one of the words."""
        return [call for call in self.calls if any(word in call.text for word in words)]


def traced(trace: Path, module: str, *arguments: str, inject: str = "") -> Traced:
    if shutil.which("strace") is None:
        pytest.fail("strace is missing; run: apt-get install strace")
    command = ["strace", "-y", "-s", "200", "-o", str(trace), "-e", f"trace={CALLS}"]
    for fault in inject.split():
        command += ["-e", f"inject={fault}"]
    run = subprocess.run(
        [*command, sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    if "ptrace" in run.stderr:
        pytest.fail(f"strace may not trace here ({run.stderr.strip()}); run as root")
    return Traced(run.returncode, run.stdout.splitlines(), list(read_calls(trace)))


def read_calls(trace: Path):
    for row in trace.read_text(errors="replace").splitlines():
        found = _ROW.match(row)
        if found:
            value = found["value"]
            code = -1 if value == "?" else int(value)
            yield Call(found["name"], found["rest"], code, failed=code < 0)
