from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google import genai
from google.genai import types
from msgspec import Raw

from induscode.errors import RequestRejected
from induscode.gateway.gemini.encoder import GeminiEncoder
from induscode.kernel.content import Image, Json, Opaque, Text, Thinking, ToolCall
from induscode.kernel.request import Message, NeutralRequest, Part
from tests.fakes.gemini_server import GeminiServer
from tests.fakes.gemini_steps import say
from tests.gateway.conversations import READ, head, request, result, tool_use, user
from tests.gateway.conversations import assistant as answered

GOLDENS = Path(__file__).parent / "goldens" / "gemini-1"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
DECLARED = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="read", description="Read a file.", parameters_json_schema=SCHEMA
        )
    ]
)
VERBATIM = ("args", "response", "parametersJsonSchema")


def assistant(*blocks: Any, wire: str = "gemini") -> Message:
    return answered(*blocks, wire=wire, model="gemini-fake")


def signed(call_id: str, name: str, signature: str, **arguments: Any) -> ToolCall:
    made = tool_use(call_id, name, **arguments)
    return ToolCall(made.id, made.name, made.arguments, signature=signature)


def encoded(asked: NeutralRequest) -> dict[str, Any]:
    return json.loads(GeminiEncoder().encode(asked).data)


def parts_of(*messages: Message) -> list[list[dict[str, Any]]]:
    body = encoded(request(*messages, head=head("s"), tail=user("x")))
    return [content["parts"] for content in body["contents"][:-1]]


def content(role: str, *parts: types.Part | str) -> types.Content:
    said = [types.Part(text=part) if isinstance(part, str) else part for part in parts]
    return types.Content(role=role, parts=said)


def called(
    call_id: str | None, name: str, arguments: dict[str, Any], signature: bytes | None = None
) -> types.Part:
    made = types.FunctionCall(id=call_id, name=name, args=arguments)
    return types.Part(function_call=made, thought_signature=signature)


def responded(call_id: str | None, name: str, **response: str) -> types.Part:
    return types.Part(
        function_response=types.FunctionResponse(id=call_id, name=name, response=response)
    )


def picture(data: bytes) -> types.Part:
    return types.Part(inline_data=types.Blob(mime_type="image/png", data=data))


def system(text: str) -> types.Content:
    return types.Content(parts=[types.Part(text=text)])


