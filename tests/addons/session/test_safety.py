"""The manifest of the specification, dropped into a trusted workspace."""

from __future__ import annotations

import pytest

from tests.addons.session.house import SAFETY, House, spoken
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import answer
from tests.requirements import requirement

_BASH = ("bash", {"command": "touch made"})
_REASON = "blocked by safety addon"


@pytest.fixture
def safe(house: House) -> House:
    house.addon("safety", SAFETY)
    script = house.work / "scripts/deploy.sh"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\necho "deployed to $1" | tee deployed\n')
    script.chmod(0o755)
    house.trust()
    return house


@requirement("addons.gate.tool-before-blocks")
def test_bash_is_blocked_and_the_model_is_told_the_reason(safe: House) -> None:
    ran = safe.ask(_BASH, words=("--mode", "full"))
    assert ran.code == 0, ran.err
    [result] = safe.of("result")
    assert _REASON in spoken(result)
    assert (result["outcome"], result["by"]) == ("denied", "project:safety")
    assert not (safe.work / "made").exists()
    [hook] = safe.of("hook")
    assert (hook["by"], hook["decision"], hook["reason"]) == ("project:safety", "deny", _REASON)
    assert safe.replays()


def test_other_tools_are_not_touched(safe: House) -> None:
    safe.ask(("write", {"path": "a.txt", "content": "x"}), words=("--mode", "full"))
    assert (safe.work / "a.txt").read_text() == "x"
    assert safe.of("hook") == []


def test_json_shows_the_decision(safe: House) -> None:
    ran = safe.ask(_BASH, words=("--mode", "full", "--json"))
    [hook] = [event for event in ran.events if event["type"] == "hook"]
    assert (hook["by"], hook["decision"], hook["reason"]) == ("project:safety", "deny", _REASON)
    assert not (safe.work / "made").exists()


def test_over_rpc_it_is_blocked_as_well(safe: House) -> None:
    place = Place.__new__(Place)
    place.workspace, place.home = safe.work, safe.indus
    model = safe.script(answer("", _BASH) + answer("Done."))
    with RpcClient(place, "-m", model, "--mode", "full") as client:
        client.result("initialize", client="a test")
        assert client.result("submit", text="go on")["text"] == "Done."
    [result] = safe.of("result")
    assert _REASON in spoken(result)


def test_a_sub_agent_is_blocked_too(safe: House) -> None:
    model = safe.script(
        answer("", ("task", {"objective": "touch a file"}))
        + answer("", _BASH)
        + answer("It was not possible.")
        + answer("Done.")
    )
    ran = safe.run("-p", "go on", "-m", model, "--mode", "full")
    assert ran.code == 0, ran.err
    assert not (safe.work / "made").exists()
    denied = [
        row
        for log in safe.logs()
        for row in safe.entries("result", log)
        if row["outcome"] == "denied"
    ]
    assert {row["by"] for row in denied} == {"project:safety"}
    assert len(safe.logs()) > 1


@requirement("addons.tier0.command-exec-through-handles", "addons.command.user-only")
def test_its_command_runs_the_script_with_the_argument(safe: House) -> None:
    ran = safe.run(
        "-p", "/deploy staging", "-m", safe.script(""), "--allow", "bash(./scripts/deploy.sh *)"
    )
    assert (ran.code, ran.out) == (0, "deployed to staging\n"), ran.err
    assert (safe.work / "deployed").read_text() == "deployed to staging\n"
    assert safe.of("hook", point="pre-tool") == [], "no tool is called, so no gate fires"


def test_its_command_passes_host_permission_as_bash_would(safe: House) -> None:
    ran = safe.run("-p", "/deploy staging", "-m", safe.script(""))
    assert ran.code == 3
    assert "/deploy of project:safety was refused" in ran.err
    assert not (safe.work / "deployed").exists()


def test_what_is_typed_after_the_name_cannot_smuggle_in_another_command(safe: House) -> None:
    ran = safe.run(
        *("-p", "/deploy staging; touch made", "-m", safe.script("")),
        *("--allow", "bash(./scripts/deploy.sh *)"),
    )
    assert ran.code == 3
    assert not (safe.work / "made").exists()


@requirement("cli.flag.no-addons")
def test_without_addons_nothing_of_it_is_there(safe: House) -> None:
    safe.ask(_BASH, words=("--mode", "full", "--no-addons"))
    assert (safe.work / "made").exists()
    assert not any("safety" in row.get("id", "") for row in _installed(safe))


def test_before_trust_nothing_of_it_counts_and_the_person_is_told(house: House) -> None:
    house.addon("safety", SAFETY)
    ran = house.ask(_BASH, words=("--mode", "full"))
    assert (house.work / "made").exists()
    assert ".indus/addons/safety" in ran.err
    assert "trust" in ran.err


def test_changed_after_trust_it_waits_and_what_it_gated_stays_shut(safe: House) -> None:
    safe.ask(_BASH, words=("--mode", "full"))
    safe.addon("safety", SAFETY.replace('match-tool = "bash"', 'match-tool = "ls"'))
    safe.ask(_BASH, words=("--mode", "full"))
    [result] = safe.of("result")
    assert result["outcome"] == "denied"
    assert "trust" in spoken(result)
    [hook] = safe.of("hook")
    assert (hook["by"], hook["decision"]) == ("project:safety", "not-started")


def test_the_session_opens_and_replays_where_the_addon_is_gone(safe: House) -> None:
    safe.ask(_BASH, words=("--mode", "full"))
    (safe.work / ".indus").rename(safe.root / "away")
    assert safe.replays()
    model = safe.script_after(answer("Here I am."))
    ran = safe.run("-p", "and now?", "-c", "-m", model)
    assert (ran.code, ran.out) == (0, "Here I am.\n"), ran.err
    assert safe.replays()


def _installed(house: House) -> list[dict]:
    return [row for entry in house.entries("install") for row in entry["features"]]
