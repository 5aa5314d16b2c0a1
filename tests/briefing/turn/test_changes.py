"""What changes while a session runs counts from its next use on, and what is gone is told."""

from __future__ import annotations

from typing import Any

from tests.briefing.turn.kept import put
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient

SKILL = "---\nname: tidy\ndescription: About tidy.\n---\n{}\n"
ANSWERS = '[[answer]]\ntext = "Yes."\n' * 5


def inputs(place: Place) -> list[str]:
    return [e["content"][0]["text"] for e in place.entries() if e["type"] == "input"]


def submitted(client: RpcClient, line: str) -> Any:
    return client.result("submit", text=line)["exit"]


def test_a_changed_command_counts_at_its_next_use_and_a_lost_one_is_told(place: Place) -> None:
    file = put(place.home / "commands/ship.md", "Ship slowly.")
    with RpcClient(place, "-m", place.script(ANSWERS)) as client:
        assert submitted(client, "/ship") == 0
        file.write_text("Ship fast, at last.")
        assert submitted(client, "/ship") == 0
        file.unlink()
        assert submitted(client, "/ship") == 1
        faults = [event["message"] for event in client.events() if event["type"] == "fault"]
    assert inputs(place) == ["Ship slowly.", "Ship fast, at last."]
    assert any(f"/ship is not there any more: {file} is gone" in fault for fault in faults)


def test_a_changed_skill_is_brought_in_again_and_the_same_one_is_not(place: Place) -> None:
    file = put(place.home / "skills/tidy/SKILL.md", SKILL.format("Sweep."))
    with RpcClient(place, "-m", place.script(ANSWERS)) as client:
        assert submitted(client, "/skill:tidy") == 0
        assert submitted(client, "/skill:tidy again") == 0
        file.write_text(SKILL.format("Dust thoroughly."))
        assert submitted(client, "/skill:tidy") == 0
    notices = [e["text"].rpartition("\n\n")[2] for e in place.entries() if e["type"] == "notice"]
    assert notices == ["Sweep.", "Dust thoroughly."]
    assert len(inputs(place)) == 3
    assert place.replays()
