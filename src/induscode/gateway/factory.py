"""From a choice of model to a provider. Each wire's code is imported when it is first chosen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Literal, cast

from msgspec import Struct

from induscode.kernel.model import Provider

__all__ = ["IDLE_TIMEOUT", "ProviderSpec", "Wire", "connect", "make_provider"]

IDLE_TIMEOUT = 120.0

Wire = Literal["anthropic", "openai-responses", "openai-chat", "gemini", "local", "scripted"]

_IN_PROCESS = ("local", "scripted")


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


def make_provider(spec: ProviderSpec, *, environ: Mapping[str, str] | None = None) -> Provider:
    """Raises `ConfigError` for an address or a script that cannot be used and `KeyRefused` for a
    key that cannot be sent. `environ` (the process's own unless given) names proxies and
    certificates."""
    module = import_module(f"induscode.gateway.{spec.wire.replace('-', '_')}.provider")
    if spec.wire in _IN_PROCESS:
        return cast("Provider", module.connect(spec.model))
    over_http = import_module("induscode.gateway.http_provider")
    return cast(
        "Provider",
        over_http.connect(
            module.DIALECT,
            over_http.Account(spec.provider, spec.model, spec.api_key),
            spec.base_url,
            idle_timeout=spec.idle_timeout,
            environ=os.environ if environ is None else environ,
        ),
    )


connect = make_provider
"""The name at the package's face."""
