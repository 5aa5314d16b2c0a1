"""What a server says of one of its tools, checked where it comes in, and what is approved of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from induscode.capability_deck.bridge_ledger.canonical import approval_form
from induscode.capability_deck.bridge_ledger.limits import DEFINITION_BYTES
from induscode.capability_deck.bridge_ledger.names import name_problem, qualify_bridge_name
from induscode.capability_deck.contract import DeckFault, DeckResult, deck_fault
from induscode.kernel.jsontext import JsonProblem, clean_text, digest, encode

__all__ = ["BridgeDefinition", "define"]


class BridgeDefinition(Struct, frozen=True):
    """`name` is the qualified one. `digest` covers name, description, schema and annotations, and
    is what an approval speaks of; `body` covers the same without the name. Made by `define`."""

    server: str
    tool: str
    name: str
    description: str
    parameters: Mapping[str, Any] | None
    annotations: Mapping[str, Any] | None
    digest: str
    body: str


def define(
    server: str,
    tool: str,
    *,
    description: str = "",
    parameters: Mapping[str, Any] | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> DeckResult[BridgeDefinition]:
    """The tool as it is recorded, or a fault of kind bridge that says why it is refused: its name,
    its size, or text that no file could keep. A missing schema and an empty one differ."""
    if problem := name_problem(server, tool):
        return _refused(server, tool, problem)
    said = {"annotations": annotations, "description": description, "parameters": parameters}
    name = qualify_bridge_name(server, tool)
    try:
        body = approval_form(said)
        whole = approval_form({**said, "name": name})
        encode(said)
    except (JsonProblem, UnicodeError) as error:
        why = "it holds text that is no Unicode" if isinstance(error, UnicodeError) else str(error)
        return _refused(server, tool, f"its definition cannot be kept: {why}")
    if len(whole) > DEFINITION_BYTES:
        return _refused(
            server,
            tool,
            f"its definition has {len(whole)} bytes, and {DEFINITION_BYTES} are taken at most",
        )
    return BridgeDefinition(
        server=server,
        tool=tool,
        name=name,
        description=description,
        parameters=parameters,
        annotations=annotations,
        digest=digest(whole),
        body=digest(body),
    )


def _refused(server: str, tool: str, why: str) -> DeckFault:
    shown, _ = clean_text(f"{tool[:80]!r} of the server {server[:80]!r}")
    return deck_fault("bridge", f"the tool {shown} is refused: {why}")
