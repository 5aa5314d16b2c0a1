"""What must hold whatever happened to the process, read from the outside and from the log.

1. What was told to the outside is in the log: an event on standard output, a line in the journal,
   a body that the server received.
2. The log only grew: its former bytes are the beginning of its present ones.
3. Every call has at most one intent, and one end; an effect has an intent; each token of the
   journal is there at most once.
4. Every request can be rebuilt exactly.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from induscode.gateway.encoders import encoder_for
from induscode.kernel.content import ToolCall
from induscode.session.blobs import BlobStore
from induscode.session.entries import Entry, Input, Intent, Interrupted, Request, Response, Result
from induscode.session.reader import Scan
from induscode.session.replay import replay
from tests.torture.scenario import Broken, Ended, World, replayed

__all__ = ["Audit", "Tally"]

E = TypeVar("E", bound=Entry)


@dataclass
class Tally:
    """Figures of a campaign. `acknowledged` counts what the outside had been told and was looked
    for in the log afterwards; `midway` the kills that broke off a turn."""

    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    midway: int = 0
    missed: int = 0
    acknowledged: int = 0
    reopened: int = 0
    torn: int = 0
    interrupted: int = 0
    tokens: int = 0
    steered: int = 0
    replayed: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Audit:
    """Watches one world; `check` after each process, `finish` when the whole plan is played."""

    def __init__(self, world: World, tally: Tally) -> None:
        self._world = world
        self._tally = tally
        self._bytes = b""
        self._responses = self._steers = 0
        self._counted: Counter[str] = Counter()

    def fork(self) -> Audit:
        """An audit that goes on from here, for a world that will be put back to this state."""
        other = Audit(self._world, self._tally)
        other._bytes, other._responses, other._steers = self._bytes, self._responses, self._steers
        other._counted = self._counted.copy()
        return other

    def killed(self, kind: str, *, midway: bool) -> None:
        self._tally.kills[kind] += 1
        self._tally.midway += midway

    def missed(self) -> None:
        self._tally.missed += 1

    def check(self, ended: Ended) -> Scan:
        """Raise `Broken` unless everything holds after a process that ended like this."""
        found = self._world.scan()
        self._tally.runs += 1
        self._tally.torn += bool(found.torn)
        self._tally.reopened += b'"resumed":true' in ended.out
        if "Traceback" in ended.err:
            self._fail(f"a bug ended the process:\n{ended.err}")
        if found.damages:
            self._fail(f"the log is damaged: {found.damages}")
        self._check_growth(found)
        self._check_events(ended, found)
        self._check_bodies(found)
        self._check_effects(found)
        return found

    def finish(self, *, by_command: bool = True) -> None:
        """All is played: no call is left open, and replay passes, as a command too."""
        found = self._world.scan()
        called = [call for call, _ in _calls(found)]
        ends = Counter([e.call for e in found.entries if isinstance(e, Result | Interrupted)])
        for call in called:
            if ends[call] != 1:
                self._fail(f"the call {call} has {ends[call]} ends")
        broken = _of(Interrupted, found)
        started = {intent.call for intent in _of(Intent, found)}
        for end in broken:
            if end.started != (end.call in started):
                self._fail(f"the call {end.call} is told as started={end.started}")
        self._tally.interrupted += len(broken)
        self._tally.tokens += len(self._world.journal)
        if not by_command:
            return
        passed, of = replayed(self._world)
        if passed != of or of != len(_of(Request, found)):
            self._fail(f"replay passes for {passed} of {of} requests")
        self._tally.replayed += passed

    def _check_growth(self, found: Scan) -> None:
        path = self._world.log_path
        data = path.read_bytes()[: found.end] if path is not None else b""
        if not data.startswith(self._bytes):
            self._fail("entries that were in the log are gone or changed")
        self._bytes = data

    def _check_events(self, ended: Ended, found: Scan) -> None:
        """Each event that tells of an entry, against that entry."""
        intents = {entry.call for entry in _of(Intent, found)}
        ends = {e.call for e in found.entries if isinstance(e, Result | Interrupted)}
        responses = _of(Response, found)
        fresh = len(responses) - self._responses
        self._responses = len(responses)
        heard = sum(entry.steer for entry in _of(Input, found))
        steers, self._steers = heard - self._steers, heard
        self._tally.steered += steers
        told: Counter[str] = Counter()
        for event in ended.events:
            kind = event["type"]
            told[kind] += 1
            lost = {
                "tool_start": lambda e: e["call"] not in intents,
                "tool_end": lambda e: e["call"] not in ends,
                "usage": lambda _: told["usage"] > fresh,
                "steered": lambda _: told["steered"] > steers,
                "text": lambda _: not _of(Request, found),
                "result": lambda e: e["exit"] == 0 and e["text"] not in _final_texts(responses),
            }.get(kind)
            if lost is None:
                continue
            self._tally.acknowledged += 1
            if lost(event):
                self._fail(f"an event told what the log does not hold: {event}")

    def _check_bodies(self, found: Scan) -> None:
        recorded = Counter(entry.body_sha256 for entry in _of(Request, found))
        received = Counter(self._world.server.digests)
        unknown = received - recorded
        if unknown:
            self._fail(f"{len(unknown)} bodies were sent without their request in the log")
        self._count("bodies", received.total())

    def _check_effects(self, found: Scan) -> None:
        intents = Counter(entry.call for entry in _of(Intent, found))
        twice = [call for call, count in intents.items() if count > 1]
        if twice:
            self._fail(f"calls with more than one intent: {twice}")
        commands = {call: made for call, made in _calls(found) if made.name == "bash"}
        lines = Counter(self._world.journal)
        for call, made in commands.items():
            token = json.loads(bytes(made.arguments))["command"].split()[1]
            ran = lines.pop(token, 0)
            if ran > intents[call]:
                self._fail(f"{token} ran {ran} times with {intents[call]} intents")
            if not ran and _went_well(call, found):
                self._fail(f"{token} has a good result and did not run")
        self._count("tokens", len(self._world.journal))
        if lines:
            self._fail(f"effects without a call in the log: {lines}")

    def check_replay(self, found: Scan) -> None:
        """The quick form, without a process: every request, now."""
        report = replay(found, BlobStore(self._world.home / "blobs"), encoder_for)
        if not report.passed:
            self._fail(f"replay: {[c for c in report.checks if c.verdict != 'PASS'][:2]}")
        self._tally.replayed += len(report.checks)

    def _count(self, what: str, total: int) -> None:
        """Everything is looked for each time, and counted once."""
        self._tally.acknowledged += total - self._counted[what]
        self._counted[what] = total

    def _fail(self, sentence: str) -> None:
        raise Broken(f"{sentence}\nsee {self._world.root}")


def _of(kind: type[E], found: Scan) -> list[E]:
    return [entry for entry in found.entries if isinstance(entry, kind)]


def _calls(found: Scan) -> Iterator[tuple[str, ToolCall]]:
    """Every call that the model made in a whole answer, by our own id."""
    for response in _of(Response, found):
        if response.error:
            continue
        for position, block in enumerate(response.content):
            if isinstance(block, ToolCall):
                yield f"{response.id}/{position}", block


def _went_well(call: str, found: Scan) -> bool:
    return any(entry.call == call and entry.outcome == "ok" for entry in _of(Result, found))


def _final_texts(responses: list[Response]) -> set[Any]:
    texts = [getattr(block, "text", None) for entry in responses for block in entry.content]
    return set(texts)
