"""Text as it lies in a file: encoding, mark and line ends, kept when it is written back."""

from __future__ import annotations

import codecs

from msgspec import Struct

__all__ = ["TextFile", "image_type", "looks_binary"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8192
_CONTROLS = frozenset(range(0x20)) - frozenset(b"\t\n\r\f\v\b\x1b")


class TextFile(Struct, frozen=True):
    """`text` has the file's own line ends. `note` says what a reader should know, or nothing."""

    text: str
    encoding: str
    mark: bytes
    note: str = ""

    @classmethod
    def decode(cls, data: bytes) -> TextFile | None:
        """UTF-8, UTF-16 with its mark, else Latin-1 (told in `note`); None for what is no text."""
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                try:
                    return cls(data[len(mark) :].decode(encoding), encoding, mark)
                except UnicodeDecodeError:
                    break
        if looks_binary(data):
            return None
        try:
            return cls(data.decode(), "utf-8", b"")
        except UnicodeDecodeError:
            return cls(data.decode("latin-1"), "latin-1", b"", "not UTF-8; read as Latin-1")

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's form. Raises UnicodeEncodeError if that cannot hold it."""
        return self.mark + text.encode(self.encoding)


def looks_binary(data: bytes) -> bool:
    start = data[:_SNIFFED]
    if b"\0" in start:
        return True
    controls = len(start) - len(start.translate(None, bytes(_CONTROLS)))
    return controls * 20 > len(start)


def image_type(data: bytes) -> str | None:
    """The media type of a picture a model can see, by its first bytes and not by its name."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None
