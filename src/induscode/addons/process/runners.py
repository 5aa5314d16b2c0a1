"""Which interpreter runs what: from the path of an addon to the words that start it."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from induscode.addons.contract import LoaderError, LoaderErrorKind
from induscode.addons.discovery import ENTRY_EXTENSIONS, package_entry, tier_of
from induscode.addons.process.confine import HOUSE
from induscode.policy.environment import find_program

__all__ = ["Runner", "runner_of", "surroundings"]

_JAVASCRIPT = (".js", ".mjs", ".cjs")
_TYPESCRIPT = (".ts", ".mts", ".cts")
_STRIPS = ((22, 18), (23, 6))
_STRIPS_WHEN_ASKED = (22, 6)
_ASKING_SECONDS = 10.0
_INSTALLED = ("lib", "lib64", "libexec", "share", "pyvenv.cfg")


class Runner(Struct, frozen=True):
    """The words that start the `entry`, the folder that is the addon's own (None for a single
    file), and what has to be readable for its interpreter."""

    words: tuple[str, ...]
    entry: Path
    folder: Path | None
    needs: tuple[Path, ...] = ()


async def runner_of(path: Path, environ: Mapping[str, str]) -> Runner:
    """For a file, or a folder that is a package. Raises `LoaderError`, which says what to do."""
    entry, folder = _located(path)
    words, needs = await _interpreter(entry, environ)
    return Runner((*words, str(entry)), entry, folder, needs)


def _located(path: Path) -> tuple[Path, Path | None]:
    entry = _entry(path)
    if not entry.is_file():
        raise LoaderError(LoaderErrorKind.UNREADABLE, entry, "there is no such file")
    return entry, path if path.is_dir() else _package_of(entry)


def _entry(path: Path) -> Path:
    if not path.is_dir():
        return path
    named = package_entry(path)
    if named is not None:
        return named
    for suffix in ENTRY_EXTENSIONS:
        if (path / f"index{suffix}").is_file():
            return path / f"index{suffix}"
    tier = tier_of(path)
    raise LoaderError.unsupported(
        path,
        f"this is loaded by {tier}" if tier else "there is no addon in this folder",
        hint='name its entry in package.json: "indusAddon": "main.js"',
    )


def _package_of(entry: Path) -> Path | None:
    """The folder that an entry is the entry of."""
    if entry.stem == "index":
        return entry.parent
    for folder in entry.parents:
        with suppress(LoaderError):
            if package_entry(folder) == entry:
                return folder
    return None


async def _interpreter(
    entry: Path, environ: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    if entry.suffix == ".py":
        return (sys.executable, "-B"), (Path(sys.prefix), Path(sys.base_prefix), HOUSE)
    if entry.suffix in _JAVASCRIPT:
        node = _node(entry, environ)
        return (str(node),), _beside(node)
    if entry.suffix in _TYPESCRIPT:
        node = _node(entry, environ)
        return (str(node), *await _stripping(entry, node)), _beside(node)
    if entry.suffix == ".tsx":
        raise LoaderError.unsupported(
            entry, "no interpreter runs .tsx", hint="compile it to .js, or write .ts without JSX"
        )
    if entry.suffix == ".wasm":
        raise LoaderError.unsupported(entry, f"this is loaded by {tier_of(entry)}")
    if os.access(entry, os.X_OK):
        return (), ()
    raise LoaderError.unsupported(
        entry,
        "nothing is known to run this",
        hint="make it executable, with the name of its interpreter in its first line",
    )


def _node(entry: Path, environ: Mapping[str, str]) -> Path:
    found, _ = find_program("node", Path("/"), environ)
    if found is None:
        raise LoaderError(
            LoaderErrorKind.FAILED, entry, "there is no `node` on the path", hint="install Node.js"
        )
    return found


def _beside(node: Path) -> tuple[Path, ...]:
    return (*surroundings(node), HOUSE / "indus_addon")


def surroundings(program: Path) -> tuple[Path, ...]:
    """What a program has to read to run: itself, and what was installed with it. Never the whole of
    the folder above `bin`, which may be somebody's home."""
    found: list[Path] = []
    for file in (program, Path(os.path.realpath(program))):
        found.append(file)
        if file.parent.name == "bin":
            found += (file.parents[1] / name for name in _INSTALLED)
    return tuple(found)


async def _stripping(entry: Path, node: Path) -> tuple[str, ...]:
    """The words with which this Node runs TypeScript."""
    version = await _version(entry, node)
    if any(version[0] == major and version >= (major, least) for major, least in _STRIPS):
        return ()
    if version > _STRIPS[-1]:
        return ()
    if version >= _STRIPS_WHEN_ASKED:
        return ("--experimental-strip-types",)
    raise LoaderError.unsupported(
        entry,
        f"Node {version[0]}.{version[1]} cannot run TypeScript",
        hint="Node 22.6 and later can; or compile it to .js",
    )


async def _version(entry: Path, node: Path) -> tuple[int, int]:
    try:
        asked = await asyncio.create_subprocess_exec(
            node, "--version", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env={},
        )  # fmt: skip
        try:
            async with asyncio.timeout(_ASKING_SECONDS):
                said, _ = await asked.communicate()
        finally:
            with suppress(ProcessLookupError):
                asked.kill()
    except (OSError, TimeoutError) as error:
        raise LoaderError(LoaderErrorKind.FAILED, entry, f"{node} did not answer") from error
    found = re.match(rb"v(\d+)\.(\d+)", said)
    if found is None:
        raise LoaderError(LoaderErrorKind.FAILED, entry, f"{node} does not tell its version")
    return int(found[1]), int(found[2])
