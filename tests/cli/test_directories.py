"""Where things are looked for: folders of our own, those of other agents, and the user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.mcp.harbour import Harbour, tool
from tests.requirements import requirement

DOCUMENTS = {"AGENTS.md": "Agents read this.", "CLAUDE.md": "Claude reads this."}
SKILLS = (".indus/skills", ".indusagi/skills", ".claude/skills", ".agents/skills")
COMMANDS = (".indus/commands", ".indusagi/commands", ".claude/commands")
SERVERS = (".indus/mcp.json", ".indusvx/mcp.json", ".mcp.json")
GATE = 'id = "{}"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "ls"\nreason = "not here"\n'
SKILL = "---\nname: {0}\ndescription: It is of {0}.\n---\nDo it.\n"
AGENT = "---\nname: foreign\ndescription: It is foreign.\n---\nDo it.\n"
MODEL = ("-m", "anthropic/claude-sonnet-4-5")


def _word(place: str) -> str:
    return place.strip(".").replace("/", "-").replace(".", "-")


class Everything(Harbour):
    """A workspace and a user's folder with one of each thing in each place."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        for name, text in DOCUMENTS.items():
            self._keep(self.work / name, f"{text}\n")
        for place in SKILLS:
            self._skill(self.work / place, _word(place))
        for place in COMMANDS:
            self._keep(self.work / place / f"{_word(place)}.md", f"It comes from {place}.\n")
        for place in SERVERS:
            name = _word(place)
            self.project(place, **{name: self.server(name, tool("works")).row()})
        self._keep(self.work / ".indus/addons/ours/manifest.toml", GATE.format("ours"))
        self._keep(self.work / ".indus/agents/ours.toml", 'description = "It is ours."\n')
        self._keep(self.work / ".claude/agents/foreign.md", AGENT)
        self._keep(self.work / ".indus/config.toml", '[permissions]\ndeny = ["write"]\n')
        self._skill(self.indus / "skills", "own-skill")
        self._keep(self.indus / "commands/own-command.md", "It comes from the user.\n")
        self._keep(self.indus / "agents/own.toml", 'description = "It is the user\'s."\n')
        self.configure(self.server("own", tool("works")))
        self.config('mode = "full"\n')

    def _keep(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def _skill(self, folder: Path, name: str) -> None:
        self._keep(folder / name / "SKILL.md", SKILL.format(name))


@pytest.fixture
def home(tmp_path: Path) -> Everything:
    made = Everything(tmp_path)
    made.trust()
    return made


@requirement("decision.directories")
def test_our_own_places_and_those_of_others_are_read_where_they_exist(home: Everything) -> None:
    commands = {_word(place): f"It comes from {place}." for place in COMMANDS}
    commands["own-command"] = "It comes from the user."
    first, *others = (f"/{name}" for name in commands)
    with AnthropicServer([say("Done.")] * len(commands)) as model:
        home.url = model.url
        ran = home.run("-p", first, *MODEL)
        assert (ran.code, ran.out, ran.complaints) == (0, "Done.\n", []), ran.err
        typed = "".join(f"{line}\n" for line in others)
        assert home.run(*MODEL, "--mcp", "off", stdin=typed).code == 0
        bodies = [json.loads(body) for body in model.bodies]
    for body, words in zip(bodies, commands.values(), strict=True):
        assert words in json.dumps(body["messages"][-1])
    system = json.dumps(bodies[0]["system"])
    skills = [f"It is of {_word(place)}." for place in SKILLS]
    agents = ["It is ours.", "It is foreign.", "It is the user's."]
    for words in (*DOCUMENTS.values(), *skills, "It is of own-skill.", *agents):
        assert words in system, words
    tools = {each["name"] for each in bodies[0]["tools"] if "__" in each["name"]}
    assert tools == {f"{_word(place)}__works" for place in SERVERS} | {"own__works"}

    write = ("write", {"path": "a.txt", "content": "x"})
    home.go([("ls", {})], [write], words=("--mcp", "off"))
    gated, ruled = home.results()
    assert gated == "Blocked by ours: not here"
    assert "denied by the rule 'write'" in ruled
