"""Where a request goes, and so who gets a credential.

A document is somebody else's text. It may say under which path its service lives, but not who is
sent the user's key, nor, when it was fetched, which other machine is called:

- With a `base_url`, requests go to its origin and nowhere else. The document's servers are not
  asked; an operation with a server of its own is called there if that is the same origin.
- Without one, a document that was fetched is called on its own origin: the user wrote it down.
- Without one, a local document is called where it says, and never with a credential
  (`settings.py` refuses that pair).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

from induscode.capability_deck.connectors.document import Document, Version
from induscode.capability_deck.connectors.nodes import Node, listed, mapped, texted
from induscode.capability_deck.connectors.operation import Operation
from induscode.capability_deck.connectors.settings import ConnectorSettings
from induscode.capability_deck.connectors.swagger import swagger_servers
from induscode.tools.web.address import WebAddress, parse_address

__all__ = ["base_of", "known_base"]

_VARIABLE = re.compile(r"\{([^{}]*)\}")


def known_base(settings: ConnectorSettings) -> WebAddress | None:
    """The address whose origin every request has, as far as the document has no say in it."""
    if settings.base is not None:
        return settings.base
    return settings.document if isinstance(settings.document, WebAddress) else None


def base_of(settings: ConnectorSettings, document: Document, operation: Operation) -> WebAddress:
    """What the operation's path is appended to. Raises `ConfigError`."""
    known = known_base(settings)
    if settings.base is not None and not operation.servers:
        return settings.base
    base = _named(settings, operation.servers or _servers(document), known)
    if known is not None and base.origin != known.origin:
        raise settings.unusable(
            "base_url",
            f"{operation.slug} is at {base.origin}, which is not {known.origin}",
            f'if you trust it with this connector, write base_url = "{base.url}"',
        )
    return base


def _servers(document: Document) -> Sequence[Any]:
    if document.version is Version.SWAGGER_2:
        return swagger_servers(document.root)
    return listed(document.root.get("servers")) or [{"url": "/"}]


def _named(
    settings: ConnectorSettings, servers: Sequence[Any], known: WebAddress | None
) -> WebAddress:
    """The first of the servers, its variables filled with their defaults."""
    server = mapped(servers[0])
    url = _filled(texted(server.get("url")), mapped(server.get("variables")))
    if known is not None:
        url = urljoin(known.url, url)
    try:
        address = parse_address(url.partition("?")[0])
    except ValueError as error:
        raise settings.unusable(
            "base_url",
            f"the document does not say where its service is: {error}",
            'write it, like base_url = "https://api.example.com"',
        ) from None
    return address


def _filled(url: str, variables: Node) -> str:
    return _VARIABLE.sub(lambda found: str(mapped(variables.get(found[1])).get("default", "")), url)
