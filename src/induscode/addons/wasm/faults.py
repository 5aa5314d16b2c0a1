"""What can go wrong with a component, each with a kind of its own."""

from __future__ import annotations

from enum import StrEnum

from induscode.errors import AddonAuthorError

__all__ = ["WasmFault", "WasmFaultKind", "fault_of"]


class WasmFaultKind(StrEnum):
    """`refused`: it is no component for this host. `unreadable`: its file cannot be read.
    `no-engine`: this installation cannot run any. `disabled`: it crashed too often. `reentered`:
    called while it waits for a call of its own. `host-failed`: a mistake of
    ours, not of the addon."""

    REFUSED = "refused"
    UNREADABLE = "unreadable"
    NO_ENGINE = "no-engine"
    OUT_OF_FUEL = "out-of-fuel"
    OUT_OF_TIME = "out-of-time"
    OUT_OF_MEMORY = "out-of-memory"
    TRAP = "trap"
    NOT_GRANTED = "not-granted"
    TOO_MANY_CALLS = "too-many-calls"
    BAD_ANSWER = "bad-answer"
    COMMAND_FAILED = "command-failed"
    REENTERED = "reentered"
    DISABLED = "disabled"
    CLOSED = "closed"
    HOST_FAILED = "host-failed"


class WasmFault(AddonAuthorError):
    """A component could not be used, or a call of it did not end well. `grant` is the one that was
    missing. `fatal`: the component's life ended with the call."""

    def __init__(
        self, kind: WasmFaultKind, message: str, *, hint: str = "", grant: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.grant = grant
        self.fatal = False


_SAID = {
    "all fuel consumed by WebAssembly": WasmFaultKind.OUT_OF_FUEL,
    "wasm trap: interrupt": WasmFaultKind.OUT_OF_TIME,
    "atomic wait on non-shared memory": WasmFaultKind.OUT_OF_MEMORY,  # see `growth.py`
    "exceeds memory limits": WasmFaultKind.OUT_OF_MEMORY,
    "exceeds table limits": WasmFaultKind.OUT_OF_MEMORY,
    "resource limit exceeded": WasmFaultKind.OUT_OF_MEMORY,
}
_UNREADABLE = ("invalid utf-8", "string pointer/length out of bounds", "discriminant")
"""What the engine says about an answer that is no value of its type."""

_HINTS = {
    WasmFaultKind.OUT_OF_FUEL: "it may loop without end",
    WasmFaultKind.OUT_OF_TIME: "it may loop without end, or have too much to do in one call",
    WasmFaultKind.OUT_OF_MEMORY: "it asked for more than its limit",
}


def fault_of(doing: str, said: str) -> WasmFault:
    """The fault behind what the engine said about a call that failed."""
    for words, kind in _SAID.items():
        if words in said:
            return WasmFault(kind, f"{doing}: {kind.replace('-', ' ')}", hint=_HINTS[kind])
    last = said.rpartition("Caused by:")[2].strip().removeprefix("wasm trap:")
    cause = " ".join(last.split())
    if any(words in cause for words in _UNREADABLE):
        return WasmFault(WasmFaultKind.BAD_ANSWER, f"{doing}: its answer is unreadable: {cause}")
    return WasmFault(WasmFaultKind.TRAP, f"{doing}: it trapped: {cause}")
