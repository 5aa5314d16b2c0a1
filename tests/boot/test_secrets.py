"""What a run holds to be secret, and that no event shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from induscode.boot.config import load_config
from induscode.boot.credentials import Credentials
from induscode.boot.secrets import clean_events, known_secrets, secrets_of_process
from induscode.kernel.events import (
    Alert,
    ApprovalAsked,
    Event,
    Fault,
    FormAsked,
    FormClosed,
    HookDecided,
    Noticed,
    RunResult,
    SessionOpened,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from induscode.kernel.form import FormField, YesNoKind
from induscode.policy.redaction import Secrets

KEY = "sk-canary-9f2c41d7e8"
MARK = "[redacted: MY_KEY]"


def found(tmp_path: Path, **environ: str) -> Secrets:
    config = load_config(tmp_path / "config.toml", environ)
    return known_secrets(config, environ, Credentials(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        *("ANTHROPIC_API_KEY", "GH_TOKEN", "MY_SECRET", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"),
        *("DJANGO_SECRET_KEY", "api_key", "TOKEN"),
    ],
)
def test_a_variable_whose_name_says_secret_is_one(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, **{name: KEY}).text(KEY) == f"[redacted: {name}]"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
        ("A_TOKEN", "/etc/passwd"),
        ("POSTGRES_PASSWORD", "postgres"),
        ("A_PASSWORD", "CHANGEME"),
        ("A_PASSWORD", "short1"),
        ("TOKENIZERS_PARALLELISM", "false-or-so"),
        ("AWS_ACCESS_KEY_ID", "AKIA1234567890"),
        ("HTTPS_PROXY", "http://user@proxy.test:3128"),
    ],
)
def test_paths_words_and_other_variables_are_left_alone(
    tmp_path: Path, name: str, value: str
) -> None:
    assert found(tmp_path, **{name: value}).text(f"={value}=") == f"={value}="


def test_a_value_that_only_looks_like_a_path_is_a_secret(tmp_path: Path) -> None:
    assert found(tmp_path, A_TOKEN="/9j4AAQSkZJRg+x").text("/9j4AAQSkZJRg+x") == (
        "[redacted: A_TOKEN]"
    )


def test_a_configured_key_is_one_whatever_it_looks_like(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[providers.house]\nwire = "anthropic"\napi_key_env = "HOUSE"\n'
    )
    assert found(tmp_path, HOUSE="localhost").text("localhost") == "[redacted: HOUSE]"


def test_a_password_in_an_address_is_one_also_as_it_is_sent(tmp_path: Path) -> None:
    known = found(tmp_path, HTTPS_PROXY="http://me:p4ss%2Fw0rd@proxy.test:3128")
    assert known.text("p4ss%2Fw0rd p4ss/w0rd") == "[redacted: HTTPS_PROXY] [redacted: HTTPS_PROXY]"
    assert "bWU6cDRzcy93MHJk" not in known.text("Basic bWU6cDRzcy93MHJk")


def test_keys_in_our_file_are_known_and_a_broken_file_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "credentials.json").write_text('{"anthropic": {"key": "' + KEY + '"}}')
    assert found(tmp_path).text(KEY) == "[redacted: key of anthropic]"
    (tmp_path / "credentials.json").write_text("{")
    assert repr(found(tmp_path)) == "Secrets()"


def test_a_broken_configuration_does_not_make_an_error_tell_a_key(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("mode = [")
    environ = {"INDUS_HOME": str(tmp_path), "ANTHROPIC_API_KEY": KEY}
    assert secrets_of_process(environ).text(KEY) == "[redacted: ANTHROPIC_API_KEY]"


EVENTS: list[Event] = [
    SessionOpened(session="s", model=f"m/{KEY}", cwd=f"/{KEY}", mode="ask"),
    TextDelta(text=KEY),
    ThinkingDelta(text=KEY),
    ToolStarted(call="c", tool="t", arguments={KEY: [{"deep": KEY}]}),
    ToolUpdated(call="c", text=KEY),
    ToolEnded(call="c", tool="t", outcome="ok", text=f"\ud800{KEY}", arguments={"a": KEY}),
    Noticed(text=KEY, by="b"),
    Alert(text=KEY),
    HookDecided(point="p", by="b", decision="deny", reason=KEY),
    ApprovalAsked(id="c", tool="t", arguments={"a": KEY}, question=KEY, choices=["once"]),
    FormAsked(id="c", by="s", message="m", fields=[FormField("f", YesNoKind(), "t", KEY)]),
    FormClosed(id="c", how=KEY),
    Fault(message=KEY),
    RunResult(session="s", text=KEY, steps=1, usage={}, cost=None, exit=0),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_no_event_shows_a_secret(event: Event) -> None:
    heard: list[Event] = []
    clean_events(heard.append, Secrets([("MY_KEY", KEY)]))(event)
    assert KEY not in repr(heard)
    assert MARK in repr(heard)
    assert type(heard[0]) is type(event)
    other = Alert(text="nothing secret")
    clean_events(heard.append, Secrets([("MY_KEY", KEY)]))(other)
    assert heard[-1] is other
