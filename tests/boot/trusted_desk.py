"""A home with a workspace in it, as the loaders of the briefing see them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.boot.places import Places
from induscode.boot.trusted_files import TrustedFiles
from induscode.boot.trusting import Door
from induscode.briefing.files import Child, Refused

AT = "2026-01-01T00:00:00.000Z"
MOST = 1000
TREE = {
    "AGENTS.md": "Use tabs. @docs/style.md\n",
    "docs/style.md": "Short lines.\n",
    ".claude/skills/tidy/SKILL.md": "Tidy up.\n",
    ".claude/skills/tidy/lib/more.md": "More.\n",
    ".claude/skills/loose.md": "Loose.\n",
    ".claude/commands/git/push.md": "Push.\n",
}


class Desk:
    """`config` is the user's own directory of ours; both homes are real paths."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.work = self.home / "src" / "work"
        self.config = self.home / ".config" / "indus"
        self.work.mkdir(parents=True)

    def write(self, files: dict[str, str], base: Path | None = None) -> None:
        for name, text in files.items():
            file = (base or self.work) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def door(self, cwd: Path | None = None, workspace: Path | None = None) -> Door:
        work = workspace or self.work
        places = Places(self.config, self.config)
        return Door(work, cwd or work, places, {"HOME": str(self.home)})

    def grant(self) -> None:
        self.door().trust.accept_new(at=AT)

    def files(self) -> TrustedFiles:
        return TrustedFiles(self.door())

    def read(self, path: Path) -> bytes | Refused | None:
        """By a fresh look."""
        return self.files().read(path, MOST)


def names(listing: object) -> list[str]:
    assert isinstance(listing, (list, tuple))
    children = [child for child in listing if isinstance(child, Child)]
    assert len(children) == len(listing)
    return [f"{child.name}/" if child.folder else child.name for child in children]


def refusal(found: object) -> str:
    assert isinstance(found, Refused), found
    return found.reason


def count_opens(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are opened from now on, by their last names; folders do not count."""
    real, opened = os.open, list[str]()

    def counting(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & os.O_DIRECTORY:
            opened.append(Path(path).name)
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", counting)
    return opened
