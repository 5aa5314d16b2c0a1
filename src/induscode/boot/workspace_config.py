"""What the `.indus/config.toml` of a trusted workspace may say.

A model of a provider that the user has, an effort, and rules that narrow. Everything else in it is
left out and reported, with the reason. Nothing in it can stop a run: not a syntax error, not a
value that does not fit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, cast

from msgspec import Struct

from induscode.channels.terminal import exact
from induscode.errors import ConfigError
from induscode.policy.rules import Effect, Rule, parse_rule
from induscode.policy.verdict import Layer

__all__ = ["WorkspaceLayer", "read_workspace_layer"]

_THINKING = ("off", "low", "medium", "high")
_SHOWN = 60
_DEPTH = 3
_MAX_FAULTS = 20
_WHY = {
    "mode": "a workspace may not set the mode",
    "permissions.allow": "a workspace may only narrow",
    "providers": "a workspace may not set providers, base URLs or keys",
    "models": "a workspace may not say what models are or cost",
    "network": "a workspace may not set how we use the network",
    "web": "a workspace may not set which addresses are fetched or searched",
    "connectors": "a workspace may not set which services are called",
    "mcp": "a workspace says which servers it has in its MCP file",
}


class WorkspaceLayer(Struct, frozen=True):
    """`values` by dotted key; `rules` as they were written, those that allow included (the gate
    leaves them out); `faults` are sentences about what was left out."""

    file: str
    values: dict[str, Any]
    rules: tuple[Rule, ...] = ()
    faults: tuple[str, ...] = ()


def read_workspace_layer(data: bytes, file: str, *, providers: Collection[str]) -> WorkspaceLayer:
    """`providers` are those that a model may be chosen from. Raises nothing."""
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else _short(str(error))
        return WorkspaceLayer(file, {}, faults=(exact(f"{file}: ignored as a whole: {what}"),))
    return _Reading(file, providers).of(table)


class _Reading:
    """One file on its way to a layer."""

    def __init__(self, file: str, providers: Collection[str]) -> None:
        self._file = file
        self._providers = providers
        self._values: dict[str, Any] = {}
        self._rules: list[Rule] = []
        self._faults: list[str] = []

    def of(self, table: dict[str, Any]) -> WorkspaceLayer:
        for key, value in table.items():
            if key == "permissions" and isinstance(value, dict):
                self._permissions(cast("dict[str, Any]", value))
            else:
                self._setting(key, value)
        faults = self._faults[:_MAX_FAULTS]
        if more := len(self._faults) - len(faults):
            faults.append(f"{self._file}: {more} more settings are ignored")
        shown = tuple(exact(fault) for fault in faults)
        return WorkspaceLayer(self._file, self._values, tuple(self._rules), shown)

    def _setting(self, key: str, value: object) -> None:
        match key, value:
            case "model", str():
                if self._usable("model", value):
                    self._values["model"] = value
            case "thinking", str() if value in _THINKING:
                self._values["thinking"] = value
            case "fallback", list():
                names = cast("list[object]", value)
                self._values["fallback"] = [n for n in names if self._usable("fallback", n)]
            case (("model" | "thinking" | "fallback"), _):
                self._leave(key, f"{_shown(value)} does not fit")
            case _:
                why = _WHY.get(key, "a workspace may not set it")
                for name in _spelled(key, value, _DEPTH):
                    self._leave(name, why)

    def _usable(self, key: str, name: object) -> bool:
        """Only a provider that the user has already; never a file or program as a model."""
        provider, slash, model = name.partition("/") if isinstance(name, str) else ("", "", "")
        if slash and model and provider in self._providers:
            return True
        known = ", ".join(sorted(self._providers))
        self._leave(key, f"{_shown(name)} is not PROVIDER/MODEL of a known one ({known})")
        return False

    def _permissions(self, table: dict[str, Any]) -> None:
        for name, value in table.items():
            key = f"permissions.{name}"
            if name not in set(Effect):
                self._leave(key, "a workspace may not set it")
            elif not isinstance(value, list):
                self._leave(key, "it must be a list of rules")
            else:
                for text in cast("list[object]", value):
                    self._rule(Effect(name), text)

    def _rule(self, effect: Effect, text: object) -> None:
        key = f"permissions.{effect}"
        if not isinstance(text, str):
            self._leave(key, f"{_shown(text)} is not a rule")
            return
        try:
            rule = parse_rule(text, effect=effect, layer=Layer.WORKSPACE, file=self._file)
        except ConfigError as error:
            self._leave(key, _short(error.message.removeprefix(f"{self._file}: {key}: ")))
            return
        self._rules.append(rule)
        if effect is Effect.ALLOW:
            self._leave(key, f"{_shown(text)}: {_WHY[key]}")

    def _leave(self, key: str, why: str) -> None:
        self._faults.append(f"{self._file}: {_short(key)}: {why}; it is ignored")


def _spelled(key: str, value: object, depth: int) -> Iterator[str]:
    """The dotted keys below `key`, as far down as a person wants to read."""
    if not isinstance(value, dict) or depth <= 1 or not value:
        yield key
        return
    for name, inner in cast("dict[str, object]", value).items():
        yield from _spelled(f"{key}.{name}", inner, depth - 1)


def _shown(value: object) -> str:
    return repr(_short(value)) if isinstance(value, str) else f"a {type(value).__name__}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
