"""The keys of tools: what a tool is, never where or when it was met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.bridge_ledger.canonical import identity_form
from induscode.capability_deck.bridge_ledger.events import BridgeKey, bridge_key
from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name
from induscode.kernel.clock import SystemClock
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import digest

__all__ = ["bridge_content_key", "bridge_ulid_key", "qualify_bridge_name"]

_PREFIX = "bk_"
_HEX_DIGITS = 32
_mint = IdMint(SystemClock())


def bridge_content_key(
    server: str, tool: str, parameters: Mapping[str, Any] | None = None
) -> BridgeKey:
    """`bk_` and 32 hexadecimal digits of a sha256 over the qualified name, a NUL, and the identity
    form of the schema. A name has no NUL, so that nothing of it can pass for schema. Raises
    `JsonProblem` for a schema that is no JSON."""
    name = qualify_bridge_name(server, tool).encode()
    return bridge_key(_PREFIX + digest(name + b"\0" + identity_form(parameters))[:_HEX_DIGITS])


def bridge_ulid_key(*, monotonic: bool = True) -> BridgeKey:
    """`bk_` and a ULID, for enrolments that must each be an event of their own. Keys of one process
    sort as they were minted, within a millisecond too, unless they need not be `monotonic`."""
    mint = _mint if monotonic else IdMint(SystemClock())
    return bridge_key(_PREFIX + mint.mint().upper())
