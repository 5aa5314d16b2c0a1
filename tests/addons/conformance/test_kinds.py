"""What every kind of feature can show, one that ships and a server included: it has a tool."""

from __future__ import annotations

from tests.addons.conformance.stage import Stage, of_every_kind
from tests.addons.session.house import spoken
from tests.cli.home import answer
from tests.requirements import requirement

_FULL = ("--mode", "full")
_GATE = 'id = "other"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "{}"\nreason = "not now"\n'
_WAITS = "until [ -e withdrawn ]; do sleep 0.02; done"


def _grant(stage: Stage) -> str:
    return f"contribute-tool({stage.tier.tool})"


def _good(stage: Stage) -> tuple[str, dict[str, object]]:
    return stage.tier.tool, stage.tier.calls.good


@of_every_kind()
@requirement("decision.beyond.conformance-suite")
def test_a_tool_answers_fails_and_never_gets_what_does_not_fit(stage: Stage) -> None:
    tool, calls, feature = stage.tier.tool, stage.tier.calls, stage.tier.feature
    stage.only(_grant(stage))
    ran = stage.ask(
        *((tool, arguments) for arguments in (calls.good, calls.wrong, calls.misfit)), words=_FULL
    )
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    results = {entry["outcome"]: entry for entry in stage.entries("result")}
    assert [entry["by"] for entry in stage.entries("intent")] == [feature, feature]
    assert (results["ok"]["by"], spoken(results["ok"])) == (feature, calls.said)
    assert results["error"]["by"] == feature
    assert calls.told in spoken(results["error"])
    assert results["invalid"]["by"] == "builtin:conductor"
    assert feature in stage.why(calls.said)
    stage.checked()


@of_every_kind()
@requirement("decision.beyond.conformance-suite")
def test_the_log_names_the_feature_its_kind_its_content_and_its_right(stage: Stage) -> None:
    stage.only(_grant(stage))
    assert stage.ask(words=_FULL).code == 0
    rows = {row["id"]: row for entry in stage.entries("install") for row in entry["features"]}
    row = rows[stage.tier.feature]
    assert row.get("runtime", "builtin") == stage.tier.runtime
    assert len(row["package"]) == 64
    assert row["grant"]
    by = {row["name"]: row["by"] for row in stage.entries("toolset")[-1]["tools"]}
    assert by[stage.tier.tool] == stage.tier.feature


@of_every_kind()
@requirement("decision.beyond.conformance-suite")
def test_a_tool_passes_permission_and_the_gates_of_others(stage: Stage) -> None:
    stage.only(_grant(stage))
    assert stage.ask(_good(stage)).code == 3
    assert [(row["outcome"], row["by"]) for row in stage.of("result")] == [
        ("refused", "builtin:conductor")
    ]
    stage.ask(_good(stage), words=(*_FULL, "--deny", stage.tier.tool))
    assert [row["outcome"] for row in stage.of("result")] == ["denied"]
    stage.addon("other", _GATE.format(stage.tier.tool))
    stage.trust()
    stage.ask(_good(stage), words=_FULL)
    [denied] = stage.of("result")
    assert (denied["by"], spoken(denied)) == ("project:other", "Blocked by other: not now")
    assert stage.of("intent") == []
    stage.checked()


@of_every_kind()
@requirement("decision.beyond.conformance-suite")
def test_a_grant_that_is_withdrawn_ends_the_tool_at_its_next_call(stage: Stage) -> None:
    stage.only(_grant(stage))
    stage.ask(words=_FULL)  # a server is met
    steps = (_good(stage), ("bash", {"command": _WAITS}), _good(stage))
    model = stage.script("".join(answer("", step) for step in steps) + answer("Done."))
    with stage.rpc("-m", model, *_FULL) as client:
        turn = client.send("submit", text="go on")
        client.wait(lambda message: "tool_start" in str(message) and "sleep" in str(message))
        done = stage.run("grants", "withdraw", stage.tier.feature, _grant(stage))
        assert done.code == 0, done.err
        (stage.work / "withdrawn").touch()
        assert client.answer(turn)["result"]["text"] == "Done."
    granted, _, denied = stage.of("result")
    assert (granted["outcome"], denied["outcome"]) == ("ok", "denied")
    assert f"may not offer {stage.tier.tool} any more" in spoken(denied)
    stage.checked()
