"""Compiled once, loaded in milliseconds, and never trusted blindly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.addons.wasm import CompileCache, WasmAddon, cache, prepare, sources
from induscode.addons.wasm.compiling import compiled
from tests.addons.wasm.parts import GUARD


class Counting:
    """The real compiler, and how often it was needed."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, source: bytes) -> bytes:
        self.count += 1
        return await compiled(source)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    fresh = Counting()
    monkeypatch.setattr(sources, "compiled", fresh)
    return fresh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "compiled"


async def opened(folder: Path) -> None:
    addon = await WasmAddon.open(GUARD, cache=CompileCache(folder))
    await addon.close()


def entry(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


async def test_a_component_is_compiled_once_into_a_private_file(
    folder: Path, counting: Counting
) -> None:
    await opened(folder)
    await opened(folder)
    assert counting.count == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert entry(folder).stat().st_mode & 0o777 == 0o600


async def test_preparing_is_what_makes_the_first_load_quick(
    folder: Path, counting: Counting
) -> None:
    digest = await prepare(GUARD, CompileCache(folder))
    assert entry(folder).name.startswith(f"{digest}-")
    await opened(folder)
    assert counting.count == 1


async def test_a_component_without_a_cache_is_compiled_each_time(counting: Counting) -> None:
    for _ in range(2):
        addon = await WasmAddon.open(GUARD)
        await addon.close()
    assert counting.count == 2


def flip_the_last_byte(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def cut_it_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def empty_it(file: Path) -> None:
    file.write_bytes(b"")


def forge_the_digest(file: Path) -> None:
    """A content that the engine would not take, under a digest that fits."""
    file.write_bytes(cache._head(b"no code") + b"no code")


def let_others_write(file: Path) -> None:
    file.chmod(0o666)


def put_a_link(file: Path) -> None:
    moved = file.parent.parent / "elsewhere"
    file.rename(moved)
    file.symlink_to(moved)


def put_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


@pytest.mark.parametrize(
    "harm",
    [
        flip_the_last_byte,
        cut_it_off,
        empty_it,
        forge_the_digest,
        let_others_write,
        put_a_link,
        put_a_pipe,
    ],
)
async def test_an_entry_that_cannot_be_trusted_is_compiled_anew_and_replaced(
    folder: Path, counting: Counting, harm: Callable[[Path], None]
) -> None:
    await opened(folder)
    good = entry(folder).read_bytes()
    harm(entry(folder))
    await opened(folder)
    assert counting.count == 2
    file = entry(folder)
    assert file.read_bytes() == good
    assert file.lstat().st_mode & 0o170777 == 0o100600
    await opened(folder)
    assert counting.count == 2


async def test_a_folder_that_others_may_write_is_neither_read_nor_written(
    folder: Path, counting: Counting
) -> None:
    await opened(folder)
    before = entry(folder).stat().st_mtime_ns
    folder.chmod(0o777)
    await opened(folder)
    assert counting.count == 2
    assert entry(folder).stat().st_mtime_ns == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_an_entry_of_somebody_else_is_not_trusted(folder: Path, counting: Counting) -> None:
    await opened(folder)
    os.chown(entry(folder), 12345, 12345)
    await opened(folder)
    assert counting.count == 2


async def test_another_engine_has_entries_of_its_own(
    folder: Path, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(folder)
    monkeypatch.setattr(sources, "engine_key", lambda: "of-the-next-version")
    await opened(folder)
    assert counting.count == 2
    assert len(list(folder.iterdir())) == 2


def test_the_entries_that_were_not_used_for_longest_are_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CACHE_ENTRIES", 3)
    kept = CompileCache(folder)
    for at, name in enumerate(["a", "b", "c"]):
        kept.store(name, b"code")
        os.utime(folder / name, (at, at))
    assert kept.load("a") == b"code"
    kept.store("d", b"code")
    assert {file.name for file in folder.iterdir()} == {"a", "c", "d"}


async def test_a_cache_that_cannot_be_written_costs_only_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    await opened(tmp_path / "file" / "compiled")


def test_an_entry_that_cannot_be_put_in_its_place_leaves_nothing_behind(folder: Path) -> None:
    (folder / "taken").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        CompileCache(folder).store("taken", b"code")
    assert [file.name for file in folder.iterdir()] == ["taken"]


async def test_a_compiled_component_is_loaded_in_a_fraction_of_the_time(folder: Path) -> None:
    began = time.perf_counter()
    await opened(folder)
    compiling = time.perf_counter() - began
    least = compiling
    for _ in range(20):
        began = time.perf_counter()
        addon = await WasmAddon.open(GUARD, cache=CompileCache(folder))
        least = min(least, time.perf_counter() - began)
        await addon.close()
    assert least < compiling / 10
