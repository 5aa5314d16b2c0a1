"""A notebook as its cells: what was written, what came out, and the pictures among it."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from typing import Any, cast

import msgspec
from msgspec import Struct

from induscode.kernel.content import Image
from induscode.tools.bounded import keep_beginning, keep_end
from induscode.tools.limits import READ_CHARACTERS
from induscode.tools.pictures import is_oversized
from induscode.tools.reading.limits import OUTPUT_CHARACTERS, PICTURES, PICTURES_BYTES
from induscode.tools.textfile import image_type

__all__ = ["Cells", "Notebook"]

_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_TEXTS = ("text/plain", "text/markdown", "application/json", "text/latex")

Words = str | list[str]


class _Output(Struct, frozen=True):
    output_type: str
    name: str = ""
    text: Words = ""
    data: dict[str, Any] = {}
    ename: str = ""
    evalue: str = ""
    traceback: list[str] = []


class _Cell(Struct, frozen=True):
    cell_type: str
    source: Words = ""
    outputs: list[_Output] = []
    execution_count: int | None = None


class Cells(Struct, frozen=True):
    """A page of cells. `last` is the number of the last one shown."""

    text: str
    pictures: tuple[Image, ...]
    last: int


class Notebook(Struct, frozen=True):
    """The part of the format (version 4) that a reader needs."""

    nbformat: int
    cells: list[_Cell]

    @classmethod
    def parse(cls, text: str) -> Notebook | None:
        """None for what is no notebook, or a broken one."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return None

    def page(self, offset: int, limit: int, clean: Callable[[str], str]) -> Cells:
        """At most `limit` cells from number `offset`, as many as fit, the first in any case.
        `clean` takes secrets out of a text before it is cut."""
        show = _Show(clean)
        size = 0
        last = offset - 1
        parts: list[str] = []
        for number, cell in enumerate(self.cells[offset - 1 : offset - 1 + limit], offset):
            mark = show.mark()
            part = show.cell(number, cell)
            size += len(part) + 1
            if size > READ_CHARACTERS and parts:
                show.back_to(mark)
                break
            parts.append(_bounded(part, READ_CHARACTERS))
            last = number
        return Cells("\n".join(parts), tuple(show.pictures), last)


class _Show:
    """Cells as text. Pictures are taken out and numbered, as long as there is room."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self.pictures: list[Image] = []
        self._clean = clean

    def mark(self) -> int:
        return len(self.pictures)

    def back_to(self, mark: int) -> None:
        del self.pictures[mark:]

    def cell(self, number: int, cell: _Cell) -> str:
        ran = f", run {cell.execution_count}" if cell.execution_count is not None else ""
        source = self._clean(_joined(cell.source))
        lines = [f"[cell {number}: {cell.cell_type}{ran}]", source]
        for output in cell.outputs:
            lines += [f"[output of cell {number}{_told(output)}]", self._output(output)]
        return "\n".join(line for line in lines if line)

    def _output(self, output: _Output) -> str:
        match output.output_type:
            case "stream":
                text = _joined(output.text)
            case "error":
                text = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
            case _:
                return self._data(output.data)
        return self._cut(_TERMINAL.sub("", text).rstrip("\n"))

    def _data(self, data: dict[str, Any]) -> str:
        parts = [self._picture(kind, said) for kind, said in data.items() if _is_picture(kind)]
        texts = [kind for kind in _TEXTS if kind in data]
        if texts:
            parts.append(self._cut(_plain(data[texts[0]])))
        elif not parts and data:
            parts.append(f"[{', '.join(data)}: not shown]")
        return "\n".join(parts)

    def _cut(self, text: str) -> str:
        return _bounded(self._clean(text), OUTPUT_CHARACTERS)

    def _picture(self, kind: str, said: object) -> str:
        try:
            image = binascii.a2b_base64(_plain(said).encode("ascii"))
        except (ValueError, binascii.Error):
            return f"[{kind}: broken]"
        media_type = image_type(image)
        if media_type is None or is_oversized(image):
            return f"[{kind}: not shown]"
        room = PICTURES_BYTES - sum(len(picture.data) for picture in self.pictures)
        if len(self.pictures) >= PICTURES or len(image) > room:
            return f"[{kind} of {len(image):,} bytes: left out, read this cell alone to see it]"
        self.pictures.append(Image(media_type, image))
        return f"[picture {len(self.pictures)}: {media_type}, {len(image):,} bytes]"


def _told(output: _Output) -> str:
    words = {"error": ", an error", "stream": f", {output.name}" if output.name else ""}
    return words.get(output.output_type, "")


def _is_picture(kind: str) -> bool:
    return kind.startswith("image/") and kind != "image/svg+xml"


def _joined(words: Words) -> str:
    return words if isinstance(words, str) else "".join(words)


def _plain(said: object) -> str:
    match said:
        case str():
            return said
        case list() if all(isinstance(item, str) for item in cast("list[object]", said)):
            return "".join(cast("list[str]", said))
        case _:
            return msgspec.json.encode(said).decode()


def _bounded(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    beginning, end = keep_beginning(text, room // 2), keep_end(text, room // 2)
    left_out = len(text) - len(beginning) - len(end)
    return f"{beginning}\n[... {left_out:,} characters left out ...]\n{end}"
