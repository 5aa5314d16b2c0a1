"""The rules of the skill format, field by field.

Every problem names its line, its field and a remedy. A wrong one keeps the skill from loading; any
other is a note. In a lenient folder, which is shared with other programs, more is a note: keys that
the format does not have, and a header that is not quite YAML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from induscode.briefing.contract import (
    SKILL_DESCRIPTION_LIMIT,
    SKILL_NAME_LIMIT,
    MacroOrigin,
    SkillCard,
    SkillFrontmatter,
)
from induscode.briefing.frontmatter import Front, tool_words
from induscode.briefing.invisible import invisible_characters
from induscode.briefing.skill_walk import Candidate

__all__ = [
    "KNOWN_FRONTMATTER_KEYS",
    "SKILL_COMPATIBILITY_LIMIT",
    "UNSHOWN",
    "Problem",
    "SkillReading",
]

KNOWN_FRONTMATTER_KEYS = (
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "disable-model-invocation",
)
SKILL_COMPATIBILITY_LIMIT = 500

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_KEY = re.compile(r"(?P<key>[\w.-]+)[ \t]*:(?:[ \t].*)?")
_YAML_LINE = re.compile(r", line (?P<line>[0-9]+)$")
_SHOWN_CHARACTERS = 80

UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What is no part of a line of text."""


class Problem(Struct, frozen=True):
    """Something about a file. `found` is a clause, `remedy` what to do about it; a `wrong` one
    keeps the skill from loading."""

    field: str
    found: str
    remedy: str
    line: int = 1
    wrong: bool = True

    def text(self) -> str:
        return f"line {self.line}: {self.field}: {self.found} ({self.remedy})"


