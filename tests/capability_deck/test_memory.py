"""`memory`: the card and its stores, on a real disk."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from induscode.capability_deck.cards.definitions import MEMORY
from induscode.capability_deck.cards.memory import (
    MEMORY_HANDLE_KEY,
    InMemoryStore,
    build_memory_capability,
    memory_card,
)
from induscode.capability_deck.contract import (
    DeckContext,
    DeckFault,
    DeckFramework,
    MemoryScope,
    MemoryStore,
)
from induscode.capability_deck.memory_store import MEMORY_CHARACTERS, FileMemoryStore
from induscode.kernel.content import plain_text
from induscode.kernel.tool import AgentTool, ToolResult
from induscode.tools.bounded import bounded
from induscode.tools.validated import validated
from tests.requirements import requirement
from tests.tools.conftest import Bench

STORES = ["in memory", "files"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def card(bench: Bench, store: MemoryStore | None = None) -> AgentTool:
    deck = DeckContext(bench.cwd, DeckFramework(memory=store))
    return bounded(validated(build_memory_capability(deck)))


def store_of(kind: str, tmp_path: Path) -> MemoryStore:
    return InMemoryStore() if kind == "in memory" else FileMemoryStore(tmp_path / "notes", "ws-1")


async def call(tool: AgentTool, bench: Bench, **arguments: Any) -> ToolResult:
    return await tool.execute(arguments, bench.context())


async def said(tool: AgentTool, bench: Bench, **arguments: Any) -> str:
    result = await call(tool, bench, **arguments)
    assert not result.is_error, plain_text(result.content)
    return plain_text(result.content)


@requirement("deck.cards.memory.actions", "deck.cards.memory-injected")
@pytest.mark.parametrize("kind", STORES)
async def test_notes_are_read_replaced_and_appended_in_the_store_that_was_injected(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    store = store_of(kind, tmp_path)
    tool = card(bench, store)
    assert "no notes of the workspace yet" in await said(tool, bench, action="read")
    await said(tool, bench, action="append", content="one")
    await said(tool, bench, action="append", content="two\n")
    await said(tool, bench, action="append", content="three é")
    assert await said(tool, bench, action="read") == "one\ntwo\nthree é"
    assert store.read() == "one\ntwo\nthree é"
    await said(tool, bench, action="replace", content="new")
    assert store.read() == "new"
    await said(tool, bench, action="replace", content="")
    assert store.read() == ""


@pytest.mark.parametrize("kind", STORES)
async def test_a_user_and_a_workspace_have_notes_of_their_own(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    store = store_of(kind, tmp_path)
    tool = card(bench, store)
    await said(tool, bench, action="append", content="mine", scope="user")
    await said(tool, bench, action="append", content="ours", scope="workspace")
    assert store.read(MemoryScope.USER) == "mine"
    assert await said(tool, bench, action="read") == "ours"
    assert await said(tool, bench, action="read", scope="user") == "mine"


@requirement("deck.cards.memory.default-store")
async def test_without_a_store_each_tool_has_one_of_its_own(bench: Bench) -> None:
    first, second = card(bench), card(bench)
    await said(first, bench, action="append", content="secretly")
    assert await said(first, bench, action="read") == "secretly"
    assert "no notes" in await said(second, bench, action="read")


@requirement("deck.arguments.memory")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "needs the argument `action`"),
        ({"action": "forget"}, "`action` of memory"),
        ({"action": 1}, "`action` of memory"),
        ({"action": "append"}, "append needs `content`"),
        ({"action": "append", "content": " \n"}, "append needs `content`"),
        ({"action": "replace"}, "replace needs `content`"),
        ({"action": "append", "content": 5}, "`content` of memory must be a string"),
        ({"action": "append", "content": "a\0b"}, "no text that can be kept"),
        ({"action": "append", "content": "a\ud800"}, "no text that can be kept"),
        ({"action": "read", "scope": "world"}, "`scope` of memory"),
        ({"action": "read", "scop": "user"}, "Did you mean `scope`?"),
    ],
)
async def test_a_wrong_argument_is_told_and_changes_nothing(
    bench: Bench, arguments: dict[str, Any], told: str
) -> None:
    store = InMemoryStore()
    store.replace("kept")
    result = await call(card(bench, store), bench, **arguments)
    assert result.is_error
    assert told in plain_text(result.content)
    assert store.read() == "kept"


@pytest.mark.parametrize("arguments", [{}, {"action": "forget"}, {"action": "read", "scope": "x"}])
async def test_nonsense_is_an_error_also_where_nothing_validates(
    bench: Bench, arguments: dict[str, Any]
) -> None:
    result = await build_memory_capability(DeckContext(bench.cwd)).execute(
        arguments, bench.context()
    )
    assert result.is_error


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("action", ["append", "replace"])
async def test_what_has_no_room_is_refused_with_the_remedy_and_nothing_is_lost(
    bench: Bench, tmp_path: Path, kind: str, action: str
) -> None:
    store = store_of(kind, tmp_path)
    store.replace("x" * (MEMORY_CHARACTERS - 10))
    long = "y" * (20 if action == "append" else MEMORY_CHARACTERS + 1)
    result = await call(card(bench, store), bench, action=action, content=long)
    assert result.is_error
    assert result.details == {"kind": "backend", "scope": "workspace"}
    assert f"at most {MEMORY_CHARACTERS:,} are kept; nothing was changed" in str(result.content)
    assert "replace them by a shorter text" in str(result.content)
    assert store.read() == "x" * (MEMORY_CHARACTERS - 10)


async def test_secrets_are_left_out_of_what_is_kept(bench: Bench, tmp_path: Path) -> None:
    store = FileMemoryStore(tmp_path / "notes", "ws")
    context = replace(bench.context(), clean=lambda text: text.replace("hunter2hunter2", "[x]"))
    told = await card(bench, store).execute(
        {"action": "append", "content": "the key is hunter2hunter2"}, context
    )
    assert "What was secret in it was left out." in plain_text(told.content)
    assert (tmp_path / "notes" / "ws.md").read_text() == "the key is [x]"


def test_the_files_are_private_and_named_for_their_scopes(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "memory"
    store = FileMemoryStore(folder, "ws-1")
    store.append("a")
    store.append("b", MemoryScope.USER)
    names = sorted(each.name for each in folder.iterdir() if each.suffix == ".md")
    assert names == ["user.md", "ws-1.md"]
    for name in names:
        assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert FileMemoryStore(folder, "ws-2").read() == ""
    assert FileMemoryStore(folder, "ws-2").read(MemoryScope.USER) == "b"


@pytest.mark.parametrize("key", ["", "user", "USER", "../x", "a/b", "a\0", "x" * 300])
def test_a_key_that_is_no_name_of_its_own_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="cannot be the key of a workspace"):
        FileMemoryStore(tmp_path, key)


async def test_a_file_that_is_not_text_is_told_and_left_as_it_is(
    bench: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "ws.md"
    file.write_bytes(b"\xff\xfe")
    file.chmod(0o600)
    tool = card(bench, FileMemoryStore(tmp_path, "ws"))
    for arguments in ({"action": "read"}, {"action": "append", "content": "x"}):
        result = await call(tool, bench, **arguments)
        assert result.is_error
        assert f"{file} is not UTF-8 text; save it as UTF-8" in plain_text(result.content)
    assert file.read_bytes() == b"\xff\xfe"


def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path) -> None:
    store = FileMemoryStore(tmp_path, "ws")
    store.replace("x")
    (tmp_path / "ws.md").chmod(0o666)
    with pytest.raises(DeckFault, match="others may write it") as caught:
        store.read()
    assert caught.value.kind == "backend"


async def test_a_disk_that_does_not_take_it_is_an_error_result(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    tool = card(bench, FileMemoryStore(tmp_path / "taken", "ws"))
    result = await call(tool, bench, action="append", content="x")
    assert result.is_error
    assert result.details == {"kind": "backend", "scope": "workspace"}


def test_sessions_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from induscode.capability_deck.memory_store import FileMemoryStore\n"
        "store = FileMemoryStore(Path(sys.argv[1]), 'ws')\n"
        "for at in range(25): store.append(f'{sys.argv[2]}-{at}')\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "abc"
    ]
    assert [each.wait(timeout=50) for each in running] == [0, 0, 0]
    lines = FileMemoryStore(tmp_path, "ws").read().splitlines()
    assert sorted(lines) == sorted(f"{name}-{at}" for name in "abc" for at in range(25))


async def test_a_lock_that_is_held_does_not_stop_everything_else(
    bench: Bench, tmp_path: Path
) -> None:
    store = FileMemoryStore(tmp_path, "ws")
    store.replace("x")
    handle = os.open(tmp_path / "ws.md.lock", os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        writing = asyncio.create_task(
            call(card(bench, store), bench, action="append", content="late")
        )
        assert await said(card(bench, store), bench, action="read") == "x"
        assert not writing.done()
    finally:
        os.close(handle)
    assert not (await asyncio.wait_for(writing, 10)).is_error
    assert store.read() == "x\nlate"


def test_the_card_is_the_one_of_the_catalog_and_its_definition_is_small() -> None:
    assert memory_card().id == "memory"
    assert MEMORY_HANDLE_KEY == "memoryStore"
    definition = {
        "name": MEMORY.name,
        "description": MEMORY.description,
        "parameters": MEMORY.parameters,
    }
    assert len(msgspec.json.encode(definition)) < 600
