r"""The bytes of one entry: a JSON object whose last field is a checksum of all bytes before it.

    {"type":"input","seq":7,...,"sum":"0123456789abcdef"}\n

The checksum covers the exact bytes, not a re-encoding; its field has a fixed width, so that it is
found without parsing. Reading gives an `Entry` or a `Damage` with the reason; it never raises.
"""

from __future__ import annotations

import hashlib
import re

import msgspec
from msgspec import Raw, Struct

from induscode.session.entries import Entry, Foreign, KnownEntry

__all__ = [
    "LINE_LIMIT",
    "NESTING_LIMIT",
    "SUM_WIDTH",
    "encode_fields",
    "encode_line",
    "read_line",
    "type_name",
]

LINE_LIMIT = 16 * 1024 * 1024
"""No line is longer: larger content is a blob. A longer one on disk is damage and is not loaded."""

NESTING_LIMIT = 200
"""No line is nested deeper: a reader with less stack than the writer had must still read it."""

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))

_SUM_MARK = b',"sum":"'
SUM_WIDTH = 16
_TAIL = len(_SUM_MARK) + SUM_WIDTH + 2

_encoder = msgspec.json.Encoder()
_known = msgspec.json.Decoder(KnownEntry)


class _Peek(Struct, kw_only=True):
    type: str
    seq: int
    id: str
    parent: str = ""
    at: str = ""
    by: str = ""
    visible: bool = False
    text: str = ""


_peek = msgspec.json.Decoder(_Peek)


def encode_line(entry: Entry) -> bytes:
    if isinstance(entry, Foreign):
        return seal(bytes(entry.fields))
    return seal(_encoder.encode(entry))


def encode_fields(fields: dict[str, object]) -> bytes:
    """A line of arbitrary fields: how an extension's own entry type is written."""
    return seal(_encoder.encode(fields))


def seal(text: bytes) -> bytes:
    """Close an encoded object with its checksum and a newline. Raises `ValueError` when it is
    nested too deep to be read again."""
    if _too_deep(text):
        raise ValueError(f"nested deeper than {NESTING_LIMIT} levels")
    open_end = text[:-1]
    total = hashlib.sha256(open_end).hexdigest()[:SUM_WIDTH]
    return b'%b,"sum":"%b"}\n' % (open_end, total.encode())


def read_line(line: bytes) -> Entry | str:
    """The entry in `line` (without its newline), or the reason why it is damaged."""
    total = hashlib.sha256(line[:-_TAIL]).hexdigest()[:SUM_WIDTH]
    if not line.endswith(b'%b%b"}' % (_SUM_MARK, total.encode())):
        sealed = line[-_TAIL:].startswith(_SUM_MARK) and line.endswith(b'"}')
        return "its checksum does not match its bytes" if sealed else "no checksum at its end"
    try:
        return _known.decode(line)
    except msgspec.ValidationError:
        return _foreign(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return f"not a JSON object: {error}"


def _too_deep(text: bytes) -> bool:
    if text.count(b"{") + text.count(b"[") <= NESTING_LIMIT:
        return False
    depth = 0
    for bracket in _STRINGS.sub(b"", text).translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"{[" else -1
        if depth > NESTING_LIMIT:
            return True
    return False


def type_name(entry: Entry) -> str:
    if isinstance(entry, Foreign):
        return entry.type
    return str(entry.__struct_config__.tag)


def _foreign(line: bytes) -> Entry | str:
    try:
        head = _peek.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return f"no entry header: {error}"
    return Foreign(
        seq=head.seq,
        id=head.id,
        parent=head.parent,
        at=head.at,
        by=head.by,
        type=head.type,
        visible=head.visible,
        text=head.text,
        fields=Raw(line[:-_TAIL] + b"}"),
    )
