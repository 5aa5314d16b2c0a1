"""Text as it lies in a file: encoding, mark and line ends, kept when it is written back."""

from __future__ import annotations

import codecs

from msgspec import Struct

from induscode.kernel.jsontext import clean_text

__all__ = ["TextFile", "image_type", "line_ends", "looks_binary", "marked_encoding"]

# The marks of UTF-32 first: the mark of UTF-16 is the beginning of one of them.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8192
_CONTROLS = frozenset(range(0x20)) - frozenset(b"\t\n\r\f\v\b\x1b")
_HIGH = bytes(range(0x80, 0x100))


class TextFile(Struct, frozen=True):
    """`text` has the file's own line ends; with `errors` of "surrogateescape" it also has bytes
    that are no characters, which `shown` replaces. `note` says what a reader should know of the
    encoding, or nothing."""

    text: str
    encoding: str
    mark: bytes
    note: str = ""
    errors: str = "strict"

    @classmethod
    def decode(cls, data: bytes) -> TextFile | None:
        """UTF-8, UTF-16 and UTF-32 with their marks, else an encoding of one byte per character;
        None for what is no text."""
        mark, encoding = marked_encoding(data)
        if mark:
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError:
                pass
            else:
                name = encoding[:6].upper()
                note = "" if encoding == "utf-8" else f"{name} with its mark; edit keeps that"
                return cls(text, encoding, mark, note)
        if looks_binary(data):
            return None
        try:
            return cls(data.decode(), "utf-8", b"")
        except UnicodeDecodeError:
            return cls._of_bytes(data)

    @classmethod
    def _of_bytes(cls, data: bytes) -> TextFile:
        """UTF-8 with some wrong bytes in it, if most of what is not ASCII is right; else the
        encodings of one byte per character, which take anything."""
        text = data.decode("utf-8", "surrogateescape")
        good = len(data.decode("utf-8", "ignore"))
        plain = len(data.translate(None, _HIGH))
        wrong = len(text) - good
        if good - plain > wrong:
            note = f"{wrong} bytes are not UTF-8 and shown as \ufffd; edit keeps them"
            return cls(text, "utf-8", b"", note, "surrogateescape")
        latin = data.decode("latin-1")
        try:
            windows = data.decode("cp1252")
        except UnicodeDecodeError:
            windows = latin
        if windows != latin:
            return cls(windows, "cp1252", b"", "not UTF-8; read as Windows-1252")
        return cls(latin, "latin-1", b"", "not UTF-8; read as Latin-1")

    @property
    def shown(self) -> str:
        """The text as anybody can be given it."""
        return self.text if self.errors == "strict" else clean_text(self.text)[0]

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's form. Raises UnicodeEncodeError if that cannot hold it."""
        return self.mark + text.encode(self.encoding, self.errors)


def marked_encoding(data: bytes) -> tuple[bytes, str]:
    """The mark that bytes begin with and the encoding it stands for; both empty without one."""
    return next((pair for pair in _MARKS if data.startswith(pair[0])), (b"", ""))


def line_ends(text: str) -> str:
    """What a reader should know of the line ends; nothing where they are plain."""
    windows = text.count("\r\n")
    plain = text.count("\n") - windows
    if windows and plain:
        return f"mixed line ends: {windows} CRLF, {plain} LF; edit keeps those of the place"
    if windows:
        return "line ends are CRLF; edit keeps them"
    if not plain and "\r" in text:
        return "line ends are CR alone: all of it counts as one line"
    return ""


def looks_binary(data: bytes) -> bool:
    """Also for a PDF, whose beginning may look like text."""
    start = data[:_SNIFFED]
    if b"\0" in start or start.startswith(b"%PDF-"):
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
