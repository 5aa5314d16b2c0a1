"""`grep`: where file contents match a regular expression.

Files that the call may not read are passed over without a word. How many of them match must not be
told: asked often enough, that number would spell out what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.search.complaints import explained, similar_types, stopped
from induscode.tools.search.globs import Glob
from induscode.tools.search.limits import (
    CONTEXT_LINES,
    GLOB_CHARACTERS,
    LINE_CHARACTERS,
    MATCHES,
    MATCHES_MOST,
    PATTERN_CHARACTERS,
)
from induscode.tools.search.lines import FLAGS, LineReader
from induscode.tools.search.names import CountReader, NameReader
from induscode.tools.search.ripgrep import Outcome, Take, search
from induscode.tools.search.scope import Scope, scope_of, unusable
from induscode.tools.search.showing import Showing

__all__ = ["execute"]

_NAMED = 5
_SPANS_LINES = re.compile(r"\n|(?<!\\)(?:\\\\)*\\n")
_NOTHING = "No match. Files that are ignored, binary or not to be read by you are not searched."
_MORE = f"there are more: narrow by path, glob or type, or raise limit (at most {MATCHES_MOST:,})"


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    scope = scope_of("grep", arguments.get("path", "."), context)
    if isinstance(scope, str):
        return ToolResult.error(scope)
    if problem := _unusable(arguments):
        return ToolResult.error(problem)
    try:
        search_for = _Search(arguments, scope, context)
    except ValueError as error:
        return ToolResult.error(f"The argument `glob` of grep is not usable: {error}.")
    try:
        return await search_for.result()
    except OSError as error:
        return ToolResult.error(f"The search could not be started: {error.strerror or error}.")


def _unusable(arguments: Mapping[str, Any]) -> str:
    most = {"pattern": PATTERN_CHARACTERS, "glob": GLOB_CHARACTERS, "type": GLOB_CHARACTERS}
    given = ((name, size) for name, size in most.items() if name in arguments)
    problems = (unusable("grep", name, arguments[name], size) for name, size in given)
    return next(filter(None, problems), "")


class _Search:
    """One call. Raises ValueError for a glob that is none."""

    def __init__(self, arguments: Mapping[str, Any], scope: Scope, context: ToolContext) -> None:
        self._arguments = arguments
        self._scope = scope
        self._context = context
        self._limit = min(int(arguments.get("limit", MATCHES)), MATCHES_MOST)
        # A file that is named is searched, whatever the glob.
        glob = Glob(arguments["glob"]) if "glob" in arguments and not scope.file else None
        usable = glob is not None and (glob.negative or "type" not in arguments)
        self._hints = glob.hints if glob and usable else ()
        self._glob = None if glob and usable and glob.sufficient else glob

    async def result(self) -> ToolResult:
        match self._arguments.get("mode", "content"):
            case "files":
                return await self._names(NameReader(self._wanted, self._limit), "-l")
            case "count":
                return await self._names(CountReader(self._wanted, self._limit), "-c")
            case _:
                return await self._lines(LineReader(self._wanted, self._limit))

    def _wanted(self, name: str) -> bool:
        if self._glob and not self._glob.admits(name, self._scope.prefix):
            return False
        return self._scope.may_show_file(name)

    async def _names(self, reader: NameReader, flag: str) -> ToolResult:
        outcome = await self._run(reader.take, flag, "--null")
        if outcome.complaint:
            return await self._refused(outcome.complaint)
        found = sorted((self._scope.shown(name), count) for name, count in reader.counts.items())
        counted = isinstance(reader, CountReader)
        lines = [f"{name}:{count}" if counted else name for name, count in found]
        notes = [f"{len(lines):,} files; {_MORE}" if reader.more else "", stopped(outcome)]
        text = self._context.clean("\n".join(lines))
        details = {"files": len(lines), "complete": not any(notes)}
        if counted:
            details["matches"] = sum(count for _, count in found)
        return _answer(text, notes, details)

    async def _lines(self, reader: LineReader) -> ToolResult:
        around = int(self._arguments.get("context", 0))
        outcome = await self._run(
            reader.take,
            *FLAGS,
            f"--max-count={self._limit + 1}",
            f"--context={min(around, CONTEXT_LINES)}",
        )
        if outcome.complaint:
            return await self._refused(outcome.complaint)
        reader.close()
        named = ((self._scope.shown(file.name), file) for file in reader.files)
        files = sorted(named, key=itemgetter(0))
        showing = Showing(self._context.clean)
        written = [showing.file(name, file) for name, file in files if file.shows]
        notes = [
            f"{reader.matches:,} matches; {_MORE}" if reader.more else "",
            stopped(outcome),
            _binary(name for name, file in files if file.binary),
            f"{showing.cut} long lines cut to {LINE_CHARACTERS} characters" if showing.cut else "",
            f"context is at most {CONTEXT_LINES} lines" if around > CONTEXT_LINES else "",
        ]
        complete = not any(notes[:2])
        details = {"files": len(written), "matches": reader.matches, "complete": complete}
        return _answer("\n\n".join(written), notes, details)

    async def _run(self, take: Take, *flags: str) -> Outcome:
        given, pattern = self._arguments, self._arguments["pattern"]
        words = [*flags, "--crlf", *self._hints]
        if "type" in given:
            words.append(f"--type={given['type']}")
        if given.get("ignore_case"):
            words.append("--ignore-case")
        if given.get("literal"):
            words.append("--fixed-strings")
        if given.get("multiline"):
            words += ["--multiline", "--multiline-dotall"]
        elif _SPANS_LINES.search(pattern):
            words.append("--multiline")
        scope = self._scope
        return await search(
            [*words, f"--regexp={pattern}"],
            f"./{scope.file}",
            cwd=scope.root,
            take=take,
            cancel=self._context.cancel,
        )

    async def _refused(self, complaint: str) -> ToolResult:
        if complaint.startswith("rg: unrecognized file type"):
            wanted: str = self._arguments["type"]
            told = await similar_types(wanted, self._scope.root, self._context.cancel)
            return ToolResult.error(told)
        return ToolResult.error(explained(complaint, self._arguments["pattern"]))


def _binary(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return f"binary, not shown: {', '.join(listed[:_NAMED])}{more}" if listed else ""


def _answer(text: str, notes: list[str], details: dict[str, Any]) -> ToolResult:
    told = [f"[{note}]" for note in notes if note]
    matches = f"{details['matches']:,} matches in " if "matches" in details else ""
    more = "" if details["complete"] else ", and more"
    return ToolResult(
        content=(Text("\n".join([text or _NOTHING, *told])),),
        display=f"{matches}{details['files']:,} files{more}",
        details=details,
    )
