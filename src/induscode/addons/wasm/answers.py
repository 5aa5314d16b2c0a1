"""Answers of a component, checked where they come in. Each function raises `WasmFault`."""

from __future__ import annotations

from wasmtime.component import Record, Variant

from induscode.addons.wasm.decisions import Changed, Outcome, Stopped, ToolAnswer, Unchanged
from induscode.addons.wasm.faults import WasmFault, WasmFaultKind
from induscode.addons.wasm.limits import ANSWER_BYTES

__all__ = ["decision", "said", "tool"]


def said(doing: str, answer: object) -> str:
    """A text within the limit."""
    if not isinstance(answer, str):
        raise _bad(doing, "it answered no text")
    if len(answer) > ANSWER_BYTES or len(answer.encode()) > ANSWER_BYTES:
        raise _bad(doing, f"its answer has more than {ANSWER_BYTES:,} bytes")
    return answer


def decision(doing: str, answer: object) -> Outcome:
    """Of the variants `outcome`, `entered` and `left`, whose cases have different names."""
    match answer:
        case None | Variant(tag="unchanged" | "proceed" | "kept"):
            return Unchanged()
        case Variant(tag="transformed" | "rewritten", payload=text):
            return Changed(said(doing, text))
        case Variant(tag="stopped" | "blocked", payload=text):
            return Stopped(said(doing, text))
        case str():  # a variant with one text: the library gives the text itself
            return Changed(said(doing, answer))
        case _:
            raise _bad(doing, "it answered something else")


def tool(doing: str, answer: object) -> ToolAnswer:
    if not isinstance(answer, Record):
        raise _bad(doing, "it answered something else")
    about = vars(answer)
    return ToolAnswer(said(doing, about["text"]), is_error=about["is-error"] is True)


def _bad(doing: str, why: str) -> WasmFault:
    return WasmFault(WasmFaultKind.BAD_ANSWER, f"{doing}: {why}")
