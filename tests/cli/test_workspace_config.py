"""The workspace's own layer of configuration, and where a rule or a value came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.home import Home, Ran, answer
from tests.requirements import requirement


def workspace_says(home: Home, text: str, *, trusted: bool = True) -> Path:
    file = home.work / ".indus" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    if trusted:
        assert home.run("trust", "grant", ".indus/config.toml").code == 0
    return file


def hello(home: Home, *calls: tuple[str, dict[str, str]], words: tuple[str, ...] = ()) -> Ran:
    script = home.script(answer("Working.", *calls) + answer() if calls else answer())
    return home.run("-p", "hi", "-m", script, *words)


@requirement("files.config.workspace-limits", "files.config.layers", "files.config.where")
def test_a_trusted_workspace_stands_between_the_user_and_the_environment(home: Home) -> None:
    user = home.config('model = "anthropic/claude-opus-4-5"\nthinking = "high"\n')
    text = 'model = "openai/gpt-5"\nthinking = "low"\nfallback = ["gemini/gemini-2.5-pro"]\n'
    file = workspace_says(home, text, trusted=False)
    where = home.run("config", "where", "model").out
    assert where == f"model = anthropic/claude-opus-4-5  (from {user})\n"
    home.run("trust", "grant")
    assert home.run("config", "where", "model").out == f"model = openai/gpt-5  (from {file})\n"
    assert home.run("config", "get", "thinking").out == "low\n"
    assert home.run("config", "get", "fallback").out == '["gemini/gemini-2.5-pro"]\n'
    home.extra = {"INDUS_MODEL": "gemini/x"}
    assert home.run("config", "where", "model").out == "model = gemini/x  (from $INDUS_MODEL)\n"


def test_a_provider_of_the_user_may_be_chosen_by_the_workspace(home: Home) -> None:
    home.config('[providers.mine]\nwire = "openai-chat"\nbase_url = "http://127.0.0.1:9"\n')
    workspace_says(home, 'model = "mine/qwen"\n')
    assert home.run("config", "get", "model").out == "mine/qwen\n"


@requirement("files.config.workspace-limits")
def test_what_a_workspace_may_not_say_is_reported_and_the_run_goes_on(home: Home) -> None:
    file = workspace_says(
        home,
        'mode = "full"\ncolour = "red"\nmodel = "scripted/x"\n[permissions]\nallow = ["bash"]\n'
        '[providers.anthropic]\nbase_url = "http://evil"\n[network]\nidle_timeout = 1\n',
    )
    ran = hello(home)
    assert (ran.code, ran.out) == (0, "Hello.\n")
    for key, why in (
        ("mode", "a workspace may not set the mode"),
        ("colour", "a workspace may not set it"),
        ("model", "'scripted/x' is not PROVIDER/MODEL of a known one"),
        ("permissions.allow", "'bash': a workspace may only narrow"),
        ("providers.anthropic.base_url", "a workspace may not set providers, base URLs or keys"),
        ("network.idle_timeout", "a workspace may not set how we use the network"),
    ):
        found = [line for line in ran.complaints if f"{file}: {key}: {why}" in line]
        assert len(found) == 1, (key, ran.err)
        assert found[0].endswith("; it is ignored")


@pytest.mark.parametrize("text", ["mode = ", "\x00", "x = " + "[" * 9000, "deny = ['bash('"])
def test_a_malformed_file_is_a_fault_and_the_run_goes_on(home: Home, text: str) -> None:
    file = workspace_says(home, text)
    ran = hello(home)
    assert (ran.code, ran.out) == (0, "Hello.\n")
    (line,) = ran.complaints
    assert f"{file}: ignored as a whole" in line


def test_a_rule_that_nobody_can_read_is_a_fault_and_the_others_count(home: Home) -> None:
    workspace_says(home, '[permissions]\ndeny = ["bash(", 5, "bash(make *)"]\n')
    ran = hello(home, ("bash", {"command": "make x"}))
    assert len([line for line in ran.complaints if "permissions.deny" in line]) == 2
    (result,) = home.entries("result")
    assert "denied by the rule 'bash(make *)'" in json.dumps(result)


def test_hundreds_of_wrong_keys_are_counted_not_listed(home: Home) -> None:
    workspace_says(home, "".join(f"key{number} = 1\n" for number in range(500)))
    ran = hello(home)
    assert "480 more settings are ignored" in ran.err
    assert len(ran.complaints) < 30


@requirement("mode.workspace-rules-narrow")
def test_rules_of_a_workspace_narrow_beside_those_of_the_user(home: Home) -> None:
    user = home.config('[permissions]\nallow = ["bash(make *)"]\ndeny = ["bash(curl *)"]\n')
    allow, ask, deny = '["bash(rm *)"]', '["bash(make deploy)"]', '["read(.env)"]'
    file = workspace_says(home, f"[permissions]\nallow={allow}\nask={ask}\ndeny={deny}\n")
    (home.work / ".env").write_text("secret")
    ignored = "ignored: a workspace may only narrow"
    assert home.run("config", "where", "permissions").out.splitlines() == [
        f"permissions.allow: bash(make *)  (from user config, {user})",
        f"permissions.allow: bash(rm *)  (from workspace, {file}, {ignored})",
        f"permissions.ask: bash(make deploy)  (from workspace, {file})",
        f"permissions.deny: bash(curl *)  (from user config, {user})",
        f"permissions.deny: read(.env)  (from workspace, {file})",
    ]
    assert home.run("config", "where", "permissions.ask").out.count("\n") == 1
    assert home.run("config", "get", "permissions.deny").out == '["bash(curl *)","read(.env)"]\n'
    rows = json.loads(home.run("config", "where", "permissions", "--json").out)
    assert [row["ignored"] for row in rows] == [False, True, False, False, False]
    ran = hello(home, ("read", {"path": ".env"}), ("bash", {"command": "rm x"}))
    results = json.dumps(home.entries("result"))
    assert "denied by the rule 'read(.env)'" in results
    assert ran.code == 3


@requirement("files.config.where")
def test_where_says_what_the_gate_answers_to_a_call_and_which_rule_decides(home: Home) -> None:
    user = home.config('[permissions]\nallow = ["bash(git push *)"]\n')
    file = workspace_says(home, '[permissions]\ndeny = ["write(secrets/**)"]\n')
    asked = {
        "bash(git push origin main)": (
            "allow",
            f"decided by: bash(git push *)  (from user config, {user})",
        ),
        "bash(make install)": ("ask: bash: ", "decided by: ask mode: a command that"),
        "bash(echo $(x))": ("ask: bash: ", "decided by: ask mode"),
        "write(secrets/key)": (
            "deny: write is denied by the rule",
            f"decided by: write(secrets/**)  (from workspace, {file})",
        ),
        "edit(secrets/key)": ("deny: edit is denied", "write(secrets/**)"),
        "read(README.md)": ("allow", "decided by: ask mode: "),
        "read(/etc/passwd)": ("ask: read: it reads outside the workspace", "(from mode)"),
    }
    for call, (first, second) in asked.items():
        lines = home.run("config", "where", call).out.splitlines()
        assert lines[0].startswith(first), (call, lines)
        assert second in lines[1], (call, lines)
    said = json.loads(home.run("config", "where", "bash(ls)", "--json").out)
    assert (said["answer"], said["layer"]) == ("allow", "mode")


def test_no_rules_are_said_to_be_none(home: Home) -> None:
    assert home.run("config", "where", "permissions.deny").out == "permissions.deny: no rules\n"
