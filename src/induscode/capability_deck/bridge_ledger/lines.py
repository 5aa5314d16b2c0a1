r"""The bytes of one event in the file: a JSON object whose last field is a checksum of the rest.

    {"op":"retire","seq":7,"at":"...","key":"bk_...","server":"git","sum":"0123456789abcdef"}\n

A definition is written when the file does not have it yet; later it is named by its digest.
Reading gives an event or the reason why there is none; it never raises.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from induscode.capability_deck.bridge_ledger.capability import BridgeCapability
from induscode.capability_deck.bridge_ledger.definition import BridgeDefinition, define
from induscode.capability_deck.bridge_ledger.events import (
    BridgeEntry,
    BridgeOp,
    BridgeVerdict,
    LedgerEvent,
    VerdictOp,
    bridge_key,
)
from induscode.capability_deck.contract import DeckFault
from induscode.errors import LogCorrupt

__all__ = ["LineBook"]

_MARK = b',"sum":"'
_SUM_WIDTH = 16
_TAIL = len(_MARK) + _SUM_WIDTH + 2


class _Line(Struct, frozen=True, tag_field="op"):
    seq: int
    at: str
    key: str
    server: str


class _Said(Struct, frozen=True):
    """A definition in full."""

    tool: str
    description: str
    parameters: dict[str, Any] | None
    annotations: dict[str, Any] | None


class _Enroll(_Line, frozen=True, tag="enroll", omit_defaults=True):
    definition: str
    launch: str
    said: _Said | None = None
    sum: str = ""


class _Retire(_Line, frozen=True, tag="retire", omit_defaults=True):
    sum: str = ""


class _Judged(_Line, frozen=True, omit_defaults=True):
    name: str
    definition: str
    launch: str
    body: str
    reason: str = ""
    sum: str = ""


class _Quarantine(_Judged, frozen=True, tag="quarantine"):
    pass


class _Approve(_Judged, frozen=True, tag="approve"):
    pass


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Enroll | _Retire | _Quarantine | _Approve)


class LineBook:
    """Lines of one file, in its order: knows which definitions the file has. Of tools that are
    also in memory it keeps the one that can be called, so that reading what another process wrote
    of the same tool does not lose the way to its server."""

    def __init__(self) -> None:
        self._written: dict[str, BridgeDefinition] = {}
        self._tools: dict[tuple[str, str], BridgeCapability] = {}

    def keep(self, capability: BridgeCapability) -> None:
        """Use this tool for lines that speak of it."""
        self._tools[capability.definition.digest, capability.launch] = capability

    def forget_file(self) -> None:
        """The file is read anew from its beginning."""
        self._written.clear()

    def encode(self, event: LedgerEvent) -> bytes:
        """One line with its newline. Raises `LogCorrupt` for an event that is none."""
        return _sealed(_encoder.encode(self._row(event)))

    def wrote(self, event: LedgerEvent) -> None:
        """The line of this event is in the file."""
        match event:
            case BridgeEntry(op=BridgeOp.ENROLL, capability=BridgeCapability() as tool):
                self._written[tool.definition.digest] = tool.definition
                self.keep(tool)
            case _:
                return

    def read(self, line: bytes) -> LedgerEvent | str:
        """The event in a line without its newline, or what is wrong with it."""
        total = hashlib.sha256(line[:-_TAIL]).hexdigest()[:_SUM_WIDTH]
        if not line.endswith(b'%b%b"}' % (_MARK, total.encode())):
            return "its checksum does not match its bytes"
        try:
            row = _decoder.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            return f"it is no event: {error}"
        return self._event(row)

    def _row(self, event: LedgerEvent) -> _Line:
        if isinstance(event, BridgeVerdict):
            make = _Quarantine if event.op is VerdictOp.QUARANTINE else _Approve
            return make(
                event.seq, event.at, event.key, event.server, event.name, event.definition,
                event.launch, event.body, event.reason,
            )  # fmt: skip
        header = (event.seq, event.at, event.key, event.server)
        if event.op is BridgeOp.RETIRE:
            return _Retire(*header)
        if event.capability is None:
            raise LogCorrupt("an enrolment without a tool cannot be written")
        definition = event.capability.definition
        said = None
        if definition.digest not in self._written:
            said = _Said(
                definition.tool,
                definition.description,
                _plain(definition.parameters),
                _plain(definition.annotations),
            )
        return _Enroll(*header, definition.digest, event.capability.launch, said)

    def _event(self, row: _Enroll | _Retire | _Quarantine | _Approve) -> LedgerEvent | str:
        key = bridge_key(row.key)
        match row:
            case _Retire():
                return BridgeEntry(BridgeOp.RETIRE, key, row.server, None, row.seq, row.at)
            case _Enroll():
                tool = self._tool(row)
                if isinstance(tool, str):
                    return tool
                return BridgeEntry(BridgeOp.ENROLL, key, row.server, tool, row.seq, row.at)
            case _Quarantine() | _Approve():
                op = VerdictOp.QUARANTINE if isinstance(row, _Quarantine) else VerdictOp.APPROVE
                return BridgeVerdict(
                    op, key, row.server, row.name, row.definition, row.launch, row.body,
                    row.reason, row.seq, row.at,
                )  # fmt: skip

    def _tool(self, row: _Enroll) -> BridgeCapability | str:
        known = self._written.get(row.definition)
        if row.said is not None and known is None:
            made = define(
                row.server,
                row.said.tool,
                description=row.said.description,
                parameters=row.said.parameters,
                annotations=row.said.annotations,
            )
            if isinstance(made, DeckFault):
                return made.message
            if made.digest != row.definition:
                return "its definition is not the one that its digest names"
            known = self._written[made.digest] = made
        if known is None:
            return "it names a definition that is not in the file"
        if known.server != row.server:
            return "its definition is that of another server"
        place = (known.digest, row.launch)
        return self._tools.setdefault(place, BridgeCapability(known, row.launch))


def _plain(value: Any) -> dict[str, Any] | None:
    return None if value is None else dict(value)


def _sealed(text: bytes) -> bytes:
    open_end = text[:-1]
    total = hashlib.sha256(open_end).hexdigest()[:_SUM_WIDTH]
    return b'%b,"sum":"%b"}\n' % (open_end, total.encode())
