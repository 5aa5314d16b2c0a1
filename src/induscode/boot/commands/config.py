"""`indus config get, set, where`: read, change and explain settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from induscode.boot.assemble import policy_of
from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.config import DEFAULTS, Setting, checked, is_setting
from induscode.boot.invocation import Invocation
from induscode.boot.surroundings import Surroundings
from induscode.boot.tomledit import set_value
from induscode.boot.verdicts import explain, is_call, rules_of
from induscode.channels.terminal import exact
from induscode.errors import UsageError
from induscode.policy.rules import Effect

__all__ = ["run"]

_EXAMPLES = """\
  indus config get                     every setting
  indus config get model
  indus config set model anthropic/claude-opus-4-5
  indus config set permissions.allow '["bash(make *)"]'
  indus config where mode              which layer decided it
  indus config where permissions       every rule, and where it was written
  indus config where 'bash(git push)'  what the gate says about a call here, and why
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
    if asked.action == "where":
        if asked.key is None:
            out(str(around.places.config_file))
            return 0
        if is_call(asked.key):
            return _explain(around, asked.key, as_json=asked.json)
        if _about_rules(asked.key):
            return _rules(around, asked.key, as_json=asked.json)
    chosen = _chosen(_with_rules(around), asked.key)
    if asked.json:
        out_json({key: {"value": s.value, "layer": s.layer} for key, s in chosen.items()})
        return 0
    for key, setting in chosen.items():
        if asked.action == "where":
            out(f"{key} = {_shown(setting.value)}  (from {setting.layer})")
        else:
            out(_shown(setting.value) if asked.key == key else f"{key} = {_shown(setting.value)}")
    return 0


def _with_rules(around: Surroundings) -> dict[str, Setting]:
    """The settings, with the rules of the workspace beside the user's."""
    settings = dict(around.config.settings)
    layer = around.config.workspace
    for effect in (Effect.ASK, Effect.DENY):
        texts = [rule.text for rule in layer.rules if rule.effect is effect] if layer else []
        if layer and texts:
            own = settings[f"permissions.{effect}"]
            both = f"{own.layer}, {layer.file}" if own.value else layer.file
            settings[f"permissions.{effect}"] = Setting([*own.value, *texts], both)
    return settings


def _about_rules(key: str) -> bool:
    return key in {"permissions", *(f"permissions.{effect}" for effect in Effect)}


def _rules(around: Surroundings, key: str, *, as_json: bool) -> int:
    written = rules_of(around.config, around.places, around.workspace)
    wanted = [effect for effect in Effect if key in {"permissions", f"permissions.{effect}"}]
    found = [each for effect in wanted for each in written if each.rule.effect is effect]
    if as_json:
        out_json(
            [
                {
                    "effect": each.rule.effect,
                    "rule": each.rule.text,
                    "layer": each.rule.layer,
                    "source": each.source,
                    "ignored": each.ignored,
                }
                for each in found
            ]
        )
        return 0
    for effect in wanted:
        here_found = [each for each in found if each.rule.effect is effect]
        for each in here_found:
            ignored = ", ignored: a workspace may only narrow" if each.ignored else ""
            text = exact(each.rule.text)
            out(f"permissions.{effect}: {text}  (from {each.rule.layer}, {each.source}{ignored})")
        if not here_found:
            out(f"permissions.{effect}: no rules")
    return 0


def _explain(around: Surroundings, call: str, *, as_json: bool) -> int:
    written = rules_of(around.config, around.places, around.workspace)
    said = explain(call, policy_of(Invocation(), around), around.cwd, written)
    if as_json:
        out_json(said)
        return 0
    why = f": {exact(said.why)}" if said.why else ""
    source = f", {said.source}" if said.source else ""
    out(f"{said.answer}{why}")
    out(f"decided by: {exact(said.rule)}  (from {said.layer}{source})")
    return 0


def _chosen(settings: Mapping[str, Setting], key: str | None) -> dict[str, Setting]:
    if key is None:
        return dict(sorted(settings.items()))
    inside = {
        name: setting
        for name, setting in sorted(settings.items())
        if name == key or name.startswith(f"{key}.")
    }
    if not inside and is_setting(key):
        raise UsageError(f"{key} is not set", hint=f"to set it: indus config set {key} VALUE")
    if not inside:
        known = ", ".join(sorted(settings))
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
