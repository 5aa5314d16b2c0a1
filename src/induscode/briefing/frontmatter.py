"""Front matter: the header between two lines `---` that macros, skills and rules begin with.

`split_frontmatter` is the small reader that the briefing documents: lines `key: value`, nothing
nested. `read_front` is for files that people wrote for any program: YAML, and where it is not quite
YAML, what its author meant. Nothing here raises, and nothing takes longer than its text is long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from msgspec import Struct

__all__ = ["HEAD_CHARACTERS", "Front", "read_front", "split_frontmatter", "tool_words"]

HEAD_CHARACTERS = 16_384
"""A longer header is not read as YAML."""

_MENDED_LINES = 200
_DEPTH = 20
_VALUES = 5_000

_FENCE = re.compile(r"^---\r?$", re.MULTILINE)
_ANY_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_.-]{0,63})[ ]*:(?:[ \t]+(?P<value>.*))?")
_PLAIN = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_.-]{0,63}):(?: +(?P<value>[^ ].*))?")
_QUOTED = re.compile(r"\"[^\"\\]*\"|'[^']*'")
_BLANK_START = re.compile(r"(?:[ \t\f\v]*\n)*")
_PLAIN_SIGNS = "(</_$"
_WORDS_OF_YAML = frozenset({"null", "true", "false"})


class Front(Struct, frozen=True):
    """A text with its header taken off. `body` has no blank lines at its ends and begins at
    `body_line`. `head` is the header as written, from line 2 on.

    `not_yaml` says why the header is none, and `fields` is then what could be made of it: a value
    that needed quotes and has none counts as text. With `unclosed`, the first line opens a header
    that never ends; all of the text is the body."""

    body: str
    body_line: int = 1
    fields: Mapping[str, Any] = {}
    head: str = ""
    not_yaml: str = ""
    unclosed: bool = False

    def written(self, key: str) -> str:
        """What follows `key:` on its line, without the quotes around it, or nothing."""
        found = [field for field in self._fields_written() if field[1]["key"] == key]
        return _unquoted((found[-1][1]["value"] or "").strip()) if found else ""

    def line_of(self, key: str) -> int:
        """Where in the file `key` stands; its first line when it does not."""
        found = [line for line, field in self._fields_written() if field["key"] == key]
        return found[-1] if found else 1

    def _fields_written(self) -> list[tuple[int, re.Match[str]]]:
        lines = enumerate(self.head.split("\n"), start=2)
        return [(line, field) for line, text in lines if (field := _FIELD.fullmatch(text))]


def split_frontmatter(text: str) -> tuple[list[tuple[str, str]], str]:
    """The entries of the header, in order, and all that follows the line that closes it.

    There is a header only when the first line is exactly `---` and a later one too; a line may end
    in CRLF. Each line `key: value` is an entry, without the quotes that match around a value; of a
    repeated key the last value counts. Blank lines and those that begin with `#` are passed over.
    """
    found = _parted(text, _FENCE)
    if found is None:
        return [], text
    head, start = found
    return list(_pairs(head).items()), text[start:]


def read_front(text: str) -> Front:
    """The text's header as YAML, and its body. A byte order mark, CRLF and blanks after a fence do
    no harm."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found = _parted(text, _ANY_FENCE)
    if found is None:
        first = text.partition("\n")[0]
        return _fronted(Front(text, unclosed=bool(_ANY_FENCE.fullmatch(first))))
    head, start = found
    fields, not_yaml = _read(head)
    line = text.count("\n", 0, start) + 1
    return _fronted(Front(text[start:], line, fields, head, not_yaml))


def tool_words(text: str) -> list[str] | None:
    """The tools of `allowed-tools`, parted by commas and white space; `Bash(git add *)` is one, and
    so is `Bash (git add *)`, which must not become all of `Bash`. None where parentheses do not
    match."""
    words: list[str] = []
    word: list[str] = []
    depth, after_comma = 0, False
    for letter in text:
        if letter == "(" and not word and words and not (after_comma or "(" in words[-1]):
            word.append(words.pop())
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return None
        if depth or not (letter == "," or letter.isspace()):
            word.append(letter)
            after_comma = False
            continue
        after_comma = after_comma or letter == ","
        if word:
            words.append("".join(word))
            word.clear()
    return None if depth else [*words, *(["".join(word)] if word else [])]


