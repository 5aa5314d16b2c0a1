"""What a background task holds: for one run, while its grants last, before the next rewrite."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from induscode.errors import HandleClosed
from induscode.feature.background import (
    FeatureTaskContext,
    RestartPolicy,
    ShutdownPolicy,
)
from induscode.feature.capability import (
    AnyCapability,
    EmitAlert,
    EmitModelNotification,
    Network,
    NetworkPurpose,
    RunBackgroundTask,
)
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.limits import NOTICES_MOST
from induscode.feature.registry import FeatureInstallContext
from tests.features.hosting import Grants, TestHost, package
from tests.features.modules import Module, Task, describe, report_of, tasks_of, until
from tests.features.tasks import (
    Contribution,
    Naps,
    forever,
    nothing,
    on_demand,
    stubborn,
    supervised,
)
from tests.requirements import requirement

pytestmark = pytest.mark.usefixtures("no_loose_ends")


@requirement("feature.task.output-through-sinks")
async def test_what_a_task_says_goes_through_the_sinks_it_was_granted() -> None:
    heard: list[bool] = []

    async def speaks(context: FeatureTaskContext) -> None:
        heard.append(await context.notify.notify_model("three open items"))
        heard.append(context.alerts.alert("look"))
        heard.append(context.diagnostics.record("polled"))

    host = TestHost(Grants(RunBackgroundTask(), EmitModelNotification()))
    task = Task(speaks)
    async with supervised(tasks_of("one", Contribution("watch", task)), host=host) as (_, registry):
        await until(lambda: task.ended)
    assert heard == [True, False, False]
    assert host.notices == [("builtin:one", "three open items")]
    assert host.alerts == []
    assert [one.stage for one in report_of(registry, "builtin:one").diagnostics] == ["capability"]


async def test_the_bound_of_the_sinks_is_not_counted_anew_by_a_restart() -> None:
    async def floods(context: FeatureTaskContext) -> None:
        for _ in range(NOTICES_MOST):
            await context.notify.notify_model("again")
        raise ValueError("more")

    host, task = TestHost(), Task(floods)
    again = Contribution("watch", task, restart=RestartPolicy.on_failure(2))
    async with supervised(tasks_of("one", again), host=host, sleep=Naps()):
        await until(lambda: task.ended == 3)
    assert len(host.notices) == NOTICES_MOST


async def test_handles_of_a_run_that_is_over_are_refused() -> None:
    host, task = TestHost(), Task(nothing)
    async with supervised(tasks_of("one", Contribution("watch", task)), host=host) as (watched, _):
        await until(lambda: watched.states()["builtin:one", "watch"] == "done")
        (kept,) = task.contexts
        with pytest.raises(HandleClosed):
            await kept.notify.notify_model("late")
        with pytest.raises(HandleClosed):
            kept.alerts.alert("late")
        with pytest.raises(HandleClosed):
            kept.diagnostics.record("late")
        with pytest.raises(HandleClosed):
            kept.services.network(NetworkPurpose.FETCH)
        refused: list[BaseException] = []

        def late() -> None:
            try:
                kept.alerts.alert("late")
            except HandleClosed as error:
                refused.append(error)

        thread = Thread(target=late)
        thread.start()
        thread.join()
        assert len(refused) == 1
    assert host.notices == host.alerts == []


async def test_a_stray_of_an_earlier_run_cannot_write_even_with_handles_from_install() -> None:
    """What was given at install lasts as long as the session, but not for a run that is over."""
    host = TestHost()
    strays: list[asyncio.Task[None]] = []
    go_on = asyncio.Event()
    module: Module

    async def stray() -> None:
        await go_on.wait()
        assert module.context is not None
        await module.context.notify.notify_model("from before the rewrite")

    async def leaves_one(context: FeatureTaskContext) -> None:
        strays.append(asyncio.create_task(stray()))
        await asyncio.Event().wait()

    task = Task(leaves_one)

    def install(ctx: FeatureInstallContext) -> None:
        ctx.background_tasks.register(Contribution("watch", task))

    module = Module(describe("one").background_task("watch"), install)
    async with supervised(package(module), host=host) as (supervisor, _):
        await until(lambda: strays)
        await supervisor.pause("rewind")
        go_on.set()
        await asyncio.wait(strays)
        assert isinstance(strays[0].exception(), HandleClosed)
        assert host.notices == []
        assert module.context is not None
        assert await module.context.notify.notify_model("from the session itself")


async def test_what_the_host_does_for_a_notice_is_not_bound_to_the_run_that_gave_it() -> None:
    """A notice can set off a turn; what runs there must not be refused when the task is over."""
    host = TestHost()
    later: list[asyncio.Task[bool]] = []
    module: Module
    over = asyncio.Event()

    async def turn() -> bool:
        await over.wait()
        assert module.context is not None
        return module.context.alerts.alert("from a hook")

    async def notify(feature: str, text: str) -> None:
        later.append(asyncio.create_task(turn()))

    async def speaks(context: FeatureTaskContext) -> None:
        await context.notify.notify_model("news")

    def install(ctx: FeatureInstallContext) -> None:
        ctx.background_tasks.register(Contribution("watch", Task(speaks)))

    host._notify = notify
    module = Module(describe("one").background_task("watch"), install)
    async with supervised(package(module), host=host) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "done")
        over.set()
        assert await later[0]


@pytest.mark.parametrize("running", [forever, stubborn])
async def test_before_a_rewrite_all_tasks_have_ended_and_their_handles_are_of_the_past(
    running: Callable[[FeatureTaskContext], Any],
) -> None:
    task, asked = Task(running), Task(running)
    soon = ShutdownPolicy(0.01)
    both = tasks_of(
        "one", Contribution("watch", task, shutdown=soon), on_demand("asked", asked, shutdown=soon)
    )
    async with supervised(both) as (supervisor, _):
        supervisor.start_task("builtin:one", "asked")
        await until(lambda: task.contexts and asked.contexts)
        await supervisor.pause("compaction")
        assert task.ended == asked.ended == 1
        assert task.contexts[0].cancellation.reason == "compaction"
        assert not supervisor.start_task("builtin:one", "asked")
        supervisor.resume()
        await until(lambda: len(task.contexts) == 2)
        old, new = task.contexts
        with pytest.raises(HandleClosed):
            await old.notify.notify_model("from before")
        assert await new.notify.notify_model("from now")
        assert supervisor.states() == {
            ("builtin:one", "watch"): "running",
            ("builtin:one", "asked"): "cancelled",
        }
        assert supervisor.start_task("builtin:one", "asked")


async def test_a_session_that_ends_during_a_rewrite_starts_nothing_any_more() -> None:
    task = Task(forever)
    async with supervised(tasks_of("one", Contribution("watch", task))) as (supervisor, _):
        await until(lambda: task.contexts)
        await supervisor.pause("fork")
        assert supervisor.states()["builtin:one", "watch"] == "waiting"
        await supervisor.close()
        supervisor.resume()
        supervisor.start()
        await asyncio.sleep(0)
        assert len(task.contexts) == 1
        assert supervisor.states()["builtin:one", "watch"] == "cancelled"


async def test_without_the_grant_a_task_is_refused_at_its_start() -> None:
    grants, host = Grants(everything=True), TestHost()
    host.grants_of["builtin:one"] = grants
    task, fetching = Task(nothing), Network(NetworkPurpose.FETCH)
    registry = host.registry(
        tasks_of(
            "one",
            Contribution("plain", task),
            on_demand("fetches", task, required_capabilities=(fetching,)),
        )
    )
    grants.withdraw(RunBackgroundTask())
    grants.withdraw(fetching)
    supervisor = Supervisor(registry)
    supervisor.start()
    await until(lambda: supervisor.states()["builtin:one", "plain"] == "refused")
    assert not supervisor.start_task("builtin:one", "fetches")
    await supervisor.close()
    assert not task.contexts
    assert "task plain: it needs run-background-task: it was withdrawn" in host.told[0][1]


async def test_the_grant_is_looked_at_again_before_a_restart() -> None:
    grants, host = Grants(everything=True), TestHost()
    host.grants_of["builtin:one"] = grants

    async def loses_it(context: FeatureTaskContext) -> None:
        grants.withdraw(RunBackgroundTask())
        raise ValueError("no")

    task = Task(loses_it)
    again = Contribution("watch", task, restart=RestartPolicy.on_failure(5))
    async with supervised(tasks_of("one", again), host=host, sleep=Naps()) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "refused")
    assert len(task.contexts) == 1


class Counted(Grants):
    asked = 0

    def denial(self, capability: AnyCapability) -> str | None:
        self.asked += 1
        return super().denial(capability)


async def test_a_running_task_whose_grant_is_withdrawn_is_told_to_end_and_can_do_nothing() -> None:
    grants, host = Counted(everything=True), TestHost()
    host.grants_of["builtin:one"] = grants
    late: list[BaseException] = []

    async def holds_on(context: FeatureTaskContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            try:
                context.alerts.alert("one last word")
            except HandleClosed as error:
                late.append(error)

    task = Task(holds_on)
    one = tasks_of("one", Contribution("watch", task))
    async with supervised(one, host=host, check_seconds=0.01) as (supervisor, _):
        await until(lambda: task.contexts)
        seen = grants.asked
        await until(lambda: grants.asked > seen)
        assert not task.ended
        grants.withdraw(RunBackgroundTask())
        await until(lambda: task.ended)
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "refused")
    assert len(late) == 1
    assert task.contexts[0].cancellation.reason == "its grant was withdrawn"


async def test_a_sink_refuses_at_once_when_its_grant_is_withdrawn_under_a_running_task() -> None:
    grants, host = Grants(everything=True), TestHost()
    host.grants_of["builtin:one"] = grants
    said: list[bool] = []

    async def speaks(context: FeatureTaskContext) -> None:
        said.append(context.alerts.alert("before"))
        grants.withdraw(EmitAlert())
        said.append(context.alerts.alert("after"))

    task = Task(speaks)
    async with supervised(tasks_of("one", Contribution("watch", task)), host=host):
        await until(lambda: task.ended)
    assert said == [True, False]
    assert host.alerts == [("builtin:one", "before")]
