"""What children inherit."""

from __future__ import annotations

import pytest

from induscode.policy.environment import child_environment


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "LC_TOKEN",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "PYTHONPATH",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "BASH_FUNC_ls%%",
        "NODE_OPTIONS",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH_COMMAND",
        "SSH_AUTH_SOCK",
        "RIPGREP_CONFIG_PATH",
        "INDUS_HOME",
        "ANYTHING_ELSE",
    ],
)
def test_keys_and_loader_variables_are_not_inherited(name: str) -> None:
    assert name not in child_environment({name: "canary", "PATH": "/bin"})


@pytest.mark.parametrize("name", ["MY_API_KEY", "MY_TOKEN", "MY_SECRET", "MY_PASSWORD"])
def test_a_secret_does_not_pass_even_when_its_name_was_added(name: str) -> None:
    child = child_environment({name: "canary", "CI": "1"}, also=[name, "CI"])

    assert "canary" not in child.values()
    assert child["CI"] == "1"


def test_what_commands_need_is_inherited() -> None:
    needed = {"HOME": "/h", "USER": "u", "LANG": "C", "LC_ALL": "C", "TERM": "x", "TZ": "UTC"}

    assert needed.items() <= child_environment(needed).items()


def test_a_proxy_with_a_password_is_not_inherited() -> None:
    child = child_environment({"HTTPS_PROXY": "http://me:pass@host:1", "HTTP_PROXY": "http://host"})

    assert "HTTPS_PROXY" not in child
    assert child["HTTP_PROXY"] == "http://host"


def test_relative_entries_are_taken_off_the_search_path() -> None:
    assert child_environment({"PATH": ".:/usr/bin::bin:/bin"})["PATH"] == "/usr/bin:/bin"
    assert child_environment({"PATH": "."})["PATH"] == child_environment({})["PATH"]
