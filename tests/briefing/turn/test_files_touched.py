"""Rules that join and skills that are opened by touching their files, in real sessions."""

from __future__ import annotations

import json

import pytest

from tests.briefing.turn.kept import place_of, put, skill
from tests.cli.home import Home, Ran, answer
from tests.crew.delegates.family import agent, sessions, task
from tests.requirements import requirement

RULE = '---\npaths: "src/**/*.py"\n---\n# Python\n\nNo tabs, says the rule.\n'
READ = ("read", {"path": "src/deep/a.py"})
OTHER = ("read", {"path": "src/deep/a.txt"})
WRITE = ("write", {"path": "src/new.py", "content": "x"})
TOUCH = ("bash", {"command": "touch made.txt"})


def run(home: Home, script: str, *words: str) -> Ran:
    ran = home.run("-p", "go", "-m", home.script(script), "--mode", "full", *words)
    assert ran.code == 0, ran.err
    return ran


@pytest.fixture
def ruled(home: Home) -> Home:
    put(home.work / ".claude/rules/python.md", RULE)
    put(home.work / "src/deep/a.py", "a")
    put(home.work / "src/deep/a.txt", "a")
    assert home.run("trust", "grant").code == 0
    return home


@pytest.mark.parametrize("call", [READ, WRITE], ids=["read", "write"])
def test_a_rule_joins_when_a_file_it_speaks_of_is_touched(ruled: Home, call: object) -> None:
    run(ruled, answer("", OTHER) + answer("", call) + answer("", READ) + answer("Done."))

    (notice,) = ruled.entries("notice")
    assert (notice["by"], notice["pinned"]) == ("builtin:briefing", True)
    assert notice["text"].startswith("Rules for files like src/**/*.py (./.claude/rules/python.md)")
    results = [entry["id"] for entry in ruled.entries("result")]
    assert notice["parent"] == results[1], "not before a matching file was touched"
    file = str(ruled.work / ".claude/rules/python.md")
    assert place_of(ruled, "No tabs, says the rule.") == ("builtin:briefing", file, 6)
    assert ruled.run("replay", "last").code == 0


def test_a_rule_is_there_once_after_a_resume_and_in_a_fork(ruled: Home) -> None:
    run(ruled, answer("", READ) + answer("Done."))
    again = answer("Said before.") * 2 + answer("", READ) + answer("Done.")
    run(ruled, again, "-c")
    assert len(ruled.entries("notice")) == 1
    run(ruled, answer("Said before.") * 4 + answer("", READ) + answer("Done."), "--fork", "last")
    assert len(ruled.logs()) == 2
    assert len(ruled.entries("notice")) == 1


def test_a_rule_of_a_workspace_that_is_not_trusted_does_not_join(home: Home) -> None:
    put(home.work / ".claude/rules/python.md", RULE)
    put(home.work / "src/deep/a.py", "a")
    run(home, answer("", READ) + answer("Done."))
    assert home.entries("notice") == []


def test_a_rule_that_the_agent_changed_does_not_join_until_it_is_trusted_again(
    ruled: Home,
) -> None:
    run(ruled, answer("", READ) + answer("Done."))
    put(ruled.work / ".claude/rules/python.md", RULE.replace("No tabs", "Only tabs"))
    run(ruled, answer("", READ) + answer("Done."))
    assert ruled.entries("notice") == []


def test_rules_join_in_a_delegates_conversation_too(ruled: Home) -> None:
    agent(ruled, "scout", answer("", READ) + answer("Looked."))
    run(ruled, answer("", task("look", "scout")) + answer("Done."))
    logs = sessions(ruled)
    noticed = {
        name: [entry for entry in rows if entry["type"] == "notice"] for name, rows in logs.items()
    }
    assert len(noticed["scout"]) == 1
    assert noticed["root"] == []


