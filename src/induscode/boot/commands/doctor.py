"""`indus doctor`: is this machine set up, and where does each thing come from? Shows no secret."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.credentials import Credentials, find_key
from induscode.boot.mcp.configured import configured
from induscode.boot.surroundings import Surroundings
from induscode.channels.terminal import Ink
from induscode.errors import ConfigError, IndusError
from induscode.policy.belongings import Kind
from induscode.version import VERSION

__all__ = ["run"]

_EXAMPLES = """\
  indus doctor
  indus doctor --json
exit: 0 when nothing is broken, 1 otherwise
"""
_SYNCS = 20


class Check(Struct, frozen=True):
    """`state`: ok, note (works, worth knowing) or bad."""

    name: str
    state: str
    detail: str


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser(
        "doctor", "Check this machine and show where each setting comes from.", _EXAMPLES
    )
    words.add_argument("--json", action="store_true", help="one JSON array")
    asked = words.parse_args(argv)
    checks = list(_checks(environ))
    if asked.json:
        out_json(checks)
    else:
        ink = Ink(sys.stdout, dict(environ))
        styles = {"ok": "green", "note": "yellow", "bad": "red"}
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark = ink(check.state.ljust(4), styles[check.state])
            out(f"{mark}  {check.name.ljust(width)}  {check.detail}")
    return 1 if any(check.state == "bad" for check in checks) else 0


def _checks(environ: Mapping[str, str]) -> Iterator[Check]:
    yield Check("version", "ok", f"indus {VERSION}, Python {platform.python_version()}")
    try:
        around = here(environ)
    except IndusError as error:
        yield Check("configuration", "bad", str(error))
        return
    yield _configuration(around)
    yield Check("workspace", "ok", str(around.workspace))
    yield _sessions(around.places.data)
    model = around.config.settings["model"]
    yield Check("model", "ok", f"{model.value} (from {model.layer})")
    yield from _keys(around, environ)
    yield from _servers(around)
    for program, use in (("git", "workspaces"), ("bash", "the bash tool")):
        found = shutil.which(program)
        yield Check(program, "ok" if found else "bad", found or f"missing: {use} need it")


def _configuration(around: Surroundings) -> Check:
    file = around.places.config_file
    if around.config.unknown:
        return Check("configuration", "note", f"unknown keys: {', '.join(around.config.unknown)}")
    return Check("configuration", "ok", str(file) if file.exists() else f"none yet ({file})")


def _sessions(data: Path) -> Check:
    """Whether sessions can be written durably, and how long that takes here."""
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=data) as probe:
            started = time.perf_counter()
            for _ in range(_SYNCS):
                probe.write(b"x" * 512)
                probe.flush()
                os.fdatasync(probe.fileno())
            each = (time.perf_counter() - started) / _SYNCS * 1000
    except OSError as error:
        return Check("sessions", "bad", f"{data} cannot be written: {error.strerror}")
    return Check("sessions", "ok", f"{data} (a durable write takes {each:.1f} ms)")


def _servers(around: Surroundings) -> Iterator[Check]:
    """What is configured; nothing is started."""
    loaded = configured(around, None)
    if loaded is None:
        return
    servers = len(loaded.servers)
    told = [f"{servers} {'server' if servers == 1 else 'servers'} configured"]
    if loaded.problems:
        told.append(f"{len(loaded.problems)} wrong in their configuration")
    if around.trust.held_back(Kind.MCP):
        told.append("a file waits for trust")
    state = "ok" if len(told) == 1 else "note"
    yield Check("mcp", state, f"{', '.join(told)}; how each does: indus mcp list")


def _keys(around: Surroundings, environ: Mapping[str, str]) -> Iterator[Check]:
    """Where each key comes from; the key itself is never shown."""
    chosen = around.config.text("model").partition("/")[0]
    credentials = Credentials(around.places.config)
    for name in around.config.providers():
        variable = around.config.text(f"providers.{name}.api_key_env")
        url = around.config.settings.get(f"providers.{name}.base_url")
        where = f"{url.value} (from {url.layer})" if url else "no base_url"
        try:
            key = find_key(around.config, environ, credentials, name)
        except ConfigError as error:
            yield Check("keys", "bad", str(error))
            return
        if key is not None:
            yield Check(f"key {name}", "ok", f"from {key.source}; {where}")
        elif not variable:
            yield Check(f"key {name}", "ok", f"none needed; {where}")
        else:
            state = "bad" if name == chosen else "note"
            yield Check(f"key {name}", state, f"${variable} is not set and none is stored; {where}")
