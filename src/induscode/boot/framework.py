"""What the deck's tools are built for: the working directory, and the handles that are wired."""

from __future__ import annotations

import msgspec

from induscode.boot.connectors import connectors_of
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.contract import (
    CheckpointStore,
    DeckContext,
    DeckFramework,
    DelegateRunner,
    MemoryStore,
)
from induscode.capability_deck.memory_store import FileMemoryStore
from induscode.errors import ConfigError
from induscode.session.store import workspace_key
from induscode.tools.web.settings import WebAccess, WebSettings

__all__ = ["deck_context", "memory_of"]

_MEMORY = "memory"


def deck_context(
    around: Surroundings,
    checkpoint: CheckpointStore | None = None,
    delegate: DelegateRunner | None = None,
) -> DeckContext:
    """Raises `ConfigError` for a `[web]` or `[connectors]` table that cannot be used."""
    framework = DeckFramework(
        checkpoint=checkpoint,
        delegate=delegate,
        saas=connectors_of(around),
        memory=memory_of(around),
        web=_web(around),
    )
    return DeckContext(cwd=around.cwd, framework=framework)


def _web(around: Surroundings) -> WebAccess:
    """As the user's own file says: a workspace does not choose where we go."""
    file = around.places.config_file
    table = around.config.table("web", file)
    if not table:
        return WebAccess(environ=around.environ)
    from induscode.tools.web.checking import check_settings

    try:
        settings = msgspec.convert(table, WebSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(
            str(file), field="web", found=str(error), hint="docs/web.md shows the table"
        ) from None
    check_settings(settings, str(file))
    return WebAccess(settings, around.environ)


def memory_of(around: Surroundings) -> MemoryStore:
    """The notes of this workspace and of its user."""
    return FileMemoryStore(around.places.data / _MEMORY, workspace_key(around.workspace))
