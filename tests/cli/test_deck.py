"""The deck on the hot path: which tools a run offers, and that a session runs just these."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.capability_deck import capability_ids
from tests.cli.home import Home, answer
from tests.cli.test_flags import READ_ONLY, asked, tools
from tests.requirements import requirement

WORK_ITEMS = "[features]\nwork-item = true\n"


@requirement("deck.select.feeds-conductor", "cli.flag.profile", "decision.outside-deck-off")
def test_the_default_deck_is_the_whole_catalog_in_its_order(home: Home) -> None:
    assert tools(asked(home)) == list(capability_ids())
    assert tools(asked(home, "--profile", "coding")) == list(capability_ids())[:12]


@requirement("decision.profile-read-only-seven")
def test_read_only_is_exactly_seven_tools(home: Home) -> None:
    assert set(tools(asked(home, "--profile", "read-only"))) == READ_ONLY


@requirement("decision.profile-bounds-grafts", "deck.provision.tools-bound-grafts")
def test_tools_from_outside_the_deck_stay_within_profile_and_allow_list(home: Home) -> None:
    home.config(WORK_ITEMS)
    everything = tools(asked(home))
    grafted = [name for name in everything if name not in capability_ids()]
    assert everything == [*capability_ids(), *grafted]
    assert len(grafted) == 4
    for profile in ("read-only", "coding"):
        assert not set(grafted) & set(tools(asked(home, "--profile", profile)))
    assert tools(asked(home, "--tools", f"read,{grafted[0]}")) == ["read", grafted[0]]
    assert tools(asked(home, "--tools", "read")) == ["read"]
    assert tools(asked(home, "--no-tools")) == []


@requirement("decision.alias-table")
def test_the_names_that_other_agents_use_mean_ours(home: Home) -> None:
    given = "Bash,Edit,MultiEdit,Glob,LS,TodoWrite,WebFetch,Agent"
    assert set(tools(asked(home, "--tools", given))) == {
        "bash", "edit", "find", "ls", "todo_set", "webfetch", "task"
    }  # fmt: skip
    ran = home.run("-p", "hi", "--tools", "read,hammer")
    assert ran.code == 2
    assert "there is no tool 'hammer'; known tools: read, ls, grep" in ran.err
    assert home.logs() == [] or "hammer" not in home.logs()[-1].read_text()


def call(home: Home, tool: str, arguments: dict[str, object], *words: str) -> str:
    """What the model is told of one call."""
    text = answer("", (tool, arguments)) + answer("done")
    script = home.script_after(text) if "-c" in words else home.script(text)
    home.run("-p", "go", "-m", script, *words)
    (result,) = home.entries("result")[-1:]
    return f"{result['outcome']}: {result['content'][0]['text']}"


@requirement("deck.conductor-uses-deck-output")
@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ls", {}, "ok: note.txt"),
        ("grep", {"pattern": "hel+o"}, "ok: "),
        ("find", {"query": "note"}, "ok: note.txt"),
        ("todo_set", {"items": [{"text": "a"}]}, "ok: [ ] a"),
        ("todo", {"action": "read"}, "ok: The list is empty."),
        ("memory", {"action": "append", "content": "Tabs, not spaces."}, "ok: "),
        ("saas-action", {"action": "discover"}, "error: "),
        ("process", {"action": "list"}, "ok: "),
        ("bg-process", {"action": "list"}, "ok: "),
        ("enter_plan_mode", {}, "ok: Explore only"),
        ("exit_plan_mode", {"plan": "1. Mend."}, "refused: The plan is not approved."),
    ],
)
def test_a_session_runs_the_tools_of_the_deck(
    home: Home, tool: str, arguments: dict[str, object], told: str
) -> None:
    (home.work / "note.txt").write_text("hello\n")
    assert call(home, tool, arguments).startswith(told)


@requirement("deck.tool.read-only-permitted")
@pytest.mark.parametrize("mode", ["plan", "ask", "accept-edits", "full"])
def test_what_only_looks_or_keeps_notes_is_permitted_in_every_mode(home: Home, mode: str) -> None:
    (home.work / "note.txt").write_text("hello\n")
    for tool, arguments in (
        ("read", {"path": "note.txt"}),
        ("ls", {}),
        ("grep", {"pattern": "hello"}),
        ("find", {"query": "note"}),
        ("todo_read", {}),
        ("todo_set", {"items": []}),
        ("memory", {"action": "read"}),
        ("process", {"action": "list"}),
        ("enter_plan_mode", {}),
    ):
        assert call(home, tool, arguments, "--mode", mode).startswith("ok"), tool
    refused = {"plan": "refused", "ask": "refused", "accept-edits": "refused", "full": "error"}
    fetched = call(home, "webfetch", {"url": "http://127.0.0.1:9/"}, "--mode", mode)
    assert fetched.startswith(refused[mode])


def test_a_checklist_survives_the_process(home: Home) -> None:
    call(home, "todo_set", {"items": [{"text": "mend", "status": "in_progress"}]})
    assert call(home, "todo_read", {}, "-c") == "ok: [~] mend\n0 of 1 done"
    call(home, "todo", {"action": "set", "items": [{"text": "heavy", "weight": "high"}]}, "-c")
    assert call(home, "todo", {"action": "read"}, "-c") == "ok: [ ] heavy (high)"
    assert call(home, "todo_read", {}) == "ok: The checklist is empty."


def test_memory_outlives_the_session_and_stays_in_its_workspace(home: Home, tmp_path: Path) -> None:
    call(home, "memory", {"action": "append", "content": "Tabs, not spaces."})
    assert "Tabs, not spaces." in call(home, "memory", {"action": "read"})
    other = tmp_path / "other"
    other.mkdir()
    assert "Tabs" not in call(home, "memory", {"action": "read"}, "--cwd", str(other))
    assert list(home.work.iterdir()) == []
