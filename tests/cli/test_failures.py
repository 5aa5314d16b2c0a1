"""Whatever fails: the promised exit code, one helpful line on standard error, and no silence."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

import pytest

from tests.cli.home import CANARY, Home, Ran, answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import cut, fail, garbage, say, silent, stall, wrong_type
from tests.requirements import requirement

QUICK = "[network]\nretry_seconds = 0.6\nidle_timeout = 0.4\n"


def failed_once(ran: Ran, *, code: int = 1) -> str:
    """The one line that says what went wrong."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert len(ran.complaints) == 1, ran.err
    return ran.complaints[0]


PROVIDER_FAILURES = {
    "401": (fail(401, "invalid x-api-key"), "does not accept the key (401)", "check ANTHROPIC_API"),
    "403": (fail(403, "forbidden"), "does not accept the key (403)", "check ANTHROPIC_API_KEY"),
    "404": (fail(404, "model: x"), "does not know the model 'claude-sonnet-4-5'", "check the name"),
    "400": (fail(400, "messages.1: odd"), "messages.1: odd", "see the message"),
    "429": (fail(429, "too fast", retry_after=0.1), "limits the rate", "try again in 0.1 s"),
    "429 later": (fail(429, "quota", retry_after=3600), "limits the rate", "try again in 3600 s"),
    "500": (fail(500, "oops"), "cannot serve the request now (500): oops", "try again"),
    "529": (fail(529, "Overloaded"), "cannot serve the request now (529)", "try again"),
    "silent": (silent(), "sent nothing for 0.4 s", "check ANTHROPIC_BASE_URL"),
    "stalled": (stall(700), "sent nothing for 0.4 s", ""),
    "cut": (cut(), "broke off", ""),
    "not events": (garbage(), "", ""),
    "a web page": (wrong_type(), "text/html instead of an event stream", "ANTHROPIC_BASE_URL"),
}


@requirement("cli.exit.1", "cli.exit.never-silent")
@pytest.mark.parametrize("name", PROVIDER_FAILURES)
def test_a_provider_that_fails_is_one_line_and_exit_1(home: Home, name: str) -> None:
    step, told, hint = PROVIDER_FAILURES[name]
    home.config(QUICK)
    with AnthropicServer([step] * 9) as server:
        home.url = server.url
        begun = time.monotonic()
        line = failed_once(home.run("-p", "hi"))
        assert time.monotonic() - begun < 20
    assert told in line
    assert hint in line
    assert CANARY not in line


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_passing_failure_is_overcome_and_said(home: Home, status: int) -> None:
    with AnthropicServer([fail(status, retry_after=0.01), say("There.")]) as server:
        home.url = server.url
        ran = home.run("-p", "hi")
    assert (ran.code, ran.out) == (0, "There.\n")
    assert "trying again in 0.01 s (attempt 2)" in ran.err
    first, second = home.entries("request")
    assert first["body_sha256"] == second["body_sha256"] == server.digests[0] == server.digests[1]
    assert (second["attempt"], second["retry_of"]) == (2, first["id"])


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@requirement("cli.exit.unreachable-provider")
def test_a_refused_connection_is_given_up_within_20_s_by_default(home: Home) -> None:
    home.url = f"http://127.0.0.1:{closed_port()}"
    begun = time.monotonic()
    line = failed_once(home.run("-p", "hi"))
    assert 1 < time.monotonic() - begun < 20
    assert "refuses the connection; check ANTHROPIC_BASE_URL or your network" in line


def test_a_host_that_does_not_exist_is_named(home: Home) -> None:
    home.config(QUICK)
    home.url = "http://does-not-exist.invalid"
    assert "does-not-exist.invalid" in failed_once(home.run("-p", "hi"))


@pytest.mark.parametrize("url", ["localhost", "ftp://x", "http://"])
def test_an_address_that_is_none_is_refused_at_once(home: Home, url: str) -> None:
    home.url = url
    assert "base_url" in failed_once(home.run("-p", "hi"))
    assert home.logs() == []


def test_a_missing_key_says_which_variable_to_set(home: Home) -> None:
    home.key = ""
    line = failed_once(home.run("-p", "hi", "-m", "anthropic/claude-sonnet-4-5"))
    assert "ANTHROPIC_API_KEY is not set" in line
    assert "export ANTHROPIC_API_KEY=..." in line
    assert home.logs() == []


@pytest.mark.parametrize(
    ("model", "told", "hint"),
    [
        ("nobody/x", "there is no provider 'nobody'", "known: anthropic, "),
        ("claude-sonnet-4-5", "has no provider", "write PROVIDER/MODEL"),
    ],
)
def test_a_model_that_nobody_provides_is_wrong_usage(
    home: Home, model: str, told: str, hint: str
) -> None:
    line = failed_once(home.run("-p", "hi", "-m", model), code=2)
    assert told in line
    assert hint in line


