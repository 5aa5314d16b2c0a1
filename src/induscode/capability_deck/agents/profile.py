"""What a sub-agent is: a profile narrows what its agent may do and says how it works."""

from __future__ import annotations

from msgspec import Struct

from induscode.policy.modes import Mode

__all__ = ["SubagentProfile"]


class SubagentProfile(Struct, frozen=True):
    """`model` is PROVIDER/MODEL; without one the agent works with its parent's. `tool_collection`
    is the name of a profile of the deck or a list of tools, `without` are tools it never has.
    `description` says what the agent is for and `when` when to send it; `source` is its file."""

    name: str
    model: str | None = None
    tool_collection: str | tuple[str, ...] | None = None
    prompt: str | None = None
    description: str = ""
    when: str = ""
    mode: Mode | None = None
    max_steps: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
    without: tuple[str, ...] = ()
    source: str = ""