TABLE: dict[str, tuple[NeutralRequest, list[types.Content], types.GenerateContentConfig]] = {
    "a first question": (
        request(head=head("One.", "Two."), tail=user("héllo \u2028 \U0001f600 \x00")),
        [content("user", "héllo \u2028 \U0001f600 \x00")],
        types.GenerateContentConfig(
            system_instruction=system("One.\n\nTwo."), max_output_tokens=1024
        ),
    ),
    "tools and a picture without a system prompt": (
        request(head=head(tools=[READ]), tail=user("hi", Image("image/png", b"\x89PNG"))),
        [content("user", "hi", picture(b"\x89PNG"))],
        types.GenerateContentConfig(tools=[DECLARED], max_output_tokens=1024),
    ),
    "calls, results, a picture and thinking": (
        request(
            user("look"),
            assistant(
                Thinking("hmm", "c2ln"),
                Opaque(
                    "gemini", Raw(b'{"executableCode":{"code":"1","language":"PYTHON"}}')
                ),
                "I look.",
                signed("t1", "read", "AAEC", path="a"),
                tool_use("t2", "list", path="b"),
            ),
            user(result("t1", "A", Image("image/png", b"\x89PNG")), result("t2", is_error=True)),
            assistant("Done.", Thinking("", "c2ln")),
            head=head(
                "S.",
                tools=[READ],
                thinking="medium",
                max_output=8192,
                generationConfig={"stopSequences": ["x"], "temperature": 0.5},
                toolConfig={"functionCallingConfig": {"mode": "AUTO"}},
            ),
            tail=user(Json(Raw(b'{"n": 1.0}')), "again"),
        ),
        [
            content("user", "look"),
            content(
                "model",
                types.Part(text="hmm", thought=True, thought_signature=b"sig"),
                types.Part(
                    executable_code=types.ExecutableCode(code="1", language=types.Language.PYTHON)
                ),
                "I look.",
                called("t1", "read", {"path": "a"}, b"\x00\x01\x02"),
                called("t2", "list", {"path": "b"}),
            ),
            content(
                "user",
                responded("t1", "read", output="A"),
                picture(b"\x89PNG"),
                responded("t2", "list", error=""),
            ),
            content("model", "Done.", types.Part(text="", thought_signature=b"sig")),
            content("user", '{"n": 1.0}', "again"),
        ],
        types.GenerateContentConfig(
            system_instruction=system("S."),
            tools=[DECLARED],
            tool_config=types.ToolConfig(
                function_calling_config=types.FunctionCallingConfig(
                    mode=types.FunctionCallingConfigMode.AUTO
                )
            ),
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=8192),
            max_output_tokens=16384,
            stop_sequences=["x"],
            temperature=0.5,
        ),
    ),
    "parallel calls that came without ids": (
        request(
            user("both"),
            assistant(
                tool_use("indus-minted-0", "read", path="a"),
                tool_use("indus-minted-1", "read", path="b"),
            ),
            head=head("S.", tools=[READ]),
            tail=user(result("indus-minted-0", "A"), result("indus-minted-1", "B")),
        ),
        [
            content("user", "both"),
            content(
                "model", called(None, "read", {"path": "a"}), called(None, "read", {"path": "b"})
            ),
            content(
                "user", responded(None, "read", output="A"), responded(None, "read", output="B")
            ),
        ],
        types.GenerateContentConfig(
            system_instruction=system("S."), tools=[DECLARED], max_output_tokens=1024
        ),
    ),
    "a long history of another wire": (
        request(
            *[
                message
                for at in range(20)
                for message in (
                    user(f"q{at}"),
                    assistant(
                        Thinking("t", "s"), signed(f"c{at}", "read", "sig", n=at), wire="anthropic"
                    ),
                    user(result(f"c{at}", f"r{at}")),
                    assistant(f"a{at}", wire="anthropic"),
                )
            ],
            head=head("S."),
            tail=user("and?"),
        ),
        [
            *[
                said
                for at in range(20)
                for said in (
                    content("user", f"q{at}"),
                    content("model", called(f"c{at}", "read", {"n": at})),
                    content("user", responded(f"c{at}", "read", output=f"r{at}")),
                    content("model", f"a{at}"),
                )
            ],
            content("user", "and?"),
        ],
        types.GenerateContentConfig(system_instruction=system("S."), max_output_tokens=1024),
    ),
}  # fmt: skip


def as_spelled_by_us(value: Any) -> Any:
    """The vendor's client writes some names of fields with underscores; the API takes both."""
    if isinstance(value, list):
        return [as_spelled_by_us(item) for item in value]
    if not isinstance(value, dict):
        return value
    spelled: dict[str, Any] = {}
    for name, item in value.items():
        first, *more = name.split("_")
        ours = first + "".join(word.capitalize() for word in more)
        spelled[ours] = item if ours in VERBATIM else as_spelled_by_us(item)
    return spelled


@pytest.mark.parametrize("name", TABLE)
def test_the_body_says_what_the_vendors_own_client_would_say(name: str) -> None:
    asked, contents, config = TABLE[name]
    with GeminiServer([say("ok")]) as server:
        options = types.HttpOptions(base_url=server.url, api_version="v1beta")
        with genai.Client(api_key="k", http_options=options) as client:
            list(
                client.models.generate_content_stream(
                    model="gemini-fake", contents=contents, config=config
                )
            )
        theirs = server.requests[0]

    assert encoded(asked) == as_spelled_by_us(theirs.json)
    assert theirs.path == "/v1beta/models/gemini-fake:streamGenerateContent?alt=sse"


@pytest.mark.parametrize("name", TABLE)
def test_the_bytes_of_a_released_version_never_change(name: str) -> None:
    golden = GOLDENS / f"{name.replace(' ', '-').replace(',', '')}.json"
    assert GeminiEncoder().encode(TABLE[name][0]).data == golden.read_bytes()


