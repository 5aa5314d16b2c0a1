"""Variables that no feature may touch, and those that one may."""

from __future__ import annotations

import pytest

from induscode.policy.environment import child_environment
from induscode.policy.fixed_names import why_fixed
from tests.requirements import requirement


@requirement("decision.loader-variables-refused")
@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "HOME", "CDPATH", "SHELL", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "PWD"),
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"),
        *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONWARNINGS"),
        *("NODE_OPTIONS", "NODE_PATH", "PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT", "CLASSPATH"),
        *("BASH_ENV", "ENV", "IFS", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4"),
        *("BASH_FUNC_ls", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "GIT_DIR"),
        *("GIT_CONFIG_KEY_0", "GIT_PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "PAGER", "MANPAGER"),
        *("LESSOPEN", "SSH_ASKPASS", "MAKEFLAGS", "GOFLAGS", "RUSTC_WRAPPER", "npm_config_shell"),
        *("INDUS_HOME", "INDUS_ANYTHING", "ANTHROPIC_API_KEY", "DEPLOY_TOKEN", "DB_PASSWORD"),
        *("path", "Ld_Preload", "", "A B", "A=B", "1A", "BASH_FUNC_ls%%", "A\n", "É"),
    ],
)
def test_a_name_that_decides_which_code_runs_is_fixed(name: str) -> None:
    assert why_fixed(name)


@pytest.mark.parametrize(
    "name",
    ["STAGE", "LANG", "LC_ALL", "TZ", "CI", "NO_COLOR", "HTTPS_PROXY", "TMPDIR", "RUST_LOG",
     "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "PYTHONUNBUFFERED", "NODE_ENV", "_private"],
)  # fmt: skip
def test_any_other_name_is_a_matter_of_grants(name: str) -> None:
    assert why_fixed(name) is None


def test_what_the_host_sets_itself_cannot_be_undone() -> None:
    assert all(why_fixed(name) for name in child_environment({}))
