"""A step as the events of a Responses stream."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.openai_steps import Step

__all__ = ["ENCRYPTED", "ENDLESS_AT", "response_frame", "response_frames"]

ENDLESS_AT = 4
ENCRYPTED = "Z0FBQUFBQm/encrypted+reasoning=="
_INCOMPLETE = {"length": "max_output_tokens", "filter": "content_filter"}


def response_frame(event: dict[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {text}\n\n".encode("utf-8", "surrogatepass")


class _Stream:
    """Counts events and items as the API does."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.output: list[dict[str, Any]] = []

    def tell(self, kind: str, **fields: Any) -> None:
        event = {"type": kind, "sequence_number": len(self.frames), **fields}
        self.frames.append(response_frame(event))

    def of_item(self, kind: str, item: dict[str, Any], **fields: Any) -> None:
        self.tell(kind, output_index=len(self.output), item_id=item["id"], **fields)

    def open(self, item: dict[str, Any]) -> None:
        self.tell("response.output_item.added", output_index=len(self.output), item=item)

    def close(self, item: dict[str, Any]) -> None:
        self.tell("response.output_item.done", output_index=len(self.output), item=item)
        self.output.append(item)


def response_frames(step: Step, index: int, model: str) -> list[bytes]:
    stream = _Stream()
    base: dict[str, Any] = {
        "id": f"resp_{index:04d}",
        "object": "response",
        "created_at": 1700000000 + index,
        "model": model,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    begun = {**base, "status": "in_progress", "output": [], "usage": None}
    stream.tell("response.created", response=begun)
    stream.tell("response.in_progress", response=begun)
    if step.thinking is not None:
        _reasoning(stream, step, index)
    if step.text:
        _message(stream, step, index, step.text, "output_text")
    if step.refusal:
        _message(stream, step, index, step.refusal, "refusal")
    for number, (name, written) in enumerate(step.calls):
        _call(stream, step, f"{index:04d}_{number}", name, written)
    reason = _INCOMPLETE.get(step.stop)
    ended = "incomplete" if reason else "completed"
    final = {**base, "status": ended, "output": stream.output, "usage": _usage(step)}
    details = {"reason": reason} if reason else None
    stream.tell(f"response.{ended}", response={**final, "incomplete_details": details})
    return stream.frames


def _reasoning(stream: _Stream, step: Step, index: int) -> None:
    item: dict[str, Any] = {
        "id": f"rs_{index:04d}",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": "partial",
    }
    stream.open(item)
    part = {"type": "summary_text", "text": ""}
    stream.of_item("response.reasoning_summary_part.added", item, summary_index=0, part=part)
    for piece in step.pieces(step.thinking or ""):
        stream.of_item("response.reasoning_summary_text.delta", item, summary_index=0, delta=piece)
    whole = {"type": "summary_text", "text": step.thinking}
    stream.of_item(
        "response.reasoning_summary_text.done", item, summary_index=0, text=step.thinking
    )
    stream.of_item("response.reasoning_summary_part.done", item, summary_index=0, part=whole)
    stream.close({**item, "summary": [whole], "encrypted_content": ENCRYPTED})


def _message(stream: _Stream, step: Step, index: int, text: str, kind: str) -> None:
    item: dict[str, Any] = {
        "id": f"msg_{index:04d}",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
        **({"phase": step.phase} if step.phase else {}),
    }
    stream.open(item)
    field = "text" if kind == "output_text" else "refusal"
    more = {"annotations": [], "logprobs": []} if kind == "output_text" else {}
    logprobs = {"logprobs": []} if kind == "output_text" else {}
    empty = {"type": kind, field: "", **more}
    whole = {"type": kind, field: text, **more}
    stream.of_item("response.content_part.added", item, content_index=0, part=empty)
    for piece in step.pieces(text):
        stream.of_item(f"response.{kind}.delta", item, content_index=0, delta=piece, **logprobs)
    told = {field: text}
    stream.of_item(f"response.{kind}.done", item, content_index=0, **told, **logprobs)
    stream.of_item("response.content_part.done", item, content_index=0, part=whole)
    stream.close({**item, "status": "completed", "content": [whole]})


def _call(stream: _Stream, step: Step, number: str, name: str, written: str) -> None:
    item = {
        "id": f"fc_{number}",
        "type": "function_call",
        "status": "in_progress",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": "",
    }
    stream.open(item)
    for piece in step.pieces(written):
        stream.of_item("response.function_call_arguments.delta", item, delta=piece)
    stream.of_item("response.function_call_arguments.done", item, arguments=written, name=name)
    stream.close({**item, "status": "completed", "arguments": written})


def _usage(step: Step) -> dict[str, Any] | None:
    if step.usage is None:
        return None
    read, made = step.counted("input"), step.counted("output")
    return {
        "input_tokens": read,
        "input_tokens_details": {
            "cached_tokens": step.counted("cached"),
            "cache_write_tokens": step.counted("cache_write"),
        },
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": step.counted("reasoning")},
        "total_tokens": read + made,
    }
