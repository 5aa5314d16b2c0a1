"""Found lines as the model reads them: the file, then `number:line`, and `number-line` around."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from induscode.tools.search.limits import LINE_CHARACTERS
from induscode.tools.search.lines import FoundFile, FoundLine

__all__ = ["Showing"]

_BEFORE_MATCH = LINE_CHARACTERS // 4


class Showing:
    """Writes files one after the other. `clean` takes secrets out of lines before they are cut;
    `cut` counts those that were."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self.cut = 0
        self._clean = clean

    def file(self, heading: str, found: FoundFile) -> str:
        written = [self._clean(heading)]
        around = any(line.at is None for line in found.lines)
        for at, run in enumerate(_runs(found.lines)):
            if at and around:
                written.append("--")
            written += map(self._line, self._cleaned(run))
        return "\n".join(written)

    def _cleaned(self, run: list[FoundLine]) -> Iterator[FoundLine]:
        """A run of neighbours without secrets, also one that goes over several of them."""
        text = "\n".join(line.text for line in run)
        cleaned = self._clean(text)
        if cleaned == text:
            yield from run
            return
        matches = {line.number for line in run if line.at is not None}
        for number, line in enumerate(cleaned.split("\n"), run[0].number):
            yield FoundLine(number, line, 0 if number in matches else None)

    def _line(self, line: FoundLine) -> str:
        text = line.text
        if len(text) > LINE_CHARACTERS:
            self.cut += 1
            start = max(0, min((line.at or 0) - _BEFORE_MATCH, len(text) - LINE_CHARACTERS))
            after = len(text) - start - LINE_CHARACTERS
            text = text[start : start + LINE_CHARACTERS]
            text = f"[{start} characters ...]{text}" if start else text
            text = f"{text}[... {after} more characters]" if after else text
        return f"{line.number}{'-' if line.at is None else ':'}{text}"


def _runs(lines: list[FoundLine]) -> Iterator[list[FoundLine]]:
    """Lines that follow on each other in the file."""
    run: list[FoundLine] = []
    for line in lines:
        if run and line.number != run[-1].number + 1:
            yield run
            run = []
        run.append(line)
    if run:
        yield run
