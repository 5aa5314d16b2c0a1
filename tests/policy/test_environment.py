"""What children inherit."""

from __future__ import annotations

import pytest

from induscode.policy.environment import child_environment
from induscode.policy.redaction import Secrets


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
        *("LD_AUDIT", "LD_DEBUG_OUTPUT", "GLIBC_TUNABLES", "GCONV_PATH", "MALLOC_TRACE"),
        *("PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONWARNINGS", "PERL5OPT", "PERL5LIB"),
        *("RUBYOPT", "RUBYLIB", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"),
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND", "GIT_ASKPASS"),
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_KEY_1", "GIT_TEMPLATE_DIR"),
        *("SSH_ASKPASS", "SSH_AGENT_PID", "EDITOR", "VISUAL", "LESSOPEN", "MANPAGER", "BROWSER"),
        *("SHELLOPTS", "BASHOPTS", "PS4", "IFS", "CDPATH", "GLOBIGNORE", "FPATH", "ZDOTDIR"),
        *("RUSTC_WRAPPER", "CARGO_BUILD_RUSTC", "GOFLAGS", "MAKEFLAGS", "CC", "CMAKE_TOOLCHAIN"),
        *("PIP_INDEX_URL", "npm_config_registry", "UV_INDEX_URL", "KUBECONFIG", "DOCKER_HOST"),
        *("AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS", "NETRC", "DBUS_SESSION_BUS_ADDRESS"),
        *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "TMUX", "BASH_FUNC_cd()", "ld_preload"),
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


def test_a_value_that_holds_a_known_secret_does_not_pass_under_any_name() -> None:
    known = Secrets([("MY_KEY", "sk-canary-9f2c41d7e8")])
    environ = {"LC_X": "sk-canary-9f2c41d7e8", "TERM": "x sk-canary-9f2c41d7e8 x", "TZ": "UTC"}

    child = child_environment(environ, secrets=known)

    assert "LC_X" not in child
    assert "TERM" not in child
    assert child["TZ"] == "UTC"


def test_what_git_is_told_cannot_be_told_otherwise_from_outside() -> None:
    told = {"GIT_CONFIG_COUNT": "9", "GIT_CONFIG_KEY_0": "core.pager", "GIT_CONFIG_VALUE_0": "evil"}

    child = child_environment(told, also=told)

    assert (child["GIT_CONFIG_KEY_0"], child["GIT_CONFIG_VALUE_0"]) == ("core.fsmonitor", "false")
    assert child["GIT_CONFIG_COUNT"] == "1"


def test_relative_entries_are_taken_off_the_search_path() -> None:
    assert child_environment({"PATH": ".:/usr/bin::bin:/bin"})["PATH"] == "/usr/bin:/bin"
    assert child_environment({"PATH": "."})["PATH"] == child_environment({})["PATH"]