@requirement("briefing.skill.body-on-demand")
def test_a_skill_that_the_model_reads_is_recorded_and_narrows_the_rest_of_the_turn(
    home: Home,
) -> None:
    file = skill(home, "tidy", "Sweep every corner.", allowed_tools="Read, Bash(ls *)")
    opened = ("read", {"path": str(file)})
    script = answer("", opened, TOUCH) + answer("", ("bash", {"command": "ls ."}))
    run(home, script + answer("", opened) + answer("Done."))

    outcomes = [(entry["tool"], entry["outcome"]) for entry in home.entries("result")]
    assert outcomes == [("read", "ok"), ("bash", "denied"), ("bash", "ok"), ("read", "ok")]
    denied = home.entries("result")[1]["content"][0]["text"]
    assert denied.startswith("Denied: the skill tidy allows only Read, Bash(ls *) in this turn.")
    (notice,) = home.entries("notice")
    assert (notice["only"], notice["pinned"], notice["by"]) == ("kept", True, "builtin:skills")
    assert notice["parts"] == [
        {"start": notice["text"].index("Sweep"), "file": str(file), "line": 6}
    ]
    (narrowing,) = home.entries("narrowing")
    assert (narrowing["why"], narrowing["by"]) == ("the skill tidy", "builtin:skills")
    assert not (home.work / "made.txt").exists()
    assert home.run("replay", "last").code == 0


def test_a_skill_is_recognised_through_a_link_and_not_by_its_name_alone(home: Home) -> None:
    file = skill(home, "tidy", "Sweep every corner.")
    put(home.work / "SKILL.md", "Something else.")
    (home.work / "linked").symlink_to(file.parent)
    run(home, answer("", ("read", {"path": "SKILL.md"})) + answer("Done."))
    assert home.entries("notice") == []
    run(home, answer("", ("read", {"path": "linked/SKILL.md"})) + answer("Done."))
    assert [entry["parts"][0]["file"] for entry in home.entries("notice")] == [str(file)]


def test_a_skill_in_a_linked_folder_is_recognised_where_it_really_is(home: Home) -> None:
    file = skill(home, "tidy", "Sweep every corner.")
    shared = home.root / "shared"
    (home.indus / "skills").rename(shared)
    (home.indus / "skills").symlink_to(shared)
    run(home, answer("", ("read", {"path": str(shared / "tidy/SKILL.md")})) + answer("Done."))
    assert [entry["parts"][0]["file"] for entry in home.entries("notice")] == [str(file)]


def test_looking_for_a_skill_does_not_open_it(home: Home) -> None:
    file = skill(home, "tidy", "Sweep every corner.")
    looked = ("grep", {"pattern": "Sweep", "path": str(file)})
    listed = ("ls", {"path": str(file.parent)})
    run(home, answer("", looked, listed) + answer("Done."))
    assert [entry["outcome"] for entry in home.entries("result")] == ["ok", "ok"]
    assert home.entries("notice") == []


@requirement("turn.compaction-pins")
def test_an_opened_skill_is_in_the_request_after_a_compaction_and_a_resume(home: Home) -> None:
    file = skill(home, "tidy", "Sweep every corner.")
    script = answer("", ("read", {"path": str(file)})) + answer("One.") + answer("In short: all.")
    talk = home.run(
        "--plain", "-m", home.script(script), "--mode", "full", stdin="tidy up\n/compact\n"
    )
    assert talk.code == 0, talk.err
    assert len(home.entries("compaction")) == 1
    gone_on = '[[answer]]\nwhen = "Sweep every corner."\ntext = "Yes."\n'
    ran = home.run("-p", "more", "-c", "-m", home.script(gone_on), "--mode", "full")
    assert (ran.code, ran.out) == (0, "Yes.\n"), ran.err
    findings = json.loads(home.run("why", "last", "--find", "Sweep every", "--json").out)
    places = {finding["piece"]["by"]: finding["place"] for finding in findings}
    assert places["builtin:skills"] == {"file": str(file), "line": 5, "importer": ""}
    assert places["builtin:files"] is None
    assert home.run("replay", "last").code == 0
