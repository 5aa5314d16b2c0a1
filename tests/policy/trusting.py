"""A workspace to be trusted, and its user's store, in a folder of a test."""

from __future__ import annotations

import os
from pathlib import Path

from induscode.policy.belongings import Belonging, list_belongings
from induscode.policy.trust import State, Trust
from induscode.policy.trust_store import TrustStore

AT = "2026-01-01T00:00:00.000Z"
SIX = {
    ".indus/addons/x/manifest.toml": 'id = "x"\n',
    ".mcp.json": '{"mcpServers": {}}\n',
    ".indus/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up.\n---\nTidy up.\n",
    ".indus/commands/deploy.md": "deploy $1\n",
    "AGENTS.md": "Use tabs.\n",
    ".indus/config.toml": 'thinking = "low"\n',
}
"""One of each kind that issue and threats speak of, by file."""
SIX_ITEMS = (
    ".indus/addons/x",
    ".mcp.json",
    ".indus/skills/tidy",
    ".indus/commands/deploy.md",
    ".indus/config.toml",
    "AGENTS.md",
)
"""The same as items, in the order of the table."""


def imports(text: str, path: str) -> list[str]:
    """A grammar of our own, smaller than the real one: `@path`, from the document's folder."""
    folder = path.rpartition("/")[0]
    found = [
        os.path.normpath(Path(folder, word[1:])) for word in text.split() if word.startswith("@")
    ]
    return [each for each in found if not each.startswith(("/", ".."))]


class Bench:
    """One workspace and one store; `trust()` is a fresh look at both."""

    def __init__(self, root: Path) -> None:
        self.work = root / "work"
        self.home = root / "home"
        self.store = TrustStore(self.home)
        self.work.mkdir(parents=True)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            file = self.work / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def trust(self, cwd: Path | None = None) -> Trust:
        items = list_belongings(self.work, cwd or self.work)
        return Trust(self.work, items, self.store, home=self.home, imports=imports)

    def granted(self) -> Trust:
        trust = self.trust()
        trust.accept_new(at=AT)
        return trust

    def states(self) -> dict[str, State]:
        return {each.item.path: each.state for each in self.trust().states()}


def item(trust: Trust, path: str) -> Belonging:
    (found,) = [each for each in trust.items if each.path == path]
    return found
