"""Much is broken at once: each fault is told with what it is of, and the rest works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.addons.session.house import spoken
from tests.cli.home import Ran
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import calls, say
from tests.mcp.harbour import FULL, Harbour, tool

GATE = 'id = "{}"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "{}"\nreason = "not here"\n'
SKILL = "---\nname: {name}\ndescription: How to {name}.\n---\nDo it.\n"
AGENT = "---\nname: goodagent\ndescription: It is good.\n---\nDo it.\n"
BROKEN = {
    "addon": ".indus/addons/bad/manifest.toml",
    "skill": ".indus/skills/badskill/SKILL.md",
    "macro": ".indus/commands/badmacro.md",
    "agent": ".claude/agents/badagent.md",
}


class Ruin(Harbour):
    """Of everything that one may have there is one that is broken and one that is not."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        kept = {
            BROKEN["addon"]: "id = \n",
            ".indus/addons/good/manifest.toml": GATE.format("good", "ls"),
            BROKEN["skill"]: "---\nname: [\n---\nDo it.\n",
            ".indus/skills/goodskill/SKILL.md": SKILL.format(name="goodskill"),
            BROKEN["macro"]: "",
            ".indus/commands/goodmacro.md": "Say what is good: {{arg.all}}\n",
            BROKEN["agent"]: "---\nname: [\n---\nDo it.\n",
            ".claude/agents/goodagent.md": AGENT,
        }
        for name, text in kept.items():
            file = self.work / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.srv = self.server("good", tool("works"))
        missing = {"command": str(root / "no-such-program")}
        self.project(".mcp.json", good=self.srv.row(), bad=missing, worse={"args": 7})
        self.trust()


@pytest.fixture(scope="module")
def ruin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ruin, Ran, str]:
    home = Ruin(tmp_path_factory.mktemp("ruin"))
    steps = [calls(("good__works", {}), ("ls", {}), ("read", {"path": "a.txt"})), say("Done.")]
    (home.work / "a.txt").write_text("it is here\n")
    with AnthropicServer(steps) as model:
        home.url = model.url
        words = ("-m", "anthropic/claude-sonnet-4-5", *FULL)
        ran = home.run("-p", "/goodmacro now", *words)
        return home, ran, model.bodies[0].decode()


@pytest.mark.parametrize("broken", [*BROKEN.values(), "'bad'", "mcpServers.worse"])
def test_each_fault_is_told_unasked_and_says_whose_it_is(
    ruin: tuple[Ruin, Ran, str], broken: str
) -> None:
    _, ran, _ = ruin
    assert len([line for line in ran.complaints if broken in line]) == 1, ran.err


def test_what_is_not_broken_works(ruin: tuple[Ruin, Ran, str]) -> None:
    home, ran, body = ruin
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    told = {row["tool"]: spoken(row) for row in home.entries("result")}
    assert told["good__works"] == "works ran"
    assert told["ls"] == "Blocked by good: not here"
    assert "it is here" in told["read"]
    for words in ("Say what is good: now", "How to goodskill.", "It is good."):
        assert words in body, words
    assert home.replays()
