"""A session as a tree: what was said on each branch, which one goes on, rewinds and forks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from induscode.boot.commands.common import out
from induscode.channels.terminal import Ink, safe
from induscode.checkpoint.points import Said, inputs_of
from induscode.session.entries import Checkpoint, Entry
from induscode.session.listing import SessionRow
from induscode.session.tree import path_to

__all__ = ["Node", "nodes_of", "show_tree"]

_SHORT = 10


class Node(Struct, frozen=True):
    """An input, or a rewind. `number` is what `indus rewind --to` takes for an input; `above` is
    the entry of the input that it follows, `live` says that it is on the branch that goes on.
    `to` and `left` are of a rewind: where it went, and how to come back."""

    kind: Literal["input", "rewind"]
    entry: str
    at: str
    above: str
    live: bool
    number: int = 0
    words: str = ""
    scope: str = ""
    files: int = 0
    to: str = ""
    left: str = ""


def nodes_of(entries: Sequence[Entry]) -> list[Node]:
    """In the order of time."""
    said = {one.entry.id: one for one in inputs_of(entries)}
    live = {entry.id for entry in path_to(entries, len(entries) - 1)}
    above: dict[str, str] = {}
    nodes: list[Node] = []
    before = ""
    for entry in entries:
        followed = above.get(entry.parent, before)
        above[entry.id] = before = entry.id if entry.id in said else followed
        if entry.id in said:
            nodes.append(_input(said[entry.id], followed))
        elif isinstance(entry, Checkpoint) and entry.rewind is not None:
            nodes.append(
                Node(
                    kind="rewind",
                    entry=entry.id,
                    at=entry.at,
                    above=followed,
                    live=entry.id in live,
                    scope=entry.rewind.scope,
                    files=len(entry.files),
                    to=entry.rewind.to,
                    left=entry.rewind.left,
                )
            )
    return nodes


def _input(said: Said, above: str) -> Node:
    return Node(
        kind="input",
        entry=said.entry.id,
        at=said.entry.at,
        above=above,
        live=said.live,
        number=said.number,
        words=said.words,
    )


def show_tree(nodes: Sequence[Node], forks: Sequence[SessionRow], ink: Ink) -> None:
    below: dict[str, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.above, []).append(node)
    # A branch is indented; what simply follows is not: a long conversation stays a column.
    waiting = [(node, 0) for node in reversed(below.get("", []))]
    while waiting:
        node, depth = waiting.pop()
        out(f"{'  ' * depth}{_line(node, ink)}")
        inner = below.get(node.entry, [])
        apart = sum(one.kind == "input" for one in inner) > 1
        waiting += [(one, depth + (apart or one.kind == "rewind")) for one in reversed(inner)]
    for fork in forks:
        out(f"fork  {fork.id}  {safe(fork.title)}")


def _line(node: Node, ink: Ink) -> str:
    mark = ink("*", "green", "bold") if node.live else " "
    if node.kind == "rewind":
        files = f", {node.files} files" if node.files else ""
        undo = f"undo: --to {node.left}"
        return f"{mark}  {ink('rewind', 'cyan')} of {node.scope}{files}; {undo}"
    return f"{mark} {node.number:>2}  {node.entry[-_SHORT:]}  {safe(node.words)}"
