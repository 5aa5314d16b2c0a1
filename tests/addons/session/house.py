"""A home with a workspace that has addons, and `indus` as a process in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.home import Home, Ran, answer

SAFETY = """\
id = "safety"
version = "1.0.0"

[[command]]
name = "deploy"
summary = "run the project deploy script"
exec = "./scripts/deploy.sh"

[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "blocked by safety addon"
"""


class House(Home):
    def __init__(self, root: Path) -> None:
        super().__init__(root)

    def addon(self, name: str, text: str, file: str = "manifest.toml") -> Path:
        """An addon of the workspace: a folder with one file, or with `file=""` a bare file."""
        folder = self.work / ".indus/addons"
        place = folder / name / file if file else folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def trust(self) -> None:
        done = self.run("trust", "grant")
        assert done.code == 0, done.err

    def ask(self, *calls: tuple[str, Mapping[str, Any]], words: tuple[str, ...] = ()) -> Ran:
        """One turn in which the model makes these calls and then says "Done."."""
        model = self.script(answer("", *calls) + answer("Done."))
        return self.run("-p", "go on", "-m", model, *words)

    def of(self, type_: str, **fields: object) -> list[dict[str, Any]]:
        """Entries of the last session with these fields."""
        return [
            entry
            for entry in self.entries(type_)
            if all(entry.get(name) == value for name, value in fields.items())
        ]

    def replays(self) -> bool:
        return self.run("replay", "last").code == 0

    def why(self, text: str) -> str:
        return self.run("why", "last", "--find", text).out


def spoken(entry: Mapping[str, Any]) -> str:
    """What can be read of a result."""
    return "".join(block.get("text", "") for block in entry["content"])
