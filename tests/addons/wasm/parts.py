"""What the tests of components share: the guests, by what they do, and small components as text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import IntEnum
from pathlib import Path

from wasmtime import wat2wasm

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.contract import ExecOutcome, FrameworkHandles
from induscode.addons.wasm import WasmAddon

ROOT = Path(__file__).parents[3]
GUARD = ROOT / "examples" / "addons" / "wasm" / "guard.wasm"
HOSTILE = Path(__file__).parent / "guests" / "hostile.wasm"
BUILT = ROOT / "build" / "guests"
MB = 1024 * 1024

Opener = Callable[..., Awaitable[WasmAddon]]


class Misdeed(IntEnum):
    """What `hostile.c` does when its handler of this number is called."""

    LOOP = 0
    CHANGE = 1
    STOP = 2
    GROW = 5
    GROW_AT_ONCE = 6
    TRAP = 7
    RECURSE = 8
    LONG_ANSWER = 9
    BAD_UTF8 = 10
    OUTSIDE = 11
    FLOOD = 12
    COUNT = 13


class Calls(IntEnum):
    """Its handlers that call the host with the payload and tell its answer: the number of the case
    and the text."""

    LOG = 20
    STATE_GET = 21
    STATE_SET = 22
    NOTIFY = 23
    SEND_MESSAGE = 24
    SET_MODEL = 25
    SET_THINKING = 26
    EXEC = 27
    STATE_REMOVE = 28


class Ear:
    """A host that grants everything and remembers what was asked of it."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, ...]] = []
        self.kept: dict[str, str] = {}

    async def get(self, key: str) -> str | None:
        return self.kept.get(key)

    async def set(self, key: str, value: str | None) -> None:
        if value is None:
            self.kept.pop(key, None)
        else:
            self.kept[key] = value

    def log(self, level: LogLevel, text: str) -> None:
        self.heard.append(("log", level, text))

    def hear(self, what: str) -> Callable[[str], Awaitable[None]]:
        async def hear(text: str) -> None:
            self.heard.append((what, text))

        return hear

    async def exec(self, command: str) -> ExecOutcome:
        self.heard.append(("exec", command))
        return ExecOutcome("out", "", 0)

    def host(self) -> HostCalls:
        handles = FrameworkHandles(
            self.hear("send"), self.hear("model"), self.hear("thinking"), self.exec
        )
        return HostCalls(handles, self.hear("notify"), self, self.log)


def component(path: Path, text: str) -> Path:
    """A component from its text form."""
    path.write_bytes(wat2wasm(f"(component {text})"))
    return path
