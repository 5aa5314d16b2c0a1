"""Forms of MCP servers at a terminal, in a whole session with a real server."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.channels.forms import asking, form, page, server_pid, told
from tests.channels.place import BOUND, Place
from tests.channels.pty_talk import CTRL_C, CTRL_D, PtyTalk

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
AGE = {"type": "object", "properties": {"age": {"type": "integer"}}}
MAYBE = {
    "type": "object",
    "properties": {"name": {"type": "string", "default": "Ada"}, "age": {"type": "integer"}},
}


def fill(talk: PtyTalk, *lines: str) -> str:
    seen = ""
    for line in lines:
        seen += talk.wait_for("answer: ")
        talk.say(line)
    return seen


def said_to(talk: PtyTalk, line: str) -> str:
    """The line that comes after the one that is typed."""
    talk.say(line)
    talk.wait_for("\n")
    return talk.wait_for("\n")


def test_fields_are_asked_one_after_the_other_and_sent_after_a_look(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form())) as talk:
        seen = fill(talk, "no", "acme", "", "3", "america", "3,1", "ada", "a@b.example", "maybe")
        seen += fill(talk, "n")
        review = talk.wait_for("send it? [y/n/e] ")
        talk.say("y")
        talk.wait_for("All done.")
    assert "? The MCP server 'crm' has a question for you" in seen
    assert "│ Which account?" in seen
    assert "what you fill in goes to the MCP server 'crm'; no passwords or keys here" in seen
    assert "1/6 │ Account (account)" in seen
    assert "it must have at least 3 characters" in seen
    assert "default  5" in seen
    assert "│   2  America (us)" in seen
    assert "it must be of the list: a number from 1 to 2" in seen
    assert "it must be an e-mail address" in seen
    assert "it must be yes or no" in seen
    assert "this would go to the MCP server 'crm':" in review
    assert "│ region: us" in review
    content = {
        "account": "acme",
        "seats": 5,
        "region": "us",
        "extras": ["c", "a"],
        "mail": "a@b.example",
        "news": False,
    }
    assert told(place) == [{"action": "accept", "content": content}]


@pytest.mark.long
def test_an_empty_line_is_the_default_and_a_skip_leaves_it_out(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form(schema=MAYBE), form(schema=MAYBE))) as talk:
        fill(talk, "", "")
        talk.wait_for("send it? ")
        talk.say("y")
        fill(talk, "/skip", "/skip")
        assert "(nothing is filled in)" in talk.wait_for("send it? ")
        talk.say("y")
        talk.wait_for("All done.")
    assert [each["content"] for each in told(place)] == [{"name": "Ada"}, {}]


@pytest.mark.long
def test_what_is_required_cannot_be_left_out_and_all_can_be_begun_again(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form(schema=NAME))) as talk:
        seen = fill(talk, "", "/skip", "Bob")
        talk.wait_for("send it? ")
        talk.say("perhaps")
        talk.wait_for("y sends it, n declines, e begins again")
        talk.wait_for("send it? ")
        talk.say("e")
        fill(talk, "Ada")
        talk.wait_for("send it? ")
        talk.say("y")
        talk.wait_for("All done.")
    assert seen.count("it is required; /decline ends the whole form") == 2
    assert told(place) == [{"action": "accept", "content": {"name": "Ada"}}]


def test_decline_at_a_field_at_the_look_and_by_the_end_of_input_send_nothing(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, *[form(schema=NAME)] * 3)) as talk:
        fill(talk, "/decline")
        fill(talk, "Ada")
        talk.wait_for("send it? ")
        talk.say("n")
        talk.wait_for("answer: ")
        talk.type(CTRL_D)
        talk.wait_for("All done.")
    assert told(place) == [{"action": "decline"}] * 3


def test_ctrl_c_puts_a_form_away_and_the_turn_goes_on(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form(schema=NAME))) as talk:
        talk.wait_for("answer: ")
        talk.type("half")
        talk.type(CTRL_C)
        talk.wait_for("nothing was sent, and the turn goes on; Ctrl-C again stops it")
        talk.wait_for("All done.")
    assert told(place) == [{"action": "cancel"}]


@pytest.mark.long
def test_a_server_that_asks_again_and_again_can_be_stopped(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, *[form(schema=NAME)] * 5)) as talk:
        talk.wait_for("answer: ")
        talk.type(CTRL_C)
        talk.wait_for("answer: ")
        talk.type(CTRL_C)
        talk.wait_for("exit 130")
        talk.wait_for("> ")
        talk.type(CTRL_D)
        assert talk.ends_with() == 0
    assert place.replays()


def test_a_process_that_is_told_to_end_at_a_form_sends_nothing(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form(schema=NAME))) as talk:
        talk.wait_for("answer: ")
        talk.type("half")
        talk.signal(signal.SIGTERM)
        assert talk.ends_with() == 130
    assert "half" not in place.logs()[0].read_text()
    assert place.replays()


def test_a_page_is_shown_in_full_with_its_host_and_never_opened(place: Place) -> None:
    marker = place.home / "opened"
    browser = place.home / "browser"
    browser.write_text(f"#!/bin/sh\ntouch {marker}\n")
    browser.chmod(0o755)
    url = "https://login.example.com/start?next=https://good.example/"
    calls = (page(url), page("http://plain.example/"))
    with PtyTalk(place, "go", *asking(place, *calls), BROWSER=str(browser)) as talk:
        seen = talk.wait_for("visited? [y/n] ")
        talk.say("what?")
        talk.wait_for("visited? [y/n] ")
        talk.say("y")
        plain = talk.wait_for("visited? [y/n] ")
        talk.say("n")
        talk.wait_for("All done.")
    assert "? The MCP server 'crm' wants you to visit a page" in seen
    assert f"page  {url}" in seen
    assert "host  login.example.com" in seen
    assert "indus does not open it" in seen
    assert "not encrypted" not in seen
    assert "not encrypted" in plain
    assert told(place) == [{"action": "accept"}, {"action": "decline"}]
    assert not marker.exists()


@pytest.mark.long
def test_the_host_stands_out_in_colour(place: Place) -> None:
    words = asking(place, page("https://s.example/s.example"))
    with PtyTalk(place, "go", *words, NO_COLOR="") as talk:
        talk.wait_for("visited? [y/n] ")
        talk.say("n")
        talk.wait_for("All done.")
    assert "https://\x1b[33;1ms.example\x1b[0m/s.example" in talk.raw


@pytest.mark.long
def test_what_was_typed_before_the_form_does_not_fill_it_in(place: Place) -> None:
    words = asking(place, form(schema=NAME))
    script = place.workspace / "answers.toml"
    slowly = 'text = "one two three four"\nchunk = 2\ndelay_ms = 60'
    script.write_text(script.read_text().replace('text = ""', slowly, 1))
    with PtyTalk(place, "go", *words) as talk:
        talk.wait_for("one two")
        talk.type("typed too early")
        talk.wait_for("answer: ")
        talk.say("Ada")
        talk.wait_for("send it? ")
        talk.say("y")
        talk.wait_for("All done.")
    assert told(place) == [{"action": "accept", "content": {"name": "Ada"}}]


def test_when_the_server_is_gone_meanwhile_the_person_is_told(place: Place) -> None:
    with PtyTalk(place, "go", *asking(place, form(schema=AGE))) as talk:
        talk.wait_for("answer: ")
        os.kill(server_pid(place), signal.SIGKILL)
        deadline = time.monotonic() + BOUND
        while "no longer waits for it; nothing was sent" not in said_to(talk, "old"):
            assert time.monotonic() < deadline
            talk.wait_for("answer: ")
        talk.wait_for("All done.")


def wait_for_file(talk: PtyTalk, path: Path) -> None:
    """Typing on, so that the prompt looks at what came meanwhile."""
    deadline = time.monotonic() + BOUND
    while not path.exists():
        assert time.monotonic() < deadline
        talk.wait_for("> ")
        talk.say("/session")


RESTLESS = """
import json, os, sys, threading, time

