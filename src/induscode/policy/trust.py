"""The decision about one workspace, and the only way to read what it brings along.

Nothing of a workspace that configures, instructs or executes is used before its user accepted it,
and then only as it was accepted. Whoever wants such a file asks here: `admitted` lists the items
whose content may be used, `read` returns the bytes that were accepted or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from induscode.errors import ConfigError
from induscode.policy.belongings import Belonging, Kind
from induscode.policy.contents import (
    FileMark,
    Imports,
    Seen,
    Unfit,
    examine,
    glance_within,
    read_marked,
)
from induscode.policy.glance import Glance
from induscode.policy.paths import inside
from induscode.policy.trust_store import Accepted, ItemRecord, TrustStore, WorkspaceRecord

__all__ = ["ItemState", "State", "Trust"]


class State(StrEnum):
    UNCHANGED = "unchanged"
    NEW = "new"
    CHANGED = "changed"
    WAITING = "waiting"
    REFUSED = "refused"


class ItemState(Struct, frozen=True):
    """How an item stands. `waiting`: its workspace was never trusted, so it was not looked into.
    `refused`: it cannot be trusted as it is, for the `reason`."""

    item: Belonging
    state: State
    reason: str = ""


class _Finding(Struct, frozen=True):
    """What an item was when it was read: its digest, or why it has none."""

    digest: str
    reason: str
    looked: dict[str, Glance]


class Trust:
    """What may be used of one workspace, as it was when this was made.

    `items` is what was listed there; nothing is opened before it is asked for. An item of a trusted
    workspace is digested once, when its state is first asked for. Methods raise `ConfigError` when
    the store cannot be used. `home` is the user's: a store that lies in the workspace is no store,
    unless the workspace is that home or holds it. `imports` tells what a context document imports,
    and so what belongs to it. `findings` are for `renewed` alone.
    """

    def __init__(
        self,
        workspace: Path,
        items: tuple[Belonging, ...],
        store: TrustStore,
        *,
        home: Path,
        imports: Imports,
        findings: Mapping[Belonging, _Finding] | None = None,
    ) -> None:
        self.workspace = workspace
        self.items = items
        self.store = store
        self._home = home
        self._imports = imports
        self._states: dict[str, ItemState] = {}
        self._findings = dict(findings or {})
        self._decided: Glance | None = None

    @cached_property
    def barred(self) -> str:
        """Why this workspace cannot be trusted at all, or nothing."""
        folder = self.store.folder.resolve()
        if inside(self.workspace, folder) and not inside(self.workspace, self._home.resolve()):
            return f"our own directory {folder} lies inside this workspace, which could write there"
        return ""

    @cached_property
    def record(self) -> WorkspaceRecord | None:
        if self.barred:
            return None
        self._decided = self.store.glance()
        return self.store.record(self.workspace)

    @property
    def trusted(self) -> bool:
        return self.record is not None

    def state(self, item: Belonging) -> ItemState:
        known = self._states.get(item.path)
        if known is None:
            known = self._states[item.path] = self._judged(item)
        return known

    def states(self) -> tuple[ItemState, ...]:
        return tuple(self.state(item) for item in self.items)

    def admitted(self, kind: Kind | None = None) -> tuple[Belonging, ...]:
        """The items, of one kind or of all, whose content may be used."""
        return tuple(
            item
            for item in self.items
            if kind in {None, item.kind} and self.state(item).state is State.UNCHANGED
        )

    def held_back(self, kind: Kind) -> tuple[ItemState, ...]:
        """The items of one kind that are there and may not be used, each with how it stands."""
        states = (self.state(item) for item in self.items if item.kind is kind)
        return tuple(each for each in states if each.state is not State.UNCHANGED)

    def digest(self, item: Belonging) -> str | None:
        """Of an admitted item, as it was accepted; None of any other item."""
        record = self._admitted_record(item)
        return None if record is None else record.digest

    def files(self, item: Belonging) -> tuple[str, ...]:
        """The names of an admitted item's files, as `read` takes them; none of any other item."""
        return tuple(sorted(self.marks(item)))

    def marks(self, item: Belonging) -> Mapping[str, FileMark]:
        """The files of an admitted item by name, as they were accepted; none of any other item."""
        record = self._admitted_record(item)
        return record.files if record is not None else {}

    def examine(self, item: Belonging) -> Seen | Unfit:
        """The item as it is now, read again."""
        return examine(self.workspace, item, self._imports)

    def unchanged(self) -> bool:
        """Whether all that was looked at so far is as it was then. Opens nothing."""
        decided = self._decided is None or self._decided == self.store.glance()
        return decided and len(self._lasting()) == len(self._findings)

    def renewed(self, items: tuple[Belonging, ...]) -> Trust:
        """A new look at the same workspace, of which these are the items now. Those that were read
        and did not change since are not read again."""
        return Trust(
            self.workspace,
            items,
            self.store,
            home=self._home,
            imports=self._imports,
            findings=self._lasting(),
        )

    def read(self, item: Belonging, file: str = "") -> bytes | None:
        """The content of a file of an item ("" where the item is a file itself), if item and file
        are as they were accepted; else None. Another content than the accepted one is never
        returned, whatever happens to the file meanwhile."""
        record = self._admitted_record(item)
        mark = record.files.get(file) if record is not None else None
        return None if mark is None else read_marked(self.workspace, item, file, mark)

    def accept_new(self, *, at: str) -> None:
        """Trust the workspace and record every item that has no record yet. What differs from its
        record stays as it is, and waits. Raises `ConfigError` also for a barred workspace."""
        self.refuse_barred()
        known = self.record.items if self.record is not None else {}
        found: dict[str, Accepted] = {}
        for item in self.items:
            if item.path not in known:
                seen = self.examine(item)
                if isinstance(seen, Seen):
                    found[item.path] = Accepted(item.kind, seen)
        if found or not self.trusted:
            self.store.accept(self.workspace, found, at=at, replace=False)
        self._renew()

    def accept(self, item: Belonging, seen: Seen, *, at: str) -> None:
        """Record an item as it was just seen, whatever its record said."""
        self.refuse_barred()
        self.store.accept(
            self.workspace, {item.path: Accepted(item.kind, seen)}, at=at, replace=True
        )
        self._renew()

    def refuse_barred(self) -> None:
        if self.barred:
            raise ConfigError(
                str(self.store.file),
                field="file",
                found=self.barred,
                hint="set INDUS_HOME to a directory elsewhere, or unset it",
            )

    def _renew(self) -> None:
        self._states.clear()
        self._findings.clear()
        self.__dict__.pop("record", None)

    def _admitted_record(self, item: Belonging) -> ItemRecord | None:
        if self.record is None or self.state(item).state is not State.UNCHANGED:
            return None
        return self.record.items.get(item.path)

    def _judged(self, item: Belonging) -> ItemState:
        if item.refused:
            return ItemState(item, State.REFUSED, item.refused)
        if self.record is None:
            return ItemState(item, State.WAITING)
        record = self.record.items.get(item.path)
        found = self._found(item)
        if found.reason:
            return ItemState(item, State.REFUSED, found.reason)
        if record is None:
            return ItemState(item, State.NEW)
        same = found.digest == record.digest
        return ItemState(item, State.UNCHANGED if same else State.CHANGED)

    def _found(self, item: Belonging) -> _Finding:
        found = self._findings.get(item)
        if found is None:
            match self.examine(item):
                case Unfit(reason, looked):
                    found = _Finding("", reason, looked)
                case Seen(digest, looked=looked):
                    found = _Finding(digest, "", looked)
            self._findings[item] = found
        return found

    def _lasting(self) -> dict[Belonging, _Finding]:
        """Of the findings, those that a new look would repeat."""
        plain: set[str] = set()
        return {
            item: found
            for item, found in self._findings.items()
            if all(
                glance_within(self.workspace, path, plain) == seen
                for path, seen in found.looked.items()
            )
        }
