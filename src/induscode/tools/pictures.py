"""How large a picture says it is, by its first bytes: nothing of it is unpacked."""

from __future__ import annotations

from induscode.tools.limits import IMAGE_SIDE

__all__ = ["is_oversized"]

_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
_JPEG = b"\xff\xd8"
_MARK = b"\xff"
_FRAME_BYTES = 9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG that come with its size."""

_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of a JPEG that have no length."""


def is_oversized(data: bytes) -> bool:
    """Whether a side is longer than models take. A request with such a picture is refused, and so
    is every one after it. One that does not say its size is not."""
    return max(_sides(data), default=0) > IMAGE_SIDE


def _sides(data: bytes) -> tuple[int, ...]:
    if data.startswith(_PNG):
        return _big(data[16:20]), _big(data[20:24])
    if data.startswith(_GIF):
        return _little(data[6:8]), _little(data[8:10])
    if data.startswith(_JPEG):
        return _of_jpeg(data)
    return _of_webp(data) if data[8:12] == b"WEBP" else ()


def _of_jpeg(data: bytes) -> tuple[int, ...]:
    at = len(_JPEG)
    while at + _FRAME_BYTES <= len(data) and data[at : at + 1] == _MARK:
        marker = data[at + 1]
        if marker in _FRAMES:
            return _big(data[at + 7 : at + 9]), _big(data[at + 5 : at + 7])
        at += 1 if marker == data[at] else 2 if marker in _BARE else 2 + _big(data[at + 2 : at + 4])
    return ()


def _of_webp(data: bytes) -> tuple[int, ...]:
    match data[12:16]:
        case b"VP8X":
            return 1 + _little(data[24:27]), 1 + _little(data[27:30])
        case b"VP8L":
            bits = _little(data[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case _:
            return ()


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
