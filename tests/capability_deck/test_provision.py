"""Decks: which tools a profile has, how a deck is changed, how its tools are called by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from induscode.capability_deck import (
    Capability,
    CapabilityCard,
    DeckContext,
    DeckFault,
    DeckFramework,
    Profile,
    ToolDeck,
    capability_id,
    capability_ids,
    cards_for_deck_profile,
    deck_fault,
    project_result,
    provision_deck,
)
from induscode.capability_deck.provision import provision
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Json, Text
from induscode.kernel.tool import ShellOutcome, ToolContext, ToolResult
from induscode.tools.local_fs import LocalFilesystem
from tests.requirements import requirement

OBSERVERS = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"]
CHANGERS = ["write", "edit", "bash", "process", "todo_set"]


def names(deck: ToolDeck) -> list[str]:
    return [tool.name for tool in deck.tools()]


class Probe:
    """A tool that answers with what it is told to, or with what it was called with."""

    label = "Probe"
    description = "Probe."
    parameters: Mapping[str, Any] = {"type": "object"}
    read_only = False

    def __init__(self, name: str, result: ToolResult | None = None) -> None:
        self.name = name
        self.result = result
        self.contexts: list[ToolContext] = []

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.contexts.append(context)
        if "wait" in arguments:
            await context.cancel.run(asyncio.sleep(60))
        if "fail" in arguments:
            raise RuntimeError("it broke")
        return self.result or ToolResult.text("done")


@requirement("deck.profile.authoring")
def test_authoring_only_observes(tmp_path: Path) -> None:
    assert names(provision_deck("authoring", DeckContext(tmp_path))) == OBSERVERS


@requirement("deck.profile.survey")
def test_survey_has_every_built_in_and_no_app_card(tmp_path: Path) -> None:
    assert names(provision_deck("survey", DeckContext(tmp_path))) == [*OBSERVERS, *CHANGERS]


@requirement("deck.profile.all", "deck.cards.only-in-all", "deck.provision.bridge-not-selected")
def test_all_has_every_card_of_the_catalog_and_nothing_else(tmp_path: Path) -> None:
    deck = provision_deck("all", DeckContext(tmp_path))
    assert names(deck) == list(capability_ids())
    assert deck.faults == ()


@requirement("deck.provision.unknown-profile")
def test_an_unknown_profile_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(DeckFault, match="no profile 'nope'; known: authoring") as raised:
        provision_deck("nope", DeckContext(tmp_path))
    assert raised.value.kind == "unknown_capability"


@requirement("deck.provision.builds-selection")
@pytest.mark.parametrize("profile", Profile)
def test_a_deck_is_the_cards_of_its_profile_in_order(tmp_path: Path, profile: Profile) -> None:
    built = names(provision_deck(profile, DeckContext(tmp_path)))
    assert built == [card.id for card in cards_for_deck_profile(profile)]


@requirement("deck.provision.tools-fresh-copy", "deck.provision.built-once", "deck.contract.box")
def test_lists_are_ones_own_and_the_tools_in_them_are_the_decks(tmp_path: Path) -> None:
    deck = provision_deck("survey", DeckContext(tmp_path))
    mine = deck.tools()
    assert mine == deck.box() == deck.tools()
    assert mine is not deck.tools()
    assert deck.box() is not deck.box()
    mine.clear()
    deck.box().clear()
    assert len(deck.tools()) == len(deck.box()) == 12


@requirement("deck.catalog.build-is-pure", "deck.cards.per-session-state")
async def test_two_decks_share_nothing(tmp_path: Path) -> None:
    ctx = DeckContext(tmp_path)
    one, other = (provision_deck("all", ctx).tool_box() for _ in range(2))
    for tool, said in (
        ("todo", {"action": "set", "items": [{"text": "mine"}]}),
        ("todo_set", {"items": [{"text": "mine"}]}),
        ("memory", {"action": "replace", "content": "mine"}),
    ):
        assert not (await one.run(tool, said)).is_error
    for tool, said in (
        ("todo", {"action": "read"}),
        ("todo_read", {}),
        ("memory", {"action": "read"}),
    ):
        assert "mine" in (await one.run(tool, said)).output
        assert "mine" not in (await other.run(tool, said)).output


@requirement("deck.provision.build-failure-named", "deck.fault.kind-and-cause")
def test_a_card_that_cannot_be_built_names_itself_and_sinks_no_other(tmp_path: Path) -> None:
    trouble = RuntimeError("no battery")

    def build(ctx: DeckContext) -> Capability:
        raise trouble

    read, ls = cards_for_deck_profile("authoring")[:2]
    bad = CapabilityCard(capability_id("lamp"), "Lamp", "Light.", (Profile.ALL,), build)
    deck = provision([read, bad, ls], DeckContext(tmp_path))
    assert names(deck) == ["read", "ls"]
    (fault,) = deck.faults
    assert (fault.kind, fault.cause) == ("build_failed", trouble)
    assert str(fault) == "lamp could not be built: no battery"


@requirement("deck.fault.factory", "deck.contract.fault-closed")
def test_a_fault_is_an_exception_with_a_kind_and_a_cause() -> None:
    cause = ValueError("x")
    for kind in ("unknown_capability", "build_failed", "bridge", "backend"):
        fault = deck_fault(kind, "why", cause)
        assert isinstance(fault, DeckFault)
        assert (fault.kind, str(fault), fault.cause, fault.__cause__) == (kind, "why", cause, cause)


@requirement("deck.provision.graft")
def test_grafts_come_after_and_take_no_name_away(tmp_path: Path) -> None:
    deck = provision_deck("authoring", DeckContext(tmp_path))
    before = deck.tools()
    grown = deck.graft([Probe("one"), Probe("read"), Probe("two"), Probe("one")])
    assert names(grown) == [*OBSERVERS, "one", "two"]
    assert grown.tools()[:7] == before
    assert [(fault.kind, str(fault)) for fault in grown.faults] == [
        ("bridge", "the name read is taken; skipped"),
        ("bridge", "the name one is taken; skipped"),
    ]
    assert deck.tools() == before


@requirement("deck.provision.retain")
def test_retain_keeps_exactly_what_it_is_told_to(tmp_path: Path) -> None:
    deck = provision_deck("survey", DeckContext(tmp_path))
    assert names(deck.retain(lambda tool: not tool.read_only)) == CHANGERS
    assert names(deck) == [*OBSERVERS, *CHANGERS]


@requirement("deck.provision.map-capabilities")
def test_every_tool_can_be_replaced_by_what_is_made_of_it(tmp_path: Path) -> None:
    deck = provision_deck("authoring", DeckContext(tmp_path))
    changed = deck.map_capabilities(lambda tool: Probe(f"my-{tool.name}"))
    assert names(changed) == [f"my-{name}" for name in OBSERVERS]
    assert names(deck) == OBSERVERS


def test_provisioning_takes_under_20_ms(tmp_path: Path) -> None:
    provision_deck("all", DeckContext(tmp_path))
    started = time.perf_counter()
    provision_deck("all", DeckContext(tmp_path))
    assert time.perf_counter() - started < 0.02


@requirement("deck.provision.into-tool-box", "deck.builtin.bound-to-cwd")
async def test_a_box_tells_of_its_tools_and_runs_each_in_the_decks_directory(
    tmp_path: Path,
) -> None:
    (tmp_path / "note.txt").write_text("hello\n")
    box = provision_deck("survey", DeckContext(tmp_path)).into_tool_box()
    assert [told["name"] for told in box.descriptors()] == [*OBSERVERS, *CHANGERS]
    assert all(told["description"] and told["parameters"] for told in box.descriptors())
    read = await box.run("read", {"path": "note.txt"})
    assert (read.output, read.is_error) == ("     1\thello", False)
    assert (await box.run("bash", {"command": "pwd"})).output == str(tmp_path.resolve())
    await box.close()


@requirement("deck.box.unknown-tool")
async def test_an_unknown_tool_is_an_outcome(tmp_path: Path) -> None:
    box = provision_deck("authoring", DeckContext(tmp_path)).tool_box()
    outcome = await box.run("bash", {"command": "ls"})
    assert outcome.is_error
    assert outcome.output.startswith("There is no tool named 'bash'. Known tools: read, ls, grep")


@requirement("deck.box.shared-context")
async def test_the_checklist_is_one_for_all_calls_of_a_box(tmp_path: Path) -> None:
    box = provision_deck("survey", DeckContext(tmp_path)).tool_box()
    assert (await box.run("todo_read", {})).output == "The checklist is empty."
    await box.run("todo_set", {"items": [{"text": "look", "status": "done"}, {"text": "mend"}]})
    assert (await box.run("todo_read", {})).output == "[x] look\n[ ] mend\n1 of 2 done"


@requirement("deck.box.cancel-per-call")
async def test_cancelling_one_call_stops_that_one(tmp_path: Path) -> None:
    probe = Probe("probe")
    box = provision_deck("authoring", DeckContext(tmp_path)).graft([probe]).tool_box()
    token = CancelToken()
    waiting = asyncio.ensure_future(box.run("probe", {"wait": True}, token))
    assert not (await box.run("probe", {})).is_error
    token.cancel("enough")
    outcome = await asyncio.wait_for(waiting, 5)
    assert outcome.is_error
    assert sorted(context.cancel is token for context in probe.contexts) == [False, True]


@requirement("deck.tool.failure-is-a-result")
async def test_whatever_a_tool_does_there_is_an_outcome(tmp_path: Path) -> None:
    box = provision_deck("survey", DeckContext(tmp_path)).graft([Probe("probe")]).tool_box()
    assert (await box.run("probe", {"fail": 1})).output == "probe failed: it broke"
    assert (await box.run("read", {"path": "missing"})).is_error
    assert (await box.run("read", {"paths": 1})).is_error


@requirement(
    "deck.box.project-single-text",
    "deck.box.project-single-json",
    "deck.box.project-many",
    "deck.builtin.outcome-round-trip",
)
def test_a_result_projects_to_one_value_and_loses_no_fragment() -> None:
    text, json = Text("plain"), Json(msgspec.Raw(b'{"a": [1, null]}'))
    assert project_result(ToolResult((text,))) == "plain"
    assert project_result(ToolResult((json,))) == {"a": [1, None]}
    assert project_result(ToolResult(())) == []
    assert project_result(ToolResult((text, json, Image("image/png", b"x"), text))) == [
        {"type": "text", "text": "plain"},
        {"type": "json", "value": {"a": [1, None]}},
        {"type": "image", "media_type": "image/png", "data": b"x"},
        {"type": "text", "text": "plain"},
    ]


@requirement("deck.contract.context", "deck.contract.framework-handles")
def test_a_context_needs_only_a_directory(tmp_path: Path) -> None:
    ctx = DeckContext(tmp_path)
    assert (ctx.cwd, ctx.framework, ctx.fs, ctx.shell) == (tmp_path, DeckFramework(), None, None)
    framework = ctx.framework
    assert framework.read_state is framework.checkpoint is framework.delegate is None
    assert framework.saas is framework.memory is None


class OneShell:
    """A shell that only repeats."""

    async def run(self, command: str, **rest: Any) -> ShellOutcome:
        return ShellOutcome(output=f"would run {command}", code=0)


class OneFile(LocalFilesystem):
    def read(self, path: Path) -> bytes:
        return f"I am {path.name}\n".encode()


@requirement("deck.contract.context-backends", "deck.tool.run-context")
async def test_tools_use_the_file_system_and_the_shell_of_their_context(tmp_path: Path) -> None:
    shell: Any = OneShell()
    box = provision_deck("survey", DeckContext(tmp_path, fs=OneFile(), shell=shell)).tool_box()
    assert (await box.run("read", {"path": "any"})).output == "     1\tI am any"
    assert (await box.run("bash", {"command": "true"})).output == "would run true"


class Forgetful:
    """Knows no file."""

    def seen(self, path: Path) -> str | None:
        return None


@requirement("deck.tool.read-before-edit-state")
async def test_the_injected_read_state_is_what_changing_tools_ask(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old\n")
    change = {"path": "a", "old_text": "old", "new_text": "new"}
    ctx = DeckContext(tmp_path, DeckFramework(read_state=Forgetful()))
    refused = await provision_deck("survey", ctx).tool_box().run("edit", change)
    assert refused.is_error
    assert (tmp_path / "a").read_text() == "old\n"
    allowed = await provision_deck("survey", DeckContext(tmp_path)).tool_box().run("edit", change)
    assert not allowed.is_error
