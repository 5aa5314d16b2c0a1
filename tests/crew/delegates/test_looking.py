"""`why`, `replay` and `sessions` across the link between a session and its delegates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.home import Home, answer
from tests.crew.delegates.family import SAY, agent, chain, of, sessions, task


@pytest.fixture
def family(home: Home) -> Home:
    """A session, its delegate, and the delegate's own, which reads a file and quotes it."""
    (home.work / "note.txt").write_text("the secret of the tides\n")
    quote = "It says: the secret of the tides."
    agent(home, "leaf", answer("", ("read", {"path": "note.txt"})) + answer(quote))
    agent(home, "middle", answer("", task("quote it", "leaf")) + answer(f"They say: {quote}"))
    model = home.script(answer("", task("ask around", "middle")) + SAY)
    assert home.run("-p", "go", "-m", model).code == 0
    return home


def id_of(home: Home, name: str) -> str:
    return sessions(home)[name][0]["session"]


def test_why_leads_from_the_parent_into_the_delegates_where_a_text_came_from(family: Home) -> None:
    ran = family.run("why", "last", "--find", "secret of the tides")
    assert ran.code == 0
    said = ran.out
    middle, leaf = id_of(family, "middle"), id_of(family, "leaf")
    assert f"from     the answer of delegate {middle}" in said
    assert f"from     the answer of delegate {leaf}" in said
    assert f"builtin:files put it there in delegate {leaf}" in said
    assert f"put it there in delegate {middle}\n" in said
    assert "answer to request 2" in said


def test_why_says_the_same_to_a_program(family: Home) -> None:
    ran = family.run("why", "last", "--find", "secret of the tides", "--json")
    found = json.loads(ran.out)
    middle, leaf = id_of(family, "middle"), id_of(family, "leaf")
    assert (found[0]["session"], found[0]["delegate"]) == ("", middle)
    places = {(row["session"], row["piece"]["by"].partition(":")[0]) for row in found}
    assert {(leaf, "builtin"), (leaf, "model"), (middle, "builtin"), (middle, "model")} <= places


def test_why_of_a_delegate_names_the_session_that_sent_it(family: Home) -> None:
    ran = family.run("why", id_of(family, "leaf"), "--find", "quote it")
    assert f"session:{id_of(family, 'middle')} put it there" in ran.out


def test_replay_proves_the_delegates_too(family: Home) -> None:
    ran = family.run("replay", "last", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["passed"]) == (0, True)
    assert [row["session"] for row in told["delegates"]] == [
        id_of(family, "middle"),
        id_of(family, "leaf"),
    ]
    assert [row["parent"] for row in told["delegates"]] == [
        told["session"],
        id_of(family, "middle"),
    ]
    assert all(len(row["checks"]) == 2 for row in (told, *told["delegates"]))
    shown = family.run("replay", "last").out
    assert f"delegate {id_of(family, 'leaf')} of {id_of(family, 'middle')}" in shown


def test_replay_fails_where_a_delegates_log_was_changed_or_is_gone(family: Home) -> None:
    log = next(log for log in family.logs() if log.stem == id_of(family, "leaf"))
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b'"reason":"start"', b'"reason":"stAAt"', 1))
    assert family.run("replay", "last").code == 1
    assert not json.loads(family.run("replay", "last", "--json").out)["passed"]
    log.unlink()
    ran = family.run("replay", "last")
    assert ran.code == 1
    assert "its log cannot be read" in ran.out


def test_replay_knows_a_delegate_that_never_began(home: Home) -> None:
    """The process died between the entry that names it and its own first one."""
    (home.work / "x").touch()
    model = chain(home, ("ls", {}))
    home.run("-p", "go", "-m", model)
    root = next(log for log in home.logs() if log.stem == id_of(home, "root"))
    lines = root.read_bytes().splitlines(keepends=True)
    cut = next(at for at, line in enumerate(lines) if b'"type":"delegate"' in line) + 1
    middle, leaf = id_of(home, "middle"), id_of(home, "leaf")
    root.write_bytes(b"".join(lines[:cut]))
    for log in home.logs():
        if log.stem in {middle, leaf}:
            log.unlink()
    assert home.run("replay", root.stem).code == 0
    again = home.script(answer("", task("x", "middle")) + answer("I see."))
    assert home.run("-c", "-p", "on", "-m", again).code == 0
    (cut_off,) = of(home.entries(log=root), "interrupted")
    assert middle in cut_off["text"]


def test_sessions_shows_delegates_below_their_parent(family: Home) -> None:
    root, middle, leaf = (id_of(family, name) for name in ("root", "middle", "leaf"))
    lines = family.run("sessions").out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [root, middle, leaf]
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 4]
    rows = {row["id"]: row["parent"] for row in json.loads(family.run("sessions", "--json").out)}
    assert rows == {root: "", middle: root, leaf: middle}


def test_a_delegate_whose_parent_is_not_shown_says_whose_it_is(family: Home) -> None:
    root, middle = id_of(family, "root"), id_of(family, "middle")
    for log in family.logs():
        if log.stem == root:
            log.unlink()
    shown = family.run("sessions").out
    assert f"(delegate of {root})" in shown
    assert f"(delegate of {middle})" not in shown


def test_a_fork_of_a_delegate_is_a_session_of_the_person(family: Home) -> None:
    copy = family.run("fork", id_of(family, "leaf")).out.strip()
    rows = {row["id"]: row for row in json.loads(family.run("sessions", "--json").out)}
    assert rows[copy]["parent"] == ""
    assert rows[copy]["origin"] == id_of(family, "leaf")


def test_last_is_never_a_delegate(family: Home) -> None:
    newest = Path(family.logs()[0].parent, id_of(family, "leaf") + ".jsonl")
    newest.touch()
    assert json.loads(family.run("replay", "last", "--json").out)["session"] == id_of(
        family, "root"
    )
