"""Between content in memory and content in an entry: long texts and pictures become blobs."""

from __future__ import annotations

from collections.abc import Iterable

from induscode.kernel.content import AnswerBlock, Image, Json, SaidBlock, Text
from induscode.session.blobs import BlobStore, MissingBlob
from induscode.session.stored import ImageRef, StoredAnswer, StoredSaid, TextRef

__all__ = ["INLINE_LIMIT", "load_answer", "load_said", "store_answer", "store_said"]

INLINE_LIMIT = 64 * 1024
"""Texts above this many bytes are blobs; below, a blob would cost more than it saves."""


def store_said(blocks: Iterable[SaidBlock], blobs: BlobStore) -> list[StoredSaid]:
    stored: list[StoredSaid] = []
    for block in blocks:
        match block:
            case Text():
                stored.append(_store_text(block, blobs))
            case Image():
                data = blobs.fit(block.data)
                stored.append(ImageRef(block.media_type, blobs.put(data), len(data)))
            case Json():
                stored.append(block)
    return stored


def store_answer(blocks: Iterable[AnswerBlock], blobs: BlobStore) -> list[StoredAnswer]:
    return [_store_text(b, blobs) if isinstance(b, Text) else b for b in blocks]


def load_said(blocks: Iterable[StoredSaid], blobs: BlobStore) -> tuple[SaidBlock, ...]:
    """Raises `MissingBlob`."""
    loaded: list[SaidBlock] = []
    for block in blocks:
        match block:
            case Text() | Json():
                loaded.append(block)
            case TextRef():
                loaded.append(_load_text(block, blobs))
            case ImageRef():
                loaded.append(Image(block.media_type, blobs.get(block.sha256)))
    return tuple(loaded)


def load_answer(blocks: Iterable[StoredAnswer], blobs: BlobStore) -> tuple[AnswerBlock, ...]:
    """Raises `MissingBlob`."""
    return tuple(_load_text(b, blobs) if isinstance(b, TextRef) else b for b in blocks)


def _store_text(block: Text, blobs: BlobStore) -> Text | TextRef:
    if len(block.text) * 4 <= INLINE_LIMIT:
        return block
    data = block.text.encode()
    if len(data) <= INLINE_LIMIT:
        return block
    fit = blobs.fit(data)
    return TextRef(blobs.put(fit), len(fit))


def _load_text(block: TextRef, blobs: BlobStore) -> Text:
    try:
        return Text(blobs.get(block.sha256).decode())
    except UnicodeDecodeError as error:
        raise MissingBlob(f"blob {block.sha256[:12]} is not text") from error
