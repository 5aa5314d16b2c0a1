"""Every row of the public surface tables of the two deck documents."""

from __future__ import annotations

from importlib import import_module

import pytest

import induscode.capability_deck as face
from tests.requirements import requirement

# Modules of `induscode.capability_deck`, and the names that the document puts there.
FIRST = (  # 001
    ("contract", "Capability CapabilityCard CapabilityId Card"),
    ("contract", "DeckContext DeckFault DeckFramework DeckResult"),
    ("contract", "Profile capability_id"),
    ("contract", "BuildFn"),
    (
        "contract",
        "CheckpointStore DelegateRunner SaasGatewayPort MemoryStore",
    ),
    ("builtin", "BuiltinCard BuiltinDescriptor BridgeBuilder"),
    (
        "builtin",
        "builtin_bridge builtin_ids builtin_profiles builtin_descriptors builtin_cards",
    ),
    ("builtin", "build_builtin build_builtins_for_profile"),
    ("catalog", "capability_cards capability_index"),
    (
        "catalog",
        "capability_ids has_capability find_card card_profiles cards_for_profile",
    ),
    (
        "provision",
        "provision_deck cards_for_deck_profile ToolDeck",
    ),
    ("cards", "app_novel_cards"),
    ("cards.todo", "todo_card"),
    ("cards.bg_process", "daemon_card"),
    ("cards.task", "task_card"),
    ("cards.saas", "saas_card"),
    ("cards.memory", "memory_card"),
    ("cards.plan", "enter_plan_mode_card exit_plan_mode_card"),
    ("cards.plan", "plan_slug plan_file_path write_plan read_plan PLANS_DIRNAME"),
    (
        "cards.todo",
        "TodoLedger TodoItem TodoState TodoWeight",
    ),
    ("cards.bg_process", "DaemonTable"),
    ("cards.memory", "InMemoryStore"),
    ("cards.checkpoint", "maybe_wrap_checkpoint CheckpointingCard CHECKPOINTED_TOOLS"),
    (
        "mcp.ledger",
        "BridgeLedger EnrollRequest BridgeEntry BridgeOp LedgerSnapshot BridgeKey",
    ),
    ("mcp.ledger", "reduce_ledger"),
    ("mcp.ledger", "BridgeCapability bridge_box_to_capabilities server_of_qualified"),
    ("mcp.ledger", "bridge_content_key bridge_ulid_key qualify_bridge_name"),
    ("mcp", "bridge_config bridge_capability_card load_mcp_config"),
    ("mcp", "bridge_tool_names bridge_tool_counts bridge_status"),
    ("mcp", "attach_bridge_capabilities detach_bridge AttachResult"),
)
SECOND = (  # 002
    ("contract", "Capability AnyCapability"),
    ("contract", "CapabilityId capability_id"),
    ("contract", "CapabilityCard"),
    ("contract", "DeckProfile DeckContext"),
    ("contract", "ToolDeck DeckBox"),
    ("contract", "DeckFault DeckFaultKind deck_fault"),
    ("manifest", "CAPABILITY_CARDS CAPABILITY_INDEX CARD_PROFILES"),
    (
        "manifest",
        "capability_ids has_capability find_card cards_for_profile",
    ),
    ("builtin_bridge", "BUILTIN_BRIDGE BUILTIN_IDS BUILTIN_PROFILES"),
    ("builtin_bridge", "BuiltinDescriptor BridgeBuilder"),
    (
        "builtin_bridge",
        "build_builtin build_builtins_for_profile builtin_descriptors",
    ),
    ("provision", "provision_deck cards_for_deck_profile"),
    ("cards", "APP_NOVEL_CARDS"),
    ("cards.todo", "build_todo_capability todo_card"),
    ("cards.bg_process", "build_daemon_capability daemon_card"),
    (
        "cards.task",
        "build_task_capability task_card DELEGATE_HANDLE_KEY",
    ),
    (
        "cards.saas",
        "build_saas_capability saas_card SAAS_GATEWAY_KEY",
    ),
    (
        "cards.memory",
        "build_memory_capability memory_card MEMORY_HANDLE_KEY InMemoryStore",
    ),
    ("contract", "BridgeEntry BridgeOp BridgeKey bridge_key"),
    ("contract", "LedgerSnapshot reduce_ledger"),
    ("bridge_ledger.ledger", "BridgeLedger EnrollRequest"),
    ("bridge_ledger.ledger", "empty_bridge_ledger bridge_ledger_from_log"),
    ("bridge_ledger.ledger", "enroll_bridge_card retire withdraw_server"),
    ("bridge_ledger.ledger", "live_capabilities live_capabilities_for_server"),
    ("bridge_ledger.key", "bridge_content_key bridge_ulid_key qualify_bridge_name"),
    (
        "bridge_ledger.network",
        "bridge_box_to_capabilities bridge_capability_card bridge_config",
    ),
    ("bridge_ledger.network", "attach_bridge_capabilities detach_bridge"),
    ("bridge_ledger.network", "AttachResult"),
)
ROWS = (*FIRST, *SECOND)


@requirement(
    "deck.surface-rust.contract",
    "deck.surface-rust.build-fn",
    "deck.surface-rust.handle-protocols",
    "deck.surface-rust.builtin-types",
    "deck.surface-rust.builtin-views",
    "deck.surface-rust.builtin-build",
    "deck.surface-rust.catalog",
    "deck.surface-rust.catalog-lookups",
    "deck.surface-rust.provision",
    "deck.surface-rust.app-cards",
    "deck.surface-rust.card-functions",
    "deck.surface-rust.card-stores",
    "deck.surface-rust.checkpoint",
    "deck.surface-rust.ledger-types",
    "deck.surface-rust.reduce",
    "deck.surface-rust.bridge-capability",
    "deck.surface-rust.keys",
    "deck.surface-rust.attach",
    "deck.surface-rust.config",
    "deck.surface-rust.status",
    "deck.surface.bridge-entry",
    "deck.surface.snapshot",
    "deck.surface.ledger",
    "deck.surface.ledger-construction",
    "deck.surface.ledger-transitions",
    "deck.surface.ledger-projections",
    "deck.surface.keys",
    "deck.surface.network",
    "deck.surface.network-adapters",
    "deck.surface.attach-result",
    "deck.surface.capability",
    "deck.surface.capability-id",
    "deck.surface.card",
    "deck.surface.profile-context",
    "deck.surface.tool-deck",
    "deck.surface.fault",
    "deck.surface.catalog",
    "deck.surface.lookups",
    "deck.surface.bridge-tables",
    "deck.surface.bridge-types",
    "deck.surface.bridge-helpers",
    "deck.surface.provision",
    "deck.surface.app-cards",
    "deck.surface.card-builders",
)
@pytest.mark.parametrize(
    ("module", "name"),
    [
        pytest.param(module, name, id=f"{module}.{name}")
        for module, name in sorted({(m, name) for m, names in ROWS for name in names.split()})
    ],
)
def test_a_name_of_the_documents_is_at_the_face_and_in_its_module(module: str, name: str) -> None:
    home = import_module(f"induscode.capability_deck.{module}")
    assert name in face.__all__
    if name == "builtin_bridge":  # also the name of a module, which then answers in its place
        assert face.builtin_bridge() == home.builtin_bridge()
    else:
        assert getattr(face, name) is getattr(home, name)


def test_the_face_lists_what_it_gives_and_knows_nothing_else() -> None:
    assert all(getattr(face, name) is not None for name in face.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = face.nonsense
