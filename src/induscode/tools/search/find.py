"""`find`: files and directories by name, part of a path, or glob."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.search.complaints import stopped
from induscode.tools.search.globs import Glob, is_glob
from induscode.tools.search.limits import (
    FOUND_NAMES,
    FOUND_NAMES_MOST,
    GLOB_CHARACTERS,
    NAMES_CHECKED,
)
from induscode.tools.search.ranking import Listing, directories_of, likely, similar
from induscode.tools.search.ripgrep import search
from induscode.tools.search.scope import Scope, scope_of, unusable

__all__ = ["execute"]

_MORE = f"narrow the query, or raise limit (at most {FOUND_NAMES_MOST:,})"


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    scope = scope_of("find", arguments.get("path", "."), context)
    if isinstance(scope, str):
        return ToolResult.error(scope)
    if scope.file:
        return ToolResult.error(f"{scope.root}/{scope.file} is a file; name a directory, or none.")
    given: str = arguments["query"]
    query = given.strip().removeprefix(f"{scope.root}/").removeprefix("./")
    problem = unusable("find", "query", given, GLOB_CHARACTERS)
    if problem or not query.strip("/"):
        return ToolResult.error(problem or "The argument `query` of find is empty.")
    try:
        found = _Finding(query, arguments, scope, context)
    except ValueError as error:
        return ToolResult.error(f"The argument `query` of find is not a glob: {error}.")
    try:
        return await found.result()
    except OSError as error:
        return ToolResult.error(f"The search could not be started: {error.strerror or error}.")


class _Finding:
    """One call. Raises ValueError for a glob that is none."""

    def __init__(
        self, query: str, arguments: Mapping[str, Any], scope: Scope, context: ToolContext
    ) -> None:
        self._query = query.rstrip("/")
        self._only_directories = arguments.get("type") == "directory" or query.endswith("/")
        self._only_files = arguments.get("type") == "file"
        self._limit = min(int(arguments.get("limit", FOUND_NAMES)), FOUND_NAMES_MOST)
        self._scope = scope
        self._context = context
        self._glob = Glob(self._query) if is_glob(self._query) else None
        # A bracket may stand for itself (`[id].tsx`): then every name has to be seen.
        hinted = self._glob and "[" not in query and not self._only_directories
        self._hints = self._glob.hints if self._glob and hinted else ()
        self._passes = self._all_match() and not self._only_directories

    def _all_match(self) -> bool:
        """Whether every name that ripgrep will list is one that is looked for."""
        glob = self._glob
        return glob is not None and (glob.everything or bool(self._hints and glob.sufficient))

    async def result(self) -> ToolResult:
        listing = Listing(soon=self._limit if self._passes else 0)
        outcome = await search(
            ["--files", "--null", *self._hints],
            cwd=self._scope.root,
            take=listing.take,
            cancel=self._context.cancel,
            silent=False,
        )
        if outcome.complaint:
            return ToolResult.error(f"The search is not possible: {outcome.complaint.strip()}.")
        found, total = self._matching(listing)
        shown, left_out = self._allowed(found)
        notes = [stopped(outcome)]
        if len(shown) + left_out < total:
            notes.append(f"{len(shown):,} of {total:,}; {_MORE}")
        details = {"names": len(shown), "left_out": left_out, "complete": not any(notes)}
        if left_out:
            notes.append(f"{left_out:,} left out that you may not read")
        lines = [self._scope.shown(name) for name in shown] or [self._nothing(listing.names)]
        text = self._context.clean("\n".join(lines))
        return ToolResult(
            content=(Text("\n".join([text, *(f"[{note}]" for note in notes if note)])),),
            display=f"{len(shown):,} of {total:,} names",
            details=details,
        )

    def _matching(self, listing: Listing) -> tuple[Iterable[str], int]:
        """Names in order, and how many."""
        glob = self._glob
        if glob is None:
            return _with_number(self._likely(listing))
        if self._passes:
            return listing.in_order(), len(listing)
        places = listing.names
        if self._only_directories:
            places = [name[:-1] for name in directories_of(places)]
        places = glob.admitted(places, self._scope.prefix)
        if not places and "[" in self._query:
            return _with_number(self._likely(listing))
        mark = "/" if self._only_directories else ""
        return _with_number(sorted(f"{name}{mark}" for name in places))

    def _likely(self, listing: Listing) -> list[str]:
        found = likely(self._query, listing, directories=self._only_directories)
        return [name for name in found if name[-1] != "/"] if self._only_files else found

    def _allowed(self, names: Iterable[str]) -> tuple[list[str], int]:
        """As many as fit, and how many on the way to them may not be shown."""
        shown: list[str] = []
        left_out = 0
        for name in islice(names, NAMES_CHECKED):
            if self._may_show(name):
                shown.append(name)
            else:
                left_out += 1
            if len(shown) == self._limit:  # before the next one is asked for: it may cost a sort
                break
        return shown, left_out

    def _may_show(self, name: str) -> bool:
        if name[-1] == "/":
            return self._scope.may_show_directory(name[:-1])
        return self._scope.may_show_file(name)

    def _nothing(self, names: list[str]) -> str:
        near = filter(self._may_show, similar(self._query, names))
        told = ", ".join(map(self._scope.shown, near))
        nothing = f"Nothing below {self._scope.root} is called {self._query!r}"
        return f"{nothing}; ignored files do not count." + (f" Similar: {told}." if told else "")


def _with_number(names: list[str]) -> tuple[list[str], int]:
    return names, len(names)
