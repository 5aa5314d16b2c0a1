from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from induscode.addons.wasm import CompileCache, WasmAddon
from tests.addons.wasm.parts import HOSTILE, Opener


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> CompileCache:
    """One for all tests: each guest is compiled once."""
    return CompileCache(tmp_path_factory.mktemp("compiled"))


@pytest.fixture
async def opener(cache: CompileCache) -> AsyncIterator[Opener]:
    """Opens components and closes them when the test is over."""
    opened: list[WasmAddon] = []

    async def open_(path: Path = HOSTILE, **given: object) -> WasmAddon:
        addon = await WasmAddon.open(path, cache=cache, **given)
        opened.append(addon)
        return addon

    yield open_
    for addon in opened:
        await addon.close()
