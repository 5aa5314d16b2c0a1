"""Around a call of a tool, in every tier: the same outcome, the same entries, and who it was."""

from __future__ import annotations

from typing import Any

from tests.addons.conformance.stage import AFTER, BEFORE, FEATURE, Stage, across
from tests.requirements import requirement

_FULL = ("--mode", "full")
_DENY_RM = (*_FULL, "--deny", "bash(rm *)")
_SHELL, _HOST = "builtin:shell", "builtin:conductor"
_DENIED = "Denied: bash is denied by the rule 'bash(rm *)' (from: flag)"
_MISFIT = (
    "bash has no argument `commando`. Did you mean `command`? It takes: command, timeout, cwd."
)
_REWRITTEN = ("hook", FEATURE, "pre-tool", "rewrite")

Entries = list[tuple[Any, ...]]

GATED: dict[str, Entries] = {
    "echo forbidden": [
        ("hook", FEATURE, "pre-tool", "deny", "it is forbidden"),
        ("result", FEATURE, "denied", "Blocked by subject: it is forbidden"),
    ],
    "echo fine": [("intent", _SHELL), ("result", _SHELL, "ok", "fine")],
    "rm made": [("result", _HOST, "denied", _DENIED)],
}
ENTERED: dict[str, Entries] = {
    "echo loud": [
        _REWRITTEN,
        ("intent", _SHELL, FEATURE, '{"command": "echo quiet"}'),
        ("result", _SHELL, "ok", "quiet"),
    ],
    "echo blockme": [
        ("hook", FEATURE, "pre-tool", "deny", "it is blocked"),
        ("result", FEATURE, "denied", "Blocked by subject: it is blocked"),
    ],
    "echo misfit": [_REWRITTEN, ("result", _HOST, "invalid", _MISFIT)],
    "echo sly": [_REWRITTEN, ("result", _HOST, "denied", _DENIED)],
    "rm dull": [("result", _HOST, "denied", _DENIED)],
    "echo fine": [("intent", _SHELL), ("result", _SHELL, "ok", "fine")],
}
LEFT: dict[str, Entries] = {
    "echo secret-word": [
        ("intent", _SHELL),
        ("hook", FEATURE, "post-tool", "rewrite"),
        ("result", FEATURE, "ok", "[gone]"),
    ],
    "echo fine": [("intent", _SHELL), ("result", _SHELL, "ok", "fine")],
}


def _called(stage: Stage, rows: dict[str, Entries], *words: str) -> None:
    """One turn in which the model makes these calls; each leaves the entries of its row."""
    ran = stage.ask(*(("bash", {"command": line}) for line in rows), words=words)
    assert ran.code == 0, ran.err
    found = stage.trace("hook", "intent", "result")
    assert found == [entry for entries in rows.values() for entry in entries]
    stage.checked()


@across()
@requirement("addons.gate.tool-before-blocks")
def test_a_gate_stops_a_call_with_its_reason_and_lets_others_pass(stage: Stage) -> None:
    stage.only(BEFORE)
    _called(stage, GATED, *_DENY_RM)
    assert FEATURE in stage.why("it is forbidden")


@across()
def test_a_session_records_who_was_there_and_by_which_right(stage: Stage) -> None:
    stage.only(BEFORE)
    stage.ask(words=_FULL)
    [installed] = stage.entries("install")
    [row] = [row for row in installed["features"] if row["id"] == FEATURE]
    assert (row["version"], row["runtime"]) == ("1.0.0", stage.tier.runtime)
    assert row["grant"] == f"user: {', '.join((*stage.tier.needs, BEFORE))}"
    assert stage.run("addon", "list", "--json").out.count(row["package"]) == 1


@across(lacking=["intercepts"])
def test_an_enter_stage_rewrites_and_blocks_and_the_host_looks_again(stage: Stage) -> None:
    stage.only(BEFORE)
    (stage.work / "victim").touch()
    _called(stage, ENTERED, *_DENY_RM)
    assert (stage.work / "victim").exists()
    assert FEATURE in stage.why("it is blocked")


@across(lacking=["intercepts"])
def test_what_a_person_would_be_asked_is_still_asked_after_a_rewrite(stage: Stage) -> None:
    stage.only(BEFORE)
    (stage.work / "victim").touch()
    ran = stage.ask(("bash", {"command": "echo sly"}), words=("--allow", "bash(echo *)"))
    assert ran.code == 3
    hook, result = stage.trace("hook", "intent", "result")
    assert (hook, result[:3]) == (_REWRITTEN, ("result", _HOST, "refused"))
    assert (stage.work / "victim").exists()


@across(lacking=["intercepts"])
def test_an_exit_stage_rewrites_what_the_model_reads(stage: Stage) -> None:
    stage.only(AFTER)
    _called(stage, LEFT, *_FULL)
    assert FEATURE in stage.why("[gone]")


@across()
def test_a_gate_that_fails_stops_the_call(stage: Stage) -> None:
    stage.only(BEFORE)
    ran = stage.ask(("bash", {"command": "echo explode-gate"}), words=_FULL)
    hook, result = stage.trace("hook", "intent", "result")
    assert (hook, result[:3]) == (
        ("hook", FEATURE, "pre-tool", "failed"),
        ("result", FEATURE, "denied"),
    )
    assert result[3].startswith("Blocked by subject: tool:before gate: it failed: ")
    assert FEATURE in ran.err
    stage.checked()


@across(lacking=["intercepts"])
@requirement("addons.tier1.handler-fault")
def test_an_interceptor_that_fails_blocks_the_call_or_withholds_its_result(stage: Stage) -> None:
    stage.only(BEFORE, AFTER)
    calls = [("bash", {"command": f"echo explode-{where}"}) for where in ("enter", "exit")]
    stage.ask(*calls, words=_FULL)
    hook, result, intent, after, withheld = stage.trace("hook", "intent", "result")
    assert (hook, result[:3]) == (
        ("hook", FEATURE, "pre-tool", "failed"),
        ("result", FEATURE, "denied"),
    )
    assert (intent, after) == (("intent", _SHELL), ("hook", FEATURE, "post-tool", "failed"))
    assert withheld[:3] == ("result", FEATURE, "error")
    assert withheld[3].startswith("The result is withheld: ")
    stage.checked()


@across()
def test_a_grant_that_is_withdrawn_counts_at_the_next_call_and_the_gate_stays_shut(
    stage: Stage,
) -> None:
    stage.only(BEFORE)
    model = stage.script(
        '[[answer]]\n[[answer.call]]\nname = "bash"\narguments = { command = "echo fine" }\n'
        '[[answer]]\ntext = "One."\n'
        '[[answer]]\n[[answer.call]]\nname = "bash"\narguments = { command = "echo fine" }\n'
        '[[answer]]\ntext = "Two."\n'
    )
    with stage.rpc("-m", model, *_FULL) as client:
        assert client.result("submit", text="go on")["text"] == "One."
        done = stage.run("grants", "withdraw", FEATURE, BEFORE)
        assert done.code == 0, done.err
        assert client.result("submit", text="go on")["text"] == "Two."
    first, second, note, third = stage.trace("hook", "intent", "result")
    assert (first, second) == (("intent", _SHELL), ("result", _SHELL, "ok", "fine"))
    assert note[:4] == ("hook", FEATURE, "pre-tool", "not-started")
    assert third[:3] == ("result", FEATURE, "denied")
