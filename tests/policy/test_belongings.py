"""What of a workspace waits for trust: listed by name, never opened."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter

import pytest

from induscode.policy import belongings
from induscode.policy.belongings import CONTEXT_NAMES, Kind, Landing, landing, list_belongings
from tests.policy.trusting import SIX, SIX_ITEMS, Bench
from tests.requirements import requirement

PLACES = [
    (Kind.ADDON, ".indus/addons/x/manifest.toml", ".indus/addons/x"),
    (Kind.ADDON, ".indus/addons/tool.mjs", ".indus/addons/tool.mjs"),
    (Kind.ADDON, ".indus/addons/tool.py", ".indus/addons/tool.py"),
    (Kind.ADDON, ".indus/addons/tool.wasm", ".indus/addons/tool.wasm"),
    (Kind.ADDON, ".indus/addons/tool", ".indus/addons/tool"),
    (Kind.MCP, ".indus/mcp.json", ".indus/mcp.json"),
    (Kind.MCP, ".mcp.json", ".mcp.json"),
    (Kind.MCP, ".indusvx/mcp.json", ".indusvx/mcp.json"),
    (Kind.SKILL, ".indus/skills/a/SKILL.md", ".indus/skills/a"),
    (Kind.SKILL, ".indusagi/skills/a/b/SKILL.md", ".indusagi/skills/a"),
    (Kind.SKILL, ".agents/skills/a/SKILL.md", ".agents/skills/a"),
    (Kind.SKILL, ".claude/skills/loose.md", ".claude/skills/loose.md"),
    (Kind.COMMAND, ".indus/commands/a.md", ".indus/commands/a.md"),
    (Kind.COMMAND, ".indusagi/commands/A.MD", ".indusagi/commands/A.MD"),
    (Kind.COMMAND, ".claude/commands/a/b/c.md", ".claude/commands/a/b/c.md"),
    (Kind.AGENT, ".indus/agents/a.toml", ".indus/agents/a.toml"),
    (Kind.AGENT, ".claude/agents/a.md", ".claude/agents/a.md"),
    (Kind.CONTEXT, ".claude/rules/a.md", ".claude/rules/a.md"),
    (Kind.SETTINGS, ".indus/config.toml", ".indus/config.toml"),
    (Kind.HOOKS, ".claude/settings.json", ".claude/settings.json"),
    (Kind.HOOKS, ".claude/settings.local.json", ".claude/settings.local.json"),
    (Kind.PLUGIN, ".claude-plugin/plugin.json", ".claude-plugin/plugin.json"),
    (Kind.PLUGIN, "plugin.json", "plugin.json"),
    *((Kind.CONTEXT, name, name) for name in CONTEXT_NAMES),
]
ELSEWHERE = [
    "src/AGENTS.md",
    ".indus/notes.md",
    ".indus/skills/.hidden/SKILL.md",
    ".indus/skills/notes.txt",
    ".indus/agents/a.md",
    ".claude/commands/a.txt",
    "mcp.json",
]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(("kind", "file", "item"), PLACES)
def test_each_place_of_the_table_is_an_item_of_its_kind(
    bench: Bench, kind: Kind, file: str, item: str
) -> None:
    bench.write({file: "x"})
    (found,) = list_belongings(bench.work, bench.work)
    assert (found.kind, found.path, found.refused) == (kind, item, "")


@pytest.mark.parametrize("file", ELSEWHERE)
def test_files_at_other_places_are_only_files(bench: Bench, file: str) -> None:
    bench.write({file: "x"})
    assert list_belongings(bench.work, bench.work) == ()


def test_the_six_of_the_issue_are_six_items(bench: Bench) -> None:
    bench.write(SIX)
    assert tuple(i.path for i in list_belongings(bench.work, bench.work)) == SIX_ITEMS


@requirement("invariant.08.workspace-is-git-top")
def test_context_documents_count_from_the_workspace_down_to_the_working_directory(
    bench: Bench,
) -> None:
    bench.write({f"{folder}AGENTS.md": "x" for folder in ("", "a/", "a/b/", "a/b/c/", "d/")})
    bench.write({"a/.claude/CLAUDE.md": "x"})
    found = list_belongings(bench.work, bench.work / "a" / "b")
    paths = [item.path for item in found]
    assert paths == ["AGENTS.md", "a/AGENTS.md", "a/.claude/CLAUDE.md", "a/b/AGENTS.md"]


def link(bench: Bench, name: str, target: str) -> None:
    place = bench.work / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize(
    "name", ["AGENTS.md", ".indus/addons/x", ".mcp.json", ".indus/config.toml"]
)
@pytest.mark.parametrize(
    "target",
    ["/etc", "/etc/hostname", "../../outside", "{root}/work-evil/x", "{root}/work/../outside", "/"],
)
def test_a_link_out_of_the_workspace_is_listed_and_cannot_be_trusted(
    bench: Bench, name: str, target: str
) -> None:
    root = bench.work.parent
    (root / "outside").mkdir()
    link(bench, name, target.format(root=root) if name.count("/") < 2 else f"../../{'../' * 2}etc")
    (found,) = list_belongings(bench.work, bench.work)
    assert found.path == name
    assert "out of the workspace" in found.refused


def test_a_folder_that_is_a_link_out_of_the_workspace_is_one_item(bench: Bench) -> None:
    outside = bench.work.parent / "outside"
    (outside / "addons" / "x").mkdir(parents=True)
    (outside / "config.toml").write_text("")
    link(bench, ".indus", str(outside))
    (found,) = list_belongings(bench.work, bench.work)
    assert (found.path, "out of the workspace" in found.refused) == (".indus", True)


def test_a_link_out_through_a_chain_of_links_is_seen(bench: Bench) -> None:
    link(bench, "one", "two")
    link(bench, "two", "..")
    link(bench, "AGENTS.md", "one/outside.md")
    (found,) = list_belongings(bench.work, bench.work)
    assert "out of the workspace" in found.refused


def test_nothing_outside_is_looked_at_to_find_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = bench.work.parent / "outside"
    for name in ("AGENTS.md", ".indus/addons/x", ".claude"):
        link(bench, name, str(outside / "x"))
    looked: list[str] = []
    real = os.lstat

    def noted(path: str) -> os.stat_result:
        looked.append(str(path))
        return real(path)

    monkeypatch.setattr(os, "lstat", noted)
    assert len(list_belongings(bench.work, bench.work)) == 3
    assert looked
    assert all(path.startswith(str(bench.work)) for path in looked)


@pytest.mark.parametrize(
    ("target", "reason"),
    [("missing", "leads nowhere"), ("AGENTS.md", "circle"), ("file/below", "leads nowhere")],
)
def test_a_link_that_leads_nowhere_cannot_be_trusted(
    bench: Bench, target: str, reason: str
) -> None:
    bench.write({"file": "x"})
    link(bench, "AGENTS.md", target)
    (found,) = list_belongings(bench.work, bench.work)
    assert reason in found.refused


@pytest.mark.parametrize(
    "target", ["docs/guide.md", "./docs/../docs/guide.md", "{work}/docs/guide.md"]
)
def test_a_link_within_the_workspace_is_an_item_like_any_other(bench: Bench, target: str) -> None:
    bench.write({"docs/guide.md": "x"})
    link(bench, "CLAUDE.md", target.format(work=bench.work))
    (found,) = list_belongings(bench.work, bench.work)
    assert (found.path, found.refused) == ("CLAUDE.md", "")
    where = landing(bench.work, "CLAUDE.md")
    assert isinstance(where, Landing)
    assert where.path == "docs/guide.md"


@pytest.mark.parametrize(
    "name", [".indus/config.toml", ".mcp.json", "AGENTS.md", ".indus/addons/x"]
)
def test_a_fifo_is_listed_and_cannot_be_trusted(bench: Bench, name: str) -> None:
    place = bench.work / name
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    (found,) = list_belongings(bench.work, bench.work)
    assert (found.path, found.refused) == (name, "it is not a regular file")


def test_a_folder_in_place_of_a_file_cannot_be_trusted(bench: Bench) -> None:
    (bench.work / ".indus" / "config.toml").mkdir(parents=True)
    (found,) = list_belongings(bench.work, bench.work)
    assert found.refused == "it is a folder where a file belongs"


def test_a_file_in_place_of_a_folder_cannot_be_trusted(bench: Bench) -> None:
    bench.write({".indus/addons": "x"})
    (found,) = list_belongings(bench.work, bench.work)
    assert found.refused == "it is a file where a folder belongs"


@pytest.mark.parametrize("place", [".indus/skills", ".claude/commands/a"])
def test_a_place_with_too_many_entries_is_one_item_that_cannot_be_trusted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(belongings, "MAX_CHILDREN", 5)
    bench.write({f"{place}/{number}.md": "x" for number in range(6)})
    (found,) = list_belongings(bench.work, bench.work)
    assert found.path == "/".join(place.split("/")[:2])
    assert found.refused == "it holds more than 5 entries"


def test_a_name_that_is_no_text_cannot_be_trusted(bench: Bench) -> None:
    folder = bench.work / ".indus" / "commands"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("x")
    (found,) = list_belongings(bench.work, bench.work)
    assert found.refused == "its name is not text"


def test_listing_an_empty_workspace_costs_well_under_a_millisecond(bench: Bench) -> None:
    times: list[float] = []
    for _ in range(200):
        started = perf_counter()
        assert list_belongings(bench.work, bench.work) == ()
        times.append(perf_counter() - started)
    assert min(times) < 0.0005
