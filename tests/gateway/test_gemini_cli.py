"""The command itself over this wire: a run with tools, on a real socket, and its replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.home import CANARY, Home
from tests.fakes.gemini_server import GeminiServer
from tests.fakes.gemini_steps import calls, fail, say

CONFIG = """
[providers.mine]
wire = "gemini"
base_url = "{url}"
api_key_env = "MINE_API_KEY"
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    (made.work / "a.txt").write_text("alpha\n")
    (made.work / "b.txt").write_text("beta\n")
    return made


def test_a_run_with_parallel_calls_ends_well_and_replays(home: Home) -> None:
    steps = [
        calls(
            ("read", {"path": "a.txt"}),
            ("read", {"path": "b.txt"}),
            thinking="both at once",
            signature="c2lnbmVk",
            usage={"input": 50, "output": 9, "reasoning": 4},
        ),
        calls(("read", {"path": "a.txt"}), signature="YWdhaW4="),
        say("alpha and beta", signature="ZW5k", usage={"input": 5, "cache_read": 60, "output": 3}),
    ]
    with GeminiServer(steps) as server:
        home.extra = {"GEMINI_API_KEY": CANARY, "GOOGLE_GEMINI_BASE_URL": server.url}
        ran = home.run("-p", "what do they say?", "-m", "gemini/gemini-2.5-flash")
    assert (ran.code, ran.out) == (0, "alpha and beta\n"), ran.err

    assert server.requests[0].path == (
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    )
    said = server.requests[-1].json["contents"]
    assert [content["role"] for content in said] == ["user", "model", "user", "model", "user"]
    first = [part for part in said[1]["parts"] if "functionCall" in part]
    assert first[0]["thoughtSignature"] == "c2lnbmVk"
    assert all("id" not in part["functionCall"] for part in first)
    told = [part["functionResponse"] for part in said[2]["parts"]]
    assert [response["name"] for response in told] == ["read", "read"]
    assert "alpha" in told[0]["response"]["output"]
    assert "beta" in told[1]["response"]["output"]

    replayed = home.run("replay", home.logs()[-1].stem)
    assert replayed.code == 0, replayed.out + replayed.err
    digests = [row["body_sha256"] for row in home.entries("request")]
    assert digests == server.digests
    usage = [row["usage"] for row in home.entries("response")]
    assert (usage[0]["input"], usage[0]["output"], usage[0]["reasoning"]) == (50, 9, 4)
    assert (usage[2]["input"], usage[2]["cache_read"], usage[2]["output"]) == (5, 60, 3)


def test_a_provider_of_ones_own_may_speak_this_wire(home: Home) -> None:
    with GeminiServer([say("Hello.")]) as server:
        home.config(CONFIG.format(url=server.url))
        home.extra = {"MINE_API_KEY": CANARY}
        ran = home.run("-p", "hi", "-m", "mine/some-model")
    assert (ran.code, ran.out) == (0, "Hello.\n"), ran.err
    assert server.requests[0].headers["x-goog-api-key"] == CANARY


def test_a_refused_key_is_one_line_that_names_the_variable(home: Home) -> None:
    refused = fail(400, f"API key not valid: {CANARY}", reason="API_KEY_INVALID")
    with GeminiServer([refused]) as server:
        home.extra = {"GEMINI_API_KEY": CANARY, "GOOGLE_GEMINI_BASE_URL": server.url}
        ran = home.run("-p", "hi", "-m", "gemini/gemini-2.5-flash")
    assert ran.code == 1
    assert len(ran.complaints) == 1
    assert "does not accept the key (400)" in ran.complaints[0]
    assert "check GEMINI_API_KEY" in ran.complaints[0]
    assert CANARY not in ran.err
