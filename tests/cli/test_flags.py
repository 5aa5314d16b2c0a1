"""Flags that change what the model is asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.home import Home
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.requirements import requirement

READ_ONLY = {"read", "ls", "grep", "find", "webfetch", "websearch", "todo_read"}


def asked(home: Home, *words: str) -> dict[str, Any]:
    """The body that a run with these flags sends."""
    with AnthropicServer([say("ok")]) as server:
        home.url = server.url
        ran = home.run("-p", "hi", *words)
    assert ran.code == 0, ran.err
    return server.requests[0].json


def system(body: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in body["system"])


def tools(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", [])]


@requirement("cli.flag.system")
def test_the_prompt_can_be_replaced_and_added_to_from_words_and_files(home: Home) -> None:
    (home.work / "role.md").write_text("You are a poet.\n")
    usual = system(asked(home))
    assert "Your name is indus" in usual
    assert str(home.work) in usual

    assert system(asked(home, "--system", "You are a clerk.")) == "You are a clerk."
    assert system(asked(home, "--system", "@role.md")).strip() == "You are a poet."
    longer = system(asked(home, "--append-system", "@role.md"))
    assert "Your name is indus" in longer
    assert longer.rstrip().endswith("You are a poet.")
    both = system(asked(home, "--system", "@role.md", "--append-system", "Rhyme."))
    assert both.split() == ["You", "are", "a", "poet.", "Rhyme."]
    why = home.run("why", "last", "--find", "Rhyme.")
    assert "--append-system" in why.out


@requirement("cli.flag.tools", "cli.flag.no-tools")
def test_tools_are_an_allow_list_matched_loosely(home: Home) -> None:
    everything = tools(asked(home))
    assert {"read", "write", "edit", "bash"} <= set(everything)
    assert tools(asked(home, "--tools", "Read,BA-SH")) == ["read", "bash"]
    assert tools(asked(home, "--no-tools")) == []
    assert "tools" not in asked(home, "--no-tools")


@requirement("decision.profile-plain-words")
@pytest.mark.parametrize(("plain", "name"), [("read-only", "authoring"), ("coding", "survey")])
def test_plain_words_are_the_profiles_of_the_documents(home: Home, plain: str, name: str) -> None:
    assert tools(asked(home, "--profile", plain)) == tools(asked(home, "--profile", name))


def test_the_read_only_profile_offers_nothing_that_writes(home: Home) -> None:
    offered = set(tools(asked(home, "--profile", "read-only")))
    assert "read" in offered
    assert offered <= READ_ONLY
    assert tools(asked(home, "--profile", "all")) == tools(asked(home))
    assert tools(asked(home, "--profile", "read-only", "--tools", "read,bash")) == ["read"]


@requirement("cli.flag.thinking")
def test_the_effort_reaches_the_request(home: Home) -> None:
    assert "thinking" not in asked(home)
    budgets = [
        asked(home, "--thinking", level)["thinking"]["budget_tokens"]
        for level in ("low", "medium", "high")
    ]
    assert budgets == sorted(set(budgets))
    assert "thinking" not in asked(home, "--thinking", "off")


@requirement("files.config.layers")
def test_later_layers_win(home: Home) -> None:
    assert asked(home)["model"] == "claude-sonnet-4-5"
    home.config('model = "anthropic/from-the-file"\n')
    assert asked(home)["model"] == "from-the-file"
    home.extra = {"INDUS_MODEL": "anthropic/from-the-environment"}
    assert asked(home)["model"] == "from-the-environment"
    assert asked(home, "-m", "anthropic/from-a-flag")["model"] == "from-a-flag"


def test_a_provider_of_the_users_own_is_asked_with_its_own_key(home: Home) -> None:
    with AnthropicServer([say("ok")]) as server:
        home.config(
            f'[providers.mine]\nwire = "anthropic"\nbase_url = "{server.url}"\n'
            'api_key_env = "MY_OWN_VARIABLE"\n'
        )
        home.extra = {"MY_OWN_VARIABLE": "own-key"}
        assert home.run("-p", "hi", "-m", "mine/some-model").code == 0
    assert server.requests[0].headers["x-api-key"] == "own-key"
    assert server.requests[0].json["model"] == "some-model"
