"""Commands over sessions that are there: list, prove, explain, measure, copy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from induscode.boot.main import COMMANDS
from tests.cli.home import Home, answer
from tests.requirements import requirement


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with two sessions here and one elsewhere."""
    home = Home(tmp_path_factory.mktemp("told"))
    (home.work / "note.txt").write_text("The treasure is under the oak.\n")
    (home.root / "elsewhere").mkdir()
    script = answer("Let me look.", ("read", {"path": "note.txt"})) + answer("Under the oak.")
    usage = "usage = { input = 1000, output = 10 }\n"
    model = home.script(script + usage)
    plain = home.script(answer("Hello.") + answer("Again."), "plain.toml")
    assert home.run("-p", "greet the OAuth server", "-m", plain).code == 0
    elsewhere = home.root / "elsewhere"
    assert home.run("-p", "far away", "-m", plain, cwd=elsewhere).code == 0
    words = ["--append-system", "Be concise."]
    assert home.run("-p", "find the treasure", "-m", model, *words).code == 0
    return home


@requirement("cli.command.sessions", "log.listing-without-index")
def test_sessions_lists_the_newest_of_this_workspace_first(told: Home) -> None:
    ran = told.run("sessions")
    assert ran.code == 0
    rows = ran.out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == [
        log.stem for log in reversed(told.logs()) if "elsewhere" not in str(log)
    ]
    assert "find the treasure" in rows[0]
    assert "greet the OAuth server" in rows[1]
    assert not list(told.indus.rglob("index*"))


def test_sessions_of_every_workspace_name_it(told: Home) -> None:
    ran = told.run("sessions", "--all")
    assert len(ran.out.splitlines()) == 4
    assert "elsewhere" in ran.out
    assert "far away" in ran.out
    assert len(told.run("sessions", "--all", "--limit", "2").out.splitlines()) == 3


def test_sessions_are_found_by_what_was_said(told: Home) -> None:
    rows = json.loads(told.run("sessions", "--search", "oauth GREET", "--json").out)
    assert [row["title"] for row in rows] == ["greet the OAuth server"]
    assert rows[0]["workspace"] == str(told.work)
    assert told.run("sessions", "--search", "nothing of the kind", "--json").out == "[]\n"
    assert "far away" in told.run("sessions", "--all", "--search", "far").out


def test_without_sessions_it_says_how_to_begin(home: Home) -> None:
    ran = home.run("sessions")
    assert ran.code == 0
    assert "no sessions here yet; start one with" in ran.out
    assert json.loads(home.run("sessions", "--json").out) == []


def test_replay_says_pass_for_each_and_only_the_rest_when_quiet(told: Home) -> None:
    ran = told.run("replay", "last")
    assert (ran.code, ran.out.count("PASS  request")) == (0, 2)
    quiet = told.run("replay", "last", "-q")
    assert len(quiet.out.splitlines()) == 1


@requirement("cli.command.why")
def test_why_shows_the_pieces_of_any_request_with_their_producers(told: Home) -> None:
    last = told.run("why", "last").out
    assert last.startswith("request 2  ")
    assert "builtin:briefing" in last
    assert "builtin:files" in last
    assert "person" in last
    assert "model:scripted/" in last
    first = told.run("why", "last", "--request", "1").out
    assert first.startswith("request 1  ")
    assert "The treasure" not in first
    assert "The treasure" in last
    ran = told.run("why", "last", "--request", "9")
    assert ran.code == 1
    assert "there is no request 9; this session made 2 requests" in ran.err


@requirement("cli.command.why", "invariant.02.everything-has-a-producer")
def test_why_finds_who_put_a_text_there_and_since_when(told: Home) -> None:
    rows = {
        "treasure is under": ("builtin:files", "result", 2, 1),
        "find the treasure": ("person", "input", 1, 2),
        "Be concise.": ("builtin:briefing", "briefing", 1, 2),
        "Let me look.": ("model:", "response", 2, 1),
    }
    for text, (by, kind, since, times) in rows.items():
        ran = told.run("why", "last", "--find", text, "--json")
        assert ran.code == 0
        (found,) = json.loads(ran.out)
        assert found["piece"]["by"].startswith(by)
        assert found["piece"]["entry_type"] == kind
        assert (found["since_request"], found["requests"]) == (since, times)
        if by.startswith("builtin:"):
            assert len(found["piece"]["package"]) == 64
            assert found["piece"]["grant"] == "builtin"
    shown = told.run("why", "last", "--find", "Be concise.").out
    assert "builtin:briefing put it there" in shown
    assert "--append-system" in shown
    assert "and 1 later request" in shown


def test_why_of_what_was_never_shown_exits_1(told: Home) -> None:
    ran = told.run("why", "last", "--find", "a secret garden")
    assert ran.code == 1
    assert "no request of this session showed the model 'a secret garden'" in ran.out


