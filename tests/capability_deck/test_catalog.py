"""One catalog, and what is derived from it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck import (
    APP_NOVEL_CARDS,
    BUILTIN_BRIDGE,
    BUILTIN_IDS,
    BUILTIN_PROFILES,
    CAPABILITY_CARDS,
    CAPABILITY_INDEX,
    CARD_PROFILES,
    AnyCapability,
    Capability,
    CapabilityCard,
    DeckContext,
    DeckFault,
    Profile,
    app_novel_cards,
    build_builtin,
    build_builtins_for_profile,
    builtin_bridge,
    builtin_cards,
    builtin_descriptors,
    builtin_ids,
    builtin_profiles,
    capability_cards,
    capability_id,
    capability_ids,
    capability_index,
    card_profiles,
    cards_for_profile,
    find_card,
    has_capability,
)
from induscode.capability_deck.groups import feature_digest, source_files
from induscode.errors import HostError
from induscode.kernel.jsontext import encode
from induscode.kernel.tool import AgentTool, ToolKind
from induscode.tools.native import MUTATING_NAMES, READ_ONLY_NAMES
from tests.requirements import requirement

BUILT_IN = {
    "read": ("Read file", True),
    "ls": ("List directory", True),
    "grep": ("Search file contents", True),
    "find": ("Find files by name", True),
    "websearch": ("Web search", True),
    "webfetch": ("Fetch URL", True),
    "todo_read": ("Read checklist", True),
    "write": ("Write file", False),
    "edit": ("Edit file", False),
    "bash": ("Run shell command", False),
    "process": ("Manage background processes", False),
    "todo_set": ("Update checklist", False),
}
APP = ("todo", "bg-process", "task", "saas-action", "memory", "enter_plan_mode", "exit_plan_mode")
ARGUMENTS = {
    "read": ("path", "offset? limit?"),
    "ls": ("", "path?"),
    "grep": ("pattern", "path? glob? type? context? ignore_case? multiline? limit?"),
    "find": ("query", "path? type? limit?"),
    "write": ("path content", ""),
    "edit": ("path", "old_text? new_text? replace_all? edits?"),
    "bash": ("command", "timeout? cwd?"),
    "process": ("action", "command? id?"),
    "webfetch": ("url", "max_bytes?"),
    "websearch": ("query", "limit?"),
    "todo_read": ("", ""),
    "todo_set": ("items", ""),
    "todo": ("action", "items?"),
    "bg-process": ("action", "command? id?"),
    "task": ("objective", "agent? context?"),
    "saas-action": ("action", "slug? arguments? query?"),
    "memory": ("action", "content?"),
    "enter_plan_mode": ("", ""),
    "exit_plan_mode": ("plan", ""),
}


def deck(tmp_path: Path) -> dict[str, Capability]:
    return {card.id: card.build(DeckContext(tmp_path)) for card in capability_cards()}


@requirement("deck.capability-is-the-kernel-tool")
def test_a_capability_is_the_kernels_tool() -> None:
    assert Capability is AgentTool
    assert AnyCapability is AgentTool


@requirement("deck.catalog.order", "deck.cards.seven", "deck.catalog.ids", "deck.builtin.twelve")
def test_the_catalog_is_twelve_built_ins_and_then_seven_cards() -> None:
    assert capability_ids() == (*BUILT_IN, *APP)
    assert [card.id for card in app_novel_cards()] == list(APP)
    assert app_novel_cards() == APP_NOVEL_CARDS


@requirement("deck.catalog-single-source", "deck.catalog.index", "deck.catalog.card-profiles")
def test_every_index_is_what_the_one_tuple_says() -> None:
    cards = capability_cards()
    assert capability_index() == {card.id: card for card in cards} == CAPABILITY_INDEX
    assert card_profiles() == {card.id: card.profiles for card in cards} == CARD_PROFILES
    assert cards == CAPABILITY_CARDS
    assert builtin_cards() == cards[:12]
    assert [row.card() for row in builtin_descriptors()] == list(cards[:12])


@requirement("deck.catalog.has", "deck.catalog.find")
def test_a_row_is_found_by_its_id_and_nothing_else_is() -> None:
    for card in capability_cards():
        assert has_capability(card.id)
        assert find_card(card.id) is card
    for stranger in ("", "Read", "todoread", "todowrite", "mcp__read"):
        assert not has_capability(stranger)
        assert find_card(stranger) is None


@requirement("deck.catalog.singleton", "deck.catalog.immutable", "deck.contract.card-fields")
def test_the_catalog_is_always_the_same_and_cannot_be_changed() -> None:
    assert capability_cards() is capability_cards()
    assert capability_index() is capability_index()
    index: Any = capability_index()
    with pytest.raises(TypeError):
        index["read"] = None
    with pytest.raises(AttributeError):
        capability_cards()[0].title = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        BUILTIN_BRIDGE[capability_id("read")].title = "x"  # type: ignore[misc]


@requirement("deck.catalog.cards-for-profile", "deck.builtin.membership-tags")
def test_profiles_are_the_membership_of_the_cards() -> None:
    for name, (_, read_only) in BUILT_IN.items():
        tags = (Profile.AUTHORING, Profile.SURVEY) if read_only else (Profile.SURVEY,)
        assert card_profiles()[capability_id(name)] == tags
    for name in APP:
        assert card_profiles()[capability_id(name)] == (Profile.ALL,)
    for profile in Profile:
        assert cards_for_profile(profile) == tuple(
            card for card in capability_cards() if card.in_profile(profile)
        )


@requirement("deck.contract.profiles")
def test_there_are_three_profiles() -> None:
    assert [str(profile) for profile in Profile] == ["authoring", "survey", "all"]
    with pytest.raises(DeckFault, match="known: authoring, survey, all") as raised:
        cards_for_profile("everything")
    assert raised.value.kind == "unknown_capability"


@requirement(
    "deck.builtin.read",
    "deck.builtin.ls",
    "deck.builtin.grep",
    "deck.builtin.find",
    "deck.builtin.websearch",
    "deck.builtin.webfetch",
    "deck.builtin.todo-read",
    "deck.builtin.write",
    "deck.builtin.edit",
    "deck.builtin.bash",
    "deck.builtin.process",
    "deck.builtin.todo-set",
    "deck.builtin.read-only-derived",
)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_has_its_title_and_its_flag(tmp_path: Path, name: str) -> None:
    title, read_only = BUILT_IN[name]
    card, tool = CAPABILITY_INDEX[capability_id(name)], build_builtin(name, DeckContext(tmp_path))
    assert (card.title, tool.label, tool.name) == (title, title, name)
    assert tool.read_only is read_only is (Profile.AUTHORING in card.profiles)


@requirement(
    "deck.builtin.name-parity", "deck.builtin.checklist-wire-names", "deck.manages-never-authors"
)
def test_the_built_ins_are_the_tools_of_the_tools_package(tmp_path: Path) -> None:
    assert set(builtin_ids()) == {*READ_ONLY_NAMES, *MUTATING_NAMES}
    for row in builtin_descriptors():
        native, built = row.create(DeckContext(tmp_path)), row.build(DeckContext(tmp_path))
        assert type(native).__module__ == "induscode.tools.definition"
        assert (built.name, built.description, built.parameters) == (
            native.name,
            native.description,
            native.parameters,
        )
    assert {"todo_read", "todo_set"} < set(builtin_ids())


@requirement("deck.builtin.views", "deck.builtin.descriptors-ordered")
def test_the_table_has_three_views_that_agree() -> None:
    rows = builtin_descriptors()
    assert len(rows) == 12
    assert list(builtin_bridge()) == list(builtin_ids()) == list(builtin_profiles())
    assert builtin_bridge() == BUILTIN_BRIDGE
    assert builtin_ids() == BUILTIN_IDS
    assert builtin_profiles() == BUILTIN_PROFILES
    assert [card.id for card in builtin_cards()] == [row.id for row in rows]


@requirement("deck.builtin.build-one", "deck.builtin.build-for-profile")
def test_built_ins_are_built_by_name_or_by_profile(tmp_path: Path) -> None:
    ctx = DeckContext(tmp_path)
    for profile, names in (
        ("authoring", [name for name, (_, reads) in BUILT_IN.items() if reads]),
        ("survey", list(BUILT_IN)),
        ("all", list(BUILT_IN)),
    ):
        assert [tool.name for tool in build_builtins_for_profile(profile, ctx)] == names
    with pytest.raises(DeckFault, match="no built-in tool 'todo'; known: read, ls") as raised:
        build_builtin("todo", ctx)
    assert raised.value.kind == "unknown_capability"


@requirement("deck.contract.capability-id")
def test_an_id_is_the_name_as_it_is() -> None:
    for name in ("read", "server__tool", "Saas-Action"):
        assert capability_id(name) == name


@requirement("deck.tool.attributes", "deck.tool.read-only-default")
def test_every_tool_has_what_models_and_people_need(tmp_path: Path) -> None:
    observers = {name for name, (_, read_only) in BUILT_IN.items() if read_only}
    observers |= {"enter_plan_mode", "exit_plan_mode"}
    for name, tool in deck(tmp_path).items():
        assert tool.name == name
        assert tool.label
        assert tool.description.endswith(".")
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert tool.read_only is (name in observers)


@requirement("budget.tool-definitions")
def test_the_definitions_of_the_default_deck_stay_under_twelve_kilobytes(tmp_path: Path) -> None:
    sizes = {
        name: len(encode([tool.name, tool.description, tool.parameters]))
        for name, tool in deck(tmp_path).items()
    }
    assert sum(sizes.values()) < 12_000, sizes


@requirement(
    "deck.arguments.read",
    "deck.arguments.ls",
    "deck.arguments.grep",
    "deck.arguments.find",
    "deck.arguments.write",
    "deck.arguments.edit",
    "deck.arguments.bash",
    "deck.arguments.process",
    "deck.arguments.webfetch",
    "deck.arguments.websearch",
    "deck.arguments.todo-built-ins",
    "deck.arguments.todo",
    "deck.arguments.bg-process",
    "deck.arguments.task",
    "deck.arguments.saas-action",
    "deck.arguments.memory",
    "deck.arguments.plan",
    "deck.arguments.never-renamed",
)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_keep_their_names(tmp_path: Path, name: str) -> None:
    required, optional = ARGUMENTS[name]
    schema = deck(tmp_path)[name].parameters
    assert sorted(schema.get("required", [])) == sorted(required.split())
    promised = {*required.split(), *(word.rstrip("?") for word in optional.split())}
    assert promised <= set(schema["properties"])


def test_the_catalog_says_what_the_gate_is_to_think_of_each_tool() -> None:
    assert {
        card.id: (card.feature.removeprefix("builtin:"), card.kind) for card in capability_cards()
    } == {
        "read": ("files", ToolKind.READ),
        "ls": ("files", ToolKind.READ),
        "grep": ("search", ToolKind.READ),
        "find": ("search", ToolKind.READ),
        "websearch": ("web", ToolKind.NETWORK),
        "webfetch": ("web", ToolKind.NETWORK),
        "todo_read": ("checklist", ToolKind.READ),
        "write": ("files", ToolKind.WRITE),
        "edit": ("files", ToolKind.WRITE),
        "bash": ("shell", ToolKind.SHELL),
        "process": ("shell", ToolKind.SHELL),
        "todo_set": ("checklist", ToolKind.STATE),
        "todo": ("checklist", ToolKind.STATE),
        "bg-process": ("shell", ToolKind.SHELL),
        "task": ("delegate", ToolKind.DELEGATE),
        "saas-action": ("connectors", ToolKind.NETWORK),
        "memory": ("memory", ToolKind.STATE),
        "enter_plan_mode": ("plan", ToolKind.STATE),
        "exit_plan_mode": ("plan", ToolKind.STATE),
    }


def test_a_card_that_does_not_say_what_it_is_is_foreign() -> None:
    read = capability_cards()[0]
    card = CapabilityCard(capability_id("x"), "X", "x", (Profile.ALL,), read.build)
    assert (card.kind, card.feature) == (ToolKind.FOREIGN, "")


@requirement("deck.contract-no-io")
def test_the_contract_does_nothing_and_imports_no_other_module_of_the_deck() -> None:
    program = (
        "import sys, induscode.kernel.tool, induscode.policy.subject\n"
        "happened = []\n"
        "watched = {'open', 'os.listdir', 'subprocess.Popen', 'socket.connect'}\n"
        "def hear(event, arguments):\n"
        "    if event in watched and not str(arguments[0]).endswith(('.py', '.pyc')):\n"
        "        if 'induscode' not in str(arguments[0]) or event != 'os.listdir':\n"
        "            happened.append((event, arguments))\n"
        "import importlib.util\n"
        "sys.addaudithook(hear)\n"
        "import induscode.capability_deck.contract\n"
        "prefix = 'induscode.capability_deck.'\n"
        "print(happened, [n for n in sys.modules if n.startswith(prefix)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] ['induscode.capability_deck.contract']"


def test_a_digest_covers_the_sources_of_its_feature() -> None:
    features = {card.feature for card in capability_cards()}
    assert len({feature_digest(feature) for feature in features}) == len(features) == 9
    with pytest.raises(HostError, match="builtin:nothing"):
        feature_digest("builtin:nothing")


def test_every_source_of_tools_and_deck_belongs_to_a_feature() -> None:
    covered = {file for card in capability_cards() for file in source_files(card.feature)}
    root = Path(sys.modules["induscode"].__file__ or "").parent
    there = {*(root / "tools").rglob("*.py"), *(root / "capability_deck").rglob("*.py")}
    # What brings in tools of servers contributes none of ours.
    bridge = {"bridge_ledger", "mcp", "mcp_config"}
    assert {file for file in there - covered if file.parent.name not in bridge} == set()
