"""The table of modes: what happens to a kind of deed when no rule speaks of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["TABLE", "Answer", "Deed", "Mode", "narrower"]


class Mode(StrEnum):
    """How much happens without a question, from least to most."""

    PLAN = "plan"
    ASK = "ask"
    ACCEPT_EDITS = "accept-edits"
    FULL = "full"


def narrower(one: Mode, other: Mode) -> Mode:
    """That of the two in which less happens without a question."""
    return min(one, other, key=tuple(Mode).index)


class Answer(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Deed(StrEnum):
    """A row of the table: the kind of the tool and where its effect lands."""

    STATE = "checklist, memory and plan"
    READ_INSIDE = "reading inside the workspace"
    READ_OUTSIDE = "reading outside the workspace"
    WRITE_INSIDE = "writing inside the workspace"
    WRITE_OUTSIDE = "writing outside the workspace"
    WRITE_PROTECTED = "writing to a protected name"
    SHELL_READ_ONLY = "a read-only command"
    SHELL_OTHER = "a command that is not in the read-only table"
    NETWORK = "the network"
    FOREIGN = "a tool of an MCP server or an addon"
    DELEGATE = "delegation"


_ALLOW, _ASK, _DENY = Answer.ALLOW, Answer.ASK, Answer.DENY

_ROWS: dict[Deed, tuple[Answer, Answer, Answer, Answer]] = {
    #                      plan    ask     accept  full
    Deed.STATE:           (_ALLOW, _ALLOW, _ALLOW, _ALLOW),
    Deed.READ_INSIDE:     (_ALLOW, _ALLOW, _ALLOW, _ALLOW),
    Deed.READ_OUTSIDE:    (_ASK,   _ASK,   _ASK,   _ALLOW),
    Deed.WRITE_INSIDE:    (_DENY,  _ASK,   _ALLOW, _ALLOW),
    Deed.WRITE_OUTSIDE:   (_DENY,  _ASK,   _ASK,   _ASK),
    Deed.WRITE_PROTECTED: (_DENY,  _ASK,   _ASK,   _ASK),
    Deed.SHELL_READ_ONLY: (_ALLOW, _ALLOW, _ALLOW, _ALLOW),
    Deed.SHELL_OTHER:     (_DENY,  _ASK,   _ASK,   _ALLOW),
    Deed.NETWORK:         (_ASK,   _ASK,   _ASK,   _ALLOW),
    Deed.FOREIGN:         (_DENY,  _ASK,   _ASK,   _ALLOW),
    Deed.DELEGATE:        (_ALLOW, _ALLOW, _ALLOW, _ALLOW),
}  # fmt: skip

TABLE: Mapping[tuple[Deed, Mode], Answer] = MappingProxyType(
    {
        (deed, mode): answer
        for deed, row in _ROWS.items()
        for mode, answer in zip(Mode, row, strict=True)
    }
)
