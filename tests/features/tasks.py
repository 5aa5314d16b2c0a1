"""Background tasks for tests, and a supervisor around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from induscode.feature.background import (
    BackgroundTaskContribution,
    FeatureTaskContext,
    TaskActivation,
)
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.registry import Package
from tests.features.hosting import TestHost
from tests.features.modules import Task

__all__ = [
    "Contribution",
    "Naps",
    "fails",
    "forever",
    "nothing",
    "on_demand",
    "stubborn",
    "supervised",
]

Contribution = BackgroundTaskContribution


async def forever(context: FeatureTaskContext) -> None:
    await asyncio.Event().wait()


async def nothing(context: FeatureTaskContext) -> None:
    pass


async def fails(context: FeatureTaskContext) -> None:
    raise ValueError("the tracker is away")


def on_demand(name: str, task: Task, **policies: Any) -> Contribution:
    return Contribution(name, task, activation=TaskActivation.ON_DEMAND, **policies)


class Naps:
    """A sleep that remembers and does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@asynccontextmanager
async def supervised(
    *packages: Package, host: TestHost | None = None, **parts: Any
) -> AsyncIterator[tuple[Supervisor, FeatureRegistry]]:
    registry = (host or TestHost()).registry(*packages)
    supervisor = Supervisor(registry, **parts)
    supervisor.start()
    try:
        yield supervisor, registry
    finally:
        await supervisor.close()


async def stubborn(context: FeatureTaskContext) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue
