"""The environment that children get: by allow-list, and never a secret.

Loader, search-path and start-up variables (`LD_PRELOAD`, `PYTHONPATH`, `BASH_ENV`, exported shell
functions) are absent because they are not on the list. Relative entries of `PATH` are dropped, so
that a file of the working directory never answers to the name of a command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from induscode.policy.redaction import Secrets
from induscode.policy.wordlist import words

__all__ = ["child_environment", "find_program", "looks_secret", "search_path"]

_INHERITED = words(
    """
    HOME USER LOGNAME LANG LANGUAGE TERM COLORTERM TZ SHELL TMPDIR
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT NVM_DIR JAVA_HOME GOPATH GOROOT GOCACHE
    CARGO_HOME RUSTUP_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
    """
)
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "AUTH")
_USER_INFO = r"://[^/@\s]+@"

# A child has no terminal to page on or to be asked at. The file-system monitor of git is a program
# that a repository's own configuration names: reading a status must not start it.
_SET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def looks_secret(name: str, value: str = "") -> bool:
    """Whether a variable's name says secret, or its value is an address with a password in it."""
    upper = name.upper()
    return any(part in upper for part in _SECRET_NAMES) or bool(re.search(_USER_INFO, value))


def child_environment(
    environ: Mapping[str, str], *, also: Iterable[str] = (), secrets: Secrets | None = None
) -> dict[str, str]:
    """What of `environ` a child may see. `also` adds names to the list; a secret never passes, nor
    does a value that holds one of `secrets`."""
    wanted = _INHERITED.union(also)
    known = secrets or Secrets()
    child = {
        name: value
        for name, value in environ.items()
        if (name in wanted or name.startswith("LC_"))
        and not looks_secret(name, value)
        and known.text(value) == value
    }
    child["PATH"] = search_path(environ)
    return child | _SET


def search_path(environ: Mapping[str, str]) -> str:
    """`PATH` without its relative and empty entries."""
    entries = environ.get("PATH", _DEFAULT_PATH).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if Path(entry).is_absolute()) or _DEFAULT_PATH


def find_program(word: str, cwd: Path, environ: Mapping[str, str]) -> tuple[Path | None, bool]:
    """The file that a shell in `cwd` would start for `word`, and whether it stands before another
    of that name. An active virtual environment is meant to stand in front and does not count."""
    if "/" in word:
        path = Path(os.path.normpath(cwd / word))
        return (path if _starts(path) else None), False
    entries = search_path(environ).split(os.pathsep)
    found = [entry for entry in dict.fromkeys(entries) if _starts(Path(entry, word))]
    if not found:
        return None, False
    chosen = environ.get("VIRTUAL_ENV", "")
    meant = bool(chosen) and Path(found[0]) == Path(chosen, "bin")
    real = {os.path.realpath(entry) for entry in found}
    return Path(os.path.realpath(found[0]), word), len(real) > 1 and not meant


def _starts(path: Path) -> bool:
    return os.access(path, os.X_OK) and path.is_file()
