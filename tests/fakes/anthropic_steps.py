"""What the fake Anthropic server answers, step by step.

`say("text")` answers; `call("read", path="x")` and `calls(("read", {...}), ...)` call tools;
`fail(429, retry_after=1)` is an HTTP error as the API words it; `cut()`, `stall()`, `silent()`,
`garbage()`, `wrong_type()`, `endless()` and `raw(...)` are what goes wrong on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.endings import Endings
from tests.fakes.http_server import Ending

__all__ = [
    "Block",
    "Ending",
    "Script",
    "Step",
    "call",
    "calls",
    "cut",
    "endless",
    "fail",
    "frame",
    "garbage",
    "load_script",
    "raw",
    "say",
    "silent",
    "stall",
    "wrong_type",
]

STREAM_TYPE = "text/event-stream; charset=utf-8"
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Block:
    """A content block: what starts it, and the deltas that follow."""

    start: dict[str, Any]
    deltas: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Step:
    """One reply. `after_bytes` of the stream go out before a cut or a stall; None is all of it."""

    blocks: tuple[Block, ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = STREAM_TYPE
    body: bytes | None = None
    stop_reason: str = "end_turn"
    usage: dict[str, int] = field(default_factory=dict)
    delay: float = 0.0
    ending: Ending = Ending.COMPLETE
    after_bytes: int | None = None

    def frames(self, index: int, model: str) -> list[bytes]:
        """The parts of the body, in order, for the reply number `index`."""
        if self.body is not None:
            return [self.body]
        frames = [_message_start(index, model, self.usage), frame({"type": "ping"})]
        for number, block in enumerate(self.blocks):
            start = dict(block.start)
            if start.get("id") == "":
                start["id"] = f"toolu_{index:04d}_{number}"
            opened = {"type": "content_block_start", "index": number, "content_block": start}
            frames.append(frame(opened))
            for delta in block.deltas:
                content = {"type": "content_block_delta", "index": number, "delta": delta}
                frames.append(frame(content))
            frames.append(frame({"type": "content_block_stop", "index": number}))
        return [*frames, *_message_end(self.stop_reason, self.usage)]


Script = Step | Callable[[dict[str, Any]], Step]


def frame(event: dict[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {text}\n\n".encode("utf-8", "surrogatepass")


def say(
    text: str = "ok",
    *,
    thinking: str | None = None,
    signature: str = "c2lnbmF0dXJl",
    chunk: int = 40,
    delay: float = 0.0,
    stop_reason: str = "end_turn",
    usage: dict[str, int] | None = None,
) -> Step:
    blocks = _thinking(thinking, signature, chunk) + _text(text, chunk)
    return Step(blocks, stop_reason=stop_reason, usage=usage or {}, delay=delay)


def call(name: str, /, **arguments: Any) -> Step:
    return calls((name, arguments))


def calls(
    *named: tuple[str, dict[str, Any] | str],
    text: str = "",
    thinking: str | None = None,
    chunk: int = 40,
    usage: dict[str, int] | None = None,
) -> Step:
    """Arguments as a string go out as they are, broken or not."""
    tools: list[Block] = []
    for name, arguments in named:
        source = arguments if isinstance(arguments, str) else json.dumps(arguments)
        start = {"type": "tool_use", "id": "", "name": name, "input": {}}
        pieces = _split(source, chunk) or [""]
        deltas = tuple({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
        tools.append(Block(start, deltas))
    spoken = _thinking(thinking, "c2lnbmF0dXJl", chunk) + _text(text, chunk)
    return Step((*spoken, *tools), stop_reason="tool_use", usage=usage or {})


def fail(
    status: int, message: str = "", *, retry_after: float | str | None = None, kind: str = ""
) -> Step:
    error = {"type": kind or ERROR_TYPES.get(status, "api_error"), "message": message or "failed"}
    body = json.dumps({"type": "error", "error": error}).encode()
    headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    return Step(status=status, headers=headers, content_type="application/json", body=body)


_endings = Endings(Step, say)
cut, stall, silent = _endings.cut, _endings.stall, _endings.silent
garbage, wrong_type = _endings.garbage, _endings.wrong_type
endless, raw = _endings.endless, _endings.raw


def load_script(source: str) -> list[Script]:
    """Steps from a JSON list of objects with `say`, `call`, `calls` or `fail`, and `repeat`."""
    steps: list[Script] = []
    for row in json.loads(source):
        step = _row(row)
        steps += [step] * int(row.get("repeat", 1))
    return steps


def _row(row: dict[str, Any]) -> Step:
    options = {key: row[key] for key in ("chunk", "delay", "thinking", "usage") if key in row}
    if "say" in row:
        return say(row["say"], **options)
    if "fail" in row:
        return fail(row["fail"], row.get("message", ""), retry_after=row.get("retry_after"))
    made = row["calls"] if "calls" in row else [row["call"]]
    return calls(*[(one["name"], one["arguments"]) for one in made], text=row.get("text", ""))


def _split(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _text(text: str, chunk: int) -> tuple[Block, ...]:
    if not text:
        return ()
    deltas = tuple({"type": "text_delta", "text": piece} for piece in _split(text, chunk))
    return (Block({"type": "text", "text": ""}, deltas),)


def _thinking(text: str | None, signature: str, chunk: int) -> tuple[Block, ...]:
    if text is None:
        return ()
    deltas: list[dict[str, Any]] = [
        {"type": "thinking_delta", "thinking": piece} for piece in _split(text, chunk)
    ]
    deltas.append({"type": "signature_delta", "signature": signature})
    return (Block({"type": "thinking", "thinking": "", "signature": ""}, tuple(deltas)),)


def _message_start(index: int, model: str, usage: dict[str, int]) -> bytes:
    counted = {
        "input_tokens": usage.get("input", 10),
        "cache_creation_input_tokens": usage.get("cache_write", 0),
        "cache_read_input_tokens": usage.get("cache_read", 0),
        "output_tokens": 1,
    }
    message = {
        "id": f"msg_{index:04d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counted,
    }
    return frame({"type": "message_start", "message": message})


def _message_end(stop_reason: str, usage: dict[str, int]) -> list[bytes]:
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    counted = {"output_tokens": usage.get("output", 7)}
    ended = {"type": "message_delta", "delta": delta, "usage": counted}
    return [frame(ended), frame({"type": "message_stop"})]
