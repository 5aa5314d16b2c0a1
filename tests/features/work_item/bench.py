"""The work-item feature, installed through the one registry at a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from induscode.crew.work_items import work_item_feature
from induscode.feature.capability import AnyCapability, WorkItemStore
from induscode.feature.diagnostic import FeatureInstallReport
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.services import WorkItems
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext
from induscode.tools.local_fs import LocalFilesystem
from tests.features.hosting import TestHost, package
from tests.features.services.desk import Desk

__all__ = ["Bench"]

FEATURE = "builtin:work-item"


class Bench:
    """One session with the feature; `others` is the store as somebody else has it."""

    def __init__(self, root: Path, *denied: AnyCapability, work_items: bool = True) -> None:
        self.desk = Desk(root)
        self.desk.roots = self.desk.standing(work_items=work_items)
        self.host = TestHost(self.desk.grants, self.desk.services)
        for capability in denied:
            self.host.grants.withdraw(capability)
        module = work_item_feature(watch_seconds=0.01)
        self.registry = self.host.registry(package(module))
        self.supervisor = Supervisor(self.registry, sleep=_no_time)

    @property
    def report(self) -> FeatureInstallReport:
        [report] = self.registry.reports()
        return report

    @property
    def others(self) -> WorkItems:
        store = Desk(self.desk.root).handed().work_item_store(WorkItemStore(read=True, write=True))
        assert isinstance(store, WorkItems)
        return store

    async def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        """What the tool answers, and whether it is an error."""
        tools = {draft.tool.name: draft.tool for _, draft in self.registry.tools()}
        context = ToolContext(
            cwd=self.desk.workspace,
            fs=LocalFilesystem(),
            shell=self.desk.roots.shell,
            cancel=CancelToken(),
            progress=lambda _: None,
            spill=lambda *_: self.desk.root / "spill",
            clean=lambda text: text.replace("hunter22", "[redacted]"),
        )
        result = await tools[name].execute(arguments, context)
        return plain_text(result.content), result.is_error

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        self.supervisor.start()
        try:
            yield
        finally:
            await self.supervisor.close()

    def state(self) -> str:
        return self.supervisor.states()[FEATURE, "work_item_watch"]

    def notices(self) -> list[str]:
        return [text for _, text in self.host.notices]


async def _no_time(_: float) -> None:
    """A failed task is started again at once."""
