"""`indus config` and `indus doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.home import Home, answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say
from tests.mcp.harbour import Harbour, tool
from tests.requirements import requirement

COMMENTED = """\
# how I like it
mode = "ask"   # careful

[network]
# slow line
retry_seconds = 5.0
"""


@requirement("cli.command.config", "files.config.where")
def test_where_names_the_layer_that_decided(home: Home) -> None:
    assert home.run("config", "where", "mode").out == "mode = ask  (from default)\n"
    file = home.config('mode = "plan"\n')
    assert home.run("config", "where", "mode").out == f"mode = plan  (from {file})\n"
    home.extra = {"INDUS_MODE": "full"}
    assert home.run("config", "where", "mode").out == "mode = full  (from $INDUS_MODE)\n"
    assert home.run("config", "where").out == f"{file}\n"


def test_get_prints_a_value_a_table_or_everything(home: Home) -> None:
    assert home.run("config", "get", "mode").out == "ask\n"
    table = home.run("config", "get", "permissions").out
    assert table.splitlines()[0] == "permissions.allow = []"
    assert "model = " in home.run("config", "get").out
    found = json.loads(home.run("config", "get", "network", "--json").out)
    assert found["network.idle_timeout"] == {"value": 120.0, "layer": "default"}


@requirement("cli.command.config")
def test_set_changes_one_value_and_keeps_comments(home: Home) -> None:
    file = home.config(COMMENTED)
    assert home.run("config", "set", "mode", "plan").code == 0
    assert file.read_text() == COMMENTED.replace('"ask"', '"plan"')
    assert home.run("config", "set", "network.idle_timeout", "30").code == 0
    assert home.run("config", "set", "permissions.allow", '["bash(make *)"]').code == 0
    text = file.read_text()
    for comment in ("# how I like it", "# careful", "# slow line"):
        assert comment in text
    assert home.run("config", "get", "network.idle_timeout").out == "30\n"
    assert home.run("config", "get", "permissions.allow").out == '["bash(make *)"]\n'


def test_set_makes_the_file_where_there_is_none(home: Home) -> None:
    assert home.run("config", "set", "mode", "full").code == 0
    assert (home.indus / "config.toml").read_text() == 'mode = "full"\n'


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("mode", "yolo", 1),
        ("model", "5", 1),
        ("network.retry_seconds", "soon", 1),
        ("network.retry_seconds", "0", 1),
        ("permissions.allow", "bash", 1),
        ("providers.x.wire", "telex", 1),
        ("colour", "red", 2),
        ("mode mode", "ask", 2),
    ],
)
def test_set_refuses_what_it_cannot_use_and_leaves_the_file(
    home: Home, key: str, value: str, code: int
) -> None:
    file = home.config(COMMENTED)
    ran = home.run("config", "set", key, value)
    assert ran.code == code
    assert len(ran.complaints) == 1
    assert file.read_text() == COMMENTED
    assert list(home.indus.iterdir()) == [file]


def test_set_does_not_touch_a_value_over_several_lines(home: Home) -> None:
    text = '[permissions]\nallow = [\n  "bash(make *)", # build\n]\n'
    file = home.config(text)
    ran = home.run("config", "set", "permissions.allow", "[]")
    assert ran.code == 1
    assert "edit the file by hand" in ran.err
    assert file.read_text() == text


@requirement("cli.command.doctor")
def test_doctor_says_what_works_and_what_does_not(home: Home) -> None:
    good = home.run("doctor")
    assert good.code == 0, good.out
    for word in ("version", "configuration", "workspace", "sessions", "model", "git", "bash"):
        assert f"  {word} " in good.out
    assert str(home.work) in good.out
    home.config("mode = \n")
    bad = home.run("doctor")
    assert bad.code == 1
    assert "config.toml: syntax" in bad.out
    rows = json.loads(home.run("doctor", "--json").out)
    assert {row["state"] for row in rows} == {"ok", "bad"}


def test_doctor_notes_settings_that_nothing_knows(home: Home) -> None:
    home.config('colour = "red"\n')
    ran = home.run("doctor")
    assert ran.code == 0
    assert "unknown keys" in ran.out
    assert "colour" in ran.out


def test_doctor_counts_the_servers_that_are_configured_and_starts_none(tmp_path: Path) -> None:
    home = Harbour(tmp_path)
    assert "  mcp " not in home.run("doctor").out
    books = home.server("books", tool("find"))
    home.configure(books)
    assert "ok    mcp " in (ran := home.run("doctor")).out
    assert "1 server configured; how each does: indus mcp list" in ran.out
    home.configure(books, odd={"comand": "x"})
    (home.work / ".mcp.json").write_text("{}")
    said = "1 server configured, 1 wrong in their configuration, a file waits for trust"
    assert said in home.run("doctor").out
    assert books.started() == 0


def test_a_setting_that_is_not_set_is_told_from_one_that_is_none(home: Home) -> None:
    assert "is not set; to set it: indus config set" in home.run("config", "where", "web.x").err
    assert "there is no setting" in home.run("config", "where", "nonsense").err


@requirement("files.config.keys")
def test_every_key_and_table_of_the_file_counts(tmp_path: Path) -> None:
    home = Harbour(tmp_path)
    home.configure(home.server("books", tool("find", "A book. " * 300)))
    with AnthropicServer([call("bash", command="touch made"), say("Done.")]) as server:
        home.config(
            'model = "mine/claude-x"\nmode = "full"\n'
            f'[providers.mine]\nwire = "anthropic"\nbase_url = "{server.url}"\n'
            'api_key_env = "MINE"\n'
            '[permissions]\ndeny = ["bash"]\n'
            "[mcp]\ndefer_tokens = 300\n"
            '[briefing]\nprelude = "Be brief."\n'
            "[features]\nwork-item = true\n"
        )
        home.extra = {"MINE": "own-key"}
        ran = home.run("-p", "hi")
        assert (ran.code, ran.out, ran.err) == (0, "Done.\n", "")
        asked = server.requests[0]
    assert (asked.json["model"], asked.headers["x-api-key"]) == ("claude-x", "own-key")
    assert "Be brief." in json.dumps(asked.json["system"])
    told = {each["name"] for each in asked.json["tools"]}
    assert {"work_item_create", "mcp_search"} <= told
    assert "books__find" not in told
    assert home.entries("mode")[0]["mode"] == "full"
    [denied] = home.results()
    assert "denied by the rule 'bash'" in denied


@pytest.mark.parametrize("key", ["mcp.defer_token", "mcp.servers.x", "features.work-items"])
def test_a_key_that_nothing_reads_is_told_whatever_table_it_is_in(home: Home, key: str) -> None:
    file = home.config(f"{key} = 1\n")
    ran = home.run("-p", "hi", "-m", home.script(answer("Hello.")))
    assert (ran.code, ran.out) == (0, "Hello.\n")
    assert f"indus: {file}: {key}: not a setting we know; it is ignored\n" in ran.err
    assert home.run("config", "set", key, "1").code == 2
