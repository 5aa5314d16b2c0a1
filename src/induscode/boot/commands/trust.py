"""`indus trust show, grant, revoke`: what of a workspace may be used, and since when."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.differences import bounded, difference
from induscode.boot.places import user_home
from induscode.boot.surroundings import Surroundings
from induscode.boot.waiting import KIND_NAMES, few, shown_path
from induscode.channels.terminal import Ink, exact
from induscode.errors import UsageError, UserError
from induscode.kernel.clock import iso
from induscode.policy.belongings import Belonging
from induscode.policy.contents import ABSENT, FileMark, Seen, Unfit
from induscode.policy.paths import inside
from induscode.policy.trust import ItemState, State, Trust
from induscode.policy.trust_store import ItemRecord

__all__ = ["run"]

_EXAMPLES = """\
  indus trust                          what waits here, what counts, what changed
  indus trust grant                    accept what is new; ask about each change
  indus trust grant .mcp.json          accept this item as it is now
  indus trust revoke                   forget this workspace
  indus trust revoke .indus/addons/x   forget this item
exit: 1 when something that changed still waits after `grant`
"""
_COLOURS = {
    State.UNCHANGED: "green",
    State.NEW: "yellow",
    State.WAITING: "yellow",
    State.CHANGED: "red",
    State.REFUSED: "red",
}


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("trust", "Show, give and take back trust in this workspace.", _EXAMPLES)
    words.add_argument("action", nargs="?", default="show", choices=("show", "grant", "revoke"))
    words.add_argument("items", nargs="*", metavar="ITEM", help="as `show` names them")
    words.add_argument("--full", action="store_true", help="with show: differences unshortened")
    words.add_argument("--json", action="store_true", help="with show: one JSON object")
    asked = words.parse_args(argv)
    around = here(environ)
    if asked.action == "grant":
        return _grant(around, asked.items)
    if asked.action == "revoke":
        return _revoke(around, asked.items)
    return _show(around, asked.items, as_json=asked.json, full=asked.full)


def _show(around: Surroundings, names: list[str], *, as_json: bool, full: bool) -> int:
    trust = around.trust
    items = _named(around, names) or trust.items
    states = [trust.state(item) for item in items]
    changes = {each.item.path: _changes(trust, each, named=bool(names)) for each in states}
    if as_json:
        rows = [
            {
                "kind": each.item.kind,
                "path": exact(each.item.path),
                "state": each.state,
                "reason": each.reason,
                "difference": changes[each.item.path],
            }
            for each in states
        ]
        since = trust.record.at if trust.record is not None else None
        workspace = exact(str(trust.workspace))
        out_json({"workspace": workspace, "trusted": since is not None, "since": since,
                  "barred": trust.barred, "items": rows})  # fmt: skip
        return 0
    _heading(trust)
    _rows(states, dict(around.environ))
    for lines in changes.values():
        for line in lines if full else bounded(lines):
            out(line)
    return 0


def _heading(trust: Trust) -> None:
    workspace = exact(str(trust.workspace))
    if trust.record is not None:
        out(f"{workspace} is trusted since {trust.record.at}")
    else:
        out(f"{workspace} is not trusted")
    if trust.barred:
        out(f"it cannot be: {trust.barred}")
    if not trust.items:
        out("nothing in it asks for trust")


def _rows(states: Sequence[ItemState], environ: dict[str, str]) -> None:
    if not states:
        return
    ink = Ink(sys.stdout, environ)
    kinds = [KIND_NAMES[each.item.kind][0] for each in states]
    width = max(map(len, kinds))
    for kind, each in zip(kinds, states, strict=True):
        state = ink(each.state.value.ljust(9), _COLOURS[each.state])
        reason = f"  ({exact(each.reason)})" if each.reason else ""
        out(f"  {state}  {kind.ljust(width)}  {shown_path(each.item)}{reason}")


def _changes(trust: Trust, each: ItemState, *, named: bool) -> list[str]:
    """What is to be looked at: how it changed, or all of it where it was never accepted. That is
    read only for whoever named the item."""
    looked_at = {State.CHANGED, State.NEW, State.WAITING} if named else {State.CHANGED}
    if each.state not in looked_at:
        return []
    seen = trust.examine(each.item)
    if isinstance(seen, Unfit):
        return [f"{shown_path(each.item)}: {exact(seen.reason)}"]
    known = {} if trust.record is None else trust.record.items
    before = known.get(each.item.path) or ItemRecord(each.item.kind, "", "", {})
    return difference(each.item.path, before, seen, trust.store.text)


def _grant(around: Surroundings, names: list[str]) -> int:
    trust, at = around.trust, iso(around.clock.now_ms())
    trust.refuse_barred()
    chosen = _named(around, names)
    _say_what_it_covers(around)
    for item in chosen:
        _accept(trust, item, at)
    if chosen:
        return 0
    before = {each.item.path: each.state for each in trust.states()}
    trust.accept_new(at=at)
    out(f"{exact(str(trust.workspace))} is trusted")
    left = 0
    for each in trust.states():
        if each.state is State.UNCHANGED and before[each.item.path] is not State.UNCHANGED:
            _say_accepted(each.item, trust.marks(each.item))
        elif each.state is State.REFUSED:
            out(f"cannot be trusted: {shown_path(each.item)} ({exact(each.reason)})")
        elif each.state is State.CHANGED:
            left += not _ask(trust, each.item, at)
    return 1 if left else 0


def _say_what_it_covers(around: Surroundings) -> None:
    """A home directory is a workspace like any other, but rarely the one that was meant."""
    if inside(around.workspace, user_home(around.environ).resolve()):
        repository = (around.workspace / ".git").exists()
        where = "every directory below that is no repository of its own" if repository else "it"
        out(f"note: this workspace holds your home directory; what you accept counts in {where}")


def _accept(trust: Trust, item: Belonging, at: str) -> None:
    """Accept what was asked for by name. What is shown is what is recorded."""
    seen = trust.examine(item)
    if isinstance(seen, Unfit):
        raise UserError(f"{shown_path(item)} cannot be trusted: {exact(seen.reason)}")
    before = trust.record.items.get(item.path) if trust.record is not None else None
    if before is not None:
        for line in bounded(difference(item.path, before, seen, trust.store.text)):
            out(line)
    trust.accept(item, seen, at=at)
    _say_accepted(item, seen.files)


def _ask(trust: Trust, item: Belonging, at: str) -> bool:
    """Show the difference of a changed item, and ask; without a terminal it keeps waiting."""
    seen = trust.examine(item)
    if trust.record is None or not isinstance(seen, Seen):
        return False
    before = trust.record.items[item.path]
    for line in bounded(difference(item.path, before, seen, trust.store.text)):
        out(line)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        out(f"changed, so it waits: {shown_path(item)}; accept it by its name")
        return False
    sys.stdout.write(f"accept {shown_path(item)} as it is now? [y/n] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        out(f"it waits: {shown_path(item)}")
        return False
    trust.accept(item, seen, at=at)
    _say_accepted(item, seen.files)
    return True


def _say_accepted(item: Belonging, files: Mapping[str, FileMark]) -> None:
    imported = [name for name, mark in files.items() if name.startswith("/") and mark != ABSENT]
    named = few([exact(name[1:]).replace("\n", "\u240a") for name in sorted(imported)])
    out(f"accepted: {shown_path(item)}{f' with its imports {named}' if named else ''}")


def _revoke(around: Surroundings, names: list[str]) -> int:
    trust = around.trust
    record = trust.record
    if record is None:
        out(f"{exact(str(trust.workspace))} was not trusted")
        return 0
    if not names:
        trust.store.forget(trust.workspace)
        out(f"{exact(str(trust.workspace))} is no longer trusted")
        return 0
    paths = [_found(around, name, list(record.items)) for name in names]
    trust.store.forget(trust.workspace, paths)
    for path in paths:
        out(f"forgotten: {exact(path)}")
    return 0


def _named(around: Surroundings, names: list[str]) -> list[Belonging]:
    items = {item.path: item for item in around.trust.items}
    return [items[_found(around, name, list(items))] for name in names]


def _found(around: Surroundings, name: str, known: list[str]) -> str:
    """The item that is meant: its path from the workspace or from here, or as it was shown."""
    here_named = os.path.normpath(around.cwd / name)
    for path in known:
        if os.path.normpath(name) == path or here_named == str(around.workspace / path):
            return path
    shown = [path for path in known if exact(path) == name]
    if len(shown) == 1:
        return shown[0]
    listed = ", ".join(exact(path) for path in known) or "none"
    raise UsageError(f"there is no item {name!r} here", hint=f"known: {listed}")
