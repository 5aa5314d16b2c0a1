"""What an addon answers to a call, as the contract has it; anything else is a fault."""

from __future__ import annotations

from typing import Any, TypeVar, assert_never

import msgspec
from msgspec import Raw, Struct

from induscode.addons.contract import (
    PAYLOAD_TYPES,
    Block,
    Continue,
    EnterOutcome,
    ExitOutcome,
    GateDecision,
    HookEvent,
    Payload,
    RewriteArguments,
    RewriteResult,
)
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.kernel.tool import ToolResult

__all__ = [
    "command_text",
    "entered",
    "gate_decision",
    "left",
    "payload_of",
    "tool_result",
    "transformed",
]

T = TypeVar("T")


class _Decision(Struct, frozen=True, forbid_unknown_fields=True):
    stop: bool
    reason: str = ""


class _Transformed(Struct, frozen=True, forbid_unknown_fields=True):
    payload: Raw


class _Said(Struct, frozen=True, forbid_unknown_fields=True):
    text: str | None = None


class _Continue(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="action", tag="continue"
):
    pass


class _Arguments(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="action", tag="rewrite"
):
    args: dict[str, Any]


class _Block(Struct, frozen=True, forbid_unknown_fields=True, tag_field="action", tag="block"):
    reason: str


class _Result(Struct, frozen=True, forbid_unknown_fields=True, tag_field="action", tag="rewrite"):
    result: ToolResult


_enter = msgspec.json.Decoder[_Continue | _Arguments | _Block](_Continue | _Arguments | _Block)
_exit = msgspec.json.Decoder[_Continue | _Result](_Continue | _Result)


def gate_decision(answer: Raw) -> GateDecision:
    """Whoever allows says so: nothing at all is no decision."""
    said = _read("event", msgspec.json.Decoder(_Decision), answer)
    return GateDecision(said.stop, said.reason)


def transformed(event: HookEvent, answer: Raw) -> Payload | None:
    """None when it leaves everything as it is."""
    if bytes(answer) == b"null":
        return None
    return payload_of(event, _read("event", msgspec.json.Decoder(_Transformed), answer).payload)


def payload_of(event: HookEvent, text: Raw) -> Payload:
    return _read("event", msgspec.json.Decoder(PAYLOAD_TYPES[event]), text)


def entered(answer: Raw) -> EnterOutcome:
    said = _read("enter", _enter, answer)
    match said:
        case _Continue():
            return Continue()
        case _Arguments():
            return RewriteArguments(said.args)
        case _Block():
            return Block(GateDecision(stop=True, reason=said.reason))
        case _:
            assert_never(said)


def left(answer: Raw) -> ExitOutcome:
    said = _read("exit", _exit, answer)
    match said:
        case _Continue():
            return Continue()
        case _Result():
            return RewriteResult(said.result)
        case _:
            assert_never(said)


def tool_result(answer: Raw) -> ToolResult:
    return _read("tool", msgspec.json.Decoder(ToolResult), answer)


def command_text(answer: Raw) -> str | None:
    if bytes(answer) == b"null":
        return None
    return _read("command", msgspec.json.Decoder(_Said), answer).text


def _read(method: str, decoder: msgspec.json.Decoder[T], answer: Raw) -> T:
    try:
        return decoder.decode(answer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ProcessFault(
            ProcessFaultKind.BAD_ANSWER, f"{method}: its answer is not usable: {error}"
        ) from None
