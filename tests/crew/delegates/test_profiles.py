"""Profiles of agents: what a file says, and what becomes of a file that says it wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.capability_deck.agents.files import (
    AGENTS_DIR,
    PROFILE_BYTES,
    discover_profiles,
    read_profile,
)
from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.crew.delegates.authority import mode_of, seconds_of, tools_of
from induscode.crew.delegates.foreign import read_foreign
from induscode.crew.delegates.limits import MAX_DEPTH, PROFILES, SECONDS
from induscode.crew.delegates.roster import AgentFile, gather
from induscode.errors import ConfigError
from induscode.policy.modes import Mode
from tests.crew.delegates.family import agent_file
from tests.requirements import requirement

TOOLS = ("read", "grep", "find", "write", "edit", "bash", "task", "git__log", "git__push")


def no_model(wanted: str) -> None:
    del wanted


@requirement("addons.subagents.profile-fields", "addons.subagents.agents-dir")
def test_a_profile_has_what_its_file_says_and_its_name_is_the_files(tmp_path: Path) -> None:
    assert AGENTS_DIR == ".indus/agents"
    folder = tmp_path / AGENTS_DIR
    agent_file(folder, "bare")
    agent_file(
        folder,
        "full",
        name="reviewer",
        model="anthropic/x",
        tool_collection=["read", "grep"],
        prompt="Be strict.",
        description="Reviews.",
        when="after changes",
        mode="plan",
        max_steps=3,
        max_cost=0.5,
        max_seconds=60,
    )
    bare, full = discover_profiles(tmp_path)
    assert bare == SubagentProfile("bare", source=str(folder / "bare.toml"))
    assert isinstance(full, SubagentProfile)
    assert (full.name, full.model, full.prompt) == ("reviewer", "anthropic/x", "Be strict.")
    assert full.tool_collection == ("read", "grep")
    assert (full.mode, full.max_steps, full.max_cost, full.max_seconds) == (Mode.PLAN, 3, 0.5, 60)


@requirement("addons.subagents.discover-one-level")
def test_only_toml_files_directly_in_the_folder_are_profiles(tmp_path: Path) -> None:
    folder = tmp_path / AGENTS_DIR
    assert discover_profiles(tmp_path) == []
    agent_file(folder, "b")
    agent_file(folder, "a")
    agent_file(folder / "deeper", "c")
    (folder / "d.md").write_text("---\nname: d\n---\n")
    found = discover_profiles(tmp_path)
    assert [profile.name for profile in found if isinstance(profile, SubagentProfile)] == ["a", "b"]


BAD = {
    "syntax": ("name = ", "syntax", "mend the line"),
    "unknown": ("tool_colection = []", "tool_colection", "fields: name, model, tool_collection"),
    "mode": ('mode = "root"', "mode", "use one of plan, ask, accept-edits, full"),
    "steps": ("max_steps = 0", "max_steps", "docs/delegates.md"),
    "cost": ("max_cost = -1", "max_cost", "docs/delegates.md"),
    "seconds": ('max_seconds = "long"', "max_seconds", "docs/delegates.md"),
    "tools": ("tool_collection = 3", "tool_collection", "docs/delegates.md"),
    "prompt": ("prompt = []", "prompt", "docs/delegates.md"),
    "name": ('name = "a b\\u001b"', "name", "letters, digits"),
    "empty name": ('name = ""', "name", "letters, digits"),
    "bytes": (b"\xff\xfe", "syntax", "mend the line"),
    "deep": ("a = " + "[" * 5000, "syntax", "mend the line"),
    "large": ("# " + "x" * PROFILE_BYTES, "file", "small, readable"),
}


@requirement("addons.subagents.malformed-isolated")
@pytest.mark.parametrize("bad", BAD)
def test_a_malformed_file_is_an_error_that_names_file_field_and_remedy(
    tmp_path: Path, bad: str
) -> None:
    text, field, remedy = BAD[bad]
    file = agent_file(tmp_path / AGENTS_DIR, "bad")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    agent_file(tmp_path / AGENTS_DIR, "good")
    error, good = discover_profiles(tmp_path)
    assert isinstance(error, ConfigError)
    assert (error.file, error.field) == (str(file), field)
    assert remedy in str(error)
    assert isinstance(good, SubagentProfile)


@requirement("addons.subagents.malformed-isolated")
def test_a_file_that_cannot_be_read_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / AGENTS_DIR / "folder.toml").mkdir(parents=True)
    agent_file(tmp_path / AGENTS_DIR, "good")
    error, good = discover_profiles(tmp_path)
    assert isinstance(error, ConfigError)
    assert error.field == "file"
    assert isinstance(good, SubagentProfile)


def md(head: str, body: str = "You review.") -> bytes:
    return f"---\n{head}\n---\n{body}\n".encode()


def test_an_agent_of_another_program_keeps_what_narrows() -> None:
    head = (
        "name: reviewer\ndescription: Reviews\n  code.\ntools: Read, Glob,Bash, mcp__git\n"
        "disallowedTools: [Write]\npermissionMode: acceptEdits\nmaxTurns: 7\ncolor: blue"
    )
    agent = read_foreign(md(head), "/w/r.md", "r", no_model)
    assert agent.faults == ()
    profile = agent.profile
    assert (profile.name, profile.description) == ("reviewer", "Reviews code.")
    assert (profile.prompt, profile.mode, profile.max_steps) == (
        "You review.",
        Mode.ACCEPT_EDITS,
        7,
    )
    has = tools_of(TOOLS, profile, depth=1)
    assert has == {"read", "find", "bash", "git__log", "git__push"}


def test_an_agent_without_tools_has_its_parents_but_for_those_it_may_not_have() -> None:
    agent = read_foreign(md("disallowedTools: Bash, mcp__git__push"), "/w/r.md", "r", no_model)
    assert agent.profile.name == "r"
    assert tools_of(TOOLS, agent.profile, depth=1) == set(TOOLS) - {"bash", "git__push"}
    every = read_foreign(md('tools: "*"'), "/w/r.md", "r", no_model)
    assert tools_of(TOOLS, every.profile, depth=1) == set(TOOLS)


def test_a_tool_that_is_limited_to_a_pattern_is_left_out_and_said() -> None:
    agent = read_foreign(md("tools: Read, Bash(git diff:*, ls)"), "/w/r.md", "r", no_model)
    assert tools_of(TOOLS, agent.profile, depth=1) == {"read"}
    assert agent.faults == (
        "/w/r.md: tools: 'Bash(git diff:*, ls)' is limited to a pattern: the tool is left out",
    )


def test_a_denied_pattern_denies_the_whole_tool() -> None:
    agent = read_foreign(md("disallowedTools: Bash(rm *)"), "/w/r.md", "r", no_model)
    assert "bash" not in tools_of(TOOLS, agent.profile, depth=1)


def test_a_model_is_used_where_it_is_known_and_its_absence_is_said() -> None:
    known = {"sonnet": "anthropic/claude-sonnet-4-5"}.get
    assert read_foreign(md("model: sonnet"), "f.md", "f", known).profile.model == known("sonnet")
    assert read_foreign(md("model: inherit"), "f.md", "f", known).profile.model is None
    other = read_foreign(md("model: gpt"), "f.md", "f", known)
    assert other.profile.model is None
    assert "'gpt' cannot be used here" in other.faults[0]


def test_what_is_not_kept_is_said() -> None:
    agent = read_foreign(md("isolation: worktree\nmcpServers: [git]"), "f.md", "f", no_model)
    assert [fault.split(":")[1].strip() for fault in agent.faults] == ["mcpServers", "isolation"]


def test_front_matter_that_only_looks_like_yaml_is_read_line_by_line() -> None:
    head = "name: loose\ndescription: Use this when: <example>user: hi</example>\ntools: Read"
    profile = read_foreign(md(head), "f.md", "f", no_model).profile
    assert profile.name == "loose"
    assert profile.tool_collection == ("Read",)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"no front matter", "front matter"),
        (b"---\nname: open\n", "front matter"),
        (b"---\n- a\n---\n", "front matter"),
        (b"---\n{\n---\n", "front matter"),
        (b"---\nname: a\xff\n---\n", "file"),
        (b"---\nname: [a]\n---\n", "name"),
        (b"---\nname: a b\n---\n", "name"),
        (b"---\ntools: {a: 1}\n---\n", "tools"),
        (b"---\ntools: [1]\n---\n", "tools"),
        (b"---\npermissionMode: root\n---\n", "permissionMode"),
        (b"---\nmaxTurns: none\n---\n", "maxTurns"),
        (b"---\nmaxTurns: 0\n---\n", "maxTurns"),
        (b"---\n# " + b"x" * PROFILE_BYTES + b"\n---\n", "file"),
    ],
)
def test_a_malformed_foreign_file_names_its_field(data: bytes, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_foreign(data, "/w/bad.md", "bad", no_model)
    assert (caught.value.file, caught.value.field) == ("/w/bad.md", field)


def test_the_first_to_claim_a_name_keeps_it_and_one_bad_file_is_a_sentence() -> None:
    files = [
        AgentFile("/u/a.toml", b'prompt = "mine"'),
        AgentFile("/w/a.toml", b'prompt = "theirs"', providers=()),
        AgentFile("/w/bad.toml", b"nonsense", providers=()),
        AgentFile("/w/gone.toml", trouble="Permission denied"),
        AgentFile("/w/b.md", md("description: Second"), providers=()),
    ]
    roster = gather(files, no_model)
    assert list(roster.profiles) == ["a", "b"]
    assert roster.profiles["a"].prompt == "mine"
    taken, bad, gone = roster.faults
    assert taken.startswith("/w/a.toml: name: 'a' is taken by /u/a.toml")
    assert bad.startswith("/w/bad.toml: syntax")
    assert "/w/gone.toml: file: Permission denied" in gone


def test_a_workspace_chooses_only_among_the_providers_of_the_user() -> None:
    for model in ("scripted//etc/passwd", "evil/x", "anthropic", "anthropic/"):
        file = AgentFile("/w/a.toml", f'model = "{model}"'.encode(), providers=["anthropic"])
        roster = gather([file], no_model)
        assert not roster.profiles
        assert "of a provider that you have" in roster.faults[0]
    file = AgentFile("/w/a.toml", b'model = "anthropic/claude-x"', providers=["anthropic"])
    assert gather([file], no_model).profiles["a"].model == "anthropic/claude-x"
    own = AgentFile("/u/a.toml", b'model = "scripted/x"')
    assert gather([own], no_model).profiles["a"].model == "scripted/x"


def test_there_is_a_bound_on_how_many_there_are() -> None:
    files = [AgentFile(f"/w/a{number}.toml") for number in range(PROFILES + 2)]
    roster = gather(files, no_model)
    assert len(roster.profiles) == PROFILES
    assert len(roster.faults) == 2


@pytest.mark.parametrize("mine", Mode)
@pytest.mark.parametrize("wanted", [None, *Mode])
def test_the_mode_is_the_narrower_of_the_parents_and_the_profiles(
    mine: Mode, wanted: Mode | None
) -> None:
    order = list(Mode)
    found = mode_of(mine, SubagentProfile("a", mode=wanted))
    assert order.index(found) <= order.index(mine)
    assert wanted is None or order.index(found) <= order.index(wanted)
    assert found in {mine, wanted}


def test_tools_are_the_parents_within_the_profiles_and_the_last_level_delegates_no_more() -> None:
    def has(collection: str | tuple[str, ...] | None, depth: int = 1) -> set[str]:
        profile = SubagentProfile("a", tool_collection=collection)
        return set(tools_of(TOOLS, profile, depth=depth))

    assert has(None) == has("all") == set(TOOLS)
    assert has("read-only") == has("authoring") == {"read", "grep", "find"}
    assert has("coding") == has("survey") == {"read", "grep", "find", "write", "edit", "bash"}
    assert has(("Read", "MultiEdit", "webfetch")) == {"read", "edit"}, "never more than the parent"
    assert has(()) == set()
    assert has(None, MAX_DEPTH) == set(TOOLS) - {"task"}
    with pytest.raises(Exception, match="no collection of tools 'nonsense'"):
        has("nonsense")


def test_a_profile_shortens_the_time_and_never_lengthens_it() -> None:
    assert seconds_of(SubagentProfile("a")) == SECONDS
    assert seconds_of(SubagentProfile("a", max_seconds=5)) == 5
    assert seconds_of(SubagentProfile("a", max_seconds=SECONDS * 9)) == SECONDS


def test_a_profile_is_read_without_a_file_too() -> None:
    assert read_profile(b"", "x.toml", "x").name == "x"
