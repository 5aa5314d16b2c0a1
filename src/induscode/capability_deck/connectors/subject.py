"""What a call of `saas-action` is about, for the gate. Light: it is asked before anything loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induscode.capability_deck.contract import DeckContext
from induscode.policy.subject import NoSubject, SessionSubject, Subject, UrlSubject

__all__ = ["calls_service"]


def calls_service(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    """Listing what could be called touches nothing; calling it reaches the service's host."""
    if arguments.get("action") == "discover":
        return SessionSubject()
    slug, gateway = arguments.get("slug"), ctx.framework.saas
    host = gateway.host_of(slug) if gateway is not None and isinstance(slug, str) else None
    return UrlSubject(host) if host else NoSubject()
