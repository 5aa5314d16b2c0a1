"""The deck: one catalog of tools, profiles over it, and one assembler (seeds 001 and 002).

Start reading at `contract.py`, then `builtin.py` and `cards/` (the rows), `catalog.py` (what is
derived from them), `provision.py` (the assembler); `bridge_ledger/` and `mcp_config/` are about
tools of MCP servers. May import: errors, kernel, policy, gateway, tools, and of the briefing how
files are looked at. Must not: decide whether a call may happen, or know a session or a screen.
Importing this package imports none of its modules; its names come when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.capability_deck.bridge_ledger.capability import (
        BridgeCapability,
        bridge_box_to_capabilities,
    )
    from induscode.capability_deck.bridge_ledger.events import EnrollRequest
    from induscode.capability_deck.bridge_ledger.key import (
        bridge_content_key,
        bridge_ulid_key,
        qualify_bridge_name,
    )
    from induscode.capability_deck.bridge_ledger.ledger import (
        BridgeLedger,
        bridge_ledger_from_log,
        bridge_tool_counts,
        bridge_tool_names,
        empty_bridge_ledger,
        enroll_bridge_card,
        live_capabilities,
        live_capabilities_for_server,
        retire,
        withdraw_server,
    )
    from induscode.capability_deck.bridge_ledger.names import server_of_qualified
    from induscode.capability_deck.bridge_ledger.network import (
        AttachResult,
        attach_bridge_capabilities,
        bridge_capability_card,
        bridge_config,
        bridge_status,
        detach_bridge,
    )
    from induscode.capability_deck.builtin import (
        BridgeBuilder,
        BuiltinCard,
        BuiltinDescriptor,
        build_builtin,
        build_builtins_for_profile,
        builtin_bridge,
        builtin_cards,
        builtin_descriptors,
        builtin_ids,
        builtin_profiles,
    )
    from induscode.capability_deck.builtin_bridge import (
        BUILTIN_BRIDGE,
        BUILTIN_IDS,
        BUILTIN_PROFILES,
    )
    from induscode.capability_deck.cards import APP_NOVEL_CARDS, app_novel_cards
    from induscode.capability_deck.cards.bg_process import (
        MAX_BUFFERED_LINES,
        STOP_GRACE_MS,
        DaemonTable,
        build_daemon_capability,
        daemon_card,
    )
    from induscode.capability_deck.cards.checkpoint import (
        CHECKPOINTED_TOOLS,
        CheckpointingCard,
        maybe_wrap_checkpoint,
    )
    from induscode.capability_deck.cards.memory import (
        MEMORY_HANDLE_KEY,
        InMemoryStore,
        build_memory_capability,
        memory_card,
    )
    from induscode.capability_deck.cards.plan import (
        PLANS_DIRNAME,
        build_enter_plan_mode_capability,
        build_exit_plan_mode_capability,
        enter_plan_mode_card,
        exit_plan_mode_card,
        plan_file_path,
        plan_slug,
        read_plan,
        write_plan,
    )
    from induscode.capability_deck.cards.saas import (
        SAAS_GATEWAY_KEY,
        build_saas_capability,
        saas_card,
    )
    from induscode.capability_deck.cards.task import (
        DELEGATE_HANDLE_KEY,
        build_task_capability,
        task_card,
    )
    from induscode.capability_deck.cards.todo import (
        TodoItem,
        TodoLedger,
        TodoState,
        TodoWeight,
        build_todo_capability,
        todo_card,
    )
    from induscode.capability_deck.catalog import (
        capability_cards,
        capability_ids,
        capability_index,
        card_profiles,
        cards_for_profile,
        find_card,
        has_capability,
    )
    from induscode.capability_deck.contract import (
        AnyCapability,
        BridgeEntry,
        BridgeKey,
        BridgeOp,
        BuildFn,
        Capability,
        CapabilityCard,
        CapabilityId,
        Card,
        CheckpointStore,
        DeckBox,
        DeckContext,
        DeckFault,
        DeckFaultKind,
        DeckFramework,
        DeckProfile,
        DeckResult,
        DelegateRunner,
        LedgerSnapshot,
        MemoryStore,
        Profile,
        SaasGatewayPort,
        Schema,
        ToolBox,
        ToolDeck,
        ToolOutcome,
        bridge_key,
        capability_id,
        deck_fault,
        reduce_ledger,
    )
    from induscode.capability_deck.manifest import (
        CAPABILITY_CARDS,
        CAPABILITY_INDEX,
        CARD_PROFILES,
    )
    from induscode.capability_deck.mcp_config.discovery import load_mcp_config
    from induscode.capability_deck.provision import cards_for_deck_profile, provision_deck
    from induscode.capability_deck.tool_box import DeckToolBox, project_result

__all__ = [
    "APP_NOVEL_CARDS",
    "BUILTIN_BRIDGE",
    "BUILTIN_IDS",
    "BUILTIN_PROFILES",
    "CAPABILITY_CARDS",
    "CAPABILITY_INDEX",
    "CARD_PROFILES",
    "CHECKPOINTED_TOOLS",
    "DELEGATE_HANDLE_KEY",
    "MAX_BUFFERED_LINES",
    "MEMORY_HANDLE_KEY",
    "PLANS_DIRNAME",
    "SAAS_GATEWAY_KEY",
    "STOP_GRACE_MS",
    "AnyCapability",
    "AttachResult",
    "BridgeBuilder",
    "BridgeCapability",
    "BridgeEntry",
    "BridgeKey",
    "BridgeLedger",
    "BridgeOp",
    "BuildFn",
    "BuiltinCard",
    "BuiltinDescriptor",
    "Capability",
    "CapabilityCard",
    "CapabilityId",
    "Card",
    "CheckpointStore",
    "CheckpointingCard",
    "DaemonTable",
    "DeckBox",
    "DeckContext",
    "DeckFault",
    "DeckFaultKind",
    "DeckFramework",
    "DeckProfile",
    "DeckResult",
    "DeckToolBox",
    "DelegateRunner",
    "EnrollRequest",
    "InMemoryStore",
    "LedgerSnapshot",
    "MemoryStore",
    "Profile",
    "SaasGatewayPort",
    "Schema",
    "TodoItem",
    "TodoLedger",
    "TodoState",
    "TodoWeight",
    "ToolBox",
    "ToolDeck",
    "ToolOutcome",
    "app_novel_cards",
    "attach_bridge_capabilities",
    "bridge_box_to_capabilities",
    "bridge_capability_card",
    "bridge_config",
    "bridge_content_key",
    "bridge_key",
    "bridge_ledger_from_log",
    "bridge_status",
    "bridge_tool_counts",
    "bridge_tool_names",
    "bridge_ulid_key",
    "build_builtin",
    "build_builtins_for_profile",
    "build_daemon_capability",
    "build_enter_plan_mode_capability",
    "build_exit_plan_mode_capability",
    "build_memory_capability",
    "build_saas_capability",
    "build_task_capability",
    "build_todo_capability",
    "builtin_bridge",
    "builtin_cards",
    "builtin_descriptors",
    "builtin_ids",
    "builtin_profiles",
    "capability_cards",
    "capability_id",
    "capability_ids",
    "capability_index",
    "card_profiles",
    "cards_for_deck_profile",
    "cards_for_profile",
    "daemon_card",
    "deck_fault",
    "detach_bridge",
    "empty_bridge_ledger",
    "enroll_bridge_card",
    "enter_plan_mode_card",
    "exit_plan_mode_card",
    "find_card",
    "has_capability",
    "live_capabilities",
    "live_capabilities_for_server",
    "load_mcp_config",
    "maybe_wrap_checkpoint",
    "memory_card",
    "plan_file_path",
    "plan_slug",
    "project_result",
    "provision_deck",
    "qualify_bridge_name",
    "read_plan",
    "reduce_ledger",
    "retire",
    "saas_card",
    "server_of_qualified",
    "task_card",
    "todo_card",
    "withdraw_server",
    "write_plan",
]

_MODULES = {
    "bridge_ledger.capability": """
        BridgeCapability bridge_box_to_capabilities
    """,
    "bridge_ledger.events": """
        EnrollRequest
    """,
    "bridge_ledger.key": """
        bridge_content_key bridge_ulid_key qualify_bridge_name
    """,
    "bridge_ledger.ledger": """
        BridgeLedger bridge_ledger_from_log bridge_tool_counts bridge_tool_names
        empty_bridge_ledger enroll_bridge_card live_capabilities
        live_capabilities_for_server retire withdraw_server
    """,
    "bridge_ledger.names": """
        server_of_qualified
    """,
    "bridge_ledger.network": """
        AttachResult attach_bridge_capabilities bridge_capability_card bridge_config
        bridge_status detach_bridge
    """,
    "builtin": """
        BridgeBuilder BuiltinCard BuiltinDescriptor build_builtin
        build_builtins_for_profile builtin_bridge builtin_cards builtin_descriptors
        builtin_ids builtin_profiles
    """,
    "builtin_bridge": """
        BUILTIN_BRIDGE BUILTIN_IDS BUILTIN_PROFILES
    """,
    "cards": """
        APP_NOVEL_CARDS app_novel_cards
    """,
    "cards.bg_process": """
        MAX_BUFFERED_LINES STOP_GRACE_MS DaemonTable build_daemon_capability
        daemon_card
    """,
    "cards.checkpoint": """
        CHECKPOINTED_TOOLS CheckpointingCard maybe_wrap_checkpoint
    """,
    "cards.memory": """
        MEMORY_HANDLE_KEY InMemoryStore build_memory_capability memory_card
    """,
    "cards.plan": """
        PLANS_DIRNAME build_enter_plan_mode_capability
        build_exit_plan_mode_capability enter_plan_mode_card exit_plan_mode_card
        plan_file_path plan_slug read_plan write_plan
    """,
    "cards.saas": """
        SAAS_GATEWAY_KEY build_saas_capability saas_card
    """,
    "cards.task": """
        DELEGATE_HANDLE_KEY build_task_capability task_card
    """,
    "cards.todo": """
        TodoItem TodoLedger TodoState TodoWeight build_todo_capability todo_card
    """,
    "catalog": """
        capability_cards capability_ids capability_index card_profiles
        cards_for_profile find_card has_capability
    """,
    "contract": """
        AnyCapability BridgeEntry BridgeKey BridgeOp BuildFn Capability
        CapabilityCard CapabilityId Card CheckpointStore DeckBox DeckContext DeckFault
        DeckFaultKind DeckFramework
        DeckProfile DeckResult DelegateRunner LedgerSnapshot MemoryStore Profile
        SaasGatewayPort Schema ToolBox ToolDeck ToolOutcome bridge_key capability_id
        deck_fault reduce_ledger
    """,
    "manifest": """
        CAPABILITY_CARDS CAPABILITY_INDEX CARD_PROFILES
    """,
    "mcp_config.discovery": """
        load_mcp_config
    """,
    "provision": """
        cards_for_deck_profile provision_deck
    """,
    "tool_box": """
        DeckToolBox project_result
    """,
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
