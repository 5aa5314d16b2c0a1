"""One configured service: its document, read when first needed, and its operations."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import urljoin

from msgspec import Struct

from induscode.capability_deck.connectors.document import Document, parse_document
from induscode.capability_deck.connectors.http import Answer, HttpClient, Outgoing
from induscode.capability_deck.connectors.limits import CACHE_SECONDS, DOCUMENT_BYTES, REDIRECTS
from induscode.capability_deck.connectors.operation import Operation
from induscode.capability_deck.connectors.reading import read_operations
from induscode.capability_deck.connectors.schemas import Check, argument_check
from induscode.capability_deck.connectors.servers import base_of, known_base
from induscode.capability_deck.connectors.settings import ConnectorSettings
from induscode.errors import ConfigError
from induscode.kernel.cancel import CancelToken
from induscode.policy.private_file import read_private, update_private
from induscode.tools.web.address import WebAddress, parse_address
from induscode.version import VERSION

__all__ = ["Catalog", "Connector", "next_address"]

_OK = 200
_MOVED = frozenset({301, 302, 303, 307, 308})
_MAY_BE_SENT_AGAIN = frozenset({"GET", "HEAD"})


class Catalog(Struct, frozen=True):
    """A document and its operations by slug, in the document's order."""

    document: Document
    operations: Mapping[str, Operation]


class Connector:
    """`cache` is a folder for documents that were fetched; without one they are kept in memory."""

    def __init__(
        self, settings: ConnectorSettings, client: HttpClient, cache: Path | None = None
    ) -> None:
        self.settings = settings
        self._client = client
        self._cache = cache
        self._catalog: Catalog | None = None
        self._checks: dict[str, Check] = {}

    async def catalog(self, cancel: CancelToken) -> Catalog:
        """Reads the document the first time. Raises `ConfigError`, `ProviderError` and
        `Cancelled`."""
        if self._catalog is None:
            place = self.settings.document
            if isinstance(place, Path):
                self._catalog = await asyncio.to_thread(self._from_file, place)
            else:
                self._catalog = await self._from_address(place, cancel)
        return self._catalog

    def check(self, catalog: Catalog, operation: Operation) -> Check:
        if operation.slug not in self._checks:
            self._checks[operation.slug] = argument_check(catalog.document, operation)
        return self._checks[operation.slug]

    def host_of(self, slug: str) -> str | None:
        """The host that a call goes to; None when nothing says. Never raises, and never waits for
        the network: who is called does not depend on a document that was fetched."""
        known = known_base(self.settings)
        if known is not None:
            return known.host
        place = self.settings.document
        with suppress(ConfigError):
            if self._catalog is None and isinstance(place, Path):
                self._catalog = self._from_file(place)
            catalog = self._catalog
            if catalog is not None and slug in catalog.operations:
                return base_of(self.settings, catalog.document, catalog.operations[slug]).host
        return None

    def _from_file(self, path: Path) -> Catalog:
        try:
            data = _bounded_file(path)
        except OSError as error:
            raise self._bad(
                f"{path}: {error.strerror or error}", "name a file that can be read"
            ) from None
        return self._parsed(data, str(path))

    async def _from_address(self, address: WebAddress, cancel: CancelToken) -> Catalog:
        kept = self._kept(address)
        if kept is not None:
            with suppress(ConfigError):
                return await asyncio.to_thread(self._parsed, kept, address.url)
        data = await self._fetched(address, cancel)
        catalog = await asyncio.to_thread(self._parsed, data, address.url)
        file = self._kept_file(address)
        if file is not None:
            # A document that cannot be kept is fetched again next time.
            with suppress(ConfigError):
                await asyncio.to_thread(update_private, file, lambda _: data)
        return catalog

    def _parsed(self, data: bytes, source: str) -> Catalog:
        try:
            document = parse_document(data)
        except ValueError as error:
            raise self._bad(
                f"{source}: {error}", "name an OpenAPI document, JSON or YAML"
            ) from None
        operations = read_operations(document, self.settings.prefix)
        return Catalog(document, {each.slug: each for each in operations})

    def _kept_file(self, address: WebAddress) -> Path | None:
        if self._cache is None:
            return None
        return self._cache / f"{sha256(address.url.encode()).hexdigest()}.openapi"

    def _kept(self, address: WebAddress) -> bytes | None:
        file = self._kept_file(address)
        if file is None:
            return None
        with suppress(OSError, ConfigError):
            if 0 <= time.time() - file.stat().st_mtime < CACHE_SECONDS:
                return read_private(file)
        return None

    async def _fetched(self, address: WebAddress, cancel: CancelToken) -> bytes:
        """Without any credential, and so wherever the address leads."""
        request = _document_request(address)
        answer = await self._client.send(request, most=DOCUMENT_BYTES, cancel=cancel)
        for _ in range(REDIRECTS):
            onward = next_address(request, answer)
            if onward is None or (request.address.scheme == "https" and onward.scheme != "https"):
                break
            request = _document_request(onward)
            answer = await self._client.send(request, most=DOCUMENT_BYTES, cancel=cancel)
        if answer.status == _OK and not answer.cut:
            return answer.body
        found = f"{address.url} answers {answer.status}" + (", too long" if answer.cut else "")
        raise self._bad(found, "give the address of an OpenAPI document, or a file")

    def _bad(self, found: str, hint: str) -> ConfigError:
        return self.settings.unusable("openapi", found, hint)


def next_address(request: Outgoing, answer: Answer) -> WebAddress | None:
    """Where an answer sends a request that may be sent again; None when it does not."""
    location = answer.headers.get("location", "")
    if answer.status not in _MOVED or not location or request.method not in _MAY_BE_SENT_AGAIN:
        return None
    base = f"{request.address.origin}{request.path}"
    try:
        return parse_address(urljoin(base, location))
    except ValueError:
        return None


def _document_request(address: WebAddress) -> Outgoing:
    path, _, query = address.path.partition("?")
    headers = (("accept", "application/json, */*;q=0.5"), ("user-agent", f"indus/{VERSION}"))
    return Outgoing("GET", address, path, query, headers)


def _bounded_file(path: Path) -> bytes:
    """One byte more than a document may have, so that a longer one is noticed."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(None, "it is not a regular file")
        return file.read(DOCUMENT_BYTES + 1)
