"""The table of native tools as constants (seed 002); the table itself is in `builtin.py`."""

from __future__ import annotations

from induscode.capability_deck.builtin import (
    BridgeBuilder,
    BuiltinDescriptor,
    build_builtin,
    build_builtins_for_profile,
    builtin_bridge,
    builtin_descriptors,
    builtin_ids,
    builtin_profiles,
)

__all__ = [
    "BUILTIN_BRIDGE",
    "BUILTIN_IDS",
    "BUILTIN_PROFILES",
    "BridgeBuilder",
    "BuiltinDescriptor",
    "build_builtin",
    "build_builtins_for_profile",
    "builtin_descriptors",
]

BUILTIN_BRIDGE = builtin_bridge()
BUILTIN_IDS = builtin_ids()
BUILTIN_PROFILES = builtin_profiles()
