"""The table of native tools as constants (seed 002); the table itself is in `builtin.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType

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
from induscode.capability_deck.contract import CapabilityId

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


class _Bridge(ModuleType):
    """The documents call both this module and a function of the package `builtin_bridge`. Once the
    module is imported the package's name means it; calling it is calling the function."""

    def __call__(self) -> Mapping[CapabilityId, BuiltinDescriptor]:
        return builtin_bridge()


sys.modules[__name__].__class__ = _Bridge
