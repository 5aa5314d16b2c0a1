"""A question to a person in words: the whole call, why it asks, what each answer means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from induscode.channels.terminal import Ink, exact
from induscode.kernel.person import Choice, PersonAnswer, Question

__all__ = ["answer_prompt", "parse_answer", "question_lines"]

_KEYS: dict[Choice, str] = {"once": "y", "session": "s", "always": "a", "no": "n"}
_MEANINGS: dict[Choice, str] = {
    "once": "yes, this once",
    "session": "yes, and again without asking until indus ends: {keeps}",
    "always": "yes, and in later sessions here too; indus grants lists and revokes it",
    "no": "no; words after it tell the model why",
}
_WORDS: dict[str, Choice] = {
    "y": "once",
    "yes": "once",
    "once": "once",
    "s": "session",
    "session": "session",
    "a": "always",
    "always": "always",
    "n": "no",
    "no": "no",
}
_MANY_LINES = 12


def question_lines(question: Question, ink: Ink) -> list[str]:
    """Nothing of the call is left out, however long it is: a tail that scrolls is still there."""
    lines = [ink(f"? May {question.tool} run?", "yellow", "bold")]
    for name, value in question.arguments.items():
        lines += _argument(name, value, ink)
    if question.asker:
        lines.append(f"  {ink('who ', 'cyan')}  {exact(question.asker)}".replace("\n", "␊"))
    lines.append(f"  {ink('why ', 'cyan')}  {exact(question.reason)}")
    lines.append(f"  {ink('rule', 'cyan')}  {exact(question.rule)}")
    for choice in question.choices:
        if choice in _KEYS:
            meaning = _MEANINGS[choice].format(keeps=exact(question.keeps).replace("\n", "␊"))
            lines.append(f"  {ink(_KEYS[choice].ljust(4), 'cyan')}  {meaning}")
    return lines


def _argument(name: str, value: object, ink: Ink) -> list[str]:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    # The bar stands before every line of the call: no line of it can pose as one of ours.
    bar = ink("│", "yellow")
    rows = exact(text).split("\n")
    size = f" ({len(rows)} lines)" if len(rows) > _MANY_LINES else ""
    if len(rows) == 1:
        return [f"  {bar} {exact(name)}: {rows[0]}"]
    return [f"  {bar} {exact(name)}{size}:", *(f"  {bar}   {row}" for row in rows)]


def answer_prompt(choices: Sequence[Choice], paint: Callable[[str], str]) -> str:
    keys = "/".join(_KEYS[choice] for choice in choices if choice in _KEYS)
    return paint(f"allow? [{keys}] ")


def parse_answer(line: str, choices: Sequence[Choice]) -> PersonAnswer | None:
    """None when it is no clear answer. Only a lone word allows; `no` may be followed by why."""
    words = line.strip().split(maxsplit=1)
    choice = _WORDS.get(words[0].lower().rstrip(",.:")) if words else None
    if choice is None or choice not in choices:
        return None
    reason = words[1] if len(words) > 1 else ""
    if choice != "no":
        return None if reason else PersonAnswer(choice)
    return PersonAnswer("no", reason)
