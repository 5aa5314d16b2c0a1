"""What a person types as one message: a line, lines that end in a backslash, or a quoted block."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["read_message"]

_QUOTES = '"""'


def read_message(ask: Callable[[str], str], *, first: str = "", more: str = "") -> str:
    """Ask for lines, with the prompt `first` and then `more`, until the message is whole.

    Raises as `ask` does; an end of input (EOFError) inside a message just ends it.
    """
    line = ask(first)
    if line.lstrip().startswith(_QUOTES):
        return _block(line.lstrip()[len(_QUOTES) :], lambda: ask(more))
    lines = [line]
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        following = _or_end(lambda: ask(more))
        if following is None:
            break
        lines.append(following)
    return "\n".join(lines)


def _block(begun: str, ask: Callable[[], str]) -> str:
    lines: list[str] = []
    line: str | None = begun
    while line is not None:
        if line.rstrip().endswith(_QUOTES):
            lines.append(line.rstrip()[: -len(_QUOTES)])
            break
        lines.append(line)
        line = _or_end(ask)
    return "\n".join(lines).strip("\n")


def _or_end(ask: Callable[[], str]) -> str | None:
    try:
        return ask()
    except EOFError:
        return None