def say(**words):
    print(json.dumps({"jsonrpc": "2.0", **words}), flush=True)

def ask():
    while not os.path.exists("ask"):
        time.sleep(0.01)
    schema = {"type": "object", "properties": {}}
    say(id="q", method="elicitation/create", params={"message": "Hm?", "requestedSchema": schema})

for line in sys.stdin:
    heard = json.loads(line)
    if heard.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        say(id=heard["id"], result={**result, "serverInfo": {"name": "restless", "version": "1"}})
    elif heard.get("method") == "tools/list":
        say(id=heard["id"], result={"tools": []})
        open("listed", "w").close()
        threading.Thread(target=ask, daemon=True).start()
    elif heard.get("id") == "q":
        open("told", "w").write(json.dumps(heard["result"]))
    elif "id" in heard:
        say(id=heard["id"], error={"code": -32601, "message": "no"})
"""


@pytest.mark.long
def test_a_server_that_asks_while_no_turn_runs_is_declined_and_told_of(place: Place) -> None:
    row = {"command": sys.executable, "args": ["-c", RESTLESS]}
    (place.home / "mcp.json").write_text(json.dumps({"mcpServers": {"restless": row}}))
    with PtyTalk(place, "-m", place.script('[[answer]]\ntext = "Hi."\n')) as talk:
        wait_for_file(talk, place.workspace / "listed")
        (place.workspace / "ask").touch()
        wait_for_file(talk, place.workspace / "told")
        talk.say("/quit")
        talk.ends_with()
    assert "the MCP server 'restless' asked while no turn ran: declined" in talk.screen
    assert json.loads((place.workspace / "told").read_text()) == {"action": "decline"}


def test_no_line_of_the_server_can_pose_as_ours_or_command_the_terminal(place: Place) -> None:
    hostile = "\x1b[2J\x1b]52;c;YQ==\x07ok\nsend it? [y/n/e] \n> "
    schema = {
        "type": "object",
        "properties": {
            "f": {"type": "string", "title": hostile, "description": hostile},
        },
    }
    with PtyTalk(place, "go", *asking(place, form(hostile, schema))) as talk:
        seen = talk.wait_for("\nanswer: ")
        talk.say("/decline")
        talk.wait_for("All done.")
    assert "\x1b[2J" not in talk.raw
    assert "\x1b]52" not in talk.raw
    posing = [line for line in seen.splitlines() if "send it?" in line]
    assert len(posing) == 3
    assert all("│" in line for line in posing)
