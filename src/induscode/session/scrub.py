"""The last line before the disk: an entry without the secrets that found their way into it.

What we mint ourselves (ids, digests, words of a closed list) is left alone, so that the entry
stays readable and says the same; digests and sizes of texts that change are made to fit.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from induscode.kernel.jsontext import digest
from induscode.kernel.scrubbing import Scrubber, scrubbed, unsigned
from induscode.session.entries import (
    Amendment,
    Briefing,
    Delegator,
    KnownEntry,
    Operation,
    Origin,
    Response,
    StoredSpan,
    ToolRow,
)
from induscode.session.stored import ImageRef, TextRef

__all__ = ["scrub_entry"]

_OWN = (KnownEntry, TextRef, ImageRef, Origin, Delegator, StoredSpan, ToolRow, Operation)
_MINTED = frozenset(
    (
        *("id", "parent", "at", "call", "entry", "first", "last", "pinned", "request"),
        *("retry_of", "session", "target", "trail"),
        *("after", "arguments_sha256", "before", "body_sha256", "sha256"),
        *("answer", "encoder", "media_type", "mode", "op", "outcome", "purpose", "stop", "wire"),
    )
)


def scrub_entry(entry: KnownEntry, scrubber: Scrubber) -> KnownEntry:
    """The entry as it may be written; the same one when there is nothing to take out."""
    clean = scrubbed(entry, scrubber, kept=_kept)
    match clean:
        case Briefing(spans=spans):
            return replace(clean, spans=[_fitted(span) for span in spans])
        case Amendment(operations=operations) if clean is not entry:
            return replace(clean, operations=[_told(operation) for operation in operations])
        case Response(content=content) if isinstance(entry, Response):
            pairs = zip(entry.content, content, strict=True)
            return replace(clean, content=[unsigned(old, new) for old, new in pairs])
        case _:
            return clean


def _kept(value: Struct) -> frozenset[str]:
    return _MINTED if isinstance(value, _OWN) else frozenset()


def _fitted(span: StoredSpan) -> StoredSpan:
    if span.text is None:
        return span
    data = span.text.encode()
    return replace(span, sha256=digest(data), size=len(data))


def _told(operation: Operation) -> Operation:
    return replace(operation, after=digest(msgspec.json.encode(operation.content)))
