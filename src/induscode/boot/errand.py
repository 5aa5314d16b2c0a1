"""What a delegate is sent with, decided by whoever sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from induscode.boot.permission import SessionPermission
from induscode.conductor.ports import BriefSpan, Budget, Sender
from induscode.feature.hosting.installed import Member
from induscode.policy.modes import Mode

if TYPE_CHECKING:
    from induscode.boot.agents import Agents
    from induscode.boot.materials import Materials

__all__ = ["Errand"]


class Errand(Struct, frozen=True):
    """`permission` is the sender's, under which `mode` counts. `tools` are the names of those that
    the delegate may have at most; `depth` counts levels below the session of a person. `spans` join
    its prompt, which has the sender's `materials`; `agents` are those that it may send in turn,
    `guests` the sender's features."""

    sender: Sender
    permission: SessionPermission
    mode: Mode
    tools: frozenset[str]
    model: str
    budget: Budget
    depth: int
    spans: tuple[BriefSpan, ...]
    agents: Agents
    materials: Materials
    guests: tuple[Member, ...] = ()
