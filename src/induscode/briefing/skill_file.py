"""One skill file: read within bounds, and judged. Nothing here raises."""

from __future__ import annotations

from msgspec import Struct

from induscode.briefing.contract import MacroOrigin, SkillCard
from induscode.briefing.files import Files, Refused
from induscode.briefing.frontmatter import Front, read_front
from induscode.briefing.invisible import invisible_characters
from induscode.briefing.skill_rules import UNSHOWN, Problem, SkillReading
from induscode.briefing.skill_walk import Candidate

__all__ = ["SKILL_FILE_BYTES", "Examined", "examine_skill"]

SKILL_FILE_BYTES = 512 * 1024

_NO_HEADER = "begin the file with ---, the fields `name` and `description`, and another ---"


class Examined(Struct, frozen=True):
    """What became of a file: a card exactly when nothing is wrong. `aside` says why it is not taken
    for a skill at all."""

    card: SkillCard | None = None
    problems: tuple[Problem, ...] = ()
    aside: str = ""


def examine_skill(
    candidate: Candidate, origin: MacroOrigin, files: Files, *, lenient: bool
) -> Examined:
    if UNSHOWN.search(str(candidate.path)):
        found = "its path has characters that are no text"
        return Examined(None, (Problem("file", found, "rename it or its folder"),))
    text = _text(files.read(candidate.path, SKILL_FILE_BYTES))
    if isinstance(text, Problem):
        return Examined(None, (text,))
    reading = SkillReading(candidate, read_front(text), lenient=lenient)
    if missing := _headless(text, reading.front):
        loose = candidate.folder is None
        if lenient and loose and not reading.front.unclosed:
            return Examined(aside=f"it is taken for a note, not for a skill: {missing.found}")
        return Examined(None, (missing,))
    card = reading.card(origin)
    _look_for_hidden(text, reading)
    return Examined(card, tuple(sorted(reading.problems, key=lambda problem: problem.line)))


def _text(data: bytes | Refused | None) -> str | Problem:
    match data:
        case None:
            return Problem("file", "it is gone", "bring it back, or mend the link that leads to it")
        case Refused(reason):
            return Problem("file", reason, "make it readable, or remove it")
        case bytes():
            pass
    if len(data) > SKILL_FILE_BYTES:
        found = f"it is larger than {SKILL_FILE_BYTES // 1024} KB"
        return Problem("file", found, "move details to other files beside it")
    if not data.strip():
        return Problem("file", "it is empty", _NO_HEADER)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("file", "it is not UTF-8 text", "save it as UTF-8", line)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return Problem("file", "it is binary, not text", "save it as UTF-8 text", line)
    return text


def _headless(text: str, front: Front) -> Problem | None:
    if front.unclosed:
        return Problem("front matter", "it never ends", "close it with a line ---")
    first = text.removeprefix("\ufeff").partition("\n")[0].rstrip()
    if first == "---":
        return None
    if front.body.startswith("---"):
        found = "it does not begin on the first line"
        return Problem("front matter", found, "remove what stands before it", front.body_line)
    return Problem("front matter", "there is none", _NO_HEADER)


def _look_for_hidden(text: str, reading: SkillReading) -> None:
    if text.startswith("\ufeff"):
        reading.note("file", "it begins with a byte order mark", "save it without one")
    if count := invisible_characters(text.removeprefix("\ufeff")):
        what = "an invisible character" if count == 1 else f"{count} invisible characters"
        reading.note("file", f"it has {what}", "look for them, and remove what is not meant")
