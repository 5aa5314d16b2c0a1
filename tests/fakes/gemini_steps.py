"""What the fake Gemini server answers, step by step.

The same words as for the Anthropic one: `say("text")` answers; `call("read", path="x")` and
`calls(("read", {...}), ...)` call tools; `fail(429, retry_after=1)` is an HTTP error as the API
words it; `cut()`, `stall()`, `silent()`, `garbage()`, `wrong_type()`, `endless()` and `raw(...)`
are what goes wrong on the way. `Step(parts=...)` sends parts as they are, each in its own chunk.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.endings import Endings
from tests.fakes.http_server import Ending

__all__ = [
    "Script",
    "Step",
    "call",
    "calls",
    "cut",
    "endless",
    "fail",
    "frame",
    "garbage",
    "raw",
    "say",
    "silent",
    "stall",
    "wrong_type",
]

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_RAW = "\ue000raw\ue000"


@dataclass(frozen=True)
class Step:
    """One reply. `usage` counts as we do: `input` without `cache_read`, `output` with `reasoning`.
    `after_bytes` of the stream go out before a cut or a stall; None is all of it."""

    parts: tuple[dict[str, Any], ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "text/event-stream"
    body: bytes | None = None
    finish: str = "STOP"
    usage: dict[str, int] = field(default_factory=dict)
    delay: float = 0.0
    ending: Ending = Ending.COMPLETE
    after_bytes: int | None = None

    def frames(self, index: int, model: str) -> list[bytes]:
        """The parts of the body, in order, for the reply number `index`."""
        if self.body is not None:
            return [self.body]
        told = {"modelVersion": model, "responseId": f"resp_{index:04d}"}
        first = {"usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1}, **told}
        frames = [
            frame({"candidates": [{"content": {"role": "model", "parts": [part]}}], **first})
            for part in self.parts
        ]
        last = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": self.finish}
        counted = {"usageMetadata": _counted(self.usage), **told}
        return [*frames, frame({"candidates": [{**last, "index": 0}], **counted})]


Script = Step | Callable[[dict[str, Any]], Step]


def frame(chunk: dict[str, Any]) -> bytes:
    """Strings that begin with the mark of `exactly` stand for JSON as it is written."""
    text = json.dumps(chunk, ensure_ascii=False)
    while _RAW in text:
        before, _, rest = text.partition(f'"{_RAW}')
        hexed, _, after = rest.partition('"')
        text = before + bytes.fromhex(hexed).decode() + after
    return f"data: {text}\r\n\r\n".encode("utf-8", "surrogatepass")


def exactly(source: str) -> str:
    return _RAW + source.encode().hex()


def say(
    text: str = "ok",
    *,
    thinking: str | None = None,
    signature: str = "",
    chunk: int = 40,
    delay: float = 0.0,
    finish: str = "STOP",
    usage: dict[str, int] | None = None,
) -> Step:
    """`signature` comes as an empty text at the end, as it does for an answer without calls."""
    parts = _thinking(thinking, chunk) + _text(text, chunk)
    signed = ({"text": "", "thoughtSignature": signature},) if signature else ()
    return Step((*parts, *signed), finish=finish, usage=usage or {}, delay=delay)


def call(name: str, /, **arguments: Any) -> Step:
    return calls((name, arguments))


def calls(
    *named: tuple[str, dict[str, Any] | str],
    text: str = "",
    thinking: str | None = None,
    signature: str = "c2lnbmF0dXJl",
    ids: bool = False,
    chunk: int = 40,
    usage: dict[str, int] | None = None,
) -> Step:
    """Arguments as a string go out as they are. The first of the calls carries the signature."""
    tools: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(named):
        args = exactly(arguments) if isinstance(arguments, str) else arguments
        made = {"name": name, "args": args, **({"id": f"fc-{number}"} if ids else {})}
        signed = {"thoughtSignature": signature} if signature and not number else {}
        tools.append({"functionCall": made, **signed})
    spoken = _thinking(thinking, chunk) + _text(text, chunk)
    return Step((*spoken, *tools), usage=usage or {})


def fail(
    status: int,
    message: str = "",
    *,
    kind: str = "",
    reason: str = "",
    delay: str = "",
    retry_after: float | str | None = None,
) -> Step:
    """`reason` and `delay` come as details, `retry_after` as a header."""
    google = "type.googleapis.com/google.rpc."
    details: list[dict[str, Any]] = [{"@type": f"{google}Help", "links": [{"url": "https://x"}]}]
    if reason:
        details.append({"@type": f"{google}ErrorInfo", "reason": reason, "metadata": {"a": "b"}})
    if delay:
        details.append({"@type": f"{google}RetryInfo", "retryDelay": delay})
    named = kind or STATUSES.get(status, "UNKNOWN")
    error = {"code": status, "message": message or "failed", "status": named, "details": details}
    headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    body = json.dumps({"error": error}, indent=2).encode()
    return Step(status=status, headers=headers, content_type="application/json", body=body)


_endings = Endings(Step, say)
cut, stall, silent = _endings.cut, _endings.stall, _endings.silent
garbage, wrong_type = _endings.garbage, _endings.wrong_type
endless, raw = _endings.endless, _endings.raw


def _split(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _text(text: str, chunk: int) -> tuple[dict[str, Any], ...]:
    return tuple({"text": piece} for piece in _split(text, chunk))


def _thinking(text: str | None, chunk: int) -> tuple[dict[str, Any], ...]:
    return tuple({"text": piece, "thought": True} for piece in _split(text or "", chunk))


def _counted(usage: dict[str, int]) -> dict[str, int]:
    """As the API counts; what is nought is not sent."""
    cached, thoughts = usage.get("cache_read", 0), usage.get("reasoning", 0)
    counted = {
        "promptTokenCount": usage.get("input", 10) + cached,
        "candidatesTokenCount": usage.get("output", 7) - thoughts,
        "cachedContentTokenCount": cached,
        "thoughtsTokenCount": thoughts,
    }
    counted["totalTokenCount"] = counted["promptTokenCount"] + usage.get("output", 7)
    return {name: count for name, count in counted.items() if count}
