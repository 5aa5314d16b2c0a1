"""A server that becomes another one while a session runs: between turns, and within one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct

from tests.mcp.harbour import Call, Harbour, Server, Talk, tool, until
from tests.mcp.pulls import BEFORE, OFFERS, Pull, harboured, held_names, kept_names, reason_of
from tests.requirements import requirement

LIVE = (*OFFERS, "far", "twice")
"""`far` changes its description over HTTP; `twice` changes once more before it is approved."""

BACK = tuple(name for name in LIVE if name not in ("rename", "added", "twice", "order"))
DESCRIBED = OFFERS["description"]


class Part(Struct, frozen=True):
    """One turn in which the model called every tool there is."""

    ran: dict[str, list[str]]
    told: list[dict[str, Any]]
    faults: list[str]
    entries: list[dict[str, Any]]

    @property
    def names(self) -> set[str]:
        return {row["name"] for row in self.told}


class Story(Struct, frozen=True):
    """The turns of one session: as first seen, changed, changed back, approved, changed again."""

    before: Part
    changed: Part
    back: Part
    approved: Part
    again: Part
    replays: bool


def _calls(*more: str) -> list[Call]:
    names = [f"{name}__{each}" for name in LIVE for each in ("keep", "pulled")]
    return [(name, {}) for name in (*names, "rename__renamed", "added__fresh", *more)]


def _pull(name: str) -> Pull:
    return OFFERS.get(name, DESCRIBED)


def _held(name: str) -> list[str]:
    return held_names(name) if name in OFFERS else [f"{name}__pulled"]


def _kept(name: str) -> list[str]:
    return kept_names(name) if name in OFFERS else [f"{name}__keep"]


def _part(home: Harbour, talk: Talk, servers: dict[str, Server]) -> Part:
    past = {name: len(server.ran()) for name, server in servers.items()}
    heard, known = len(talk.faults()), len(home.entries()) if home.logs() else 0
    assert talk.turn()["exit"] == 0
    return Part(
        {name: server.ran()[past[name] :] for name, server in servers.items()},
        home.entries("toolset")[-1]["tools"],
        talk.faults()[heard:],
        home.entries()[known:],
    )


def _offered(home: Harbour, server: Server) -> None:
    """It was asked for its list, and what it listed is in the ledger."""
    wanted = {each["name"]: each["description"] for each in server.offers()}
    until(
        lambda: (
            {
                tool.definition.tool: tool.description
                for tool in home.ledger().snapshot.enrolled.values()
                if tool.server == server.name
            }
            == wanted
        ),
        f"{server.name} was listed again",
    )


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    home = Harbour(tmp_path_factory.mktemp("live"))
    far = home.remote("far", *BEFORE)
    servers: dict[str, Server] = {**harboured(home, *OFFERS), "far": far}
    servers["twice"] = home.server("twice", *BEFORE)
    home.configure(*servers.values())
    with far, home.talk(*[[_calls()]] * 5) as talk:
        home.met(*servers.values())
        until(lambda: far.deeds("subscribed"), "it is listened to")
        before = _part(home, talk, servers)

        for name, server in servers.items():
            server.offer(*_pull(name).after)
        lines = [talk.told(f"server {name!r}: ") for name in LIVE if name != "order"]
        until(lambda: len(servers["order"].deeds("listed")) > 1, "it was listed again")
        first = home.offered("twice__pulled")
        changed = _part(home, talk, servers)
        changed = Part(changed.ran, changed.told, lines, changed.entries)

        for name in BACK:
            servers[name].offer(*BEFORE)
        servers["twice"].offer(BEFORE[0], tool("pulled", "A third one."))
        for name in (*BACK, "twice"):
            _offered(home, servers[name])
        back = _part(home, talk, servers)

        approving = home.run("mcp", "approve", "description", "--yes")
        assert approving.code == 0, approving.err
        for name in home.held():
            home.approve(first if name == "twice__pulled" else home.offered(name))
        approved = _part(home, talk, servers)

        servers["description"].offer(*DESCRIBED.after)
        line = talk.told("server 'description': ")
        home.approve(home.offered("twice__pulled"))
        again = _part(home, talk, servers)
        again = Part(again.ran, again.told, [line], again.entries)
        talk.end()
        yield Story(before, changed, back, approved, again, home.replays())


def test_all_of_it_works_before(story: Story) -> None:
    assert story.before.ran == {name: ["keep", "pulled"] for name in LIVE}
    assert story.before.faults == []


def test_the_log_explains_every_request(story: Story) -> None:
    assert story.replays


@requirement("decision.changed-tool-quarantined")
@pytest.mark.parametrize("name", LIVE)
def test_what_changed_between_turns_is_not_in_the_next(story: Story, name: str) -> None:
    assert story.changed.names.isdisjoint(_held(name))
    assert [f"{name}__{each}" for each in story.changed.ran[name]] == _kept(name)
    assert story.changed.names >= set(_kept(name))


@pytest.mark.parametrize("name", [name for name in LIVE if name != "order"])
def test_one_line_tells_which_tool_and_why_and_what_to_do(story: Story, name: str) -> None:
    [line] = [line for line in story.changed.faults if f"server {name!r}" in line]
    assert all(each in line for each in _held(name)), line
    assert (reason_of(name) if name in OFFERS else DESCRIBED.reason) in line
    assert f"see: indus mcp list; accept: indus mcp approve {name}" in line


def test_the_log_says_what_is_gone_and_why(story: Story) -> None:
    [bridge] = [entry for entry in story.changed.entries if entry["type"] == "bridge"]
    gone = {each["name"]: each["reason"] for each in bridge["gone"]}
    assert gone == {
        "rename__pulled": "its server does not offer it any more",
        **{
            each: _pull(name).reason
            for name in LIVE
            if name not in ("rename", "added")
            for each in _held(name)
        },
    }


def test_another_order_changes_nothing_that_the_model_is_told(story: Story) -> None:
    def rows(part: Part) -> list[dict[str, Any]]:
        return [row for row in part.told if row["by"] == "mcp:order"]

    assert rows(story.changed) == rows(story.before) == rows(story.again)


@pytest.mark.parametrize("name", BACK)
def test_changing_back_does_not_lift_the_quarantine(story: Story, name: str) -> None:
    assert story.back.names.isdisjoint(_held(name))
    assert [f"{name}__{each}" for each in story.back.ran[name]] == _kept(name)


def test_what_is_held_is_not_told_again_because_it_changes_again(story: Story) -> None:
    assert story.back.faults == []


@pytest.mark.parametrize("name", [name for name in LIVE if name != "twice"])
def test_what_was_approved_is_in_the_next_turn(story: Story, name: str) -> None:
    assert story.approved.names >= {*_held(name), *_kept(name)}
    ran = {f"{name}__{each}" for each in story.approved.ran[name]}
    assert ran == {*_held(name), *_kept(name)}


def test_an_approval_does_not_cover_what_came_after_it(story: Story) -> None:
    assert "twice__pulled" not in story.approved.names
    assert story.approved.ran["twice"] == ["keep"]
    assert "twice__pulled" in story.again.names
    assert story.again.ran["twice"] == ["keep", "pulled"]


def test_what_was_approved_and_changes_again_is_held_and_told_again(story: Story) -> None:
    assert "description__pulled" not in story.again.names
    assert story.again.ran["description"] == ["keep"]
    assert DESCRIBED.reason in story.again.faults[0]


# Within a turn


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Harbour:
    """Servers that become others when a tool of theirs is called; then the model calls the rest."""
    home = Harbour(tmp_path_factory.mktemp("within"))
    servers = harboured(home, *OFFERS)
    for name, server in servers.items():
        after = (*OFFERS[name].after, tool("become"))
        server.offer(*BEFORE, tool("become", does={"become": after}))
    home.configure(*servers.values())
    became: list[Call] = [(f"{name}__become", {}) for name in servers]
    calls: list[Call] = [(f"{name}__{each}", {}) for name in servers for each in ("pulled", "keep")]
    ran = home.go(became, calls)
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    (home.root / "stderr").write_text(ran.err)
    return home


def _ran(home: Harbour, name: str) -> list[str]:
    return home.server(name).ran()[1:]


@pytest.mark.parametrize("name", OFFERS)
def test_what_changed_within_a_turn_does_not_run_in_it(turned: Harbour, name: str) -> None:
    ran = {f"{name}__{each}" for each in _ran(turned, name)}
    assert ran == set(kept_names(name))


@pytest.mark.parametrize("name", [name for name in OFFERS if name not in ("order", "added")])
def test_the_model_is_told_why_it_did_not_run(turned: Harbour, name: str) -> None:
    said = [text for text in turned.results() if text.startswith(f"Denied: mcp:{name} ")]
    if name == "rename":
        [text] = said
        assert text.endswith("rename__pulled): its server does not offer it any more")
        return
    for tool_name, text in zip(sorted(held_names(name)), sorted(said), strict=True):
        assert f"{tool_name}): it is in quarantine: {reason_of(name)};" in text
        assert f"`indus mcp approve {tool_name}`" in text


def test_each_server_is_told_in_one_line_at_once(turned: Harbour) -> None:
    lines = (turned.root / "stderr").read_text().splitlines()
    assert len(lines) == len(OFFERS) - 1
    for name in set(OFFERS) - {"order"}:
        [line] = [line for line in lines if f"server {name!r}: " in line]
        assert reason_of(name) in line


def test_the_tools_of_a_turn_are_those_of_its_beginning(turned: Harbour) -> None:
    assert len(turned.entries("toolset")) == len(turned.entries("bridge")) == 1
    assert turned.replays()


def test_a_session_that_begins_with_held_tools_says_so(turned: Harbour) -> None:
    ran = turned.go()
    assert len(ran.complaints) == len(OFFERS) - 1
    held = {each for name in OFFERS for each in held_names(name)}
    assert held.isdisjoint(turned.tools())
