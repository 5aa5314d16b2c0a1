"""Conversations, and what one would hand to the vendor's own client to hold them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import Raw

from induscode.kernel.content import Image, Json, Opaque, Thinking
from induscode.kernel.request import NeutralRequest
from tests.gateway.conversations import (
    READ,
    assistant,
    head,
    request,
    result,
    tool_use,
    user,
)

PNG = Image("image/png", b"\x89PNG")
URL = "data:image/png;base64,iVBORw=="
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
FUNCTION = {"name": "read", "description": "Read a file.", "parameters": SCHEMA}
REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "x/+=="}
REASONING_RAW = Raw(b'{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"x\\/+=="}')

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """`asked` takes the wire that wrote the answers so far."""

    asked: Callable[[str], NeutralRequest]
    chat: Parameters
    responses: Parameters


def chat(*messages: Parameters, **more: Any) -> Parameters:
    return {
        "model": "claude-fake",
        "stream_options": {"include_usage": True},
        "max_tokens": 1024,
        "messages": list(messages),
        **more,
    }


def responses(*items: Parameters, **more: Any) -> Parameters:
    return {
        "model": "claude-fake",
        "store": False,
        "max_output_tokens": 1024,
        "input": list(items),
        **more,
    }


def said(role: str, content: Any, **more: Any) -> Parameters:
    return {"role": role, "content": content, **more}


def item(role: str, *parts: Parameters | str) -> Parameters:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": part} if isinstance(part, str) else part for part in parts]
    return {"type": "message", "role": role, "content": content}


def chat_call(call_id: str, arguments: str) -> Parameters:
    function = {"name": "read", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def response_call(call_id: str, arguments: str) -> Parameters:
    return {"type": "function_call", "call_id": call_id, "name": "read", "arguments": arguments}


def output(call_id: str, value: Any) -> Parameters:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


CHAT_PICTURE = {"type": "image_url", "image_url": {"url": URL}}
PICTURE = {"type": "input_image", "image_url": URL, "detail": "auto"}
CHAT_TOOL = {"type": "function", "function": FUNCTION}
TOOL = {"type": "function", "strict": False, **FUNCTION}
ODD = "héllo \u2028 \U0001f600 \x00"
TURNS = 80


def _long(wire: str) -> NeutralRequest:
    talk = [
        message
        for at in range(TURNS)
        for message in (
            user(f"q{at}") if at % 2 else user(result(f"c{at - 1}", f"r{at}"), f"q{at}"),
            assistant(f"a{at}", tool_use(f"c{at}", "read", n=at), wire=wire)
            if at % 2
            else assistant(f"a{at}", wire=wire),
        )
    ][2:]
    return request(*talk, head=head("S."), tail=user("last"))


def _long_chat() -> list[Parameters]:
    messages: list[Parameters] = []
    for at in range(1, TURNS):
        if at % 2:
            call = chat_call(f"c{at}", f'{{"n": {at}}}')
            messages += [said("user", f"q{at}"), said("assistant", f"a{at}", tool_calls=[call])]
        else:
            messages += [
                said("tool", f"r{at}", tool_call_id=f"c{at - 1}"),
                said("user", f"q{at}"),
                said("assistant", f"a{at}"),
            ]
    return messages


def _long_responses() -> list[Parameters]:
    items: list[Parameters] = []
    for at in range(1, TURNS):
        if at % 2:
            call = response_call(f"c{at}", f'{{"n": {at}}}')
            items += [item("user", f"q{at}"), item("assistant", f"a{at}"), call]
        else:
            items += [output(f"c{at - 1}", f"r{at}"), item("user", f"q{at}")]
            items += [item("assistant", f"a{at}")]
    return items


TABLE: dict[str, Conversation] = {
    "a first question": Conversation(
        lambda _: request(head=head("One.", "", "Two."), tail=user(ODD)),
        chat(said("system", "One.\n\nTwo."), said("user", ODD)),
        responses(item("user", ODD), instructions="One.\n\nTwo."),
    ),
    "tools without a system prompt": Conversation(
        lambda _: request(head=head(tools=[READ, READ]), tail=user("hi", "", "there")),
        chat(said("user", "hi\n\nthere"), tools=[CHAT_TOOL, CHAT_TOOL]),
        responses(item("user", "hi", "there"), tools=[TOOL, TOOL]),
    ),
    "a picture": Conversation(
        lambda _: request(head=head(), tail=user("look", PNG)),
        chat(said("user", [{"type": "text", "text": "look"}, CHAT_PICTURE])),
        responses(item("user", "look", PICTURE)),
    ),
    "thinking": Conversation(
        lambda wire: request(
            user("hard"),
            assistant(
                Thinking("hm", "sig"),
                Opaque("openai-responses", REASONING_RAW),
                Opaque("openai-responses", Raw(b'{"phase":"commentary"}')),
                "Easy.",
                wire=wire,
            ),
            head=head("S.", thinking="medium"),
            tail=user("again"),
        ),
        chat(
            said("system", "S."),
            said("user", "hard"),
            said("assistant", "Easy."),
            said("user", "again"),
            reasoning_effort="medium",
        ),
        responses(
            item("user", "hard"),
            REASONING,
            {**item("assistant", "Easy."), "phase": "commentary"},
            item("user", "again"),
            instructions="S.",
            reasoning={"effort": "medium", "summary": "auto"},
            include=["reasoning.encrypted_content"],
        ),
    ),
    "parallel calls, a picture and an error": Conversation(
        lambda wire: request(
            user("go"),
            assistant(tool_use("t1", "read", path="a"), tool_use("t2", "read"), wire=wire),
            user(
                result("t1", "A", Json(Raw(b'{"n": 1.0}')), PNG),
                result("t2", "no such file", is_error=True),
                "and hurry",
            ),
            assistant("Done.", wire=wire),
            head=head("S.", tools=[READ]),
            tail=user(result("t3"), result("t4", PNG), result("t5", is_error=True)),
        ),
        chat(
            said("system", "S."),
            said("user", "go"),
            said(
                "assistant",
                None,
                tool_calls=[chat_call("t1", '{"path": "a"}'), chat_call("t2", "{}")],
            ),
            said("tool", 'A\n\n{"n": 1.0}', tool_call_id="t1"),
            said("tool", "Error: no such file", tool_call_id="t2"),
            said(
                "user",
                [
                    {
                        "type": "text",
                        "text": "These pictures belong to the result of the call t1:",
                    },
                    CHAT_PICTURE,
                    {"type": "text", "text": "and hurry"},
                ],
            ),
            said("assistant", "Done."),
            said("tool", "(no text)", tool_call_id="t3"),
            said("tool", "(see the pictures that follow)", tool_call_id="t4"),
            said("tool", "Error: (no text)", tool_call_id="t5"),
            said(
                "user",
                [
                    {
                        "type": "text",
                        "text": "These pictures belong to the result of the call t4:",
                    },
                    CHAT_PICTURE,
                ],
            ),
            tools=[CHAT_TOOL],
        ),
        responses(
            item("user", "go"),
            response_call("t1", '{"path": "a"}'),
            response_call("t2", "{}"),
            output("t1", [{"type": "input_text", "text": 'A\n\n{"n": 1.0}'}, PICTURE]),
            output("t2", "Error: no such file"),
            item("user", "and hurry"),
            item("assistant", "Done."),
            output("t3", "(no text)"),
            output("t4", [PICTURE]),
            output("t5", "Error: (no text)"),
            instructions="S.",
            tools=[TOOL],
        ),
    ),
    "a long history": Conversation(
        _long,
        chat(said("system", "S."), *_long_chat(), said("user", "last")),
        responses(*_long_responses(), item("user", "last"), instructions="S."),
    ),
    "extra parameters": Conversation(
        lambda _: request(head=head(temperature=0.5, user="me"), tail=user("x")),
        chat(said("user", "x"), temperature=0.5, user="me"),
        responses(item("user", "x"), temperature=0.5, user="me"),
    ),
}
