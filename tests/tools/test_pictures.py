"""Pictures that no model would be shown, told by their first bytes."""

from __future__ import annotations

import struct

import pytest

from induscode.tools.pictures import is_oversized


def _png(wide: int, high: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", wide, high) + b"\x08\2\0\0\0"


def _gif(wide: int, high: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", wide, high) + b"\0\0\0"


def _jpeg(wide: int, high: int) -> bytes:
    """With a comment in front of the frame, and a byte that only fills."""
    frame = b"\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", high, wide) + b"\3" + b"\0" * 9
    return b"\xff\xd8\xff\xfe\0\6abcd" + frame


def _webp(kind: bytes, size: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + size


def _extended(wide: int, high: int) -> bytes:
    sides = (wide - 1).to_bytes(3, "little") + (high - 1).to_bytes(3, "little")
    return _webp(b"VP8X", b"\0" * 4 + sides)


def _lossless(wide: int, high: int) -> bytes:
    return _webp(b"VP8L", b"\x2f" + ((wide - 1) | (high - 1) << 14).to_bytes(4, "little"))


def _lossy(wide: int, high: int) -> bytes:
    return _webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", wide, high))


@pytest.mark.parametrize("made", [_png, _gif, _jpeg, _extended, _lossless, _lossy])
def test_a_side_may_have_eight_thousand_pixels_and_no_more(made: object) -> None:
    assert callable(made)
    assert not is_oversized(made(8000, 8000))
    assert is_oversized(made(8001, 1))
    assert is_oversized(made(1, 8001))


@pytest.mark.parametrize("made", [_png, _gif, _jpeg, _extended, _lossless, _lossy])
def test_a_picture_that_is_cut_off_anywhere_is_looked_at_without_harm(made: object) -> None:
    assert callable(made)
    whole = made(100, 100)
    assert not any(is_oversized(whole[:end]) for end in range(len(whole)))


def test_a_jpeg_that_never_comes_to_its_frame_ends() -> None:
    assert not is_oversized(b"\xff\xd8" + b"\xff\xd0" * 1000 + b"\xff" * 1000)
    assert not is_oversized(b"\xff\xd8\xff\xe0\xff\xff" + b"\0" * 100)
