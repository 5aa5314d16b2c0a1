"""What other processes do in these tests: importable, so that a fresh interpreter can run it."""

from __future__ import annotations

import sys
from pathlib import Path

from induscode.feature.capability import WorkItemStore
from induscode.feature.services import StateDirectory, WorkItems
from tests.features.services.desk import Desk

__all__ = ["fill_items", "fill_state", "migrate_state", "store_of"]

BOTH = WorkItemStore(read=True, write=True)


def store_of(desk: Desk) -> WorkItems:
    store = desk.handed().work_item_store(BOTH)
    assert isinstance(store, WorkItems)
    return store


def fill_items(root: str, who: str, shared: str, count: int) -> None:
    store = store_of(Desk(Path(root)))
    for number in range(count):
        store.create(f"{who} {number}")
        store.comment(shared, f"{who} {number}")


def fill_state(root: str, letter: str, size: int, count: int) -> None:
    state = Desk(Path(root)).handed().state(1)
    assert isinstance(state, StateDirectory)
    for number in range(count):
        state.write("both", letter.encode() * size)
        state.write(f"{letter}-{number}", letter.encode())


def migrate_state(root: str, witness: str) -> None:
    def migrate(found: int, directory: StateDirectory) -> None:
        with Path(witness).open("a") as file:
            file.write(f"{found}\n")
        directory.write("count", str(int(directory.read("count") or b"0") + 1).encode())

    state = Desk(Path(root)).handed().state(2, migrate)
    assert isinstance(state, StateDirectory), state


def work_until_killed(root: str) -> None:
    """Says on standard output what is done: the item and the number of its comments."""
    store = store_of(Desk(Path(root)))
    while True:
        item = store.create("something to be done", "with a body " * 50)
        for number in range(5):
            item = store.comment(item.id, f"comment {number} " * 50)
            sys.stdout.write(f"{item.id} {len(item.comments)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    work_until_killed(sys.argv[1])
