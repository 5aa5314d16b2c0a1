"""Tool calls out of the text a model wrote."""

from __future__ import annotations

from msgspec import Raw

from induscode.kernel.content import ToolCall
from induscode.kernel.jsontext import JsonProblem, clean_text, parse_object

__all__ = ["tool_call"]


def tool_call(call_id: str, name: str, arguments: str) -> ToolCall:
    """A call as it was made. No text at all means no arguments; a text that is not one clean JSON
    object makes the call broken, and the text is kept for the answer to the model."""
    text = clean_text(arguments)[0]
    if not text.strip():
        return ToolCall(id=call_id, name=name, arguments=Raw(b"{}"))
    try:
        raw, _ = parse_object(text)
    except JsonProblem:
        return ToolCall(id=call_id, name=name, arguments=Raw(b"{}"), broken=text)
    return ToolCall(id=call_id, name=name, arguments=raw)
