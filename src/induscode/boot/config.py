"""Configuration in layers: defaults, the user's file, the workspace's, the environment, flags.

The last one wins, and every value remembers the layer that decided it. Rules are no such values:
those of all layers count (`verdicts.py`). The workspace joins only when it is trusted, and only
with what it may say (`workspace_config.py`). A wrong value names the file, the field and the
remedy; a key that nothing knows is reported, not fatal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from induscode.boot.invocation import MODES, Invocation
from induscode.errors import ConfigError
from induscode.gateway.presets import PRESETS

if TYPE_CHECKING:
    from induscode.boot.workspace_config import WorkspaceLayer

__all__ = ["DEFAULTS", "Config", "Setting", "checked", "is_setting", "load_config"]

DEFAULTS: dict[str, Any] = {
    "model": "anthropic/claude-sonnet-4-5",
    "mode": "ask",
    "thinking": "off",
    "network.idle_timeout": 120.0,
    "network.retry_seconds": 10.0,
    "network.wait_seconds": 120.0,
    "permissions.allow": [],
    "permissions.ask": [],
    "permissions.deny": [],
    "fallback": [],
    **{
        f"providers.{name}.{field}": value
        for name, preset in PRESETS.items()
        for field, value in (
            ("wire", preset.wire),
            ("base_url", preset.base_url),
            ("api_key_env", preset.key),
        )
    },
}
_OPEN_TABLES = ("providers", "models", "briefing", "web", "connectors")
_WITHOUT_DEFAULT = ("mcp.defer_tokens", "features.work-item")
_WHOLE = ("models",)  # its keys are names of models, which have dots of their own
_ENVIRONMENT = {
    "INDUS_MODEL": "model",
    "INDUS_MODE": "mode",
    **{preset.url: f"providers.{name}.base_url" for name, preset in PRESETS.items() if preset.url},
}
_CHOICES = {
    "mode": MODES,
    "thinking": ("off", "low", "medium", "high"),
}
_WIRES = ("anthropic", "openai-responses", "openai-chat", "gemini")


class Setting(Struct, frozen=True):
    """A value and the layer that decided it."""

    value: Any
    layer: str


class Config(Struct, frozen=True):
    """All values by dotted key. `unknown` are keys of files that nothing reads; `workspace` is the
    layer of a trusted workspace, if it has one. `permissions.*` are the user's own rules."""

    settings: dict[str, Setting]
    unknown: tuple[str, ...] = ()
    workspace: WorkspaceLayer | None = None

    def get(self, key: str) -> Any:
        found = self.settings.get(key)
        return found.value if found else None

    def text(self, key: str) -> str:
        value = self.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str) -> float:
        return float(self.get(key) or 0)

    def strings(self, key: str) -> list[str]:
        return list(self.get(key) or [])

    def table(self, name: str, file: Path) -> dict[str, Any]:
        """What stands under `[name]` in this very file, nested as it was written."""
        nested: dict[str, Any] = {}
        for key, setting in self.settings.items():
            if key.startswith(f"{name}.") and setting.layer == str(file):
                *steps, last = key.split(".")[1:]
                place = nested
                for step in steps:
                    place = place.setdefault(step, {})
                place[last] = setting.value
        return nested

    def providers(self) -> list[str]:
        names = {key.split(".")[1] for key in self.settings if key.startswith("providers.")}
        return sorted(names)

    def connector_secrets(self) -> list[str]:
        """The names under which connectors want a secret to be stored."""
        return sorted(
            self.text(key)
            for key in self.settings
            if key.startswith("connectors.") and key.endswith(".auth.secret")
        )


def load_config(
    file: Path,
    environ: Mapping[str, str],
    invocation: Invocation | None = None,
    workspace: Callable[[Collection[str]], WorkspaceLayer | None] | None = None,
) -> Config:
    """`workspace` gives the layer of the workspace; it is called when the user's file is read, with
    the providers known by then. Raises `ConfigError`."""
    settings = {key: Setting(value, "default") for key, value in DEFAULTS.items()}
    unknown: list[str] = []
    for key, value in read_file(file).items():
        if not is_setting(key):
            unknown.append(f"{file}: {key}")
        settings[key] = Setting(value, str(file))
    layer = workspace(Config(settings).providers()) if workspace is not None else None
    if layer is not None:
        settings.update({key: Setting(value, layer.file) for key, value in layer.values.items()})
    for variable, key in _ENVIRONMENT.items():
        if environ.get(variable):
            _check(f"${variable}", key, environ[variable])
            settings[key] = Setting(environ[variable], f"${variable}")
    for key in ("model", "mode", "thinking"):
        value = getattr(invocation, key, None)
        if value is not None:
            settings[key] = Setting(value, f"--{key}")
    return Config(settings, tuple(unknown), layer)


def read_file(file: Path) -> dict[str, Any]:
    """The file's values by dotted key; nothing when there is none."""
    if not file.exists():
        return {}
    try:
        return checked(file.read_text(), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            str(file), field="file", found=str(error), hint="make it a readable UTF-8 file"
        ) from None


def checked(text: str, source: str) -> dict[str, Any]:
    """The values of a file's text by dotted key, each of them usable. Raises `ConfigError`."""
    import tomllib

    try:
        values = flatten(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            source, field="syntax", found=str(error), hint="mend the line it names"
        ) from None
    for key, value in values.items():
        _check(source, key, value)
    return values


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and (prefix or key not in _WHOLE):
            flat.update(flatten(value, f"{prefix}{key}."))  # pyright: ignore[reportUnknownArgumentType] TOML is untyped
        else:
            flat[prefix + key] = value
    return flat


def is_setting(key: str) -> bool:
    """Whether something reads this key."""
    table = key.split(".", maxsplit=1)[0]
    return key in DEFAULTS or key in _WITHOUT_DEFAULT or table in _OPEN_TABLES


def _check(source: str, key: str, value: object) -> None:
    choices = _CHOICES.get(key)
    if choices and value not in choices:
        raise ConfigError(
            source,
            field=key,
            found=f"{value!r} is not known",
            hint=f"use one of {', '.join(choices)}",
        )
    if key.startswith("providers.") and key.endswith(".wire") and value not in _WIRES:
        raise ConfigError(
            source, field=key, found=f"{value!r} is no wire", hint=f"use one of {', '.join(_WIRES)}"
        )
    default = DEFAULTS.get(key)
    if key.startswith("providers.") and key.endswith(".models"):
        default = []
    if isinstance(default, float):
        good = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        hint = "use a number above 0"
    elif isinstance(default, list):
        items: list[object] = value if isinstance(value, list) else [None]  # pyright: ignore[reportUnknownVariableType] TOML is untyped
        good = all(isinstance(item, str) for item in items)
        hint = "use a list of strings"
    else:
        good = not isinstance(default, str) or isinstance(value, str)
        hint = "use a string"
    if not good:
        raise ConfigError(source, field=key, found=f"{value!r} does not fit", hint=hint)
