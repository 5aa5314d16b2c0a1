"""The watcher: tells the model when somebody else changed a work item."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from induscode.crew.work_items.ledger import WorkItemLedger
from induscode.errors import Cancelled, HandleClosed, ServiceRefused
from induscode.feature.background import FeatureTaskContext
from induscode.feature.capability import WorkItemStore
from induscode.feature.service_work_items import WorkItems
from induscode.feature.services import Denied, Unavailable

__all__ = ["WATCH_SECONDS", "WorkItemWatch"]

WATCH_SECONDS = 2.0
"""Between two looks at the store."""

_TOLD_MOST = 20
"""Items named in one notice."""


class WorkItemWatch:
    """Ends when it is told to, when its grants are gone or when no more notices are taken. A store
    that cannot be read is alerted and raised: the host starts the watcher again."""

    def __init__(self, ledger: WorkItemLedger, seconds: float = WATCH_SECONDS) -> None:
        self._ledger = ledger
        self._seconds = seconds

    async def run(self, context: FeatureTaskContext) -> None:
        store = context.services.work_item_store(WorkItemStore(read=True))
        if isinstance(store, Denied | Unavailable):
            context.alerts.alert(f"Work items are not watched: {store.reason}.")
            return
        try:
            await context.cancellation.run(self._watch(store, context))
        except (Cancelled, HandleClosed):
            return
        except ServiceRefused as error:
            context.alerts.alert(f"Work items are not watched any more: {error}.")
        except OSError as error:
            context.alerts.alert(f"Watching the work items failed: {error}.")
            raise

    async def _watch(self, store: WorkItems, context: FeatureTaskContext) -> None:
        while True:
            news = await asyncio.to_thread(self._ledger.news, store)
            if news:
                if not await context.notify.notify_model(_notice(news)):
                    return
                await asyncio.to_thread(self._ledger.told, news)
            await asyncio.sleep(self._seconds)


def _notice(news: Mapping[str, str]) -> str:
    lines = [f"- {name}: {change}" for name, change in news.items()]
    more = len(lines) - _TOLD_MOST
    if more > 0:
        lines[_TOLD_MOST:] = [f"- and {more} more"]
    return "\n".join(
        ["Somebody else changed work items (work_item_list shows one by its id):", *lines]
    )
