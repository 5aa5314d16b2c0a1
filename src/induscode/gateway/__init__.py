"""Model providers behind one protocol, and the encoders that make a request's exact bytes.

One folder per wire format (`anthropic`, `gemini`, `neutral` with `scripted`, ...); what they share
stands beside them: `encoding.py` (requests as a fold), `transport.py` (HTTP, with `proxy.py` and
`tls.py` where the environment asks for them), `sse.py` (event streams), `faults.py` (every foreign
error in our own words), `catalog.py` (what is known about models).

May import: errors, kernel, version. Must not: read the log or configuration, or of the environment
more than is handed in (proxies and certificates, the process's own by default); retry
(each attempt is an entry, so the conductor decides); put a key into a message.
Start reading at `factory.py`, then `encoding.py` and `anthropic/provider.py`. Importing this
package imports none of them; its names come when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from induscode.gateway.catalog import ModelCard, cost, find_model, known_models
    from induscode.gateway.encoders import encoder_for
    from induscode.gateway.factory import ProviderSpec, connect

__all__ = [
    "ModelCard",
    "ProviderSpec",
    "connect",
    "cost",
    "encoder_for",
    "find_model",
    "known_models",
]

_HOME = {
    "ModelCard": "catalog",
    "ProviderSpec": "factory",
    "connect": "factory",
    "cost": "catalog",
    "encoder_for": "encoders",
    "find_model": "catalog",
    "known_models": "catalog",
}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
