"""What the log says of notices with files behind them, folded; and what many commands cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from induscode.boot.kept_commands import LINE, declarations
from induscode.conductor.joining import Brought
from induscode.feature.command import CommandContribution, Submit
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.limits import COMMAND_NAME_CHARACTERS
from induscode.feature.registry import FeatureInstallContext
from induscode.kernel.content import Text
from induscode.kernel.provenance import SourcePart
from induscode.policy.redaction import Secrets
from induscode.session.entries import KEPT, Compaction, Notice
from induscode.session.noticed import Noticed
from tests.conductor.rig import Model, Rig, say
from tests.features.hosting import TestHost, package
from tests.session.recording import Recording

FILE = [SourcePart(0, "/w/a.md")]
MILLISECONDS = 1e3


def noted(text: str = "A.", entry: str = "n1", **fields: Any) -> Notice:
    return Notice(**{"text": text, "id": entry, "by": "b", "parts": FILE, "pinned": True} | fields)


def test_a_kept_text_that_comes_during_a_compaction_is_there_after_the_next(
    tmp_path: Path,
) -> None:
    it = Recording(tmp_path)
    it.start()
    first = it.say("go")
    it.ask("Yes.")
    asked = it.request(purpose="compaction")
    kept = it.note("Sweep.", pinned=True, only=KEPT)
    it.answer(asked, "In short.")
    it.add(Compaction(first.id, asked.parent, "In short.", [], asked.id))
    it.say("on")
    assert "Sweep." not in _said(it)
    again = it.request(purpose="compaction")
    it.answer(again, "Shorter.")
    it.add(Compaction(first.id, again.parent, "Shorter.", [kept.id], again.id))
    assert _said(it).count("Sweep.") == 1


def _said(it: Recording) -> list[str]:
    tail = it.projection.request().tail
    blocks = [part.block for part in tail.parts] if tail is not None else []
    return [block.text for block in blocks if isinstance(block, Text)]


def test_what_is_there_is_known_by_producer_file_and_text() -> None:
    known = Noticed()
    assert not known.has(noted())
    known.add(noted())
    assert known.has(noted())
    assert not known.has(noted("B."))
    assert not known.has(noted(by="other"))
    assert not known.has(noted(parts=[SourcePart(0, "/w/b.md")]))
    assert not known.has(noted(parts=[])), "nothing is known of a text without a file"


def test_a_newer_text_takes_the_place_of_the_older() -> None:
    known = Noticed()
    assert known.add(noted(entry="n1")) == ""
    assert known.add(noted("B.", entry="n2")) == "n1"
    assert not known.has(noted())
    assert known.has(noted("B."))


def test_what_a_compaction_did_not_keep_is_not_there_any_more() -> None:
    known = Noticed()
    known.add(noted(pinned=False))
    known.add(noted(entry="n2", parts=[SourcePart(0, "/w/b.md")]))
    known.condensed(["n2"])
    assert not known.has(noted())
    assert known.has(noted(parts=[SourcePart(0, "/w/b.md")]))


async def test_a_secret_on_the_border_of_a_text_does_not_make_it_join_again(rig: Rig) -> None:
    rig.secrets = Secrets([("KEY", "sk-canary-0123456789")])
    start = len("Head sk-canary-")
    notice = Notice(
        "Head sk-canary-0123456789 body",
        pinned=True,
        parts=[SourcePart(start, "/w/a.md", 3)],
        by="builtin:briefing",
    )
    conductor = rig.open(Model(say(), say()))
    for _ in range(2):
        await conductor.submit([Text("go")], Brought(notices=(notice,)))
    (recorded,) = rig.entries(Notice)
    assert [(part.start, part.file) for part in recorded.parts] == [(len(recorded.text), "/w/a.md")]


class Many:
    """A feature of nothing but commands."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def descriptor(self) -> FeatureDescriptor:
        lines = dict.fromkeys(self._names, "What it does, in a few words." * 10)
        return FeatureDescriptor(FeatureId.builtin("many"), declared_commands=declarations(lines))

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for name in self._names:
            ctx.commands.register(CommandContribution(name, self))

    async def run(self, arguments: str) -> Submit:
        return Submit(arguments)


def installed(*names: str) -> list[str]:
    registry = TestHost().registry(package(Many(*names)))
    return [draft.contribution.name for _, draft in registry.commands()]


def test_names_that_can_be_typed_are_taken_and_no_others() -> None:
    fine = ["skill:pdf", "a.b", "übersicht", "検査", "x" * COMMAND_NAME_CHARACTERS]
    bad = ["", "a b", "a/b", "a\n", "a\u200bb", "x" * (COMMAND_NAME_CHARACTERS + 1)]
    registry = TestHost().registry(package(Many(*fine, *bad)))
    (report,) = registry.reports()
    assert list(report.installed_commands) == fine
    assert [skipped.name for skipped in report.skipped_contributions] == bad


def test_very_many_commands_are_still_one_feature_whatever_letters_they_are_described_in() -> None:
    lines = {f"skill:skill-with-a-long-name-{n}": "説" * 1_024 for n in range(1_000)}
    made = FeatureDescriptor(FeatureId.builtin("many"), declared_commands=declarations(lines))
    assert len(made.frozen_copy().declared_commands) == len(lines)
    few = declarations({"one": "x" * 1_024})
    assert len(few[0].description) == LINE


def cost(work: Callable[[], object]) -> float:
    """The least CPU time of several runs, in milliseconds."""
    best = float("inf")
    for _ in range(7):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best * MILLISECONDS


def test_two_hundred_commands_cost_a_few_milliseconds_and_more_cost_no_more_each() -> None:
    few = [f"skill:s-{number}" for number in range(200)]
    many = [f"skill:s-{number}" for number in range(800)]
    assert len(installed(*many)) == len(many)
    one = cost(lambda: installed(*few))
    assert one < 40
    assert cost(lambda: installed(*many)) < one * 4 * 2
