"""The features that contribute the deck's tools, and the sources that make each of them up."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from induscode.errors import HostError
from induscode.kernel.jsontext import digest
from induscode.kernel.sources import sources_digest

__all__ = [
    "CHECKLIST",
    "CONNECTORS",
    "DELEGATE",
    "FILES",
    "MEMORY",
    "PLAN",
    "SEARCH",
    "SHELL",
    "WEB",
    "feature_digest",
    "source_files",
]

FILES = "builtin:files"
SEARCH = "builtin:search"
SHELL = "builtin:shell"
WEB = "builtin:web"
CHECKLIST = "builtin:checklist"
MEMORY = "builtin:memory"
PLAN = "builtin:plan"
DELEGATE = "builtin:delegate"
CONNECTORS = "builtin:connectors"

_EVERY = (
    "capability_deck/*.py",
    "capability_deck/cards/__init__.py",
    "capability_deck/cards/acting.py",
    "capability_deck/cards/definitions.py",
    "tools/__init__.py",
    "tools/bounded.py",
    "tools/compare.py",
    "tools/definition.py",
    "tools/definitions.py",
    "tools/guarded.py",
    "tools/limits.py",
    "tools/marked.py",
    "tools/native.py",
    "tools/schema.py",
    "tools/spill.py",
    "tools/validated.py",
)
"""What stands around every tool."""

_SOURCES: dict[str, tuple[str, ...]] = {
    FILES: (
        "capability_deck/cards/checkpoint.py",
        "tools/anchored.py",
        "tools/edit.py",
        "tools/knowing.py",
        "tools/local_fs.py",
        "tools/ls.py",
        "tools/read.py",
        "tools/pictures.py",
        "tools/reading/*.py",
        "tools/replacing.py",
        "tools/textfile.py",
        "tools/trouble.py",
        "tools/write.py",
    ),
    SEARCH: ("tools/search/*.py", "tools/trouble.py"),
    SHELL: (
        "capability_deck/cards/bg_process.py",
        "tools/bash.py",
        "tools/capture.py",
        "tools/local_shell.py",
        "tools/processes/*.py",
    ),
    WEB: ("tools/web/*.py",),
    CHECKLIST: ("capability_deck/cards/todo.py", "tools/checklist/*.py"),
    MEMORY: ("capability_deck/cards/memory.py",),
    PLAN: ("capability_deck/cards/plan.py", "capability_deck/cards/plan_files.py"),
    DELEGATE: (
        "boot/agents.py",
        "boot/delegating.py",
        "capability_deck/cards/task.py",
        "capability_deck/agents/*.py",
        "crew/delegates/*.py",
    ),
    CONNECTORS: ("capability_deck/cards/saas.py", "capability_deck/connectors/*.py"),
}


@cache
def feature_digest(feature: str) -> str:
    """sha256 over the sources that make up a feature, names included: what ran, for the log."""
    return digest(f"{_shared_digest()}\0{sources_digest(_own_files(feature))}".encode())


@cache
def _shared_digest() -> str:
    """What stands around every tool is read once, not once for each feature."""
    return sources_digest(_files(_EVERY))


def source_files(feature: str) -> list[Path]:
    """Raises `HostError` for a feature that does not ship."""
    return [*_files(_EVERY), *_own_files(feature)]


def _own_files(feature: str) -> list[Path]:
    if feature not in _SOURCES:
        raise HostError(f"no built-in feature {feature}", hint=f"known: {', '.join(_SOURCES)}")
    return _files(_SOURCES[feature])


def _files(patterns: tuple[str, ...]) -> list[Path]:
    root = Path(__file__).parent.parent
    return [file for pattern in patterns for file in root.glob(pattern)]
