"""What a file is that is no text, by its first bytes, and what can be done about it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

__all__ = ["Kind", "binary_sentence", "kind_of_bytes"]

_SNIFFED = 4096
_WIDE_SHARE = 0.4


class Kind(Struct, frozen=True):
    """`what` follows "is", `help` tells how to look at it."""

    what: str
    help: str


_PICTURE = "convert it to png with a command to see it"

_MAGIC: tuple[tuple[int, bytes, Kind], ...] = (
    (0, b"%PDF-", Kind("a PDF document", "`pdftotext FILE -` gives its text")),
    (0, b"PK\x03\x04", Kind("a zip archive", "`unzip -l` lists it, `unzip -p` shows a member")),
    (0, b"PK\x05\x06", Kind("an empty zip archive", "there is nothing in it")),
    (0, b"\x1f\x8b", Kind("gzip data", "`zcat` shows it, `tar -tf` lists an archive")),
    (0, b"BZh", Kind("bzip2 data", "`bzcat` shows it, `tar -tf` lists an archive")),
    (0, b"\xfd7zXZ\0", Kind("xz data", "`xzcat` shows it, `tar -tf` lists an archive")),
    (0, b"\x28\xb5\x2f\xfd", Kind("zstd data", "`zstdcat` shows it")),
    (0, b"7z\xbc\xaf\x27\x1c", Kind("a 7z archive", "`7z l` lists it")),
    (257, b"ustar", Kind("a tar archive", "`tar -tf` lists it")),
    (0, b"!<arch>\n", Kind("a static library", "`ar t` lists it, `nm` shows its symbols")),
    (
        0,
        b"SQLite format 3\0",
        Kind("an SQLite database", "`sqlite3 FILE .schema` shows its tables"),
    ),
    (0, b"\x7fELF", Kind("an ELF binary", "`file`, `nm` and `strings` tell about it")),
    (0, b"MZ", Kind("a Windows program", "`file` and `strings` tell about it")),
    (0, b"\xcf\xfa\xed\xfe", Kind("a Mach-O binary", "`file` and `strings` tell about it")),
    (0, b"\xca\xfe\xba\xbe", Kind("a Java class or Mach-O binary", "`javap -c` shows a class")),
    (0, b"\0asm", Kind("a WebAssembly module", "`wasm-objdump -x` tells about it")),
    (0, b"\x93NUMPY", Kind("a NumPy array", "`python -c` with numpy.load shows it")),
    (0, b"\x89HDF\r\n", Kind("an HDF5 file", "`h5ls` lists it")),
    (0, b"PAR1", Kind("a Parquet file", "`python -c` with pandas.read_parquet shows it")),
    (0, b"DIRC", Kind("a git index", "`git ls-files --stage` shows it")),
    (0, b"PACK", Kind("a git pack", "`git verify-pack -v` lists it")),
    (0, b"BM", Kind("a BMP picture", _PICTURE)),
    (0, b"II*\0", Kind("a TIFF picture", _PICTURE)),
    (0, b"MM\0*", Kind("a TIFF picture", _PICTURE)),
    (0, b"\0\0\1\0", Kind("an icon", _PICTURE)),
    (4, b"ftypheic", Kind("a HEIC picture", _PICTURE)),
    (4, b"ftypavif", Kind("an AVIF picture", _PICTURE)),
    (4, b"ftyp", Kind("an MP4 video", "`ffprobe` tells about it")),
    (0, b"\x1a\x45\xdf\xa3", Kind("a Matroska video", "`ffprobe` tells about it")),
    (8, b"WAVE", Kind("a WAV sound", "`ffprobe` tells about it")),
    (0, b"ID3", Kind("an MP3 sound", "`ffprobe` tells about it")),
    (0, b"OggS", Kind("an Ogg sound", "`ffprobe` tells about it")),
    (0, b"fLaC", Kind("a FLAC sound", "`ffprobe` tells about it")),
    (0, b"wOFF", Kind("a font", "`fc-scan` tells about it")),
    (0, b"wOF2", Kind("a font", "`fc-scan` tells about it")),
)
_OTHER = Kind("a binary file", "`file` tells what it is, `xxd` shows its bytes")


def kind_of_bytes(data: bytes) -> Kind:
    """For bytes that are no text: what they are, as far as their beginning tells."""
    for at, magic, kind in _MAGIC:
        if data.startswith(magic, at):
            return kind
    return _wide(data[:_SNIFFED]) or _OTHER


def binary_sentence(path: Path, data: bytes, size: int) -> str:
    """`data` is the file's beginning, `size` its length."""
    kind = kind_of_bytes(data)
    binary = "" if kind is _OTHER else " (a binary file)"
    return f"{path} is {kind.what} of {size:,} bytes{binary}; use a command: {kind.help}."


def _wide(data: bytes) -> Kind | None:
    """Text of two bytes a character has zeros at every other place, if it is mostly English."""
    low, high = data[::2], data[1::2]
    for name, zeros, letters in (("UTF-16LE", high, low), ("UTF-16BE", low, high)):
        if zeros.count(0) > len(zeros) * _WIDE_SHARE and not letters.count(0):
            return Kind(f"{name} text without its mark", f"`iconv -f {name} -t UTF-8` shows it")
    return None
