"""From a choice of model to a provider. Each wire's code is imported when it is first chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Literal, cast

from msgspec import Struct

from induscode.kernel.model import Provider

__all__ = ["IDLE_TIMEOUT", "ProviderSpec", "Wire", "connect", "make_provider"]

IDLE_TIMEOUT = 120.0

Wire = Literal["anthropic", "openai-responses", "openai-chat", "gemini", "local", "scripted"]


class ProviderSpec(Struct, frozen=True, kw_only=True):
    """Who answers, and how to reach them. `provider` is the name a user knows, `model` what the
    provider calls it (for `scripted`: the file). Shows no key when printed."""

    provider: str
    model: str
    wire: Wire
    base_url: str = ""
    api_key: str = ""
    idle_timeout: float = IDLE_TIMEOUT

    def __repr__(self) -> str:
        return f"ProviderSpec({self.provider}/{self.model}, wire={self.wire})"


def make_provider(
    spec: ProviderSpec,
    *,
    environ: Mapping[str, str] | None = None,
    on_reconnect: Callable[[str], None] | None = None,
) -> Provider:
    """Raises `ConfigError` for an address or a script that cannot be used and `KeyRefused` for a
    key that cannot be sent. `environ` (the process's own unless given) names proxies and
    certificates; `on_reconnect` hears when a kept connection had to be replaced."""
    module = import_module(f"induscode.gateway.{spec.wire.replace('-', '_')}.provider")
    make = cast("Callable[..., Provider]", module.connect)
    over_http = hasattr(module, "DIALECT")
    network = {"environ": os.environ if environ is None else environ} if over_http else {}
    return make(
        name=spec.provider,
        model=spec.model,
        base_url=spec.base_url,
        api_key=spec.api_key,
        idle_timeout=spec.idle_timeout,
        on_reconnect=on_reconnect,
        **network,
    )


connect = make_provider
"""The name at the package's face."""
