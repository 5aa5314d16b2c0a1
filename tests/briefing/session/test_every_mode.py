"""What people keep for the model reaches it in every run mode, and can be traced to its line."""

from __future__ import annotations

import json

import pytest

from induscode.briefing import BRIEFING_SECTION_IDS
from tests.briefing.session.kept import MODEL, Kept, prompt_of
from tests.cli.home import Home
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.requirements import requirement

MODES = ["print", "json", "plain", "rpc", "sdk", "delegate"]


@pytest.fixture
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(Home(tmp_path_factory.mktemp("kept")))


@requirement("briefing.session.every-mode", "briefing.skill.documentation-not-tool")
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_tells_the_model_what_is_kept_for_it(kept: Kept, mode: str) -> None:
    kept.trust()
    prompt = kept.asked(mode)
    for sentence in kept.sentences:
        # A delegate with one level below it has no agents of its own to send.
        assert sentence in prompt or (mode, sentence) == ("delegate", "Looks around for you.")
    assert f"Working directory: {kept.home.work}" in prompt
    assert str(kept.home.work / ".indus/skills/ship-it/SKILL.md") in prompt
    assert "Run the ship script." not in prompt
    assert ("# You are a delegate" in prompt) == (mode == "delegate")


def test_every_sentence_is_traced_to_its_file_line_and_importer(kept: Kept) -> None:
    kept.trust()
    kept.asked("print")
    for sentence, (file, line, importer) in kept.sentences.items():
        (found,) = kept.why(sentence)
        place = {"file": str(file), "line": line, "importer": importer}
        assert found["place"] == place, sentence
        assert found["piece"]["by"] == "builtin:briefing"
    shown = kept.home.run("why", "last", "--find", "Names are nouns").out
    assert f"source   {kept.home.work / 'docs/style.md'}:3\n" in shown
    assert f"importer {kept.home.work / 'AGENTS.md'}:4\n" in shown


def test_before_trust_nothing_of_the_workspace_is_told(kept: Kept) -> None:
    prompt = kept.asked("print")
    own = [s for s, (file, *_) in kept.sentences.items() if file.is_relative_to(kept.home.work)]
    assert [sentence for sentence in own if sentence in prompt] == []
    assert "Call the user Ada." in prompt


def test_without_anything_kept_the_prompt_has_no_such_sections(home: Home) -> None:
    with AnthropicServer([say("ok")]) as server:
        home.url = server.url
        assert home.run("-p", "hi", "-m", MODEL).code == 0
    prompt = prompt_of(server.requests[0].json)
    for heading in ("# Project context", "# Skills", "# Delegates"):
        assert heading not in prompt
    names = [span["name"] for span in home.entries("briefing")[0]["spans"]]
    assert names == [name for name in BRIEFING_SECTION_IDS if name in names]


@requirement("briefing.session.tool-docs")
def test_the_tools_of_the_prompt_are_the_tools_of_the_request(home: Home) -> None:
    with AnthropicServer([say("ok"), say("ok")]) as server:
        home.url = server.url
        home.run("-p", "hi", "-m", MODEL)
        home.run("-p", "hi", "-m", MODEL, "--tools", "read,process")
    for request in server.requests:
        offered = request.json["tools"]
        section = prompt_of(request.json).split("# Tools\n\n")[1].split("\n\n# ")[0]
        assert [f"- `{tool['name']}`" for tool in offered] == [
            line.split(" — ")[0] for line in section.splitlines() if line.startswith("- `")
        ]
        described = {tool["name"]: tool["description"] for tool in offered}
        assert described["process"] in section


def test_a_second_turn_with_nothing_changed_says_the_same_bytes(kept: Kept) -> None:
    kept.trust()
    with AnthropicServer([say("one"), say("two"), say("three")]) as server:
        kept.home.url = server.url
        ran = kept.home.run("--plain", "-m", MODEL, stdin="a\nb\nc\n")
    assert ran.code == 0
    heads = {json.dumps([r.json["system"], r.json["tools"]]) for r in server.requests}
    assert len(server.requests) == 3
    assert len(heads) == 1
    assert len(kept.home.entries("briefing")) == 1
    assert kept.home.run("replay", "last").code == 0


def test_a_resumed_session_says_the_same_bytes_when_nothing_changed(kept: Kept) -> None:
    kept.trust()
    with AnthropicServer([say("one"), say("two")]) as server:
        kept.home.url = server.url
        kept.home.run("-p", "a", "-m", MODEL)
        kept.home.run("-p", "b", "-m", MODEL, "-c")
    first, second = (json.dumps(r.json["system"]) for r in server.requests)
    assert first == second
    assert len(kept.home.entries("briefing")) == 1
