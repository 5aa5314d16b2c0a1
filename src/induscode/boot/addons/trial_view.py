"""A trial of an addon as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice
from textwrap import fill

from induscode.addons.trial.differences import differences
from induscode.addons.trial.report import Difference, Differs, Outcome, Step
from induscode.addons.trial.running import Tried
from induscode.boot.commands.common import out
from induscode.channels.terminal import Ink, exact

__all__ = ["TrialView"]

_STYLES = {
    Outcome.HEARD: ("dim",),
    Outcome.CHANGED: ("cyan",),
    Outcome.STOPPED: ("yellow",),
    Outcome.FAILED: ("red", "bold"),
    Outcome.SKIPPED: ("dim",),
}
_SCREEN = 80
_WIDTH = 72
_LINES_MOST = 12
_GIVEN_MOST = 200
_ID_END = 8


class TrialView:
    """Every character visible, colour only where somebody looks."""

    def __init__(self, tried: Tried, ink: Ink) -> None:
        self._tried = tried
        self._report = tried.report
        self._ink = ink

    def show(self, *, every: bool) -> None:
        """The steps with an effect, or every one; then what they add up to."""
        report = self._report
        what = f"session {report.session}" if report.session else "samples"
        version = f" {exact(report.version)}" if report.version else ""
        out(f"{self._ink(exact(report.addon), 'bold')}{version} · {report.tier} · {what}")
        for step in report.steps:
            if every or step.acted:
                self._step(step)
        for problem in report.problems:
            out(self._ink("wrong", "red") + _wrapped(problem, 7)[5:])
        for note in report.notes:
            out(self._ink("note", "yellow") + _wrapped(note, 6)[4:])
        self._summary()

    def _step(self, step: Step) -> None:
        out(self._head(step))
        if step.reason:
            out(_wrapped(step.reason))
        if step.said:
            out(_wrapped(f"says: {step.said}"))
        if not step.counts:
            out(_wrapped("the host only reports this here, and does not act on it"))
        for difference in step.changes:
            self._difference(difference)
        for call in step.calls:
            given, answer = _short(call.given), _short(call.answer)
            out(_wrapped(f"asks {call.method}: {given} -> {answer}"))
        if step.calls_left_out:
            out(_wrapped(f"and {step.calls_left_out} more calls of the host"))

    def _head(self, step: Step) -> str:
        outcome = self._ink(f"{step.outcome:<8}", *_STYLES[step.outcome])
        words = [f"{step.number:>4}", outcome, step.occasion, exact(step.tool), step.handler]
        if step.entry:
            words.append(f"entry {step.entry[-_ID_END:]}")
        else:
            took = self._tried.longest.get(step.handler)
            words += [f"{took * 1000:.1f} ms"] if took is not None else []
        if step.depends_on:
            words.append(f"after {step.depends_on}")
        return "  ".join(word for word in words if word)

    def _difference(self, difference: Difference) -> None:
        out(f"      {exact(difference.where)}")
        lines = list(islice(_lines(difference.before, difference.after), _LINES_MOST + 1))
        for sign, text in lines[:_LINES_MOST]:
            style = {"-": ("red",), "+": ("green",)}.get(sign, ())
            out("    " + self._ink(f"{sign} {exact(text)}".rstrip(), *style))
        if len(lines) > _LINES_MOST:
            out("      …")

    def _summary(self) -> None:
        report, count = self._report, self._report.summary
        parts = (
            f"{count.heard} heard",
            f"{count.changed} changed",
            f"{count.stopped} stopped",
            f"{count.failed} failed",
            f"{count.skipped} skipped",
        )
        out()
        out(f"{count.steps} step{'s' * (count.steps != 1)}: {', '.join(parts)}")
        if report.session:
            out(self._verdict())
        if self._tried.longest:
            name, took = max(self._tried.longest.items(), key=lambda pair: pair[1])
            out(f"longest answer: {took * 1000:.1f} ms, {exact(name)}")
        if report.differs is None:
            out("deterministic: two runs gave the same answers")
        else:
            self._differs(report.differs)
        good = self._ink("PASS", "green", "bold")
        out(good if report.passed else self._ink("FAIL", "red", "bold"))

    def _verdict(self) -> str:
        steps = self._report.steps
        stop = next((step.number for step in steps if step.stops), None)
        if stop is not None:
            return f"from step {stop} on, the session would have gone another way"
        same = not any(step.acted for step in steps)
        return f"the session would have {'been the same' if same else 'gone on with these changes'}"

    def _differs(self, differs: Differs) -> None:
        """How the first step that came out otherwise was in the first run, and in the second."""
        told = self._ink("not deterministic", "red")
        out(f"{told}: step {differs.step} differs (- first run, + second run)")
        match differs:
            case Differs(first=Step() as first, second=Step() as second):
                for difference in differences(first, second):
                    self._difference(difference)
            case Differs(first=None):
                out(_wrapped("the second run has more steps"))
            case _:
                out(_wrapped("the second run has fewer steps"))


def _lines(before: str | None, after: str | None) -> Iterator[tuple[str, str]]:
    """The lines that went and came, each with its sign, cut to what a screen is wide."""
    old, new = _split(before), _split(after)
    for tag, start, end, begin, stop in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            continue
        gone, come = old[start:end], new[begin:stop]
        shared = _shared(gone[0], come[0]) if gone and come else 0
        yield from (("-", _cut(line, shared)) for line in gone)
        yield from (("+", _cut(line, shared)) for line in come)


def _split(text: str | None) -> list[str]:
    return [] if text is None else text.split("\n")


def _shared(one: str, other: str) -> int:
    """How many characters two lines have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _cut(line: str, shared: int) -> str:
    start = max(0, shared - _WIDTH // 3) if len(line) > _WIDTH else 0
    kept = line[start : start + _WIDTH]
    ended = "…" if start + _WIDTH < len(line) else ""
    return ("…" if start else "") + kept + ended


def _short(text: str) -> str:
    return text if len(text) <= _GIVEN_MOST else text[:_GIVEN_MOST] + "…"


def _wrapped(text: str, indent: int = 6) -> str:
    """A paragraph, however it was broken into lines before."""
    lead = " " * indent
    return fill(exact(" ".join(text.split())), _SCREEN, initial_indent=lead, subsequent_indent=lead)
