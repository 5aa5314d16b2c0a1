"""What a server lists, as tools that could be recorded, and why others could not."""

from __future__ import annotations

import msgspec

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.capability_deck.contract import DeckFault
from induscode.errors import FeatureInstallError
from induscode.feature.hosting.snapshot import snapshot
from induscode.interop.offers import OfferedTool
from induscode.interop.standing import Standing

__all__ = ["LISTING_BYTES", "adapted"]

LISTING_BYTES = 4 * 1024 * 1024
"""Of all definitions of one server together; what it lists beyond them is refused."""


def adapted(standing: Standing) -> tuple[list[BridgeCapability], list[str]]:
    """The tools, and a sentence for each that is refused."""
    tools: list[BridgeCapability] = []
    faults: list[str] = []
    room = LISTING_BYTES
    for offered in standing.tools:
        made = _defined(standing, offered)
        if isinstance(made, str):
            faults.append(made)
            continue
        room -= len(msgspec.json.encode(made.definition))
        if room < 0:
            why = f"with it, what the server lists has over {LISTING_BYTES} bytes"
            faults.append(f"the tool {made.name} is refused: {why}")
        else:
            tools.append(made)
    return tools, faults


def _defined(standing: Standing, offered: OfferedTool) -> BridgeCapability | str:
    """The tool, or why it is refused. What no feature could contribute is not recorded as live."""
    made: BridgeDefinition | DeckFault = define(
        standing.server,
        offered.name,
        description=offered.description,
        parameters=offered.parameters,
        annotations=offered.annotations,
    )
    if isinstance(made, DeckFault):
        return made.message
    tool = BridgeCapability(made, standing.launch)
    try:
        snapshot(tool, tool.name)
    except FeatureInstallError as error:
        return f"the tool {tool.name} is refused: {error.message}"
    return tool
