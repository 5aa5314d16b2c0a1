"""What the fake OpenAI server answers, step by step, the same words for both of its wires.

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
    "Script",
    "Step",
    "call",
    "calls",
    "cut",
    "endless",
    "fail",
    "garbage",
    "raw",
    "refuse",
    "say",
    "silent",
    "stall",
    "wrong_type",
]

STREAM_TYPE = "text/event-stream; charset=utf-8"
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_exceeded",
    500: "server_error",
}


@dataclass(frozen=True)
class Step:
    """One reply. `stop` is `end`, `length` or `filter`; calls are names and the text of their
    arguments. `usage` has `input` (with what was cached), `cached`, `cache_write`, `output` (with
    the reasoning) and `reasoning`; None is a server that does not count. `after_bytes` of the
    stream go out before a cut or a stall; None is all of it."""

    text: str = ""
    thinking: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    refusal: str = ""
    phase: str = ""
    stop: str = "end"
    usage: dict[str, int] | None = field(default_factory=dict[str, int])
    chunk: int = 40
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = STREAM_TYPE
    body: bytes | None = None
    delay: float = 0.0
    ending: Ending = Ending.COMPLETE
    after_bytes: int | None = None

    def counted(self, name: str) -> int:
        return (self.usage or {}).get(name, {"input": 10, "output": 7}.get(name, 0))

    def pieces(self, text: str) -> list[str]:
        return [text[at : at + self.chunk] for at in range(0, len(text), self.chunk)]


Script = Step | Callable[[dict[str, Any]], Step]


def say(
    text: str = "ok",
    *,
    thinking: str | None = None,
    phase: str = "",
    chunk: int = 40,
    delay: float = 0.0,
    stop: str = "end",
    usage: dict[str, int] | None = None,
) -> Step:
    return Step(
        text=text,
        thinking=thinking,
        phase=phase,
        chunk=chunk,
        delay=delay,
        stop=stop,
        usage=usage or {},
    )


def refuse(text: str) -> Step:
    return Step(refusal=text)


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
    written = tuple(
        (name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for name, arguments in named
    )
    return Step(text=text, thinking=thinking, calls=written, chunk=chunk, usage=usage or {})


def fail(
    status: int,
    message: str = "",
    *,
    code: str | None = None,
    retry_after: float | str | None = None,
) -> Step:
    error = {
        "message": message or "failed",
        "type": _KINDS.get(status, "server_error"),
        "param": None,
        "code": code,
    }
    body = json.dumps({"error": error}).encode()
    headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    return Step(status=status, headers=headers, content_type="application/json", body=body)


_endings = Endings(Step, say, words=200)
cut, stall, silent = _endings.cut, _endings.stall, _endings.silent
garbage, wrong_type = _endings.garbage, _endings.wrong_type
endless, raw = _endings.endless, _endings.raw
