"""The notes of the workspace, read and changed as granted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from induscode.capability_deck.memory_store import MEMORY_CHARACTERS, FileMemoryStore
from induscode.errors import ServiceRefused
from induscode.feature.capability import MemoryStore
from induscode.feature.services import Denied, Notes, Unavailable
from tests.features.hosting import Grants
from tests.features.services.desk import Desk
from tests.requirements import requirement


@pytest.fixture
def store(desk: Desk, tmp_path: Path) -> FileMemoryStore:
    kept = FileMemoryStore(tmp_path / "memory", "here")
    desk.roots = msgspec.structs.replace(desk.roots, memory=kept)
    return kept


def handed(desk: Desk, **wanted: bool) -> Notes:
    notes = desk.handed().memory(MemoryStore(**wanted))
    assert isinstance(notes, Notes)
    return notes


def test_a_feature_shares_the_notes_of_the_workspace(desk: Desk, store: FileMemoryStore) -> None:
    notes = handed(desk, read=True, write=True)
    notes.replace("Tabs.")
    notes.append("Not spaces.")
    assert notes.read() == store.read() == "Tabs.\nNot spaces."


@requirement("feature.capability.memory-store")
def test_reading_and_writing_are_permitted_apart(desk: Desk, store: FileMemoryStore) -> None:
    store.replace("kept")
    reader, writer = handed(desk, read=True), handed(desk, write=True)
    assert reader.read() == "kept"
    writer.append("more")
    with pytest.raises(ServiceRefused, match=r"this handle is for memory-store\(read\)"):
        reader.replace("x")
    with pytest.raises(ServiceRefused, match=r"this handle is for memory-store\(write\)"):
        writer.read()
    assert store.read() == "kept\nmore"
    desk.grants = Grants(MemoryStore(read=True))
    assert isinstance(desk.handed().memory(MemoryStore(read=True)), Notes)
    assert isinstance(desk.handed().memory(MemoryStore(write=True)), Denied)
    assert isinstance(desk.handed().memory(MemoryStore(read=True, write=True)), Denied)


@requirement("invariant.06.withdrawn-while-running")
def test_a_held_handle_refuses_after_the_withdrawal(desk: Desk, store: FileMemoryStore) -> None:
    notes = handed(desk, read=True, write=True)
    desk.grants.withdraw(MemoryStore(read=True, write=True))
    for use in (notes.read, lambda: notes.append("x"), lambda: notes.replace("x")):
        with pytest.raises(ServiceRefused, match="withdrawn"):
            use()
    assert store.read() == ""


def test_what_cannot_be_kept_is_told_and_nothing_changes(
    desk: Desk, store: FileMemoryStore
) -> None:
    notes = handed(desk, read=True, write=True)
    notes.replace("short")
    with pytest.raises(ServiceRefused, match="nothing was changed"):
        notes.append("x" * MEMORY_CHARACTERS)
    assert store.read() == "short"


def test_without_a_place_there_is_no_such_service(desk: Desk) -> None:
    answer = desk.handed().memory(MemoryStore(read=True))
    assert isinstance(answer, Unavailable)
    assert "no place for notes" in answer.reason
