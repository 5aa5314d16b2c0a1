"""Keys and addresses of the three vendors, from the variables that their own tools read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.home import Home
from tests.fakes import anthropic_steps, gemini_steps, openai_steps
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.gemini_server import GeminiServer
from tests.fakes.openai_server import OpenAIServer
from tests.requirements import requirement

KEY = "key-of-this-vendor"


def sent(home: Home, server: Any, model: str, variables: dict[str, str]) -> Any:
    """The request that a run with only these variables makes."""
    home.key, home.url = "", "http://127.0.0.1:9"
    home.extra = variables
    ran = home.run("-p", "hi", "-m", model)
    assert (ran.code, ran.out) == (0, "ok\n"), ran.err
    return server.requests[-1]


@requirement("files.keys", "files.base-urls")
def test_anthropic_is_asked_below_an_address_without_v1(home: Home) -> None:
    with AnthropicServer([anthropic_steps.say("ok")]) as server:
        variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
        request = sent(home, server, "anthropic/claude-x", variables)
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == KEY


@requirement("files.keys", "files.base-urls")
def test_openai_is_asked_below_an_address_with_v1(home: Home) -> None:
    with OpenAIServer([openai_steps.say("ok")]) as server:
        variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{server.url}/v1"}
        request = sent(home, server, "openai/gpt-x", variables)
    assert request.path == "/v1/responses"
    assert request.headers["authorization"] == f"Bearer {KEY}"


@requirement("files.keys", "files.base-urls")
def test_gemini_is_asked_below_an_address_without_v1(home: Home) -> None:
    with GeminiServer([gemini_steps.say("ok")]) as server:
        variables = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": server.url}
        request = sent(home, server, "gemini/gemini-x", variables)
    assert request.path.startswith("/v1beta/models/gemini-x:streamGenerateContent")
    assert request.headers["x-goog-api-key"] == KEY


@requirement("files.keys")
@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("anthropic/x", "ANTHROPIC_API_KEY"),
        ("openai/x", "OPENAI_API_KEY"),
        ("gemini/x", "GEMINI_API_KEY"),
    ],
)
def test_without_its_key_a_vendor_is_not_asked_and_the_variable_is_named(
    home: Home, model: str, variable: str
) -> None:
    home.key = ""
    ran = home.run("-p", "hi", "-m", model)
    assert ran.code == 1
    assert f"the variable {variable} is not set" in ran.complaints[0]
    assert home.logs() == []
