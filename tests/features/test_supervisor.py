"""Background tasks: the host starts, bounds, cancels, cuts off and reports them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from induscode.errors import HandleClosed
from induscode.feature.background import (
    FeatureTaskContext,
    ShutdownPolicy,
)
from induscode.feature.hosting import supervisor as supervising
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.limits import TASKS_MOST
from tests.features.hosting import TestHost
from tests.features.modules import Task, report_of, tasks_of, until
from tests.features.tasks import (
    Contribution,
    fails,
    forever,
    nothing,
    on_demand,
    stubborn,
    supervised,
)
from tests.requirements import requirement

pytestmark = pytest.mark.usefixtures("no_loose_ends")


@requirement("feature.task.fields")
def test_a_contribution_has_its_policies_and_what_it_needs() -> None:
    fields = set(Contribution.__struct_fields__)
    assert {
        "feature_id", "id", "description", "activation", "restart", "shutdown",
        "required_capabilities",
    } <= fields  # fmt: skip


@requirement("feature.task.context")
async def test_a_task_is_given_five_things_and_nothing_else() -> None:
    task = Task(nothing)
    async with supervised(tasks_of("one", Contribution("watch", task))):
        await until(lambda: task.ended)
    (given,) = task.contexts
    names = {name for name in dir(given) if not name.startswith("_")}
    assert names == {"cancellation", "notify", "alerts", "diagnostics", "services"}


@requirement("feature.task.host-starts")
async def test_registering_a_task_does_not_run_it_and_the_host_does() -> None:
    task = Task(nothing)
    registry = TestHost().registry(tasks_of("one", Contribution("watch", task)))
    await asyncio.sleep(0)
    assert not task.contexts
    supervisor = Supervisor(registry)
    await asyncio.sleep(0)
    assert not task.contexts
    supervisor.start()
    supervisor.start()
    await until(lambda: task.ended)
    await supervisor.close()
    assert len(task.contexts) == 1


@requirement("feature.task.activation")
async def test_a_task_on_demand_waits_to_be_asked_for() -> None:
    lives, asked = Task(forever), Task(forever)
    both = tasks_of("one", Contribution("lives", lives), on_demand("asked", asked))
    async with supervised(both) as (supervisor, _):
        await until(lambda: lives.contexts)
        assert supervisor.states()["builtin:one", "asked"] == "waiting"
        assert not asked.contexts
        assert not supervisor.start_task("builtin:one", "lives")
        assert not supervisor.start_task("builtin:one", "unknown")
        assert not supervisor.start_task("builtin:other", "asked")
        assert supervisor.start_task("builtin:one", "asked")
        assert not supervisor.start_task("builtin:one", "asked")
        await until(lambda: asked.contexts)
        assert not supervisor.start_task("builtin:one", "asked")


async def test_a_task_on_demand_that_ended_can_be_asked_for_again() -> None:
    task = Task(nothing)
    async with supervised(tasks_of("one", on_demand("asked", task))) as (supervisor, _):
        assert supervisor.start_task("builtin:one", "asked")
        await until(lambda: supervisor.states()["builtin:one", "asked"] == "done")
        await until(lambda: supervisor.start_task("builtin:one", "asked"))
        await until(lambda: task.ended == 2)


async def test_a_task_can_be_asked_for_from_a_thread() -> None:
    task = Task(nothing)
    async with supervised(tasks_of("one", on_demand("asked", task))) as (supervisor, _):
        answers: list[bool] = []
        thread = Thread(
            target=lambda: answers.append(supervisor.start_task("builtin:one", "asked"))
        )
        thread.start()
        thread.join()
        assert answers == [True]
        await until(lambda: task.ended)


@requirement("feature.task.status")
async def test_the_report_shows_how_each_task_stands() -> None:
    tasks = tasks_of(
        "one",
        Contribution("runs", Task(forever)),
        Contribution("ends", Task(nothing)),
        Contribution("fails", Task(fails)),
    )
    async with supervised(tasks) as (supervisor, registry):
        await until(lambda: "failed" in supervisor.states().values())
        expected = {"runs": "running", "ends": "done", "fails": "failed"}
        assert report_of(registry, "builtin:one").tasks == expected
    assert report_of(registry, "builtin:one").tasks == {**expected, "runs": "cancelled"}
    assert supervisor.states()["builtin:one", "runs"] == "cancelled"


async def test_only_so_many_run_and_the_rest_wait_for_room() -> None:
    gate = asyncio.Event()

    async def waits(context: FeatureTaskContext) -> None:
        await gate.wait()

    task = Task(waits)
    many = tasks_of("many", *(Contribution(f"t{n}", task) for n in range(TASKS_MOST + 3)))
    async with supervised(many, tasks_of("one", on_demand("asked", Task(nothing)))) as (watched, _):
        await until(lambda: len(task.contexts) == TASKS_MOST)
        states = list(watched.states().values())
        assert (states.count("running"), states.count("waiting")) == (TASKS_MOST, 4)
        assert not watched.start_task("builtin:one", "asked")
        gate.set()
        await until(lambda: task.ended == TASKS_MOST + 3)
        await until(lambda: watched.start_task("builtin:one", "asked"))


async def test_no_feature_takes_all_the_room_before_others_had_their_first() -> None:
    modest = Task(forever)
    greedy = tasks_of("greedy", *(Contribution(f"t{n}", Task(forever)) for n in range(20)))
    async with supervised(greedy, tasks_of("modest", Contribution("watch", modest))):
        await until(lambda: modest.contexts)


@requirement("feature.task.host-cancels")
async def test_at_the_end_every_task_is_told_and_waited_for() -> None:
    written: list[str] = []

    async def tidies_up(context: FeatureTaskContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            written.append(context.cancellation.reason)
            assert context.alerts.alert("bye")

    host = TestHost()
    async with supervised(
        tasks_of("one", Contribution("watch", Task(tidies_up))), host=host
    ) as both:
        await until(lambda: both[0].states()["builtin:one", "watch"] == "running")
    assert written == ["the session ended"]
    assert host.alerts == [("builtin:one", "bye")]
    assert both[0].states()["builtin:one", "watch"] == "cancelled"


async def incorrigible(context: FeatureTaskContext) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except BaseException:  # noqa: BLE001 - hostile on purpose
            continue


@requirement("feature.task.host-cancels")
@pytest.mark.parametrize("running", [stubborn, incorrigible])
async def test_a_task_that_ignores_cancellation_is_cut_off_and_told(
    running: Callable[[FeatureTaskContext], Any],
) -> None:
    host, task = TestHost(), Task(running)
    soon = Contribution("watch", task, shutdown=ShutdownPolicy(0.01))
    before = asyncio.all_tasks()
    async with supervised(tasks_of("bad", soon), host=host):
        await until(lambda: task.contexts)
    assert asyncio.all_tasks() == before
    assert host.told == [
        ("builtin:bad", "task watch: it did not end when it was told to, and was cut off")
    ]
    with pytest.raises(HandleClosed):
        task.contexts[0].alerts.alert("still here")


async def test_no_shutdown_policy_makes_the_end_longer_than_the_host_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervising, "SHUTDOWN_SECONDS", 0.05)
    task = Task(stubborn)
    long = [
        Contribution(f"t{n}", task, shutdown=ShutdownPolicy(1e6)) for n in range(TASKS_MOST + 4)
    ]
    async with asyncio.timeout(5), supervised(tasks_of("bad", *long)):
        await until(lambda: len(task.contexts) == TASKS_MOST)


async def test_the_end_of_a_session_that_is_itself_cancelled_leaves_nothing_running() -> None:
    task = Task(stubborn)
    registry = TestHost().registry(
        tasks_of("bad", Contribution("watch", task, shutdown=ShutdownPolicy(100)))
    )
    supervisor = Supervisor(registry)
    before = asyncio.all_tasks()
    supervisor.start()
    await until(lambda: task.contexts)
    closing = asyncio.ensure_future(supervisor.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait({closing})
    with pytest.raises(HandleClosed):
        task.contexts[0].alerts.alert("still here")
    await until(lambda: asyncio.all_tasks() == before)


async def test_a_listener_that_raises_at_cancellation_is_told_and_holds_nothing_up() -> None:
    async def listens(context: FeatureTaskContext) -> None:
        def objects() -> None:
            raise ValueError("no")

        context.cancellation.on_cancel(objects)
        await asyncio.Event().wait()

    host, task = TestHost(), Task(listens)
    async with supervised(tasks_of("bad", Contribution("watch", task)), host=host):
        await until(lambda: task.contexts)
        await asyncio.sleep(0)
    assert host.told == [("builtin:bad", "task watch: what listens to its cancellation failed")]


INCORRIGIBLE = """
import asyncio
from induscode.feature.background import ShutdownPolicy
from tests.features.modules import Task, tasks_of, until
from tests.features.tasks import Contribution, supervised
from tests.features.test_supervisor import incorrigible

async def main():
    task = Task(incorrigible)
    soon = Contribution("watch", task, shutdown=ShutdownPolicy(0.01))
    async with supervised(tasks_of("bad", soon)):
        await until(lambda: task.contexts)

asyncio.run(main())
print("over")
"""


def test_a_task_that_heeds_nothing_does_not_hold_up_the_end_of_the_program() -> None:
    """Collecting its coroutine would run it once more, with half of the interpreter gone."""
    done = subprocess.run(
        [sys.executable, "-c", INCORRIGIBLE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")
