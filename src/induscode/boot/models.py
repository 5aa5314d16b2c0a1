"""From `PROVIDER/MODEL` and the configuration to a model that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from induscode.boot.config import Config
from induscode.boot.credentials import Credentials, find_key
from induscode.boot.defaults import DefaultModel, choose_default
from induscode.conductor.ports import ModelSetting
from induscode.errors import ConfigError, KeyMissing, UsageError
from induscode.gateway.catalog import ModelCard, cost, find_model
from induscode.gateway.factory import ProviderSpec, Wire, make_provider
from induscode.kernel.jsontext import clean_text
from induscode.kernel.request import Parameters
from induscode.policy.redaction import Secrets

__all__ = ["ModelMaker", "own_models"]

_KEYLESS = ("scripted", "local")


class ModelMaker:
    """Makes models ready to be asked, by name. Each key that one needs joins `secrets`."""

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        credentials: Credentials,
        secrets: Secrets | None = None,
    ) -> None:
        self._secrets = secrets or Secrets()
        self._config = config
        self._environ = environ
        self._credentials = credentials

    def default(self) -> DefaultModel:
        """The model of the configuration; where nobody set one, what this user can use."""
        setting = self._config.settings["model"]
        if setting.layer != "default":
            return DefaultModel(str(setting.value))
        keyed = [
            name
            for name in self._config.providers()
            if find_key(self._config, self._environ, self._credentials, name) is not None
        ]
        from induscode.gateway.local.installation import find

        return choose_default(str(setting.value), keyed=keyed, installed=find() is not None)

    def make(self, wanted: str) -> ModelSetting:
        """Raises `UsageError`, `KeyMissing` or `ConfigError`."""
        name, _, model = wanted.partition("/")
        if not model:
            raise UsageError(
                f"the model {wanted!r} has no provider",
                hint="write PROVIDER/MODEL, e.g. anthropic/claude-sonnet-4-5; see: indus models",
            )
        if clean_text(model)[1]:
            raise UsageError("the name of the model is not text", hint="use UTF-8")
        card = find_model(wanted, own_models(self._config))
        thinking = self._config.text("thinking") or "off"
        return ModelSetting(
            name=name,
            model=model,
            provider=make_provider(self._spec(name, model), environ=self._environ),
            parameters=Parameters(max_output=card.max_output, thinking=thinking),
            context=card.context,
            price=lambda usage: cost(usage, card),
        )

    def _spec(self, name: str, model: str) -> ProviderSpec:
        config = self._config
        idle = config.number("network.idle_timeout")
        if name in _KEYLESS:
            wire = cast("Wire", name)
            return ProviderSpec(provider=name, model=model, wire=wire, idle_timeout=idle)
        wire = config.text(f"providers.{name}.wire")
        if not wire:
            known = ", ".join([*config.providers(), *_KEYLESS])
            raise UsageError(
                f"there is no provider {name!r}",
                hint=f"known: {known}; or add [providers.{name}] to config.toml",
            )
        return ProviderSpec(
            provider=name,
            model=model,
            wire=cast("Wire", wire),
            base_url=config.text(f"providers.{name}.base_url"),
            api_key=self._key(name),
            idle_timeout=idle,
        )

    def _key(self, name: str) -> str:
        variable = self._config.text(f"providers.{name}.api_key_env")
        key = find_key(self._config, self._environ, self._credentials, name)
        if key is None and variable:
            raise KeyMissing(
                f"no key for {name}: the variable {variable} is not set and none is stored",
                hint=f"export {variable}=..., or run: indus login {name}",
            )
        if key is not None:
            self._secrets.add(f"key of {name}", key.value)
        return key.value if key else ""


def own_models(config: Config) -> dict[str, ModelCard]:
    """What the user says about models: those that `providers.NAME.models` lists, and what stands
    under `[models."provider/model"]`. Raises `ConfigError`."""
    setting = config.settings.get("models")
    table: dict[str, Any] = setting.value if setting else {}
    cards = {
        f"{provider}/{model}": ModelCard()
        for provider in config.providers()
        for model in config.strings(f"providers.{provider}.models")
    }
    for name, fields in table.items():
        try:
            cards[name] = msgspec.convert(fields, ModelCard)
        except msgspec.ValidationError as error:
            known = ", ".join(ModelCard.__struct_fields__)
            raise ConfigError(
                setting.layer if setting else "",
                field=f'models."{name}"',
                found=str(error),
                hint=f"fields: {known}",
            ) from None
    return cards