@requirement("cli.command.context")
def test_context_attributes_the_window_to_its_producers(told: Home) -> None:
    found = json.loads(told.run("context", "last", "--json").out)
    assert found["request"] == 2
    assert abs(sum(row["share"] for row in found["rows"]) - 1) < 1e-9
    assert sum(row["bytes"] for row in found["rows"]) == found["bytes"]
    assert found["input_tokens"] == 1000
    assert abs(sum(row["tokens"] for row in found["rows"]) - 1000) <= len(found["rows"])
    shown = told.run("context", "last").out
    assert "1000 tokens counted by the provider" in shown
    first = told.run("context", "last", "--request", "1").out
    assert "bytes of text" in first
    assert "tokens counted" not in first


@requirement("cli.command.fork")
def test_fork_prints_the_id_of_a_copy_that_ends_where_it_should(told: Home, tmp_path: Path) -> None:
    home = Home(tmp_path / "own" if tmp_path.joinpath("own").mkdir() is None else tmp_path)
    model = home.script(answer("First.") + answer("Second."))
    home.run("-p", "one", "-m", model)
    home.run("-c", "-p", "two", "-m", model)
    (origin,) = home.logs()
    before = origin.read_bytes()
    whole = home.run("fork", "last")
    assert whole.code == 0
    at = home.entries("response", origin)[0]["id"]
    part = home.run("fork", origin.stem, "--at", at).out.strip()
    (log,) = [path for path in home.logs() if path.stem == part]
    assert home.entries(log=log)[-1]["id"] == at
    assert home.run("-r", part, "-p", "two again", "-m", model).out == "Second.\n"
    assert home.run("replay", part).code == 0
    assert origin.read_bytes() == before
    listed = home.run("sessions").out
    assert f"(fork of {origin.stem[:10]})" in listed
    ran = home.run("fork", origin.stem, "--at", "nonsense")
    assert ran.code == 2
    assert "no entry 'nonsense'" in ran.err


@requirement("cli.id.prefix-or-last")
@pytest.mark.parametrize("command", ["replay", "why", "context", "fork"])
def test_an_id_may_be_a_prefix_and_a_wrong_one_is_said(told: Home, command: str) -> None:
    newest = told.logs()[-1].stem
    if command != "fork":
        assert told.run(command, newest[:25]).code in {0, 1}
        by_prefix = told.run(command, newest[:25])
        assert (by_prefix.err, bool(by_prefix.out)) == ("", True)
        assert told.run(command, "last") == by_prefix
    ran = told.run(command, "nope")
    assert ran.code == 1
    assert ran.err == "indus: no session 'nope'; list them with: indus sessions\n"


@requirement("cli.command.help")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(home: Home, command: str) -> None:
    ran = home.run(command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"usage: indus {command}")
    assert f"  indus {command}" in ran.out


def test_a_pipe_that_closes_early_is_no_error_to_complain_about(told: Home) -> None:
    process = told.start("why", "last", "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(20) == 1
    process.stderr.close()


def test_a_session_that_may_not_be_read_is_said(home: Home) -> None:
    assert home.run("-p", "hi", "-m", home.script(answer())).code == 0
    (log,) = home.logs()
    log.unlink()
    log.mkdir()
    ran = home.run("replay", log.stem)
    assert ran.code == 1
    assert ran.err.startswith("indus: Is a directory")
    assert os.path.isdir(log)  # noqa: PTH112


@requirement("invariant.04.torn-tail")
def test_a_torn_tail_is_reported_kept_and_gone_on_from(home: Home) -> None:
    model = home.script(answer("First.") + answer("Second."))
    home.run("-p", "one", "-m", model)
    (log,) = home.logs()
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"type":"inp')
    ran = home.run("-c", "-p", "two", "-m", model)
    assert (ran.code, ran.out) == (0, "Second.\n")
    assert "the log ended in the middle of an entry: 12 bytes cut off, kept in" in ran.err
    (kept,) = log.parent.glob("*.torn-*")
    assert kept.read_bytes() == b'{"type":"inp'
    assert log.read_bytes().startswith(whole)
    assert home.run("replay", "last").code == 0


@requirement("invariant.04.unverifiable")
def test_a_damaged_middle_is_said_and_makes_replay_exit_1(home: Home) -> None:
    model = home.script(answer("First.") + answer("Second."))
    home.run("-p", "one", "-m", model)
    (log,) = home.logs()
    lines = log.read_bytes().splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if b'"type":"input"' in line)
    lines[number] = lines[number].replace(b"one", b"two")
    log.write_bytes(b"".join(lines))
    ran = home.run("replay", "last")
    assert ran.code == 1
    assert "UNVERIFIABLE  request   1" in ran.out
    assert "its checksum does not match its bytes" in ran.out
    ran = home.run("-c", "-p", "two", "-m", model)
    assert (ran.code, ran.out) == (0, "Second.\n")
    assert "the log is damaged after entry" in ran.err
    assert len(home.entries("quarantine")) == 1
