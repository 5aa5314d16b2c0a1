"""The model of the torture runs: what it answers is a function of the conversation alone.

A turn is named in its prompt (`[turn 7]`). The answer is the turn's n-th, n being the number of
answers since that prompt, or since the summary that replaced it: so a session that was killed and
resumed goes on where its log says it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.anthropic_steps import Step, calls, fail, say

__all__ = ["SHORT", "Turn", "brain", "command_plan", "journal", "long_plan", "turn_of"]

NEARLY_FULL = 190_000
_CONDENSE = "Condense this conversation."
_TURN = re.compile(r"\[turn (\d+)\]")
_SUMMARY = re.compile(r"\[at turn (\d+) after (\d+) answers\]")
_LONG = "A long prompt is kept apart from its entry. " * 1700


@dataclass(frozen=True)
class Turn:
    """A prompt and the answers it gets; a `steered` one hears another message while it works."""

    number: int
    answers: tuple[Step, ...]
    long: bool = False
    steered: bool = False

    @property
    def prompt(self) -> str:
        return f"[turn {self.number}] go" + (f"\n{_LONG}" if self.long else "")

    @property
    def final(self) -> str:
        return f"Turn {self.number} is done."


def journal(token: str) -> tuple[str, dict[str, Any]]:
    """A call whose effect can be counted: one line for each time it ran."""
    return "bash", {"command": f"echo {token} >> journal; echo {token} is in the journal"}


def _read(path: str = "notes.txt") -> tuple[str, dict[str, Any]]:
    return "read", {"path": path}


def _write(number: int) -> tuple[str, dict[str, Any]]:
    return "write", {"path": f"made-{number}.txt", "content": f"first {number}\n"}


def _edit(number: int) -> tuple[str, dict[str, Any]]:
    arguments = {"path": f"made-{number}.txt", "old_text": "first", "new_text": "second"}
    return "edit", arguments


def turn_of(number: int, *answers: Step, long: bool = False) -> Turn:
    turn = Turn(number, answers, long)
    return replace(turn, answers=(*answers, say(turn.final)))


def _full(step: Step) -> Step:
    """An answer that leaves hardly any room: the next request is preceded by a compaction."""
    return replace(step, usage={"input": NEARLY_FULL})


def _one_command(number: int) -> Turn:
    turn = turn_of(number, calls(journal(f"tok-{number}-1"), text="Working."))
    return replace(turn, steered=True)


def _files(number: int) -> Turn:
    again = calls(_edit(number), _read(f"made-{number}.txt"), _read())
    return turn_of(number, calls(_write(number)), again)


def _reads(number: int) -> Turn:
    return turn_of(number, calls(_read(), _read(), _read(), thinking="Three at once."))


def _mixed(number: int) -> Turn:
    one, two = f"tok-{number}-1", f"tok-{number}-2"
    return turn_of(number, calls(_read(), journal(one), journal(two), _read()), long=True)


def _condensed(number: int) -> Turn:
    one, two = f"tok-{number}-1", f"tok-{number}-2"
    return turn_of(number, _full(calls(journal(one))), calls(journal(two), _write(number)))


_KINDS: tuple[Callable[[int], Turn], ...] = (_one_command, _files, _reads, _mixed, _condensed)

SHORT: tuple[Turn, ...] = (_mixed(1), _condensed(2), _files(3))


def long_plan(turns: int = 20) -> tuple[Turn, ...]:
    return tuple(_KINDS[(number - 1) % len(_KINDS)](number) for number in range(1, turns + 1))


def command_plan(turns: int = 40) -> tuple[Turn, ...]:
    """One command a turn, and nothing long."""
    return tuple(_one_command(number) for number in range(1, turns + 1))


def brain(plan: Sequence[Turn]) -> Callable[[dict[str, Any]], Step]:
    by_number = {turn.number: turn for turn in plan}

    def answer(body: dict[str, Any]) -> Step:
        number, done = _place(body["messages"])
        if any(_CONDENSE in text for text in _texts(body["messages"][-1])):
            return say(f"[at turn {number} after {done} answers] All is well.")
        turn = by_number.get(number)
        if turn is None:
            return fail(400, f"there is no turn {number}")
        # A message that arrives with the last answer gets the same once more.
        return turn.answers[min(done, len(turn.answers) - 1)]

    return answer


def _place(messages: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Which turn this is, and how many answers it has had."""
    number = done = 0
    for message in messages:
        if message["role"] == "assistant":
            done += 1
            continue
        for text in _texts(message):
            if found := _SUMMARY.search(text):
                number, done = int(found[1]), int(found[2])
            elif (found := _TURN.search(text)) and int(found[1]) != number:
                number, done = int(found[1]), 0
    return number, done


def _texts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block["type"] == "text"]
