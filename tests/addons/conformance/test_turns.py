"""What a turn is made of, in every tier: words, context, parameters, answers, environment."""

from __future__ import annotations

import json
from typing import Any

from tests.addons.conformance.stage import ALERT, FEATURE, MARK, Stage, across
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.requirements import requirement

_MODEL = ("-m", "anthropic/claude-sonnet-4-5", "--mode", "full")
_INPUT = "contribute-hook(input-submit)"
_CONTEXT, _PARAMETERS = "contribute-hook(pre-request)", "contribute-hook(request-parameters)"
_ANSWER, _SHELL = "contribute-hook(post-assistant)", "contribute-hook(shell-environment)"
_START = "contribute-hook(turn-start)"
_COMPACT, _SUMMARY = "contribute-hook(before-rewrite)", "contribute-hook(summary)"


def _said(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])


def _bodies(server: AnthropicServer) -> list[dict[str, Any]]:
    return [json.loads(body) for body in server.bodies]


@across()
@requirement("addons.events.chat-params", "addons.events.context-build")
def test_parameters_and_context_reach_the_provider_as_they_were_changed(stage: Stage) -> None:
    stage.only(_CONTEXT, _PARAMETERS)
    with AnthropicServer([say("Well.")]) as server:
        stage.url = server.url
        ran = stage.run("-p", "look at the old-news here", *_MODEL)
        assert ran.code == 0, ran.err
        [body] = _bodies(server)
    assert body["temperature"] == 0.25
    assert "look at the [left out] here" in _said(body)
    assert "old-news" not in _said(body)
    assert stage.trace("input", "amendment", "hook") == [
        ("input", "person", "look at the old-news here"),
        ("amendment", FEATURE, "look at the [left out] here"),
        ("amendment", FEATURE, '{"temperature": 0.25}'),
    ]
    stage.checked()
    assert FEATURE in stage.why("[left out]")


@across()
@requirement("addons.events.input-submit", "addons.gate.input-submit-blocks")
def test_what_is_said_is_reworded_or_stopped_before_the_model_reads_it(stage: Stage) -> None:
    stage.only(_INPUT)
    with AnthropicServer([say("Well.")]) as server:
        stage.url = server.url
        stopped = stage.run("-p", "a stopword", *_MODEL)
        ran = stage.run("-p", "write the draft-word", *_MODEL)
        assert ran.code == 0, ran.err
        [body] = _bodies(server)
    assert stopped.code == 1
    assert "not that word" in stopped.err
    assert "write the final-word" in _said(body)
    assert "draft-word" not in _said(body)
    assert stage.trace("input", "amendment", "hook") == [
        ("input", "person", "write the draft-word"),
        ("amendment", FEATURE, "write the final-word"),
    ]
    stage.checked()
    assert FEATURE in stage.why("final-word")


@across()
@requirement("addons.events.chat-message")
def test_an_answer_is_reworded_for_the_person_and_for_later_requests(stage: Stage) -> None:
    stage.only(_ANSWER)
    with AnthropicServer([say("A raw-word."), say("Well.")]) as server:
        stage.url = server.url
        first = stage.run("-p", "one", *_MODEL)
        second = stage.run("-p", "two", "-c", *_MODEL)
        assert (first.code, second.code) == (0, 0), first.err + second.err
        _, body = _bodies(server)
    assert first.out == "A fine-word.\n"
    assert "fine-word" in _said(body)
    assert "raw-word" not in _said(body)
    assert stage.trace("input", "amendment", "hook") == [
        ("input", "person", "one"),
        ("amendment", FEATURE, "A fine-word."),
        ("input", "person", "two"),
    ]
    stage.checked()


@across()
@requirement("addons.events.shell-env")
def test_a_variable_that_was_granted_reaches_the_command_and_another_does_not(
    stage: Stage,
) -> None:
    stage.only(_SHELL, MARK)
    line = "echo mark=$SUBJECT_MARK other=$SUBJECT_OTHER"
    ran = stage.ask(("bash", {"command": line}), words=("--mode", "full"))
    assert ran.code == 0, ran.err
    refused, rewritten, intent, result = stage.trace("hook", "intent", "result")
    assert refused[:4] == ("hook", FEATURE, "shell-environment", "refused")
    assert "shape-environment(SUBJECT_OTHER): it was not granted" in refused[4]
    assert "SUBJECT_OTHER" in ran.err
    assert rewritten == ("hook", FEATURE, "shell-environment", "rewrite")
    assert (intent, result) == (
        ("intent", "builtin:shell"),
        ("result", "builtin:shell", "ok", "mark=1 other="),
    )
    stage.checked()


@across()
def test_an_observer_hears_and_changes_nothing(stage: Stage) -> None:
    stage.only(_START, ALERT)
    ran = stage.run("-p", "listen", "-m", stage.script('[[answer]]\ntext = "Well."\n'))
    assert (ran.code, ran.out) == (0, "Well.\n"), ran.err
    if stage.tier.asks:
        assert f"indus: {FEATURE}: heard it\n" in ran.err
    else:
        assert (stage.work / "heard").read_text() == "heard it\n"
    assert stage.trace("input", "amendment", "hook") == [("input", "person", "listen")]
    stage.checked()


@across()
def test_an_observer_and_a_transform_that_fail_are_told_and_passed_over(stage: Stage) -> None:
    stage.only(_START, _CONTEXT)
    text = "explode-observer and explode-context"
    ran = stage.run("-p", text, "-m", stage.script('[[answer]]\ntext = "Well."\n'))
    assert (ran.code, ran.out) == (0, "Well.\n"), ran.err
    assert "hook turn:start observe: it failed: " in ran.err
    assert "hook context:build transform: it failed: " in ran.err
    assert stage.trace("input", "amendment", "hook") == [("input", "person", text)]
    stage.checked()


_CONDENSED = (
    '[[answer]]\ntext = "Yes."\n[[answer]]\non = "Condense"\ntext = "A raw-word was said."\n'
)


@across()
@requirement("addons.events.compact-before", "addons.gate.compact-before-blocks")
def test_a_gate_keeps_the_conversation_from_being_condensed(stage: Stage) -> None:
    stage.only(_COMPACT)
    with stage.rpc("-m", stage.script(_CONDENSED)) as client:
        client.result("submit", text="go")
        assert client.result("compact") == {"compacted": False}
        assert client.event("hook")["reason"] == "not now"
    assert stage.trace("compaction", "hook") == [
        ("hook", FEATURE, "before-rewrite", "deny", "not now")
    ]
    stage.checked()


@across()
@requirement("addons.events.compact-build")
def test_a_transform_rewords_the_summary(stage: Stage) -> None:
    stage.only(_SUMMARY)
    with stage.rpc("-m", stage.script(_CONDENSED)) as client:
        client.result("submit", text="go")
        assert client.result("compact") == {"compacted": True}
    *_, condensed, amended = stage.trace("compaction", "amendment", "hook")
    assert condensed == ("compaction", "builtin:conductor", "A raw-word was said.")
    assert amended[:2] == ("amendment", FEATURE)
    assert amended[2].endswith("\n\nA fine-word was said.")
    stage.checked()
