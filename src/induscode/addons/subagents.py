"""Sub-agents of a workspace: the profiles in `.indus/agents`."""

from __future__ import annotations

from induscode.capability_deck.agents.files import AGENTS_DIR, discover_profiles
from induscode.capability_deck.agents.profile import SubagentProfile

__all__ = ["AGENTS_DIR", "SubagentProfile", "discover_profiles"]
