"""What is told of a trial: one step per handler and occasion, the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

__all__ = [
    "REPORT_FORMAT",
    "Difference",
    "Differs",
    "HostCall",
    "Outcome",
    "Step",
    "Summary",
    "TrialReport",
    "first_difference",
]

REPORT_FORMAT = 1


class Outcome(StrEnum):
    """`heard`: it was asked and left everything as it is. `skipped`: it was not asked, and
    `reason` says why. `failed`: it gave no usable answer; a gate or a stage that fails stops."""

    HEARD = "heard"
    CHANGED = "changed"
    STOPPED = "stopped"
    FAILED = "failed"
    SKIPPED = "skipped"


class Difference(Struct, frozen=True, omit_defaults=True):
    """One place that is not as it was. None: there was nothing, or there is nothing any more. Long
    texts are cut around the first character that differs."""

    where: str
    before: str | None = None
    after: str | None = None


class HostCall(Struct, frozen=True):
    """What it asked of the host, and what it was told."""

    method: str
    given: str
    answer: str


class Step(Struct, frozen=True, omit_defaults=True):
    """One contribution, asked once.

    `occasion` is an event, `enter`, `exit`, `command`, `tool` or `task`; `handler` says which
    contribution, by its kind and its place. `entry` is the log entry that it is about. `stops`:
    what was about to happen would not have. `counts` is false where a host reports the decision
    and does not act on it. `depends_on` is the number of an earlier step without which this would
    have come otherwise: from a stop on, everything. `before` and `after` are digests of all that
    it was given and made of it."""

    number: int
    occasion: str
    handler: str
    outcome: Outcome
    entry: str = ""
    tool: str = ""
    reason: str = ""
    stops: bool = False
    counts: bool = True
    depends_on: int = 0
    said: str = ""
    changes: tuple[Difference, ...] = ()
    before: str = ""
    after: str = ""
    calls: tuple[HostCall, ...] = ()
    calls_left_out: int = 0

    @property
    def acted(self) -> bool:
        """Whether a session would have been another one."""
        return self.outcome in _EFFECTS or any(call.method not in _QUIET for call in self.calls)


_EFFECTS = (Outcome.CHANGED, Outcome.STOPPED, Outcome.FAILED)
_QUIET = ("log", "state/get", "state/set")


class Differs(Struct, frozen=True):
    """The first step that came out otherwise in the second run. None: there was no such step."""

    step: int
    first: Step | None
    second: Step | None


class Summary(Struct, frozen=True):
    steps: int
    heard: int
    changed: int
    stopped: int
    failed: int
    skipped: int

    @classmethod
    def of(cls, steps: Sequence[Step]) -> Summary:
        count = dict.fromkeys(Outcome, 0)
        for step in steps:
            count[step.outcome] += 1
        return cls(len(steps), *(count[kind] for kind in Outcome))


class TrialReport(Struct, frozen=True):
    """`session` is "" for samples. `problems` are what is wrong with what it registers, and what
    went wrong beside the steps; `notes` say what this trial could not know or did not follow."""

    addon: str
    version: str
    tier: str
    session: str
    passed: bool
    deterministic: bool
    summary: Summary
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    steps: tuple[Step, ...]
    differs: Differs | None = None
    format: int = REPORT_FORMAT


def first_difference(one: Sequence[Step], other: Sequence[Step]) -> Differs | None:
    """Where two runs part, None when they are the same."""
    for number in range(max(len(one), len(other))):
        first = one[number] if number < len(one) else None
        second = other[number] if number < len(other) else None
        if first != second:
            return Differs(number + 1, first, second)
    return None
