"""`indus config get, set, where`: read, change and explain settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.config import DEFAULTS, Config, Setting, checked, is_setting
from induscode.boot.tomledit import set_value
from induscode.errors import UsageError

__all__ = ["run"]

_EXAMPLES = """\
  indus config get                     every setting
  indus config get model
  indus config set model anthropic/claude-opus-4-5
  indus config set permissions.allow '["bash(make *)"]'
  indus config where mode              which layer decided it
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("config", "Read, change and explain settings.", _EXAMPLES)
    words.add_argument("action", choices=("get", "set", "where"))
    words.add_argument("key", nargs="?", metavar="KEY", help="e.g. model, providers.NAME.wire")
    words.add_argument("value", nargs="?", metavar="VALUE", help="a TOML value, or plain text")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_args(argv)
    around = here(environ)
    if asked.action == "set":
        return _set(around.places.config_file, asked.key, asked.value)
    if asked.key is None and asked.action == "where":
        out(str(around.places.config_file))
        return 0
    chosen = _chosen(around.config, asked.key)
    if asked.json:
        out_json({key: {"value": s.value, "layer": s.layer} for key, s in chosen.items()})
        return 0
    for key, setting in chosen.items():
        if asked.action == "where":
            out(f"{key} = {_shown(setting.value)}  (from {setting.layer})")
        else:
            out(_shown(setting.value) if asked.key == key else f"{key} = {_shown(setting.value)}")
    return 0


def _chosen(config: Config, key: str | None) -> dict[str, Setting]:
    if key is None:
        return dict(sorted(config.settings.items()))
    inside = {
        name: setting
        for name, setting in sorted(config.settings.items())
        if name == key or name.startswith(f"{key}.")
    }
    if not inside:
        known = ", ".join(sorted(config.settings))
        raise UsageError(f"there is no setting {key!r}", hint=f"known: {known}")
    return inside


def _set(file: Path, key: str | None, value: str | None) -> int:
    if key is None or value is None:
        raise UsageError("set needs KEY and VALUE", hint="e.g. indus config set mode plan")
    if not is_setting(key):
        known = ", ".join(sorted(DEFAULTS))
        raise UsageError(f"there is no setting {key!r}", hint=f"known: {known}")
    before = file.read_text() if file.exists() else ""
    changed = set_value(before, key, value, str(file))
    checked(changed, str(file))
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(changed)
    fresh.replace(file)
    out(f"{key} set in {file}")
    return 0


def _shown(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
