"""The wrapper around `write` and `edit`: what a file holds is recorded before it is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.capability_deck import (
    CHECKPOINTED_TOOLS,
    CheckpointingCard,
    CheckpointStore,
    DeckContext,
    DeckFramework,
    build_builtin,
    maybe_wrap_checkpoint,
    provision_deck,
)
from tests.requirements import requirement


class Records:
    """A store of a test: what was recorded, and what the disk held at that moment."""

    def __init__(self) -> None:
        self.seen: list[tuple[Path, bytes | None]] = []

    def record(self, path: Path, previous: bytes | None) -> None:
        self.seen.append((path, previous))
        assert (path.read_bytes() if path.is_file() else None) == previous


def context(cwd: Path, store: CheckpointStore | None = None) -> DeckContext:
    return DeckContext(cwd, DeckFramework(checkpoint=store))


@requirement("deck.checkpoint.tools")
def test_only_write_and_edit_are_wrapped(tmp_path: Path) -> None:
    assert CHECKPOINTED_TOOLS == ("write", "edit")
    deck = provision_deck("all", context(tmp_path, Records()))
    wrapped = [tool.name for tool in deck.tools() if isinstance(tool, CheckpointingCard)]
    assert sorted(wrapped) == ["edit", "write"]


@requirement("deck.checkpoint.no-handle-identity")
def test_without_a_store_the_very_tool_comes_back(tmp_path: Path) -> None:
    for name in ("write", "edit", "bash", "read"):
        tool = build_builtin(name, context(tmp_path))
        assert maybe_wrap_checkpoint(tool, context(tmp_path)) is tool
    bash = build_builtin("bash", context(tmp_path))
    assert maybe_wrap_checkpoint(bash, context(tmp_path, Records())) is bash


@requirement("deck.checkpoint.invisible")
@pytest.mark.parametrize("name", CHECKPOINTED_TOOLS)
def test_a_model_is_told_nothing_of_it(tmp_path: Path, name: str) -> None:
    tool = build_builtin(name, context(tmp_path))
    wrapped = maybe_wrap_checkpoint(tool, context(tmp_path, Records()))
    assert wrapped is not tool
    for field in ("name", "label", "description", "parameters", "read_only"):
        assert getattr(wrapped, field) == getattr(tool, field)


@requirement("deck.checkpoint.records-before", "deck.checkpoint.absent-file")
async def test_the_file_is_recorded_as_it_is_before_the_tool_runs(tmp_path: Path) -> None:
    store = Records()
    (tmp_path / "there").write_bytes(b"one\r\n\xff")
    async with provision_deck("survey", context(tmp_path, store)).tool_box() as box:
        await box.run("write", {"path": "there", "content": "two"})
        await box.run("write", {"path": "new/file", "content": "two"})
        await box.run("edit", {"path": "new/file", "old_text": "two", "new_text": "three"})
    assert store.seen == [
        (tmp_path / "there", b"one\r\n\xff"),
        (tmp_path / "new" / "file", None),
        (tmp_path / "new" / "file", b"two"),
    ]
    assert (tmp_path / "new" / "file").read_text() == "three"


class Failing:
    def record(self, path: Path, previous: bytes | None) -> None:
        raise OSError("the store is full")


@requirement("deck.checkpoint.best-effort")
async def test_a_store_that_fails_or_a_file_that_cannot_be_read_does_not_block_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with provision_deck("survey", context(tmp_path, Failing())).tool_box() as box:
        assert not (await box.run("write", {"path": "a", "content": "1"})).is_error
    store = Records()
    monkeypatch.setattr("induscode.tools.local_fs.FILE_BYTES", 3)
    (tmp_path / "large").write_text("more than three")
    async with provision_deck("survey", context(tmp_path, store)).tool_box() as box:
        done = await box.run("write", {"path": "large", "content": "2"})
    assert not done.is_error
    assert (tmp_path / "large").read_text() == "2"
    assert store.seen == []


@pytest.mark.parametrize("arguments", [{}, {"path": 7}, {"path": "a\0b"}, {"path": ""}])
async def test_arguments_that_do_not_fit_are_left_to_the_tool(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    store = Records()
    async with provision_deck("survey", context(tmp_path, store)).tool_box() as box:
        assert (await box.run("write", {"content": "x", **arguments})).is_error
    assert store.seen == []
