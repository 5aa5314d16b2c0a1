"""From `PROVIDER/MODEL` and the configuration to a model that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from induscode.boot.config import Config
from induscode.conductor.ports import ModelSetting
from induscode.errors import KeyMissing, UsageError
from induscode.gateway.catalog import cost, limits
from induscode.gateway.factory import ProviderSpec, make_provider
from induscode.kernel.request import Parameters

__all__ = ["model_setting"]


def model_setting(
    config: Config, environ: Mapping[str, str], *, on_reconnect: Callable[[str], None]
) -> ModelSetting:
    """Raises `UsageError`, `KeyMissing` or `ConfigError`."""
    name, _, model = config.text("model").partition("/")
    if not model:
        raise UsageError(
            f"the model {config.text('model')!r} has no provider",
            hint="write PROVIDER/MODEL, e.g. anthropic/claude-sonnet-4-5",
        )
    spec = _spec(config, environ, name, model)
    known = limits(name, model)
    parameters = Parameters(max_output=known.max_output, thinking=config.text("thinking") or "off")
    return ModelSetting(
        name=name,
        model=model,
        provider=make_provider(spec, on_reconnect=on_reconnect),
        parameters=parameters,
        context=known.context,
        price=lambda usage: cost(usage, known.prices),
    )


def _spec(config: Config, environ: Mapping[str, str], name: str, model: str) -> ProviderSpec:
    idle = config.number("network.idle_timeout")
    if name == "scripted":
        return ProviderSpec(provider=name, model=model, wire="scripted", idle_timeout=idle)
    wire = config.text(f"providers.{name}.wire")
    if wire != "anthropic":
        known = ", ".join(config.providers())
        raise UsageError(
            f"there is no provider {name!r}",
            hint=f"known: {known}, scripted; add [providers.{name}] to config.toml",
        )
    variable = config.text(f"providers.{name}.api_key_env")
    key = environ.get(variable, "") if variable else ""
    if not key:
        raise KeyMissing(
            f"no key for {name}: the variable {variable or '(none configured)'} is not set",
            hint=f"export {variable or 'ANTHROPIC_API_KEY'}=..., or try: indus demo",
        )
    return ProviderSpec(
        provider=name,
        model=model,
        wire="anthropic",
        base_url=config.text(f"providers.{name}.base_url"),
        api_key=key,
        idle_timeout=idle,
    )