def test_a_script_that_is_wrong_names_file_and_place(home: Home) -> None:
    line = failed_once(home.run("-p", "hi", "-m", home.script("[[answer]]\ntxt = 1\n")))
    assert "script.toml" in line
    assert "txt" in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mode = \n", "config.toml: syntax:"),
        ("mode = 'yolo'\n", "mode: 'yolo' is not known; use one of ask, accept-edits, plan, full"),
        ("model = 5\n", "model: 5 does not fit; use a string"),
        ("[network]\nretry_seconds = 'long'\n", "network.retry_seconds: 'long' does not fit"),
        ("[network]\nidle_timeout = -1\n", "use a number above 0"),
        ("[permissions]\nallow = 'bash'\n", "permissions.allow: 'bash' does not fit; use a list"),
        ("[permissions]\ndeny = ['bash(']\n", "bash("),
        ("[providers.x]\nwire = 'telex'\n", "providers.x.wire: 'telex' is no wire; use one of"),
        (b"mode = '\xff'\n".decode("latin-1"), "'ÿ' is not known"),
    ],
)
def test_a_wrong_configuration_names_file_field_and_remedy(
    home: Home, text: str, told: str
) -> None:
    home.config(text)
    line = failed_once(home.run("-p", "hi"))
    assert told in line
    assert str(home.indus / "config.toml") in line


def test_a_setting_that_nothing_knows_is_a_warning(home: Home) -> None:
    home.config("colour = 'red'\n[mcp]\nanything = 1\ndefer_tokens = 1\n")
    ran = home.run("-p", "hi", "-m", home.script(answer()))
    assert (ran.code, ran.out) == (0, "Hello.\n")
    assert "colour: not a setting we know; it is ignored" in ran.err
    assert "mcp.anything: not a setting we know; it is ignored" in ran.err
    assert "defer_tokens" not in ran.err


@requirement("cli.flag.unknown", "cli.exit.2")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-p", "hi", "--frobnicate"], "--frobnicate"),
        (["-p", "hi", "--mode", "yolo"], "--mode"),
        (["-p", "hi", "--max-steps", "0"], "'0' is not a whole number of at least 1"),
        (["-p", "hi", "--max-steps", "many"], "'many' is not a whole number of at least 1"),
        (["-p", "hi", "--max-cost", "free"], "'free' is not a number above 0"),
        (["-p", "hi", "--max-cost", "nan"], "'nan' is not a number above 0"),
        (["-p", "hi", "there"], "two prompts were given"),
        (["-p"], "there is no prompt"),
        (["--json"], "--json goes with -p"),
        (["-p", "hi", "-c", "-r", "x"], "only one of --continue, --resume, --fork"),
        (["-p", "hi", "--tools", "read", "--no-tools"], "contradict each other"),
        (["-p", "hi", "--tools", "raed"], "there is no tool 'raed'; known tools: read, ls, grep"),
        (["-p", "hi", "--system", "@missing.txt"], "@missing.txt: No such file"),
        (["-p", "hi", "--cwd", "nowhere"], "is not a directory"),
        (["-p", "hi", "--model", "nobody/x"], "there is no provider 'nobody'"),
        (["-p", "hi", "--version"], "--version stands alone"),
        (["replay"], "the following arguments are required: ID"),
        (["config", "set", "mode"], "set needs KEY and VALUE"),
        (["config", "get", "colour"], "there is no setting 'colour'"),
    ],
)
def test_wrong_usage_is_exit_2_with_a_hint(home: Home, words: list[str], told: str) -> None:
    line = failed_once(home.run(*words), code=2)
    assert told in line
    assert home.logs() == []


@pytest.mark.parametrize("words", [["-r", "zzz"], ["--fork", "zzz"], ["-c"], ["-r", "../etc"]])
def test_a_session_that_is_not_there_is_said(home: Home, words: list[str]) -> None:
    line = failed_once(home.run("-p", "hi", "-m", home.script(answer()), *words))
    assert "session" in line
    assert "indus" in line.removeprefix("indus:")


def test_an_answer_without_text_is_said(home: Home) -> None:
    ran = home.run("-p", "hi", "-m", home.script(answer("")))
    assert (ran.code, ran.out) == (0, "")
    assert "the model answered without any text" in ran.err


def test_a_refusal_of_the_model_is_a_failed_run(home: Home) -> None:
    ran = home.run("-p", "hi", "-m", home.script(answer("No.") + 'stop = "refusal"\n'))
    assert (ran.code, ran.out) == (1, "No.\n")
    assert "the model refused to answer" in ran.err


def test_an_answer_cut_off_at_its_limit_is_said(home: Home) -> None:
    ran = home.run("-p", "hi", "-m", home.script(answer("And so") + 'stop = "length"\n'))
    assert ran.out == "And so\n"
    assert "cut off at the model's output limit" in ran.err


def test_output_that_nobody_reads_stops_the_run_and_blames_no_network(home: Home) -> None:
    step = say("word " * 4000, chunk=5)
    with AnthropicServer([step] * 3) as server:
        home.url = server.url
        process = home.start("-p", "hi", "--json")
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"cannot be reached" not in err
    assert b"Traceback" not in err
    assert len(server.requests) == 1


def test_output_that_cannot_be_written_is_said(home: Home) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "induscode", "-p", "hi", "-m", home.script(answer())],
            cwd=home.work, env=home.environ(), stdin=subprocess.DEVNULL,
            stdout=full, stderr=subprocess.PIPE, timeout=20, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode() == "indus: No space left on device\n"
