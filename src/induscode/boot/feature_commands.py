"""Commands of features: `/name arguments`, the same in every run mode."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import Struct

from induscode.boot.services.typed import Typed, TypedCommand
from induscode.conductor.joining import Brought
from induscode.errors import ServiceRefused, UserError
from induscode.feature.command import BroughtNotice, CommandOutcome, Say, Submit, typed_line
from induscode.feature.hosting.draft import DraftCommand
from induscode.feature.hosting.foreign import is_plain, said
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.hosting.snapshot import is_a
from induscode.feature.limits import COMMAND_SECONDS
from induscode.kernel.jsontext import clean_text
from induscode.session.entries import Narrowing, Notice

__all__ = ["FeatureCommands", "Told", "Wanted"]

_OURS = "builtin"
_OUR_CODE = frozenset({_OURS, "mcp"})
"""Where commands come from whose errors are sentences of ours."""
_GRACE = 12.0
"""How long a command may take to end when it is told to: longer than a line that it runs."""


class Told(Struct, frozen=True):
    """What a command says to the person. `trouble` is how the line that it stands for ended, where
    that was not well."""

    text: str
    trouble: str = ""


class Wanted(Struct, frozen=True):
    """The input that a command makes, and what it brings into the turn with it."""

    text: str
    brought: Brought


class FeatureCommands:
    """The commands of one session. A grant that was withdrawn is noticed at the next use. `typed`
    is told what runs, so that it may run lines for the shell."""

    def __init__(self, registry: Callable[[], FeatureRegistry], typed: Typed) -> None:
        self._typed = typed
        self._registry = registry
        self._known: FeatureRegistry | None = None
        self._found: dict[str, tuple[InstalledFeature, DraftCommand]] = {}

    @property
    def _commands(self) -> Mapping[str, tuple[InstalledFeature, DraftCommand]]:
        """By name, as there are now: servers bring theirs while the session runs."""
        registry = self._registry()
        if registry is not self._known:
            self._known = registry
            self._found = {
                draft.contribution.name: (feature, draft) for feature, draft in registry.commands()
            }
        return self._found

    def names(self) -> dict[str, str]:
        """What there is, each with its description."""
        return {name: draft.declaration.description for name, (_, draft) in self._commands.items()}

    def has(self, line: str) -> bool:
        """Whether the line names a command of a feature."""
        return _parted(line)[0] in self._commands

    async def run(self, line: str) -> Told | Wanted | None:
        """What the command named by `line` wants; None when no feature has it. Raises
        `UserError` when it may not run, fails, or takes too long. Cancelled, it ends first."""
        name, arguments = _parted(line)
        found = self._commands.get(name)
        if found is None:
            return None
        feature, draft = found
        if lacking := feature.lacks(draft.needs):
            raise UserError(f"/{name} of {feature.id} may not run: {lacking}")
        command = TypedCommand(feature.id, name, typed_line(draft.declaration.exec, arguments))
        with self._typed.runs(command):
            outcome = await _outcome(feature, draft, arguments, command)
        match outcome:
            case Say(text=text):
                return Told(clean_text(text)[0], command.trouble)
            case Submit() as wanted:
                return Wanted(clean_text(wanted.text)[0], _brought(feature, name, wanted))


def _parted(line: str) -> tuple[str, str]:
    """The name up to the first white space, and the rest. No name without a slash before it."""
    if not line.startswith("/") or not line[1:2].strip():
        return "", ""
    name, *rest = line[1:].split(maxsplit=1)
    return name, rest[0].strip() if rest else ""


async def _outcome(
    feature: InstalledFeature, draft: DraftCommand, arguments: str, command: TypedCommand
) -> CommandOutcome:
    name = draft.contribution.name
    running = asyncio.ensure_future(draft.contribution.command.run(arguments))
    if not await _in_time(running, command):
        raise UserError(f"/{name} of {feature.id} took longer than {COMMAND_SECONDS:g} s")
    failure = None if running.cancelled() else running.exception()
    if isinstance(failure, UserError) and feature.descriptor.id.source in _OUR_CODE:
        raise failure
    if type(failure) is ServiceRefused:
        why = f"/{name} of {feature.id} was refused: {failure.message}"
        raise UserError(why, hint=failure.hint)
    if running.cancelled() or failure is not None:
        why = "it was cancelled" if failure is None else said(failure)
        feature.record.note(f"command {name} failed: {why}", "runtime")
        raise UserError(f"/{name} of {feature.id} failed: {why}")
    outcome = running.result()
    if not (is_a(outcome, Say) or is_a(outcome, Submit)) or not is_a(outcome.text, str):
        kind = type(outcome).__name__
        raise UserError(f"/{name} of {feature.id} answered with {kind}, which is no outcome")
    return outcome


async def _in_time(running: asyncio.Future[Any], command: TypedCommand) -> bool:
    """Whether it ended before its time was over. The time in which the host runs a line for it, or
    asks a person about one, is not its own. When we are cancelled, it ends first."""
    from induscode.crew.delegates.deadline import Deadline

    running.add_done_callback(_looked_at)
    late: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    deadline = Deadline(COMMAND_SECONDS, lambda: late.set_result(None))
    command.paused = deadline.paused
    deadline.start()
    try:
        await asyncio.wait({running, late}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        running.cancel()
        await asyncio.wait({running}, timeout=_GRACE)
        raise
    finally:
        deadline.stop()
    return running.done() or not running.cancel()


def _looked_at(running: asyncio.Future[Any]) -> None:
    """What came of it was told, or nobody wants to know any more."""
    if not running.cancelled():
        running.exception()


def _ours(feature: InstalledFeature) -> bool:
    return feature.descriptor.id.source == _OURS


def _brought(feature: InstalledFeature, name: str, wanted: Submit) -> Brought:
    """What counts of an outcome besides its text. Raises `UserError` for what a feature that does
    not ship may not bring: texts and places of files, which the log would have in our name."""
    ours = _ours(feature)
    if not ours and (wanted.sources or wanted.notices):
        raise UserError(
            f"/{name} of {feature.id} brings texts of its own, which only built-in features may",
            hint="let it put everything into the text that it submits",
        )
    by = feature.id
    return Brought(
        parts=wanted.sources,
        notices=tuple(_notice(each, by) for each in wanted.notices),
        narrowing=_narrowing(wanted.only, f"/{name}" if ours else f"/{name} of {by}", by),
    )


def _notice(each: BroughtNotice, by: str) -> Notice:
    return Notice(text=each.text, pinned=each.pinned, parts=list(each.sources), by=by)


def _narrowing(only: object, command: str, by: str) -> Narrowing | None:
    """Raises `UserError`: what narrows and cannot be read must not be passed over."""
    if only is None:
        return None
    given = cast("tuple[object, ...]", only) if is_a(only, tuple) else (None,)
    if not all(is_plain(rule) for rule in given):
        raise UserError(f"{command} narrows its turn to what is no list of rules")
    rules = [clean_text(str(rule))[0] for rule in given]
    return Narrowing(why=f"the command {command}", rules=rules, by=by)
