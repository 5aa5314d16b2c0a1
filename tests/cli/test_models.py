"""`models`, `login`, `logout`, and providers of the configuration, as a person uses them."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from induscode.gateway.catalog import known_models
from tests.cli.home import CANARY, Home, answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.requirements import requirement


@requirement("cli.command.models")
def test_models_lists_windows_prices_and_who_has_a_key(home: Home) -> None:
    ran = home.run("models", "claude-sonnet")
    assert ran.code == 0
    assert "anthropic/claude-sonnet-4-5" in ran.out
    assert "3 / 15" in ran.out
    assert "200k" in ran.out
    everything = home.run("models")
    shown = {line.removeprefix("* ").split()[0] for line in everything.out.splitlines()[1:]}
    assert shown == set(known_models({}))
    assert json.loads(home.run("models", "--json").out).keys() == shown
    home.key = ""
    assert "no key" in home.run("models", "claude-sonnet").out


def test_models_takes_what_the_user_knows_and_names_what_does_not_fit(home: Home) -> None:
    home.config('[models."ollama/qwen3"]\ncontext = 32768\ninput = 0\noutput = 0\n')
    row = json.loads(home.run("models", "qwen3", "--json").out)["ollama/qwen3"]
    assert row["context"] == 32768
    home.config('[models."ollama/qwen3"]\ncontxt = 32768\n')
    ran = home.run("models")
    assert ran.code == 1
    assert "config.toml" in ran.err
    assert 'models."ollama/qwen3"' in ran.err
    assert "context" in ran.err


def test_a_model_with_a_dot_in_its_name_can_be_described(home: Home) -> None:
    home.config('[models."x/gpt-9.1"]\ncontext = 5000\n')
    assert json.loads(home.run("models", "gpt-9.1", "--json").out)["x/gpt-9.1"]["context"] == 5000


@requirement("cli.command.login-logout")
def test_login_keeps_a_key_in_a_file_only_the_user_can_read_and_logout_removes_it(
    home: Home,
) -> None:
    home.key = ""
    assert home.run("login", "anthropic", stdin=CANARY + "\n").code == 0
    file = home.indus / "credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with AnthropicServer([say("hello")]) as server:
        home.url = server.url
        ran = home.run("-p", "hi")
        assert (ran.code, ran.out) == (0, "hello\n")
        assert server.requests[0].headers["x-api-key"] == CANARY
    doctor = home.run("doctor")
    assert str(file) in doctor.out
    assert CANARY not in doctor.out + doctor.err
    assert home.run("logout", "anthropic").code == 0
    ran = home.run("-p", "hi", "-m", "anthropic/claude-sonnet-4-5")
    assert ran.code == 1
    assert "indus login anthropic" in ran.err
    assert home.run("logout", "anthropic").code == 2


@requirement("cli.command.login-logout")
def test_login_uses_the_keyring_where_there_is_one(home: Home) -> None:
    home.key = ""
    ring = home.root / "ring.json"
    home.extra = {
        "PYTHON_KEYRING_BACKEND": "tests.fakes.keyring_file.FileKeyring",
        "INDUS_TEST_RING": str(ring),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    ran = home.run("login", "anthropic", stdin=CANARY + "\n")
    assert "the keyring" in ran.out
    assert CANARY in ring.read_text()
    assert CANARY not in (home.indus / "credentials.json").read_text()
    with AnthropicServer([say("hello")]) as server:
        home.url = server.url
        assert home.run("-p", "hi").out == "hello\n"
        assert server.requests[0].headers["x-api-key"] == CANARY
    assert "the keyring" in home.run("doctor").out
    home.run("logout", "anthropic")
    assert CANARY not in ring.read_text()


def test_what_is_not_a_key_or_a_provider_is_refused(home: Home) -> None:
    assert home.run("login", "anthropic", stdin="two words\n").code == 2
    ran = home.run("login", "nobody", stdin="k\n")
    assert ran.code == 2
    assert "known: anthropic" in ran.err


def test_a_provider_of_the_configuration_is_used_with_its_own_key_variable(home: Home) -> None:
    home.key = ""
    home.extra = {"HOUSE_KEY": "house-key"}
    with AnthropicServer([say("from the house")]) as server:
        home.config(
            f'model = "house/big"\n[providers.house]\nwire = "anthropic"\n'
            f'base_url = "{server.url}"\napi_key_env = "HOUSE_KEY"\n'
        )
        ran = home.run("-p", "hi", "--json")
        assert ran.result["text"] == "from the house"
        assert ran.result["cost"] is None
        assert server.requests[0].headers["x-api-key"] == "house-key"
        assert json.loads(server.bodies[0])["model"] == "big"


def test_a_fallback_of_the_configuration_takes_over(home: Home) -> None:
    script = home.script(answer("from the script"))
    home.config(f'fallback = ["{script}"]\n[network]\nretry_seconds = 0.1\n')
    ran = home.run("-p", "hi")
    assert (ran.code, ran.out) == (0, "from the script\n")
    assert "going on with scripted/" in ran.err
    assert home.run("replay", "last").code == 0


@requirement("files.config.providers")
def test_the_models_of_a_provider_are_listed(home: Home) -> None:
    home.config('[providers.house]\nwire = "gemini"\nbase_url = "http://h"\nmodels = ["big"]\n')
    assert "house/big" in home.run("models", "house").out
    home.config('[providers.house]\nwire = "gemini"\nmodels = "big"\n')
    ran = home.run("models")
    assert ran.code == 1
    assert "providers.house.models" in ran.err
    home.config('[providers.house]\nwire = "smoke"\n')
    assert "anthropic, openai-responses, openai-chat, gemini" in home.run("models").err


def test_without_a_key_the_local_model_answers_and_says_what_it_is(home: Home) -> None:
    home.key = ""
    (home.work / "README.md").write_text("# Tides\n\nTides prints when the tide is high.\n")
    ran = home.run("-p", "Read README.md and tell me what this project is.", "--json")
    assert ran.code == 0
    assert ran.events[0]["model"] == "local/smollm2"
    assert "135 million" in next(e["text"] for e in ran.events if e["type"] == "alert")
    assert "tide" in ran.result["text"].lower()
    assert home.run("replay", "last").code == 0


def test_a_resumed_session_goes_on_with_the_model_it_had(home: Home) -> None:
    script = home.script(answer("first") + answer("second"))
    home.run("-p", "hi", "-m", script)
    assert home.run("-p", "and?", "-c").out == "second\n"
    other = home.script(answer("x") + answer("y") + answer("from the other"), "other.toml")
    assert home.run("-p", "now?", "-c", "-m", other).out == "from the other\n"
    assert [entry["model"] for entry in home.entries("model")] == [
        script.partition("/")[2],
        other.partition("/")[2],
    ]


def test_a_fork_that_cannot_begin_leaves_nothing_behind(home: Home) -> None:
    home.run("-p", "hi", "-m", home.script(answer("first")))
    assert home.run("-p", "x", "--fork", "last", "-m", "nobody/x").code == 2
    assert len(home.logs()) == 1
