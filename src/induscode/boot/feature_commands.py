"""Commands of features: `/name arguments`, the same in every run mode."""

from __future__ import annotations

import asyncio
from typing import cast

from msgspec import Struct

from induscode.conductor.joining import Brought
from induscode.errors import UserError
from induscode.feature.command import BroughtNotice, CommandOutcome, Say, Submit
from induscode.feature.hosting.draft import DraftCommand
from induscode.feature.hosting.foreign import is_plain
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.hosting.snapshot import is_a
from induscode.feature.limits import COMMAND_SECONDS
from induscode.kernel.jsontext import clean_text
from induscode.session.entries import Narrowing, Notice

__all__ = ["FeatureCommands", "Wanted"]

_OURS = "builtin"


class Wanted(Struct, frozen=True):
    """The input that a command makes, and what it brings into the turn with it."""

    text: str
    brought: Brought


class FeatureCommands:
    """The commands of one session. A grant that was withdrawn is noticed at the next use."""

    def __init__(self, registry: FeatureRegistry) -> None:
        self._commands = {
            draft.contribution.name: (feature, draft) for feature, draft in registry.commands()
        }

    def names(self) -> dict[str, str]:
        """What there is, each with its description."""
        return {name: draft.description for name, (_, draft) in self._commands.items()}

    async def run(self, line: str) -> Say | Wanted | None:
        """What the command named by `line` wants; None when no feature has it. Raises
        `UserError` when it may not run, fails, or takes too long."""
        name, arguments = _parted(line)
        found = self._commands.get(name)
        if found is None:
            return None
        feature, draft = found
        if lacking := feature.lacks(draft.needs):
            raise UserError(f"/{name} of {feature.id} may not run: {lacking}")
        match await _outcome(feature, draft, arguments):
            case Say(text=text):
                return Say(clean_text(text)[0])
            case Submit() as wanted:
                return Wanted(clean_text(wanted.text)[0], _brought(feature, name, wanted))


def _parted(line: str) -> tuple[str, str]:
    """The name up to the first white space, and the rest. No name without a slash before it."""
    if not line.startswith("/") or not line[1:2].strip():
        return "", ""
    name, *rest = line[1:].split(maxsplit=1)
    return name, rest[0].strip() if rest else ""


async def _outcome(
    feature: InstalledFeature, draft: DraftCommand, arguments: str
) -> CommandOutcome:
    name = draft.contribution.name
    running = asyncio.ensure_future(draft.contribution.command.run(arguments))
    done, _ = await asyncio.wait({running}, timeout=COMMAND_SECONDS)
    if not done:
        running.cancel()
        raise UserError(f"/{name} of {feature.id} took longer than {COMMAND_SECONDS:g} s")
    failure = None if running.cancelled() else running.exception()
    if isinstance(failure, UserError) and _ours(feature):
        raise failure
    if running.cancelled() or failure is not None:
        feature.record.note(f"command {name} failed: {failure!r}", "runtime")
        raise UserError(f"/{name} of {feature.id} failed: {failure!r}")
    outcome = running.result()
    if not (is_a(outcome, Say) or is_a(outcome, Submit)) or not is_a(outcome.text, str):
        kind = type(outcome).__name__
        raise UserError(f"/{name} of {feature.id} answered with {kind}, which is no outcome")
    return outcome


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
