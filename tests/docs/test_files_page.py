"""The page about files names the limits that are in force."""

from __future__ import annotations

from pathlib import Path

from induscode.tools.limits import (
    FILE_BYTES,
    IMAGE_BYTES,
    LINE_CHARACTERS,
    READ_CHARACTERS,
    READ_LINES,
)
from induscode.tools.reading.limits import PICTURES, SCANNED_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "files.md"


def test_every_number_of_the_page_is_the_limit() -> None:
    text = " ".join(PAGE.read_text().split())

    for said in (
        f"numbered lines, {READ_LINES:,} unless",
        f"at most {READ_CHARACTERS:,} characters",
        f"Lines over {LINE_CHARACTERS:,} characters",
        f"the picture, up to {IMAGE_BYTES >> 20} MB",
        f"Up to {PICTURES} pictures",
        f"over {FILE_BYTES >> 20} MB",
        f"up to {SCANNED_BYTES >> 30} GB into the file",
    ):
        assert said in text
