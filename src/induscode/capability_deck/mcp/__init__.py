"""The bridge to MCP servers under the names of seed 001.

What it offers lives in `bridge_ledger` (tools that servers offer) and `mcp_config` (which servers
there are). Nothing of the SDK is imported here.
"""

from __future__ import annotations

from induscode.capability_deck.bridge_ledger.ledger import bridge_tool_counts, bridge_tool_names
from induscode.capability_deck.bridge_ledger.network import (
    AttachResult,
    attach_bridge_capabilities,
    bridge_capability_card,
    bridge_config,
    bridge_status,
    detach_bridge,
)
from induscode.capability_deck.mcp_config.discovery import load_mcp_config

__all__ = [
    "AttachResult",
    "attach_bridge_capabilities",
    "bridge_capability_card",
    "bridge_config",
    "bridge_status",
    "bridge_tool_counts",
    "bridge_tool_names",
    "detach_bridge",
    "load_mcp_config",
]
