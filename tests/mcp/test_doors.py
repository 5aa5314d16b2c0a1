"""One gate: the same call has the same verdict, whoever wants it done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.addons.session.misdeeds import OWN
from tests.cli.home import answer
from tests.crew.delegates.family import SAY, agent, task
from tests.mcp.harbour import Harbour, tool
from tests.requirements import requirement

HOOKS = ("by-gate", "by-observer", "by-enter")
LINES = {"by-model", "by-delegate", *HOOKS, "by-tool", "by-task", "by-command", "by-manifest"}
"""The same line, wanted by the model, a delegate, hooks, a tool and a task of an addon, a command
of an addon, and a slash command of a manifest."""
FOREIGN = ("reach", "srv__a")
"""A tool of an addon and one of a server."""
MANIFEST = 'id = "plain"\n[[command]]\nname = "plain"\nexec = "touch by-manifest"\n'
FULL, DENY = ("--mode", "full"), ("--deny", "bash(touch *)")
ALLOW = ("--allow", "bash(touch *)", "--allow", "write", "--allow", "reach", "--allow", "srv__a")
NEITHER = ("--deny", "reach", "--deny", "srv__a")
WITHOUT_TOOLS = LINES - {"by-tool"}  # that of an addon did not run, so it wanted nothing


class Gatehouse(Harbour):
    """A home with everything through which something can be done."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (root / "plain").mkdir()
        (root / "plain" / "manifest.toml").write_text(MANIFEST)
        shutil.copy(OWN / "doors.py", root / "doors.py")
        for place in ("plain", "doors.py"):
            done = self.run("addon", "install", str(root / place), "--yes")
            assert done.code == 0, done.err
        self.configure(self.server("srv", tool("a")))

    def through(self, words: tuple[str, ...]) -> str:
        """Everybody tries; returns what was said of it."""
        tried = [("write", {"path": "new.txt", "content": "x"}), *((name, {}) for name in FOREIGN)]
        own, below = (("bash", {"command": f"touch by-{who}"}) for who in ("model", "delegate"))
        agent(self, "below", answer("", below, *tried) + SAY)
        model = self.script(answer("", own, *tried) + answer("", task("go on", "below")) + SAY)
        ran = self.run("-p", "go on", "-m", model, *words)
        assert ran.code in {0, 3}, ran.err
        for command in ("reach", "plain"):
            self.run("-p", f"/{command}", "-m", self.script(""), *words)
        return ran.err

    def made(self) -> set[str]:
        return {place.name for place in self.work.glob("by-*")}

    def outcomes(self) -> dict[str, set[str]]:
        """How calls of each tool ended, in all sessions: the model's own and the delegate's."""
        rows = [row for log in self.logs() for row in self.entries("result", log)]
        ended: dict[str, set[str]] = {}
        for row in rows:
            ended.setdefault(row["tool"], set()).add(row["outcome"])
        return ended


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("gatehouse") / "built"
    root.mkdir()
    return Gatehouse(root).root


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Gatehouse:
    """As it was built; what the servers did is not copied, for they are started by their path."""
    made = Gatehouse.__new__(Gatehouse)
    Harbour.__init__(made, tmp_path)
    shutil.copytree(built / "home", made.indus, dirs_exist_ok=True, symlinks=True)
    shutil.copytree(built / "servers", made.root / "servers")
    made.configure(made.server("srv"))
    return made


@requirement("invariant.10.one-gate-function")
@pytest.mark.parametrize(
    ("words", "made", "line", "foreign"),
    [
        (FULL, LINES, "ok", "ok"),
        ((*FULL, *NEITHER), WITHOUT_TOOLS, "ok", "denied"),
        (("--mode", "plan"), set[str](), "denied", "denied"),
        ((), set[str](), "refused", "refused"),
        (ALLOW, LINES, "ok", "ok"),
        ((*ALLOW, *DENY), set[str](), "denied", "ok"),
    ],
    ids=["full", "tools denied", "plan", "nobody", "allowed", "line denied"],
)
def test_a_call_has_one_verdict_whoever_makes_it(
    home: Gatehouse, words: tuple[str, ...], made: set[str], line: str, foreign: str
) -> None:
    said = home.through(words)
    assert home.made() == made, said
    ended = home.outcomes()
    assert ended["bash"] == {line}, "of the model and of the delegate"
    assert ended["reach"] == ended["srv__a"] == {foreign}, said
    ran = home.server("srv").ran()
    assert ran == (["a", "a"] if foreign == "ok" else [])
