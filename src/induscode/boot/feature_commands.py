"""Commands of features: `/name arguments`, the same in every run mode."""

from __future__ import annotations

import asyncio

from induscode.errors import UserError
from induscode.feature.command import CommandOutcome, Say, Submit
from induscode.feature.hosting.draft import DraftCommand
from induscode.feature.hosting.installed import FeatureRegistry, InstalledFeature
from induscode.feature.hosting.snapshot import is_a
from induscode.feature.limits import COMMAND_SECONDS
from induscode.kernel.jsontext import clean_text

__all__ = ["FeatureCommands"]


class FeatureCommands:
    """The commands of one session. A grant that was withdrawn is noticed at the next use."""

    def __init__(self, registry: FeatureRegistry) -> None:
        self._commands = {
            draft.contribution.name: (feature, draft) for feature, draft in registry.commands()
        }

    def names(self) -> dict[str, str]:
        """What there is, each with its description."""
        return {name: draft.description for name, (_, draft) in self._commands.items()}

    async def run(self, line: str) -> CommandOutcome | None:
        """What the command named by `line` wants; None when no feature has it. Raises
        `UserError` when it may not run, fails, or takes too long."""
        name, _, arguments = line.removeprefix("/").partition(" ")
        found = self._commands.get(name) if line.startswith("/") else None
        if found is None:
            return None
        feature, draft = found
        if lacking := feature.lacks(draft.needs):
            raise UserError(f"/{name} of {feature.id} may not run: {lacking}")
        return await _outcome(feature, draft, arguments.strip())


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
    if running.cancelled() or failure is not None:
        feature.record.note(f"command {name} failed: {failure!r}", "runtime")
        raise UserError(f"/{name} of {feature.id} failed: {failure!r}")
    outcome = running.result()
    if not (is_a(outcome, Say) or is_a(outcome, Submit)) or not is_a(outcome.text, str):
        kind = type(outcome).__name__
        raise UserError(f"/{name} of {feature.id} answered with {kind}, which is no outcome")
    return type(outcome)(clean_text(outcome.text)[0])