def _parted(text: str, fence: re.Pattern[str]) -> tuple[str, int] | None:
    """The lines between the fences, and where what follows them begins."""
    opening = fence.match(text)
    if opening is None:
        return None
    closing = fence.search(text, opening.end() + 1)
    if closing is None:
        return None
    head = text[opening.end() + 1 : closing.start()]
    return head.removesuffix("\n"), min(closing.end() + 1, len(text))


def _fronted(front: Front) -> Front:
    blank = _BLANK_START.match(front.body)
    start = blank.end() if blank else 0
    return Front(
        front.body[start:].rstrip(),
        front.body_line + front.body.count("\n", 0, start),
        front.fields,
        front.head,
        front.not_yaml,
        front.unclosed,
    )


def _pairs(head: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    for line in head.split("\n"):
        key, colon, value = line.partition(":")
        key = key.strip()
        if colon and key and not key.startswith("#"):
            entries[key] = _unquoted(value.strip())
    return entries


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _read(head: str) -> tuple[Mapping[str, Any], str]:
    if len(head) > HEAD_CHARACTERS:
        return _pairs(head), f"it is longer than {HEAD_CHARACTERS:,} characters"
    plain = _plain(head)
    if plain is not None:
        return plain, ""
    try:
        # One line before it, so that the lines of an error are the file's.
        found = _yaml("\n" + head)
    except ValueError as error:
        return _meant(head), str(error)
    if found is None:
        return {}, ""
    if not isinstance(found, dict):
        return {}, "it has no fields: a field is a line `name: value`"
    return cast("dict[str, Any]", found), ""


def _plain(head: str) -> dict[str, Any] | None:
    """What YAML makes of a header that has only lines `key: text`; None for any other. Most headers
    are such, and the parser of YAML takes longer to import than they all take to be read."""
    fields: dict[str, Any] = {}
    for line in head.split("\n"):
        if not line or line[0] == "#":
            if not line.isprintable():
                return None
            continue
        field = _PLAIN.fullmatch(line.rstrip(" ")) if line.isprintable() else None
        if field is None:
            return None
        value = field["value"]
        if value is None:
            fields[field["key"]] = None
        elif _QUOTED.fullmatch(value):
            fields[field["key"]] = value[1:-1]
        elif _is_plain(value):
            fields[field["key"]] = value
        else:
            return None
    return fields


def _is_plain(value: str) -> bool:
    """Whether YAML reads it as the text that it is."""
    return (
        (value[0].isalpha() or value[0] in _PLAIN_SIGNS)
        and value.lower() not in _WORDS_OF_YAML
        and ": " not in value
        and " #" not in value
        and value[-1] != ":"
    )


def _meant(head: str) -> dict[str, Any]:
    """The fields of a header that is not YAML. Mostly one value lacks its quotes: a description
    with a colon in it, `[file] [branch]`; or a tab indents a line. So each value that is no YAML by
    itself is quoted; when that is not enough, each line stands for itself."""
    lines = head.replace("\t", "  ").split("\n")
    if len(lines) > _MENDED_LINES:
        return dict(_pairs(head))
    mended: list[str] = []
    alone: dict[str, Any] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        before, text = (f"{field['key']}: ", field["value"]) if field else _item(line)
        text = (text or "").strip()
        try:
            value = _yaml(f"it: {text}")["it"]
            mended.append(line)
        except ValueError:
            value = text
            mended.append(before + "'" + text.replace("'", "''") + "'")
        if field:
            alone[field["key"]] = value
    try:
        found = _yaml("\n".join(mended))
    except ValueError:
        return alone
    return cast("dict[str, Any]", found) if isinstance(found, dict) else alone


def _item(line: str) -> tuple[str, str]:
    """An item of a list: what stands before its value, and that. Of any other line, no value."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    value = line[len(indent) :]
    return (f"{indent}- ", value[2:]) if value.startswith("- ") else (line, "")


def _yaml(text: str) -> Any:
    """Imported when a header needs it. Raises ValueError."""
    return import_module("induscode.kernel.yamltext").load_yaml(text, depth=_DEPTH, values=_VALUES)
