"""A file is changed only in the state that the model has seen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.session.entries import Result
from induscode.session.known import FILES_FEATURE, Known
from induscode.tools.limits import FILE_BYTES, IMAGE_BYTES
from tests.requirements import requirement
from tests.tools.conftest import Bench

EDIT: Mapping[str, Any] = {"path": "a.txt", "old_text": "one", "new_text": "two"}


class Talk(Bench):
    """Calls of one conversation, each of which knows what the ones before it saw."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.known = Known()

    def context(self) -> ToolContext:
        return replace(super().context(), read_state=self.known, recall=self.known.recall)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        result = await super().call(tool, **arguments)
        outcome = "error" if result.is_error else "ok"
        entry = Result("c", tool, [], outcome, details=result.details)
        self.known.add(entry, FILES_FEATURE)
        return result


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(Path(os.path.realpath(tmp_path)))


@requirement("deck.tool.read-before-edit-state")
async def test_a_file_that_was_not_read_is_neither_edited_nor_replaced(talk: Talk) -> None:
    path = talk.file("a.txt", "one\n")

    assert await talk.refused("edit", **EDIT) == f"Read {path} first."
    assert await talk.refused("write", path="a.txt", content="x") == f"Read {path} first."
    assert path.read_text() == "one\n"


async def test_after_reading_it_can_be_changed_again_and_again(talk: Talk) -> None:
    path = talk.file("a.txt", "one\n")

    await talk.said("read", path="a.txt", limit=1)
    assert "Edited" in await talk.said("edit", **EDIT)
    assert "Edited" in await talk.said("edit", path="a.txt", old_text="two", new_text="three")
    assert "Overwrote" in await talk.said("write", path="a.txt", content="x")
    assert "Edited" in await talk.said("edit", path="a.txt", old_text="x", new_text="y")
    assert path.read_text() == "y"


async def test_a_file_that_the_conversation_made_is_known(talk: Talk) -> None:
    await talk.said("write", path="a.txt", content="one")

    assert "Edited" in await talk.said("edit", **EDIT)
    assert "Overwrote" in await talk.said("write", path="a.txt", content="three")


@pytest.mark.parametrize("tool", ["edit", "write"])
async def test_a_file_that_changed_since_is_read_again_first(talk: Talk, tool: str) -> None:
    path = talk.file("a.txt", "one\n")
    arguments = EDIT if tool == "edit" else {"path": "a.txt", "content": "two\n"}
    await talk.said("read", path="a.txt")
    path.write_text("one\nmore\n")

    told = await talk.refused(tool, **arguments)

    assert told == f"{path} changed since you read it; read it again."
    assert path.read_text() == "one\nmore\n"
    await talk.said("read", path="a.txt")
    assert not (await talk.call(tool, **arguments)).is_error


async def test_a_file_that_was_only_touched_is_known(talk: Talk) -> None:
    path = talk.file("a.txt", "one\n")
    await talk.said("read", path="a.txt")
    path.write_text("else\n")
    path.write_text("one\n")
    os.utime(path, (1, 1))

    assert "Edited" in await talk.said("edit", **EDIT)


async def test_a_failed_read_or_change_tells_nothing(talk: Talk) -> None:
    path = talk.file("a.txt", "one\n")

    await talk.refused("read", path="a.txt", offset=9)
    assert await talk.refused("edit", **EDIT) == f"Read {path} first."


async def test_a_name_for_the_same_file_is_the_same_file(talk: Talk) -> None:
    path = talk.file("a.txt", "one\n")
    (talk.cwd / "link").symlink_to("a.txt")

    await talk.said("read", path="link")
    assert "Edited" in await talk.said("edit", **EDIT)
    assert "Edited" in await talk.said("edit", path=str(path), old_text="two", new_text="3")


async def test_new_and_empty_files_hold_nothing_to_lose(talk: Talk) -> None:
    talk.file("a.txt", "")

    assert "Overwrote" in await talk.said("write", path="a.txt", content="x")
    assert "Created" in await talk.said("write", path="b.txt", content="x")
    (talk.cwd / "b.txt").unlink()
    assert "Created" in await talk.said("write", path="b.txt", content="y")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x7fELF\0", "an ELF binary"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * IMAGE_BYTES, "a picture that is too large"),
    ],
)
async def test_what_read_cannot_show_is_not_replaced_and_the_way_is_told(
    talk: Talk, data: bytes, kind: str
) -> None:
    path = talk.file("a.bin", data)

    told = await talk.refused("write", path="a.bin", content="x")

    assert f"is {kind}, which read does not show." in told
    assert "remove it with a command first" in told
    assert path.read_bytes() == data


async def test_a_picture_that_was_shown_can_be_replaced(talk: Talk) -> None:
    talk.file("a.png", b"\x89PNG\r\n\x1a\n\0")

    assert "Read " in await talk.refused("write", path="a.png", content="x")
    await talk.call("read", path="a.png")
    assert "Overwrote" in await talk.said("write", path="a.png", content="x")


async def test_what_cannot_be_read_is_not_replaced(talk: Talk) -> None:
    with (talk.cwd / "huge").open("wb") as file:
        file.truncate(FILE_BYTES + 1)

    assert "at most 50 MB are read" in await talk.refused("write", path="huge", content="x")


async def test_names_that_the_log_cannot_hold_are_known_too(talk: Talk) -> None:
    odd = os.fsdecode(b"odd-\xff.txt")
    talk.file(odd, "one\n")

    result = await talk.call("read", path=odd)

    assert result.details is not None
    assert result.details["file"]["path"].endswith("odd-\ufffd.txt")
    assert "Edited" in await talk.said("edit", **{**EDIT, "path": odd})


async def test_without_anybody_who_knows_there_is_no_guard(bench: Bench) -> None:
    bench.file("a.txt", "one\n")

    assert "Edited" in plain_text((await bench.call("edit", **EDIT)).content)
    assert "Overwrote" in await bench.said("write", path="a.txt", content="x")
