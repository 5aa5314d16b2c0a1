"""The gateway behind `saas-action`: every configured connector, found and called by slugs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from induscode.capability_deck.connectors.answers import told
from induscode.capability_deck.connectors.connector import Catalog, Connector, next_address
from induscode.capability_deck.connectors.credentials import (
    Credential,
    FindSecret,
    find_credential,
)
from induscode.capability_deck.connectors.http import Answer, HttpClient, Outgoing, Patience
from induscode.capability_deck.connectors.limits import (
    ANSWER_BYTES,
    LISTED_OPERATIONS,
    REDIRECTS,
)
from induscode.capability_deck.connectors.operation import Operation, Place
from induscode.capability_deck.connectors.sending import CannotSend, spelled
from induscode.capability_deck.connectors.servers import base_of
from induscode.capability_deck.connectors.settings import AuthKind, ConnectorSettings
from induscode.capability_deck.connectors.showing import listed_operation, ranked, shown_operation
from induscode.errors import ConfigError, ProviderError
from induscode.gateway.route import Tls
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.compare import close_names

__all__ = ["OpenApiGateway"]

_FAILURES = (ConfigError, ProviderError)


class OpenApiGateway:
    """A `SaasGatewayPort`. `find_secret` gives the value of a key by its name, `hide` is told each
    value that was found, so that the host keeps it out of sight too; `cache` is a folder for
    documents that were fetched. One connector that cannot be used does not hide the others."""

    def __init__(
        self,
        connectors: Sequence[ConnectorSettings],
        *,
        environ: Mapping[str, str],
        find_secret: FindSecret,
        hide: Callable[[str, str], None] | None = None,
        cache: Path | None = None,
        tls: Tls | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._environ = environ
        self._find_secret = find_secret
        self._hide = hide
        self._client = HttpClient(environ, tls=tls, patience=patience)
        self._connectors = [Connector(each, self._client, cache) for each in connectors]

    def host_of(self, slug: str) -> str | None:
        """The host that `execute` of this slug calls; None when there is no such operation."""
        connector = self._owner(slug)
        return connector.host_of(slug) if connector is not None else None

    async def discover(
        self, query: str | None, *, slug: str | None, context: ToolContext
    ) -> ToolResult:
        if slug is not None:
            return await self._shown(slug, context)
        troubles: list[str] = []
        homes: dict[str, Catalog] = {}
        found: list[Operation] = []
        for connector in self._connectors:
            try:
                catalog = await connector.catalog(context.cancel)
            except _FAILURES as error:
                troubles.append(f"The connector {connector.settings.name} cannot be used: {error}")
                continue
            found += catalog.operations.values()
            homes |= dict.fromkeys(catalog.operations, catalog)
        best = ranked(found, query or "")
        shown = best[:LISTED_OPERATIONS]
        lines = [listed_operation(homes[each.slug].document, each) for each in shown]
        parts = [*troubles, *lines, _summary(best, found, query)]
        text = context.clean("\n".join(parts))
        details: dict[str, Any] = {"operations": [each.slug for each in shown], "total": len(best)}
        failed = bool(troubles) and not found
        return ToolResult((Text(text),), is_error=failed, details=details)

    async def execute(
        self, slug: str, arguments: Mapping[str, Any], *, context: ToolContext
    ) -> ToolResult:
        connector = self._owner(slug)
        if connector is None:
            return self._no_such(slug, [])
        try:
            catalog = await connector.catalog(context.cancel)
            operation = self._operation(connector, catalog, slug)
            if operation is None:
                return self._no_such(slug, list(catalog.operations))
            problem = connector.check(catalog, operation)(arguments)
            if problem is not None:
                return _invalid(f"{problem} discover with this slug shows the whole schema.")
            return await self._called(connector, catalog, operation, arguments, context)
        except CannotSend as error:
            return _invalid(str(error))
        except _FAILURES as error:
            text = context.clean(f"{slug} could not be called: {error}")
            return ToolResult.error(text, details={"kind": "backend", "slug": slug})

    async def _called(
        self,
        connector: Connector,
        catalog: Catalog,
        operation: Operation,
        arguments: Mapping[str, Any],
        context: ToolContext,
    ) -> ToolResult:
        settings = connector.settings
        base = base_of(settings, catalog.document, operation)
        request = spelled(operation, base, arguments)
        credential = find_credential(settings, self._environ, self._find_secret)
        if credential is not None and self._hide is not None:
            self._hide(credential.label, credential.value)
        answer = await self._exchanged(request, credential, context.cancel)

        def clean(text: str) -> str:
            return context.clean(credential.clean(text) if credential is not None else text)

        return told(settings, operation.slug, answer, clean)

    async def _exchanged(
        self, request: Outgoing, credential: Credential | None, cancel: CancelToken
    ) -> Answer:
        """Sends, and follows where the service refers to itself: its own origin, nothing else."""
        for _ in range(REDIRECTS):
            complete = credential.on(request) if credential is not None else request
            answer = await self._client.send(complete, most=ANSWER_BYTES, cancel=cancel)
            onward = next_address(request, answer)
            if onward is None or onward.origin != request.address.origin:
                return answer
            path, _, query = onward.path.partition("?")
            request = replace(request, path=path, query=query)
        raise ProviderError(
            f"{request.address.place} sends the request in circles", hint="nothing more is tried"
        )

    async def _shown(self, slug: str, context: ToolContext) -> ToolResult:
        connector = self._owner(slug)
        if connector is None:
            return self._no_such(slug, [])
        try:
            catalog = await connector.catalog(context.cancel)
        except _FAILURES as error:
            text = context.clean(f"{slug} cannot be shown: {error}")
            return ToolResult.error(text, details={"kind": "backend", "slug": slug})
        operation = self._operation(connector, catalog, slug)
        if operation is None:
            return self._no_such(slug, list(catalog.operations))
        text = context.clean(shown_operation(catalog.document, operation))
        return ToolResult((Text(text),), details={"operations": [slug], "total": 1})

    def _operation(self, connector: Connector, catalog: Catalog, slug: str) -> Operation | None:
        """Without the parameters that its credential is sent in: they are no arguments."""
        operation = catalog.operations.get(slug)
        auth = connector.settings.auth
        if operation is None or auth is None or auth.kind not in {AuthKind.HEADER, AuthKind.QUERY}:
            return operation
        place = Place(auth.kind.value)
        kept = tuple(
            each
            for each in operation.parameters
            if each.place is not place or each.name.lower() != auth.name.lower()
        )
        return replace(operation, parameters=kept)

    def _owner(self, slug: str) -> Connector | None:
        return next((c for c in self._connectors if slug.startswith(c.settings.prefix)), None)

    def _no_such(self, slug: str, known: list[str]) -> ToolResult:
        near = close_names(slug, known)
        names = ", ".join(connector.settings.name for connector in self._connectors)
        guess = f"Did you mean {' or '.join(near)}?" if near else f"Connectors: {names or 'none'}."
        return _invalid(f"There is no operation {slug}. {guess} Slugs come from discover.")


def _summary(best: Sequence[Operation], found: Sequence[Operation], query: str | None) -> str:
    if not best and query and found:
        return f"None of {len(found):,} operations fits {query!r}; try other words."
    if len(best) > LISTED_OPERATIONS:
        return (
            f"[{LISTED_OPERATIONS} of {len(best):,} operations; narrow them with `query`, or give "
            "a `slug` to see its whole schema]"
        )
    return f"[{len(best):,} operations; give a `slug` to see its whole schema]"


def _invalid(sentence: str) -> ToolResult:
    return ToolResult.error(sentence, details={"invalid_arguments": True})
