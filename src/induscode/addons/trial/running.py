"""A whole trial: the addon is started twice, asked the same twice, and one report is made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from induscode.addons.contract import AddonFault
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, id_of
from induscode.addons.standing import Footing, standing
from induscode.addons.surface import RecordingSurface
from induscode.addons.trial.asked import Questions
from induscode.addons.trial.recording_host import RecordingHost
from induscode.addons.trial.report import Outcome, Step, Summary, TrialReport, first_difference
from induscode.policy.aliases import tool_name

__all__ = ["Taken", "Trial", "Tried", "Way"]

Way = Callable[[Questions], Awaitable[None]]
"""What is asked, in which order."""


class Taken(Struct, frozen=True):
    """Names that an addon cannot have: commands of the prompt, tools that ship."""

    commands: Collection[str] = ()
    tools: Collection[str] = ()


class Tried(Struct, frozen=True):
    """The report, and how many seconds each handler took at most: of the second, nothing is the
    same twice."""

    report: TrialReport
    longest: Mapping[str, float]


class _Run(Struct, frozen=True):
    steps: tuple[Step, ...]
    longest: Mapping[str, float]
    told: tuple[str, ...]
    unconfined: str


class Trial:
    """One addon to be tried. `footing` grants nothing; what it asks of the host is answered by a
    `RecordingHost` of each run."""

    def __init__(self, package: AddonPackage, offers: Offers, footing: Footing) -> None:
        self._package = package
        self._offers = offers
        self._footing = footing

    async def run(
        self, way: Way, *, taken: Taken, session: str = "", notes: tuple[str, ...] = ()
    ) -> Tried:
        """Raises `LoaderError`, and what `way` raises."""
        first = await self._once(way)
        second = await self._once(way)
        differs = first_difference(first.steps, second.steps)
        problems = (*self._problems(taken), *first.told)
        failed = any(step.outcome is Outcome.FAILED for step in first.steps)
        report = TrialReport(
            addon=id_of(self._package, self._offers),
            version=self._offers.version,
            tier=self._package.tier,
            session=session,
            passed=not (failed or problems or differs),
            deterministic=differs is None,
            summary=Summary.of(first.steps),
            problems=problems,
            notes=(*notes, first.unconfined) if first.unconfined else notes,
            steps=first.steps,
            differs=differs,
        )
        names = dict.fromkeys((*first.longest, *second.longest))
        both = (first.longest, second.longest)
        return Tried(report, {name: max(run.get(name, 0.0) for run in both) for name in names})

    async def _once(self, way: Way) -> _Run:
        host, told = RecordingHost(), list[AddonFault]()
        footing = msgspec.structs.replace(self._footing, calls=host.host_calls(), told=told.append)
        stood = standing(self._package, self._offers, footing)
        try:
            surface = RecordingSurface(id_of(self._package, self._offers), host.handles())
            stood.record(surface)
            tools = tuple(event.tool for event in self._offers.events)
            questions = Questions(surface.manifest(), host, event_tools=tools)
            await way(questions)
        finally:
            await stood.close()
        steps = tuple(questions.steps)
        return _Run(steps, questions.longest, _beside(steps, told), stood.unconfined)

    def _problems(self, taken: Taken) -> Iterator[str]:
        """Contributions that a session would leave out."""
        reserved = {name.casefold() for name in taken.commands}
        builtin = {tool_name(name) for name in taken.tools}
        for command in self._offers.commands:
            if command.name.casefold() in reserved:
                yield f"/{command.name} is reserved for the host: the command is left out"
        for tool in self._offers.tools:
            if tool_name(tool.name) in builtin:
                yield f"a built-in tool has the name {tool.name}: the tool is left out"


def _beside(steps: Iterable[Step], told: Iterable[AddonFault]) -> tuple[str, ...]:
    """What was told and stands in no step, in an order that is the same every time."""
    reasons = [step.reason for step in steps if step.reason]
    messages = {fault.message for fault in told}
    return tuple(sorted(m for m in messages if not any(m in reason for reason in reasons)))
