"""A home with a library: a server with prompts and resources."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.mcp.harbour import Harbour

PROGRAM = Path(__file__).with_name("library.py")
READS = frozenset({"prompts/get", "resources/templates/list", "resources/read"})


class Reader(Harbour):
    def library(self, *, deferred: bool = False) -> None:
        """Configured as `library`."""
        folder = self.root / "library"
        folder.mkdir()
        row = {"command": sys.executable, "args": ["-S", str(PROGRAM), str(folder)]}
        self.configure(library=row)
        if deferred:
            self.config("[mcp]\ndefer_tokens = 0\n")

    def asked(self) -> list[str]:
        """What the library was asked for, connecting aside."""
        rows = map(json.loads, (self.root / "library/asked.jsonl").read_text().splitlines())
        return [row["method"] for row in rows if row["method"] in READS]

    def enrolled(self) -> set[str]:
        """The tools that the ledger of the workspace has, if there is one yet."""
        if not any((self.indus / "mcp").glob("*.jsonl")):
            return set()
        return {tool.definition.tool for tool in self.ledger().snapshot.enrolled.values()}

    def told_of(self) -> list[set[str]]:
        """The tools for servers that the model was told of in each epoch that changed them."""
        return [
            {row["name"] for row in entry["tools"] if row["by"] in {"builtin:mcp", "mcp:library"}}
            for entry in self.entries("toolset")
        ]
