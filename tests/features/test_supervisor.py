"""Background tasks: the host starts, bounds, restarts, cancels, cuts off and reports them."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

import pytest

from induscode.errors import HandleClosed
from induscode.feature.background import (
    BackgroundTaskContribution,
    FeatureTaskContext,
    RestartPolicy,
    ShutdownPolicy,
    TaskActivation,
)
from induscode.feature.capability import (
    AnyCapability,
    EmitAlert,
    EmitModelNotification,
    Network,
    NetworkPurpose,
    RunBackgroundTask,
)
from induscode.feature.hosting import supervisor as supervising
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.limits import NOTICES_MOST, RESTART_SECONDS, RESTARTS_MOST, TASKS_MOST
from induscode.feature.registry import FeatureInstallContext, Package
from tests.features.hosting import Grants, TestHost, package
from tests.features.modules import Module, Task, describe, report_of, tasks_of, until
from tests.requirements import requirement

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


@pytest.fixture(autouse=True)
def no_loose_ends(caplog: pytest.LogCaptureFixture) -> Any:
    """asyncio logs what was destroyed while pending, or failed unseen."""
    with caplog.at_level(logging.ERROR, logger="asyncio"):
        yield
        gc.collect()
    assert [one.getMessage() for one in caplog.records if one.name == "asyncio"] == []


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
    async with supervised(tasks_of("one", again), sleep=naps):
        await until(lambda: len(naps.seconds) == RESTARTS_MOST and task.ended == RESTARTS_MOST + 1)
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


async def stubborn(context: FeatureTaskContext) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue


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