def test_contents_are_the_last_field_and_the_order_is_fixed() -> None:
    asked = request(
        head=head("S", tools=[READ], thinking="low", max_output=4000, zeta=1, alpha=[2]),
        tail=user("x"),
    )
    body = encoded(asked)
    assert " ".join(body) == "systemInstruction tools generationConfig alpha zeta contents"
    assert body["generationConfig"] == {
        "maxOutputTokens": 4000,
        "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2048},
    }


def test_json_of_others_is_copied_byte_for_byte() -> None:
    call = ToolCall(id="t", name="n", arguments=Raw(b'{"a": 1.10, "b":1e2}'))
    data = GeminiEncoder().encode(request(assistant(call), head=head("s"), tail=user("x"))).data
    assert b'"args":{"a": 1.10, "b":1e2}' in data


def test_a_call_and_its_result_go_out_under_the_wire_id_and_the_name_of_the_tool() -> None:
    call = ToolCall(id="theirs", name="n", arguments=Raw(b"{}"))
    message = Message(role="assistant", parts=(Part(call, "e", "m", call="ours"),))
    made, told = parts_of(message, user(result("ours", "A", "B")))
    assert made[0]["functionCall"]["id"] == "ours"
    assert told[0]["functionResponse"] == {
        "id": "ours",
        "name": "n",
        "response": {"output": "A\nB"},
    }


def test_an_id_of_ours_stays_ours_even_when_it_was_made_unique() -> None:
    call = ToolCall(id="indus-minted-0", name="n", arguments=Raw(b"{}"))
    message = Message(role="assistant", parts=(Part(call, "e", "m", call="indus-minted-0-2"),))
    made, told = parts_of(message, user(result("indus-minted-0-2", "A")))
    assert made[0]["functionCall"] == {"name": "n", "args": {}}
    assert told[0]["functionResponse"] == {"name": "n", "response": {"output": "A"}}


def test_signatures_and_unknown_parts_go_back_only_to_the_wire_they_came_from() -> None:
    blocks = (
        Thinking("t", "sig"),
        Opaque("gemini", Raw(b'{"fileData":{}}')),
        signed("c", "n", "sig"),
        "said",
        Thinking("", "sig"),
    )
    foreign, own = parts_of(assistant(*blocks, wire="anthropic"), assistant(*blocks))
    call = {"functionCall": {"id": "c", "name": "n", "args": {}}}
    assert foreign == [call, {"text": "said"}]
    assert own == [
        {"text": "t", "thought": True, "thoughtSignature": "sig"},
        {"fileData": {}},
        {**call, "thoughtSignature": "sig"},
        {"text": "said"},
        {"text": "", "thoughtSignature": "sig"},
    ]


def test_thoughts_without_a_signature_are_left_out_and_nothing_is_empty() -> None:
    empty, thought, partly = parts_of(user(""), assistant(Thinking("t"), Text("")), user("", "x"))
    assert (empty, thought, partly) == (
        [{"text": "(no text)"}],
        [{"text": "(no text)"}],
        [{"text": "x"}],
    )


@pytest.mark.parametrize(
    ("level", "asked", "tokens", "budget"),
    [("low", 2048, 4096, 2048), ("low", 2049, 2049, 2048), ("high", 64000, 64000, 24576)],
)
def test_thinking_always_leaves_room_for_the_answer(
    level: str, asked: int, tokens: int, budget: int
) -> None:
    body = encoded(request(head=head("s", thinking=level, max_output=asked), tail=user("x")))
    config = body["generationConfig"]
    assert config["maxOutputTokens"] == tokens
    assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": budget}


def test_extra_fields_may_change_the_configuration_but_not_the_conversation() -> None:
    extra = {"temperature": 0, "maxOutputTokens": 5}
    body = encoded(request(head=head("s", generationConfig=extra), tail=user("x")))
    assert body["generationConfig"] == {"maxOutputTokens": 5, "temperature": 0}
    with pytest.raises(RequestRejected, match="'contents' is part of every request"):
        encoded(request(head=head("s", contents=[]), tail=user("x")))
    with pytest.raises(RequestRejected, match="'generationConfig' is not a table"):
        encoded(request(head=head("s", generationConfig=[1]), tail=user("x")))
    with pytest.raises(RequestRejected, match="no thinking level 'huge'"):
        encoded(request(head=head("s", thinking="huge"), tail=user("x")))
