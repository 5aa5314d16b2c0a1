"""A server that is another one after a restart: caught, whatever it changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from msgspec import Struct

from tests.cli.home import Ran
from tests.mcp.harbour import Harbour, Remote, Server
from tests.mcp.pulls import (
    BEFORE,
    LAUNCHES,
    OFFERS,
    harboured,
    held_names,
    kept_names,
    reason_of,
)
from tests.requirements import requirement

ALL = (*OFFERS, *LAUNCHES)
PULLED = tuple(name for name in ALL if name != "order")


class Session(Struct, frozen=True):
    """One run in which the model called every tool there is. `entries` are those of this run, `ran`
    is what reached each server in it, and `told` the tools that the model was told of."""

    said: Ran
    entries: list[dict[str, Any]]
    ran: dict[str, list[str]]
    told: list[dict[str, Any]]

    @property
    def names(self) -> set[str]:
        return {row["name"] for row in self.told}

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [entry for entry in self.entries if entry["type"] == type_]

    def lines(self, name: str) -> list[str]:
        """What was said of a server."""
        return [line for line in self.said.err.splitlines() if f"server {name!r}" in line]


class Story(Struct, frozen=True):
    """As they were approved; the same session after they changed, and when they changed back; and
    another one after that was approved."""

    before: Session
    changed: Session
    back: Session
    approved: Session
    replays: bool


def _session(home: Harbour, servers: dict[str, Server], *, goes_on: bool = False) -> Session:
    past = {name: len(server.ran()) for name, server in servers.items()}
    known = len(home.entries()) if goes_on else 0
    calls = [(f"{name}__{each}", {}) for name in servers for each in ("keep", "pulled")]
    step = [*calls, ("rename__renamed", {}), ("added__fresh", {})]
    said = home.go_on(step) if goes_on else home.go(step)
    return Session(
        said,
        home.entries()[known:],
        {name: server.ran()[past[name] :] for name, server in servers.items()},
        home.entries("toolset")[-1]["tools"],
    )


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    home = Harbour(tmp_path_factory.mktemp("restart"))
    servers = harboured(home, *ALL)
    with ExitStack() as stack:
        for server in servers.values():
            if isinstance(server, Remote):
                stack.enter_context(server)
        home.configure(*servers.values())
        before = _session(home, servers)

        for name, pull in OFFERS.items():
            servers[name].offer(*pull.after)
        home.configure(*servers.values(), **{n: row(servers[n]) for n, row in LAUNCHES.items()})
        changed = _session(home, servers, goes_on=True)

        for name in OFFERS:
            if name not in ("rename", "added"):
                servers[name].offer(*BEFORE)
        home.configure(*servers.values())
        back = _session(home, servers, goes_on=True)

        for name in home.held():
            home.approve(home.offered(name))
        approved = _session(home, servers)
        replays = all(home.run("replay", log.stem).code == 0 for log in home.logs())
        yield Story(before, changed, back, approved, replays)


def test_all_of_it_works_before(story: Story) -> None:
    assert story.before.said.complaints == []
    assert story.before.ran == {name: ["keep", "pulled"] for name in ALL}


def test_the_logs_explain_every_request(story: Story) -> None:
    assert story.replays


@requirement("decision.changed-tool-quarantined", "decision.approval-digest")
@pytest.mark.parametrize("name", PULLED)
def test_what_changed_is_neither_told_to_the_model_nor_called(story: Story, name: str) -> None:
    assert story.changed.names.isdisjoint(held_names(name))
    assert [f"{name}__{each}" for each in story.changed.ran[name]] == kept_names(name)
    assert story.changed.names >= set(kept_names(name))


@pytest.mark.parametrize("name", PULLED)
def test_one_line_tells_which_tool_and_why_and_what_to_do(story: Story, name: str) -> None:
    [line] = story.changed.lines(name)
    assert all(each in line for each in held_names(name)), line
    assert reason_of(name) in line
    assert "see: indus mcp list" in line
    assert f"accept: indus mcp approve {name}" in line


@pytest.mark.parametrize("name", [name for name in PULLED if name not in ("rename", "added")])
def test_the_log_says_what_is_gone_and_why(story: Story, name: str) -> None:
    [bridge] = story.changed.of("bridge")
    gone = {each["name"]: each["reason"] for each in bridge["gone"]}
    assert {each: gone.get(each) for each in held_names(name)} == dict.fromkeys(
        held_names(name), reason_of(name)
    )


def test_the_log_says_of_the_name_that_was_given_up_that_it_is_not_offered(story: Story) -> None:
    [bridge] = story.changed.of("bridge")
    [gone] = [each for each in bridge["gone"] if each["name"] == "rename__pulled"]
    assert gone["reason"] == "its server does not offer it any more"


@requirement("decision.ledger-on-hot-path")
def test_another_order_changes_nothing_that_the_model_is_told(story: Story) -> None:
    def rows(session: Session) -> list[dict[str, Any]]:
        return [row for row in session.told if row["by"] == "mcp:order"]

    assert [row["name"] for row in rows(story.before)] == ["order__keep", "order__pulled"]
    assert rows(story.changed) == rows(story.before)
    assert story.changed.lines("order") == []
    assert story.changed.ran["order"] == ["keep", "pulled"]


@pytest.mark.parametrize("name", [name for name in PULLED if name not in ("rename", "added")])
def test_changing_back_does_not_lift_the_quarantine(story: Story, name: str) -> None:
    assert story.back.names.isdisjoint(held_names(name))
    assert [f"{name}__{each}" for each in story.back.ran[name]] == kept_names(name)


@pytest.mark.parametrize("name", PULLED)
def test_what_was_approved_is_there_in_another_session(story: Story, name: str) -> None:
    assert story.approved.names >= {*held_names(name), *kept_names(name)}
    ran = {f"{name}__{each}" for each in story.approved.ran[name]}
    assert ran == {*held_names(name), *kept_names(name)}
    assert story.approved.lines(name) == []
