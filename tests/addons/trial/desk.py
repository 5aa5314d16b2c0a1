"""A session that a real run recorded, and the command that tries addons against it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.cli.home import Home, Ran, answer

EXAMPLES = Path(__file__).parents[3] / "examples" / "addons"
KEY = "AKIAABCDEFGHIJKLMNOP"
MANIFEST = """\
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
SCRIPT = (
    answer("I look.", ("bash", {"command": "sudo ls"}), ("read", {"path": "notes.txt"}))
    + answer("I tidy up.", ("bash", {"command": "rm -rf gone"}))
    + answer("I publish.", ("bash", {"command": "git push --force"}))
    + answer("All done.")
)


class Desk:
    """`log` is the recorded session: it reads a file with a key in it and runs three commands."""

    def __init__(self, root: Path) -> None:
        self.home = Home(root)
        (self.home.work / "notes.txt").write_text(f"the key is {KEY}\n")
        ran = self.home.run("-p", "Tidy up.", "-m", self.home.script(SCRIPT), "--mode", "full")
        assert (ran.code, ran.out) == (0, "All done.\n"), ran.err
        (self.log,) = self.home.logs()

    def write(self, name: str, text: str) -> Path:
        path = self.home.root / "addons" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def example(self, name: str) -> Path:
        """One that ships, copied, so that nothing is written beside it."""
        (self.home.root / "addons").mkdir(exist_ok=True)
        return Path(shutil.copy(EXAMPLES / name, self.home.root / "addons"))

    def manifest(self, name: str = "safety", text: str = MANIFEST) -> Path:
        return self.write(f"{name}/manifest.toml", text).parent

    def test(self, path: Path, *words: str) -> Ran:
        return self.home.run("addon", "test", str(path), *words)

    def report(self, path: Path, *words: str) -> dict[str, Any]:
        """What a program reads; against the recorded session unless the words say otherwise."""
        ran = self.test(path, "--json", *(words or ("--replay", "last")))
        assert ran.err == "", ran.err
        report = json.loads(ran.out)
        assert ran.code == (0 if report["passed"] else 1)
        return report

    def entry(self, id_: str) -> dict[str, Any]:
        return next(row for row in self.home.entries(log=self.log) if row["id"] == id_)


def acted(report: dict[str, Any], *outcomes: str) -> list[dict[str, Any]]:
    wanted = outcomes or ("changed", "stopped", "failed")
    return [step for step in report["steps"] if step["outcome"] in wanted]
