"""Whatever an addon says of itself or of its work: nothing of it moves the cursor, hides, poses or
gives a key away, in any place where a person reads it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

import msgspec
import pytest

from induscode.channels.terminal import safe_json
from tests.addons.session.house import House
from tests.addons.session.misdeeds import installed, program
from tests.cli.home import BOUND, CANARY, Ran

PAINT = f"\x1b[2J\x1b]52;c;aGk=\x07\x9b31m\u202egnp\u200b\r\b{CANARY}"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def painter(house: House) -> House:
    installed(house, program(house, "painter", paint=PAINT))
    return house


def _clean(ran: Ran) -> None:
    for text in (ran.out, ran.err):
        assert RAW.findall(text) == [], text
        assert CANARY not in text


def test_what_it_says_of_itself_is_shown_plain(house: House) -> None:
    place = program(house, "painter", paint=PAINT)
    for words in (("plan", str(place)), ("install", str(place), "--yes"), ("list",)):
        ran = house.run("addon", *words)
        assert ran.code == 0, ran.err
        _clean(ran)
    for words in (("grants",), ("feature", "list"), ("feature", "list", "--json")):
        _clean(house.run(*words))


def test_what_it_tells_answers_and_complains_about_is_shown_plain(painter: House) -> None:
    calls = (("bash", {"command": "true"}), ("paint", {}))
    ran = painter.ask(*calls, words=("--mode", "full"))
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    for said in ("user:painter", "because", "ValueError"):
        assert said in ran.err
    _clean(ran)
    ran = painter.ask(*calls, words=("--mode", "full", "--json"))
    assert CANARY not in ran.out
    assert CANARY not in painter.logs()[-1].read_text()
    assert painter.replays()
    _clean(painter.run("why", "last", "--find", "because"))


@pytest.mark.parametrize(("command", "said"), [("/paint", "painted"), ("/spill", "ValueError")])
def test_what_its_commands_answer_is_shown_plain(painter: House, command: str, said: str) -> None:
    ran = _at_a_terminal(painter, "-p", command, "-m", painter.script(""))
    assert said in ran.out + ran.err
    _clean(ran)


def _at_a_terminal(house: House, *words: str) -> Ran:
    """What a terminal is sent, but for colours and the ends of lines."""
    house.extra["NO_COLOR"] = "1"
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb") as shown, os.fdopen(follower, "wb") as screen:
        done = subprocess.run(
            [sys.executable, "-m", "induscode", *words],
            cwd=house.work, env=house.environ(), stdin=subprocess.DEVNULL, stdout=screen,
            stderr=subprocess.PIPE, timeout=BOUND, check=False,
        )  # fmt: skip
        screen.write(b"[over]")
        screen.flush()
        out = b""
        while not out.endswith(b"[over]"):
            out += os.read(shown.fileno(), 65536)
    said = out.decode().removesuffix("[over]").replace("\r\n", "\n")
    return Ran(done.returncode, said, done.stderr.decode())


def test_a_program_that_fails_at_the_look_is_shown_plain(house: House) -> None:
    place = house.root / "bad.py"
    place.write_text(f"import sys\nsys.exit({PAINT!r})\n")
    ran = house.run("addon", "plan", str(place))
    assert ran.code == 1
    assert "bad.py" in ran.err
    _clean(ran)


def test_json_for_programs_says_the_same_and_commands_nothing() -> None:
    said = {"text": f"{PAINT} \U000e0041 \u2028 plain \u00e9"}
    shown = safe_json(msgspec.json.encode(said).decode())
    assert RAW.findall(shown) == []
    assert "\u00e9" in shown
    assert json.loads(shown) == said
