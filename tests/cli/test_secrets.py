"""A key is sent to its provider and appears nowhere else: in no file, output, child or request."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.home import CANARY, Home, Ran
from tests.cli.test_every_wire import WIRES, Wire
from tests.fakes import anthropic_steps, gemini_steps
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import Step, call, cut, fail, say

MARK = "[redacted: ANTHROPIC_API_KEY]"
HALF = len(CANARY) // 2
COMMANDS = (
    *("sessions", "why last", "context last", "replay last", "doctor", "config get", "models"),
    *("sessions --json", "why last --json", "context last --json", "config get --json"),
    *(f"why last --find {CANARY}", f"config get {CANARY}", f"why {CANARY}"),
)


def leaks(root: Path, *but: Path) -> list[Path]:
    files = [path for path in root.rglob("*") if path.is_file() and path not in but]
    return sorted(path for path in files if CANARY.encode() in path.read_bytes())


def run_all(home: Home, steps: list[Step], *words: str) -> list[Ran]:
    home.config("[network]\nretry_seconds = 0.3\nidle_timeout = 0.3\n")
    with AnthropicServer(steps) as server:
        home.url = server.url
        runs = [home.run("-p", "go", *words)]
        assert server.requests[0].headers["x-api-key"] == CANARY
        assert CANARY.encode() not in b"".join(server.bodies)
    return [*runs, *[home.run(*command.split()) for command in COMMANDS]]


def use(home: Home, wire: Wire, server: Any) -> None:
    home.config(
        f'model = "house/m-1"\n[providers.house]\nwire = "{wire.name}"\n'
        f'base_url = "{server.url}{wire.version}"\napi_key_env = "ANTHROPIC_API_KEY"\n'
        "[network]\nretry_seconds = 0.2\n"
    )


def assert_nowhere(home: Home, ran: list[Ran], *but: Path) -> None:
    for one in ran:
        assert CANARY not in one.out + one.err
    assert leaks(home.root, *but) == []


@pytest.mark.parametrize(
    "steps",
    [[fail(401, f"bad key {CANARY}")], [fail(500, f"{CANARY}")] * 9, [cut()] * 9, [say("ok")]],
)
def test_the_key_is_in_no_file_and_no_output(home: Home, steps: list[Step]) -> None:
    assert_nowhere(home, run_all(home, steps))


def test_a_command_does_not_see_the_key_in_its_environment(home: Home) -> None:
    home.extra["LC_PLANTED"] = f"x{CANARY}x"
    command = "env; set; export -p"
    runs = run_all(home, [call("bash", command=command), say("ok")], "--mode", "full", "--json")
    ended = next(event for event in runs[0].events if event["type"] == "tool_end")
    assert "PATH=" in ended["text"]
    assert "ANTHROPIC_API_KEY" not in ended["text"]
    assert "LC_PLANTED" not in ended["text"]
    assert_nowhere(home, runs)


BIG = "head -c 65525 /dev/zero | tr '\\0' x; cat .env; yes \"$(cat .env)\" | head -n 30000"


def whole_run(wire: Wire) -> list[Any]:
    """A model that makes the tools say the key, and says it itself, in pieces."""
    steps = wire.steps
    broken: Any = {"comand": CANARY} if wire.name == "gemini" else f'{{"command": "{CANARY}'
    return [
        steps.calls(("read", {"path": ".env"}), ("bash", {"command": "cat .env"})),
        steps.calls(("bash", {"command": "cat .env >&2; exit 3"})),
        steps.calls(
            (
                "bash",
                {"command": f"printf {CANARY[:HALF]}; sleep 0.3; printf '{CANARY[HALF:]}\\n'"},
            )
        ),
        steps.calls(("bash", {"command": BIG})),
        steps.calls(("bash", {"command": "base64 .env; base64 < .env | rev | rev"})),
        steps.calls(
            ("write", {"path": "copy.txt", "content": f"KEY={CANARY}\n"}),
            ("bash", {"command": f"echo {CANARY}"}),
            text=f"I use {CANARY} now.",
            thinking=f"The key is {CANARY}.",
            chunk=7,
        ),
        steps.calls((f"tool_{CANARY}", {"x": 1}), ("bash", broken)),
        steps.say(f"It is {CANARY}, is it not? {CANARY[:HALF]}", chunk=3),
    ]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_whole_run_shows_the_key_to_nobody(home: Home, wire: Wire) -> None:
    planted = home.work / ".env"
    planted.write_text(CANARY)
    steps = [*whole_run(wire), wire.steps.say(CANARY, chunk=5), wire.steps.say("ok")]
    extra = ("--mode", "full", "--append-system", f"Never say {CANARY}.", "--json")
    with wire.server(steps) as server:
        use(home, wire, server)
        ran = [home.run("-p", f"my key is {CANARY}", *extra)]
        ran.append(home.run("-p", f"again {CANARY}", "-c"))
        ran.append(home.run("-p", f"and {CANARY}", "--fork", "last", "--json"))
        assert server.bodies
        for body in server.bodies:
            assert CANARY.encode() not in body
            assert json.dumps(CANARY)[1:-1].encode() not in body

    events = ran[0].events
    assert ran[0].code == 0, ran[0].err
    assert [e["type"] for e in events if e["type"] == "alert"] == ["alert"]
    assert "redacted" in next(e["text"] for e in events if e["type"] == "alert")
    told = "".join(e["text"] for e in events if e["type"] == "text")
    assert told.endswith(f"It is {MARK}, is it not? {CANARY[:HALF]}")
    assert ran[0].result["text"] == f"It is {MARK}, is it not? {CANARY[:HALF]}"
    ended = [e["text"] for e in events if e["type"] == "tool_end"]
    assert sum(MARK in text for text in ended) >= 6
    spilled = list((home.indus / "spill").rglob("*.txt"))
    assert spilled
    assert any(file.read_text().count(MARK) > 30_000 for file in spilled)
    assert (home.work / "copy.txt").read_text() == f"KEY={MARK}\n"
    replays = [home.run("replay", log.stem) for log in home.logs()]
    assert [one.code for one in replays] == [0, 0], replays
    commands = [home.run(*command.split()) for command in COMMANDS]
    assert_nowhere(home, [*ran, *replays, *commands], planted)


def stream_error(wire: Wire, message: str) -> Any:
    """The answer begins and then turns out to be an error."""
    match wire.name:
        case "anthropic":
            begun = say("I begin.").frames(0, "m")[:4]
            error = {"type": "overloaded_error", "message": message}
            return anthropic_steps.raw(
                *begun, anthropic_steps.frame({"type": "error", "error": error})
            )
        case "gemini":
            error = {"code": 503, "message": message, "status": "UNAVAILABLE"}
            return gemini_steps.raw(gemini_steps.frame({"error": error}))
        case "openai-responses":
            event = {"type": "error", "error": {"code": "server_error", "message": message}}
            return wire.steps.raw(b"event: error\ndata: " + json.dumps(event).encode() + b"\n\n")
        case _:
            event = {"error": {"message": message, "code": 500}}
            return wire.steps.raw(b"data: " + json.dumps(event).encode() + b"\n\n")


COMPLAINTS: dict[str, Callable[[Wire], Any]] = {
    "refused": lambda wire: wire.steps.fail(401, f"bad key {CANARY} given"),
    "cut at the key": lambda wire: wire.steps.fail(401, "x" * 388 + CANARY),
    "unavailable": lambda wire: wire.steps.fail(503, f"no {CANARY}"),
    "in the stream": lambda wire: stream_error(wire, f"bad key {CANARY} given"),
    "in the stream, cut": lambda wire: stream_error(wire, "x" * 388 + CANARY),
    "a content type": lambda wire: replace(wire.steps.wrong_type(), content_type=f"x/{CANARY}"),
    "an encoding": lambda wire: replace(
        wire.steps.say("hi"), headers=(("content-encoding", CANARY),)
    ),
    "other headers": lambda wire: replace(
        wire.steps.fail(429, "slow down"), headers=(("retry-after", CANARY), ("x-key", CANARY))
    ),
}


@pytest.mark.parametrize("kind", COMPLAINTS)
@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_what_a_provider_complains_never_repeats_the_key(home: Home, wire: Wire, kind: str) -> None:
    with wire.server([COMPLAINTS[kind](wire)] * 9) as server:
        use(home, wire, server)
        ran = [home.run("-p", "go", "--json")]
    assert ran[0].result["exit"] == 1
    assert ran[0].complaints or any(e["type"] == "fault" for e in ran[0].events)
    ran += [home.run("why", "last"), home.run("replay", "last")]
    assert ran[-1].code == 0
    assert_nowhere(home, ran)
    for one in ran:
        assert CANARY[:9] not in one.out + one.err
    assert CANARY[:9].encode() not in home.logs()[-1].read_bytes()


def test_a_header_in_other_letters_does_not_repeat_the_key_either(home: Home) -> None:
    home.key = "sk-Canary-9F2C41D7E8" * 3
    step = replace(say("hi"), headers=(("content-encoding", home.key),))
    with AnthropicServer([step]) as server:
        home.url = server.url
        ran = home.run("-p", "go")
    assert ran.code == 1
    assert "not asked for" in ran.err
    assert CANARY not in (ran.out + ran.err).lower()


def test_a_folder_named_like_the_key_is_shown_without_it(home: Home) -> None:
    folder = home.work / f"of-{CANARY}"
    folder.mkdir()
    with AnthropicServer([call("bash", command="pwd"), say("ok")]) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--mode", "full", "--json", cwd=folder)
        assert CANARY.encode() not in b"".join(server.bodies)
    assert ran.code == 0
    assert MARK in ran.events[0]["cwd"]
    assert home.run("replay", "last", cwd=folder).code == 0
    assert_nowhere(home, [ran])


def test_a_key_that_is_stored_is_as_secret_as_one_in_the_environment(home: Home) -> None:
    home.key = ""
    stored = home.run("login", "anthropic", stdin=f"{CANARY}\n")
    assert stored.code == 0, stored.err
    (home.work / "notes").write_text(CANARY)
    with AnthropicServer([call("read", path="notes"), say(f"it is {CANARY}")]) as server:
        home.url = server.url
        ran = home.run("-p", "go")
        assert server.requests[0].headers["x-api-key"] == CANARY
        assert CANARY.encode() not in b"".join(server.bodies)
    assert ran.out == "it is [redacted: key of anthropic]\n"
    assert leaks(home.root) == [home.indus / "credentials.json", home.work / "notes"]


def test_a_key_from_a_keyring_is_secret_too(home: Home) -> None:
    home.key = ""
    ring = home.root / "ring"
    home.extra = {
        "PYTHON_KEYRING_BACKEND": "tests.fakes.keyring_file.FileKeyring",
        "INDUS_TEST_RING": str(ring),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    assert home.run("login", "anthropic", stdin=f"{CANARY}\n").code == 0
    with AnthropicServer(
        [call("bash", command=f"echo {CANARY}"), say(f"it is {CANARY}")]
    ) as server:
        home.url = server.url
        ran = home.run("-p", f"go {CANARY}", "--mode", "full")
        assert CANARY.encode() not in b"".join(server.bodies)
    assert ran.out == "it is [redacted: key of anthropic]\n"
    assert_nowhere(home, [ran], ring)


@pytest.mark.parametrize("words", [("get",), ("where",), ("get", "--json")])
def test_a_key_in_the_configuration_file_is_not_printed(home: Home, words: tuple[str, ...]) -> None:
    home.key = ""
    home.config(
        f'[providers.house]\nwire = "anthropic"\napi_key = "{CANARY}"\n'
        'base_url = "https://me:p4ssw0rd-77@host.test"\n'
    )
    ran = home.run("config", words[0], "providers.house", *words[1:])
    assert ran.code == 0
    assert CANARY not in ran.out
    assert "p4ssw0rd-77" not in ran.out
    assert "[redacted: providers.house.api_key]" in ran.out


@pytest.mark.parametrize(
    "words",
    [("-m", f"nowhere/{CANARY}"), ("--mode", CANARY), ("--cwd", f"/{CANARY}"), ("-r", CANARY)],
)
def test_what_is_wrong_with_the_command_line_is_said_without_the_key(
    home: Home, words: tuple[str, ...]
) -> None:
    ran = home.run("-p", "go", *words)
    assert ran.code != 0
    assert ran.err
    assert_nowhere(home, [ran])


def test_a_file_that_holds_the_key_is_not_written_back_without_it(home: Home) -> None:
    env = home.work / ".env"
    env.write_text(f"KEY={CANARY}\nDEBUG=0\n")
    steps = [
        call("read", path=".env"),
        call("write", path=".env", content=f"KEY={MARK}\nDEBUG=1\n"),
        call("edit", path=".env", old_text="DEBUG=0", new_text="DEBUG=1"),
        say("ok"),
    ]
    with AnthropicServer(steps) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--mode", "full", "--json")
    ended = [e for e in ran.events if e["type"] == "tool_end"]
    assert [e["outcome"] for e in ended] == ["ok", "error", "ok"]
    assert "would be lost" in ended[1]["text"]
    assert env.read_text() == f"KEY={CANARY}\nDEBUG=1\n"
    # What a rewind puts back is kept byte for byte, for nobody but the user to read.
    kept = [path for path in (home.indus / "checkpoints").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert_nowhere(home, [ran], env, *kept)


def test_doctor_says_that_there_is_a_key_and_not_which(home: Home) -> None:
    ran = home.run("doctor")
    assert ran.code == 0, ran.out
    assert "ANTHROPIC_API_KEY" in ran.out
    assert CANARY not in ran.out
    home.key = ""
    without = home.run("doctor")
    assert without.code == 1
    assert "ANTHROPIC_API_KEY is not set" in without.out
