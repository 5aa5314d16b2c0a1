"""A report as a person reads it."""

from __future__ import annotations

import io

import pytest

from induscode.addons.trial.report import Difference, HostCall, Outcome, Step, Summary, TrialReport
from induscode.addons.trial.running import Tried
from induscode.boot.addons.trial_view import TrialView
from induscode.channels.terminal import Ink

WIDTH = 80


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(
    capsys: pytest.CaptureFixture[str],
    *changes: Difference,
    calls: tuple[HostCall, ...] = (),
    colours: bool = False,
) -> str:
    step = Step(
        1,
        "exit",
        "interceptors[0]",
        Outcome.CHANGED,
        "e" * 26,
        "read",
        changes=changes,
        calls=calls,
    )
    report = TrialReport(
        addon="mine",
        version="1.0.0",
        tier="tier 1 (a subprocess)",
        session="01m7hx7snpvx8zv4z6betd8qmz",
        passed=True,
        deterministic=True,
        summary=Summary.of([step]),
        problems=(),
        notes=(),
        steps=(step,),
    )
    stream = Terminal() if colours else io.StringIO()
    TrialView(Tried(report, {"interceptors[0]": 0.0123}), Ink(stream, {})).show(every=False)
    return capsys.readouterr().out


def test_a_change_is_one_line_and_its_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, Difference("content[0].text", "one\ntwo\nthree", "one\n2\nthree")) == (
        "mine 1.0.0 · tier 1 (a subprocess) · session 01m7hx7snpvx8zv4z6betd8qmz\n"
        "   1  changed   exit  read  interceptors[0]  entry eeeeeeee\n"
        "      content[0].text\n"
        "    - two\n"
        "    + 2\n"
        "\n"
        "1 step: 0 heard, 1 changed, 0 stopped, 0 failed, 0 skipped\n"
        "the session would have gone on with these changes\n"
        "longest answer: 12.3 ms, interceptors[0]\n"
        "deterministic: two runs gave the same answers\n"
        "PASS\n"
    )


def test_colours_are_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    change = Difference("text", "one", "two")

    assert "\x1b" not in shown(capsys, change)
    assert "    \x1b[31m- one\x1b[0m\n    \x1b[32m+ two\x1b[0m\n" in shown(
        capsys, change, colours=True
    )


def test_long_lines_and_many_lines_stay_within_a_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    long = "x" * 500 + "old" + "y" * 500
    many = "\n".join(map(str, range(100)))

    text = shown(
        capsys,
        Difference("long", long, long.replace("old", "new")),
        Difference("many", None, many),
        calls=(HostCall("notify", "word " * 300, "done"),),
    )

    assert max(map(len, text.splitlines())) <= WIDTH
    assert "old" in text
    assert "new" in text
    assert text.count("    + ") == 1 + 12
    assert text.count("\n      …\n") == 1
    assert text.count("word ") <= 40
