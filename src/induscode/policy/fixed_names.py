"""Names of variables that only the host and the person set: what they say decides which code runs.

Loaders, interpreters and shells start what these name; programs are found, configured and opened
by them; keys and our own settings stand in them. No feature may set one of them or take it away,
for whatever command, whoever granted it.
"""

from __future__ import annotations

import re

from induscode.policy.environment import looks_secret
from induscode.policy.wordlist import words

__all__ = ["why_fixed"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_AUTHORS = re.compile(r"GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)\Z")

_PLACES = words(
    """
    PATH HOME PWD OLDPWD CDPATH SHELL XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS
    """
)
_CODE = words(
    """
    BASH_ENV ENV IFS SHELLOPTS BASHOPTS BASH_XTRACEFD BASH_COMPAT PROMPT_COMMAND PS4 ZDOTDIR FPATH
    PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONBREAKPOINT PYTHONINSPECT PYTHONWARNINGS
    PYTHONEXECUTABLE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONCASEOK PYTHON_PRESITE VIRTUAL_ENV
    NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE DENO_DIR BUN_OPTIONS
    PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYLIB RUBYOPT GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH
    CLASSPATH JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS
    LUA_PATH LUA_CPATH LUA_INIT PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER R_ENVIRON R_HOME
    DOTNET_STARTUP_HOOKS CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH
    CC CXX CPP LD AR MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES CMAKE_TOOLCHAIN_FILE
    GOFLAGS GOPATH GOROOT GOENV RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC RUSTFLAGS
    CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN PYENV_ROOT NVM_DIR CONDA_PREFIX
    GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES HOSTALIASES RES_OPTIONS TERMINFO TERMCAP
    OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GTK_MODULES GIO_MODULE_DIR QT_PLUGIN_PATH
    BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR CVS_RSH RSYNC_RSH
    TAR_OPTIONS GREP_OPTIONS ACLOCAL_PATH
    """
)
_FAMILIES = re.compile(
    r"LD_|DYLD_|BASH_FUNC_|GIT_|INDUS_|NPM_CONFIG_|PIP_|UV_|COREPACK_|CARGO_(?:BUILD|TARGET|ALIAS)_"
    r"|_JAVA_|COMPLUS_"
)
_OPENERS = re.compile(r"(?:EDITOR|VISUAL|PAGER)\Z")


def why_fixed(name: str) -> str | None:
    """Why no feature may touch the variable, None when one may that was granted it. Case does not
    matter: programs exist that read the same names in small letters."""
    if not _PLAIN.match(name):
        return "it is no name of a variable"
    upper = name.upper()
    if _AUTHORS.match(upper):
        return None
    if upper in _PLACES:
        return "programs and their settings are found by it"
    if upper in _CODE or _FAMILIES.match(upper) or _OPENERS.search(upper):
        return "it can decide which code runs"
    return "its name says that it holds a key" if looks_secret(upper) else None
