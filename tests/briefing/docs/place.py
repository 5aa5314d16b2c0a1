"""A machine of its own: a root, a home and a working directory, and nothing of the real one."""

from __future__ import annotations

from pathlib import Path

from induscode.briefing.context_docs import GatherContextDocsOptions, Gathered, gather
from induscode.briefing.files import DiskFiles, Refused


class FencedFiles(DiskFiles):
    """The disk below one folder; it remembers what was read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reads: list[Path] = []

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        self.reads.append(path)
        if self.root not in path.parents:
            return None
        return super().read(path, most)


class Place:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home/ada"
        self.cwd = root / "work/app"
        self.files = FencedFiles(root)
        self.home.mkdir(parents=True)
        self.cwd.mkdir(parents=True)

    def path(self, name: str) -> Path:
        """`name` is relative to the root; `~` is the home and `.` the working directory."""
        first, _, rest = name.partition("/")
        return {"~": self.home, ".": self.cwd}.get(first, self.root / first) / rest

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def link(self, name: str, target: Path) -> None:
        path = self.write(name, "")
        path.unlink()
        path.symlink_to(target)

    def gather(
        self,
        *,
        depth: int | None = None,
        each: int | None = None,
        together: int | None = None,
        rules: tuple[Path, ...] = (),
    ) -> Gathered:
        opts = GatherContextDocsOptions(depth, each, together, self.files, rules)
        return gather(self.cwd, self.home, opts)

    def bodies(self) -> list[str]:
        return [doc.body for doc in self.gather().docs]

    def headings(self) -> list[str]:
        return [doc.path for doc in self.gather().docs]

    def notes(self) -> list[str]:
        return [note.sentence() for note in self.gather().notes]
