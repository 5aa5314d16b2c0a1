"""Hostile features, in what they do with their handles."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any

import pytest

from induscode.errors import HandleClosed
from induscode.feature.background import BackgroundTaskContribution
from induscode.feature.capability import (
    EmitAlert,
    EmitDiagnostic,
    EmitModelNotification,
    ScopedFs,
    WorkItemStore,
)
from induscode.feature.hosting.supervisor import Supervisor
from induscode.feature.lending import lend
from induscode.feature.limits import (
    ALERT_CHARACTERS,
    ALERTS_MOST,
    DIAGNOSTICS_MOST,
    NOTICE_CHARACTERS,
    NOTICES_MOST,
)
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.service_work_items import WorkItems
from induscode.feature.services import Denied
from tests.features.among import CULPRIT, Among, LongText, culprit
from tests.features.hosting import Grants, NoServices, TestHost
from tests.features.modules import (
    Module,
    Task,
    report_of,
    until,
)
from tests.requirements import requirement

# Its sinks


@requirement("feature.forbidden.unbounded")
async def test_one_that_floods_every_sink() -> None:
    module = Module(culprit())
    among = Among(module)
    context = module.context
    assert context is not None
    for _ in range(1_000):
        context.diagnostics.record("d" * 1_000)
        context.alerts.alert("a" * 1_000)
        await context.notify.notify_model("n" * 10_000)
    report = report_of(among.registry, str(CULPRIT))
    assert len(report.diagnostics) == DIAGNOSTICS_MOST
    assert report.suppressed > 800
    assert len(among.host.alerts) == ALERTS_MOST
    assert max(len(text) for _, text in among.host.alerts) == ALERT_CHARACTERS
    assert len(among.host.notices) == NOTICES_MOST
    assert max(len(text) for _, text in among.host.notices) < NOTICE_CHARACTERS + 100
    assert {who for who, _ in among.host.notices} == {str(CULPRIT)}
    among.assert_others_work()


async def test_one_that_lies_about_the_length_of_what_it_says() -> None:
    module = Module(culprit())
    among = Among(module)
    assert module.context is not None
    module.context.alerts.alert(LongText("a" * 100_000))
    await module.context.notify.notify_model(LongText("n" * 100_000))
    module.context.diagnostics.record(LongText("d" * 100_000))
    ((_, alert),), ((_, notice),) = among.host.alerts, among.host.notices
    assert (type(alert), len(alert)) == (str, ALERT_CHARACTERS)
    assert type(notice) is str
    assert len(notice) < NOTICE_CHARACTERS + 100
    (diagnostic,) = report_of(among.registry, str(CULPRIT)).diagnostics
    assert (type(diagnostic.message), len(diagnostic.message)) == (str, 500)


@requirement("feature.sinks.without-grant", "feature.sinks.distinct-capabilities")
@requirement("feature.capability.emit-model-notification", "feature.capability.emit-alert")
@pytest.mark.parametrize("held", [EmitAlert(), EmitModelNotification(), EmitDiagnostic()])
async def test_one_that_uses_a_sink_it_was_not_granted(held: Any) -> None:
    module, host = Module(culprit()), TestHost()
    host.grants_of[str(CULPRIT)] = Grants(held)
    among = Among(module, host)
    assert module.context is not None
    said = {
        EmitModelNotification(): await module.context.notify.notify_model("n"),
        EmitAlert(): module.context.alerts.alert("a"),
        EmitDiagnostic(): module.context.diagnostics.record("d"),
    }
    assert said == {capability: capability == held for capability in said}
    assert bool(host.notices) is (held == EmitModelNotification())
    assert bool(host.alerts) is (held == EmitAlert())
    messages = [one.message for one in report_of(among.registry, str(CULPRIT)).diagnostics]
    assert ("an alert was refused: nobody granted it" in messages) is (held != EmitAlert())
    notice = "a notice was refused: nobody granted it"
    assert (notice in messages) is (held != EmitModelNotification())


async def test_one_that_keeps_its_handles_after_the_grant_was_withdrawn() -> None:
    module, host, grants = Module(culprit()), TestHost(), Grants(everything=True)
    host.grants_of[str(CULPRIT)] = grants
    among = Among(module, host)
    context = module.context
    assert context is not None
    assert context.alerts.alert("a")
    assert await context.notify.notify_model("n")
    assert context.grants.allows(EmitAlert())
    for capability in (EmitAlert(), EmitModelNotification(), EmitDiagnostic(), ScopedFs(read=True)):
        grants.withdraw(capability)
    assert not context.alerts.alert("a")
    assert not await context.notify.notify_model("n")
    assert not context.diagnostics.record("d")
    assert not context.grants.allows(EmitAlert())
    assert isinstance(context.services.files(ScopedFs(read=True)), Denied)
    assert (len(host.alerts), len(host.notices)) == (1, 1)
    among.assert_others_work()
    messages = [one.message for one in report_of(among.registry, str(CULPRIT)).diagnostics]
    assert "an alert was refused: it was withdrawn" in messages


class Items:
    """A port of work items that says whether it was reached."""

    reached = 0

    def items(self) -> tuple[()]:
        self.reached += 1
        return ()


class WithItems(NoServices):
    port = Items()

    def provide(self, wanted: Any, kind: Any) -> Any:
        return WorkItems(lend(self.port))


async def test_one_that_writes_after_the_session_is_over() -> None:
    module = Module(culprit())
    among = Among(module, TestHost(services=WithItems))
    context = module.context
    assert context is not None
    items = context.services.work_item_store(WorkItemStore(read=True))
    assert isinstance(items, WorkItems)
    assert items.items() == ()
    among.registry.close()
    for late in (
        lambda: context.alerts.alert("a"),
        lambda: context.diagnostics.record("d"),
        lambda: context.services.work_item_store(WorkItemStore(read=True)),
        items.items,
    ):
        with pytest.raises(HandleClosed):
            late()
    with pytest.raises(HandleClosed):
        await context.notify.notify_model("n")
    assert among.host.alerts == among.host.notices == []
    assert WithItems.port.reached == 1


async def test_one_whose_task_keeps_a_service_after_its_run() -> None:
    kept: list[WorkItems] = []

    async def takes(context: Any) -> None:
        kept.append(context.services.work_item_store(WorkItemStore(read=True)))
        kept[0].items()

    def install(ctx: FeatureInstallContext) -> None:
        ctx.background_tasks.register(BackgroundTaskContribution("watch", Task(takes)))

    module = Module(culprit().background_task("watch"), install)
    among = Among(module, TestHost(services=WithItems))
    supervisor = Supervisor(among.registry)
    supervisor.start()
    await until(lambda: supervisor.states()[str(CULPRIT), "watch"] == "done")
    with pytest.raises(HandleClosed):
        kept[0].items()
    assert module.context is not None
    still = module.context.services.work_item_store(WorkItemStore(read=True))
    assert isinstance(still, WorkItems)
    assert still.items() == ()
    await supervisor.close()


async def test_one_that_asks_for_a_service_while_its_handle_is_taken_back() -> None:
    """It is in the middle of the call; what it is given then is closed already."""
    asked, go_on = Event(), Event()
    answers: list[object] = []

    class Slow(WithItems):
        def provide(self, wanted: Any, kind: Any) -> Any:
            asked.set()
            go_on.wait(30)
            return super().provide(wanted, kind)

    module = Module(culprit())
    among = Among(module, TestHost(services=Slow))
    context = module.context
    assert context is not None

    def ask() -> None:
        try:
            answers.append(context.services.work_item_store(WorkItemStore(read=True)))
        except HandleClosed as error:
            answers.append(error)

    thread = Thread(target=ask)
    thread.start()
    assert asked.wait(10)
    among.registry.close()
    go_on.set()
    thread.join(10)
    assert [type(answer) for answer in answers] == [HandleClosed]
