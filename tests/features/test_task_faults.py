"""Background tasks that fail: told, and no more; started again as their policy says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from induscode.feature.background import (
    FeatureTaskContext,
    RestartPolicy,
)
from induscode.feature.limits import RESTART_SECONDS, RESTARTS_MOST
from tests.features.hosting import TestHost
from tests.features.modules import Task, report_of, tasks_of, until
from tests.features.tasks import (
    Contribution,
    Naps,
    fails,
    forever,
    nothing,
    supervised,
)
from tests.requirements import requirement

pytestmark = pytest.mark.usefixtures("no_loose_ends")


@requirement("feature.task.failure-reported")
async def test_a_task_that_raises_is_told_with_its_feature_and_nothing_else_ends() -> None:
    host, other = TestHost(), Task(forever)
    packages = (
        tasks_of("bad", Contribution("watch", Task(fails))),
        tasks_of("good", Contribution("watch", other)),
    )
    async with supervised(*packages, host=host) as (supervisor, registry):
        await until(lambda: host.told)
        assert supervisor.states()["builtin:good", "watch"] == "running"
        (told,) = report_of(registry, "builtin:bad").diagnostics
        assert (told.stage, told.by) == ("task", "host")
        assert told.message == "task watch: it failed: ValueError('the tracker is away')"
        assert host.told == [("builtin:bad", told.message)]
        assert not report_of(registry, "builtin:good").diagnostics


class Unspeakable(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Fatal(BaseException):
    pass


@pytest.mark.parametrize("error", [SystemExit(3), Fatal("down"), Unspeakable(), GeneratorExit()])
async def test_no_kind_of_exception_gets_past_the_host(error: BaseException) -> None:
    async def raises(context: FeatureTaskContext) -> None:
        raise error

    host = TestHost()
    async with supervised(tasks_of("bad", Contribution("watch", Task(raises))), host=host):
        await until(lambda: host.told)
    assert type(error).__name__ in host.told[0][1]


async def test_a_task_that_cancels_itself_has_failed() -> None:
    async def gives_up(context: FeatureTaskContext) -> None:
        raise asyncio.CancelledError

    host = TestHost()
    async with supervised(tasks_of("bad", Contribution("watch", Task(gives_up))), host=host):
        await until(lambda: host.told)
    assert host.told == [("builtin:bad", "task watch: it cancelled itself")]


class Plain:
    """Not a task: it would hold up the session."""

    ran = False

    def run(self, context: FeatureTaskContext) -> None:
        self.ran = True


async def test_a_run_that_is_no_coroutine_function_is_a_fault_and_is_not_called() -> None:
    host, plain = TestHost(), Plain()
    async with supervised(tasks_of("bad", Contribution("watch", plain)), host=host) as (watched, _):
        await until(lambda: host.told)
        assert watched.states()["builtin:bad", "watch"] == "failed"
    assert not plain.ran
    assert host.told[0][1] == "task watch: its run is no coroutine function"


async def test_a_task_that_returns_something_is_a_fault() -> None:
    async def answers(context: FeatureTaskContext) -> Any:
        return {"role": "user"}

    host = TestHost()
    async with supervised(tasks_of("bad", Contribution("watch", Task(answers))), host=host):
        await until(lambda: host.told)
    assert host.told[0][1] == "task watch: it returned dict, and a task returns nothing"


async def test_a_task_without_a_run_is_a_fault() -> None:
    host = TestHost()
    package = tasks_of("bad", Contribution("watch", object()))
    async with supervised(package, host=host):
        await until(lambda: host.told)
    assert "AttributeError" in host.told[0][1]


@requirement("feature.task.restart-never")
@pytest.mark.parametrize("running", [nothing, fails])
async def test_a_task_that_ended_is_not_started_again_unless_its_policy_says_so(
    running: Callable[[FeatureTaskContext], Any],
) -> None:
    task, naps = Task(running), Naps()
    never = Contribution("watch", task, restart=RestartPolicy.never())
    async with supervised(tasks_of("one", never), sleep=naps) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] in {"done", "failed"})
        await supervisor.pause("compaction")
        supervisor.resume()
        for _turn in range(20):
            await asyncio.sleep(0)
    assert len(task.contexts) == 1
    assert naps.seconds == []


async def test_a_failed_task_is_started_again_with_growing_waits_up_to_its_bound() -> None:
    task, naps, host = Task(fails), Naps(), TestHost()
    again = Contribution("watch", task, restart=RestartPolicy.on_failure(3, seconds=0.5))
    async with supervised(tasks_of("one", again), sleep=naps, host=host) as (supervisor, _):
        await until(lambda: len(host.told) == 4)
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "failed")
    assert naps.seconds == [0.5, 1.0, 2.0]
    assert len(task.contexts) == 4


async def test_no_policy_exceeds_the_bounds_of_the_host() -> None:
    task, naps = Task(fails), Naps()
    again = Contribution("watch", task, restart=RestartPolicy(10**9, 200.0))
    async with supervised(tasks_of("one", again), sleep=naps) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "failed")
    assert task.ended == RESTARTS_MOST + 1
    assert naps.seconds == [200.0] + [RESTART_SECONDS] * (RESTARTS_MOST - 1)


async def test_a_task_that_ended_well_is_not_restarted() -> None:
    task, naps = Task(nothing), Naps()
    again = Contribution("watch", task, restart=RestartPolicy.on_failure(3))
    async with supervised(tasks_of("one", again), sleep=naps) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "done")
    assert len(task.contexts) == 1
    assert naps.seconds == []


async def test_a_restarting_task_is_shown_as_such_and_cancelled_while_it_waits() -> None:
    task = Task(fails)
    again = Contribution("watch", task, restart=RestartPolicy.on_failure(1, seconds=100))
    async with supervised(tasks_of("one", again)) as (supervisor, _):
        await until(lambda: supervisor.states()["builtin:one", "watch"] == "restarting")
    assert supervisor.states()["builtin:one", "watch"] == "cancelled"
    assert len(task.contexts) == 1


@pytest.mark.parametrize(
    "policies",
    [
        {"restart": "often"},
        {"restart": RestartPolicy(attempts="many")},
        {"restart": RestartPolicy(1, float("nan"))},
        {"shutdown": None},
        {"activation": "always"},
        {"required_capabilities": 5},
    ],
)
async def test_a_task_whose_policies_are_junk_is_left_out(policies: dict[str, Any]) -> None:
    task = Task(nothing)
    async with supervised(tasks_of("bad", Contribution("watch", task, **policies))) as (
        _,
        registry,
    ):
        report = report_of(registry, "builtin:bad")
        assert report.installed_background_tasks == ()
        (skipped,) = report.skipped_contributions
        assert (skipped.kind, skipped.name) == ("task", "watch")
        assert "its policies are not usable" in skipped.reason