class SkillReading:
    """One file, field by field; collects problems as it goes."""

    def __init__(self, candidate: Candidate, front: Front, *, lenient: bool) -> None:
        self.front = front
        self.problems: list[Problem] = []
        self._candidate = candidate
        self._lenient = lenient

    def card(self, origin: MacroOrigin) -> SkillCard | None:
        """None when anything is wrong."""
        if self.front.not_yaml and not self._not_yaml():
            return None
        self._repeated()
        header = SkillFrontmatter(
            name=self._scalar("name"),
            description=self._description(),
            license=self._optional_text("license"),
            compatibility=self._compatibility(),
            metadata=self._metadata(),
            allowed_tools=self._allowed_tools(),
            disable_model_invocation=self._hidden(),
            unknown=self._unknown(),
        )
        name = self._name(header.name)
        if not self.front.body:
            self.note("body", "it is empty", "write what to do below the header")
        if any(problem.wrong for problem in self.problems):
            return None
        return SkillCard(
            name=name,
            description=header.description or "",
            body=self.front.body,
            location=self._candidate.path,
            origin=origin,
            frontmatter=header,
            line=self.front.line_of("description"),
            body_line=self.front.body_line,
        )

    def _not_yaml(self) -> bool:
        """Whether the header can be used all the same."""
        said = self.front.not_yaml
        line = _YAML_LINE.search(said)
        remedy = "put a value in quotes that has ': ' or ' #' in it or begins with a special sign"
        usable = self._lenient and bool(self.front.fields)
        self.problems.append(
            Problem(
                "front matter",
                _YAML_LINE.sub("", said),
                remedy,
                int(line["line"]) if line else 2,
                wrong=not usable,
            )
        )
        return usable

    def _repeated(self) -> None:
        seen: set[str] = set()
        for line in self.front.head.split("\n"):
            found = _KEY.fullmatch(line)
            if found and found["key"] in seen:
                self.note(found["key"], "it is given twice, and the last counts", "keep one")
            elif found:
                seen.add(found["key"])

    def _name(self, declared: str | None) -> str:
        folder, path = self._candidate.folder, self._candidate.path
        name = declared or folder or path.stem
        if name == declared:
            subject = _quoted(name)
        else:
            subject = f"the {'file' if folder is None else 'folder'}'s name {_quoted(name)}"
        if not _NAME.fullmatch(name):
            better = _NO_NAME.sub("-", name.lower()).strip("-")[:SKILL_NAME_LIMIT]
            found = f"{subject} is not words of lowercase letters and digits, joined by hyphens"
            self._wrong("name", found, f"e.g. {better}" if better else "e.g. pdf-forms")
        if len(name) > SKILL_NAME_LIMIT:
            found = f"{subject} is longer than {SKILL_NAME_LIMIT} characters"
            self._wrong("name", found, "shorten it")
        if folder is not None and name != folder:
            found = f"{subject} is not the name of its folder, {_quoted(folder)}"
            self._wrong("name", found, "rename one of them")
        return name

    def _description(self) -> str | None:
        text = self._scalar("description")
        folded = " ".join((text or "").split())
        remedy = "say in one line what it does and when to use it"
        if not folded:
            if text is not None or self._value("description") is None:
                self._wrong("description", "it is missing", remedy)
            return None
        if len(folded) > SKILL_DESCRIPTION_LIMIT:
            found = f"it has {len(folded):,} characters, more than {SKILL_DESCRIPTION_LIMIT:,}"
            self._wrong("description", found, "shorten it, and leave details to the body")
        if UNSHOWN.search(folded):
            self._wrong("description", "it has control characters", "write plain text")
        elif count := invisible_characters(folded):
            what = "an invisible character" if count == 1 else f"{count} invisible characters"
            self.note(
                "description", f"it has {what}", "look for them, and remove what is not meant"
            )
        return folded

    def _compatibility(self) -> str | None:
        text = self._optional_text("compatibility")
        if text is not None and len(text) > SKILL_COMPATIBILITY_LIMIT:
            found = f"it has {len(text):,} characters, more than {SKILL_COMPATIBILITY_LIMIT}"
            self._strictly("compatibility", found, "shorten it")
        return text

    def _metadata(self) -> Mapping[str, Any] | None:
        value = self._value("metadata")
        if value is None or isinstance(value, dict):
            return cast("dict[str, Any] | None", value)
        self._strictly("metadata", "it is not a list of `key: value`", "indent its lines below it")
        return None

    def _allowed_tools(self) -> tuple[str, ...] | None:
        """What cannot be read is wrong everywhere: without it, the skill might do more."""
        value = self._value("allowed-tools")
        lost = value is None and self.front.not_yaml and self.front.line_of("allowed-tools") > 1
        if value is None and not lost:
            return None
        texts = cast("list[object]", value) if isinstance(value, list) else [value]
        words: list[str] = []
        for text in texts:
            found = tool_words(text) if isinstance(text, str) else None
            if found is None:
                told = "it is not a list of tools: a text, or texts, with every parenthesis closed"
                self._wrong("allowed-tools", told, "e.g. allowed-tools: Read, Bash(git diff *)")
                return ()
            words.extend(found)
        return tuple(words)

    def _hidden(self) -> bool:
        match self._value("disable-model-invocation"):
            case True | "true":
                return True
            case None | False | "false":
                return False
            case value:
                found = f"{_quoted(str(value))} is neither true nor false, and counts as false"
                self.note("disable-model-invocation", found, "write true or false")
                return False

    def _unknown(self) -> tuple[str, ...]:
        unknown = tuple(key for key in self.front.fields if key not in KNOWN_FRONTMATTER_KEYS)
        for key in unknown:
            meant = key.lower().replace("_", "-").replace(" ", "-")
            if meant in KNOWN_FRONTMATTER_KEYS:
                remedy = f"did you mean {meant}?"
            elif self._lenient:
                remedy = "it is for other programs and does nothing here"
            else:
                remedy = f"the keys are {', '.join(KNOWN_FRONTMATTER_KEYS)}; others go to metadata"
            field = key if key.isprintable() else _quoted(key)
            self._strictly(_shown(field), "the format has no such key", remedy, key)
        return unknown

    def _value(self, key: str) -> Any:
        return self.front.fields.get(key)

    def _scalar(self, key: str) -> str | None:
        """The text of a field that must be one; a number or a truth value is what was written."""
        value = self._value(key)
        if value is None or isinstance(value, str):
            return value.strip() if value else value
        if isinstance(value, (bool, int, float)):
            return self.front.written(key) or str(value)
        self._wrong(key, "it is not a text", "put it in quotes")
        return None

    def _optional_text(self, key: str) -> str | None:
        value = self._value(key)
        if isinstance(value, (dict, list)):
            self._strictly(key, "it is not a text", "put it in quotes")
            return None
        return self._scalar(key)

    def _wrong(self, field: str, found: str, remedy: str) -> None:
        self.problems.append(Problem(field, found, remedy, self.front.line_of(field)))

    def note(self, field: str, found: str, remedy: str) -> None:
        line = self.front.body_line if field == "body" else self.front.line_of(field)
        self.problems.append(Problem(field, found, remedy, line, wrong=False))

    def _strictly(self, field: str, found: str, remedy: str, key: str = "") -> None:
        """Wrong in a folder of ours, a note where other programs have a say."""
        line = self.front.line_of(key or field)
        self.problems.append(Problem(field, found, remedy, line, wrong=not self._lenient))


def _quoted(text: str) -> str:
    return repr(_shown(text))


def _shown(text: str) -> str:
    """On one line, and not longer than a person would read."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}..."
