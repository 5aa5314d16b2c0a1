"""A step as the chunks of a Chat Completions stream."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.openai_steps import Step

__all__ = ["ENDLESS_AT", "chat_frame", "chat_frames"]

ENDLESS_AT = 1
_FINISH = {"length": "length", "filter": "content_filter"}


def chat_frame(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"data: {text}\n\n".encode("utf-8", "surrogatepass")


def chat_frames(step: Step, index: int, model: str) -> list[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in step.pieces(step.thinking or "")]
    deltas += [{"content": piece} for piece in step.pieces(step.text)]
    deltas += [{"refusal": piece} for piece in step.pieces(step.refusal)]
    for number, (name, written) in enumerate(step.calls):
        opened = {
            "index": number,
            "id": f"call_{index:04d}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        deltas.append({"tool_calls": [opened]})
        for piece in step.pieces(written):
            grown = {"index": number, "function": {"arguments": piece}}
            deltas.append({"tool_calls": [grown]})
    frames = [chat_frame(_chunk(index, model, delta)) for delta in deltas]
    finish = _FINISH.get(step.stop, "tool_calls" if step.calls else "stop")
    frames.append(chat_frame(_chunk(index, model, {}, finish)))
    if step.usage is not None:
        counted = _chunk(index, model, None)
        frames.append(chat_frame({**counted, "usage": _usage(step)}))
    return [*frames, b"data: [DONE]\n\n"]


def _chunk(
    index: int, model: str, delta: dict[str, Any] | None, finish: str | None = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{index:04d}",
        "object": "chat.completion.chunk",
        "created": 1700000000 + index,
        "model": model,
        "choices": [] if delta is None else [choice],
        "usage": None,
    }


def _usage(step: Step) -> dict[str, Any]:
    read, made = step.counted("input"), step.counted("output")
    return {
        "prompt_tokens": read,
        "completion_tokens": made,
        "total_tokens": read + made,
        "prompt_tokens_details": {
            "cached_tokens": step.counted("cached"),
            "cache_write_tokens": step.counted("cache_write"),
        },
        "completion_tokens_details": {"reasoning_tokens": step.counted("reasoning")},
    }
