"""Asking for a service: the service, denied or unavailable, and a diagnostic for every no."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from induscode.errors import HandleClosed
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    Delegation,
    FeatureState,
    MemoryStore,
    Network,
    NetworkPurpose,
    RunBackgroundTask,
    ScopedFs,
    SecretRef,
    SendMessage,
    SetModel,
    SetThinking,
    WorkItemStore,
)
from induscode.feature.lending import take_back
from induscode.feature.services import (
    Denied,
    FeatureServiceProvider,
    ScopedFiles,
    SecretService,
    StateDirectory,
    Unavailable,
    WorkItems,
)
from tests.features.hosting import Grants
from tests.features.services.desk import Desk
from tests.requirements import requirement

Ask = Callable[[FeatureServiceProvider], object]

ASKS: list[tuple[AnyCapability, Ask]] = [
    (ScopedFs(read=True), lambda made: made.files(ScopedFs(read=True))),
    (WorkItemStore(read=True), lambda made: made.work_item_store(WorkItemStore(read=True))),
    (MemoryStore(read=True), lambda made: made.memory(MemoryStore(read=True))),
    (Delegation(spawn=True), lambda made: made.delegation(Delegation(spawn=True))),
    (Network(NetworkPurpose.FETCH), lambda made: made.network(NetworkPurpose.FETCH)),
    (SecretRef("TOKEN"), lambda made: made.secret("TOKEN")),
    (SendMessage(), lambda made: made.session(SendMessage())),
    (SetModel(), lambda made: made.session(SetModel())),
    (SetThinking(), lambda made: made.session(SetThinking())),
    (ContributeCommand("deploy"), lambda made: made.command_shell("deploy")),
    (FeatureState(), lambda made: made.state(1)),
    (RunBackgroundTask(), lambda made: made.start_task("watch")),
]
NAMES = [capability.text() for capability, _ in ASKS]


@requirement("feature.services.denied", "invariant.06.request-is-not-grant")
@pytest.mark.parametrize(("capability", "ask"), ASKS, ids=NAMES)
def test_what_is_not_granted_is_denied_with_a_diagnostic(
    desk: Desk, capability: AnyCapability, ask: Ask
) -> None:
    desk.grants = Grants()
    assert ask(desk.handed()) == Denied(capability, "nobody granted it")
    [said] = desk.record.diagnostics
    assert said.message == f"{capability.text()} was denied: nobody granted it"
    assert (said.stage, said.by) == ("capability", "host")
    assert desk.host.told == [("builtin:probe", said.message)]
    assert desk.started == []
    assert list(desk.root.iterdir()) == [desk.workspace]


@requirement("feature.services.denied")
def test_part_of_a_grant_gives_no_part_of_a_service(desk: Desk) -> None:
    desk.grants = Grants(ScopedFs(read=True), WorkItemStore(read=True))
    wanted = ScopedFs(read=True, write=True)
    assert isinstance(desk.handed().files(wanted), Denied)
    assert isinstance(desk.handed().files(ScopedFs(read=True)), ScopedFiles)
    assert isinstance(desk.handed().work_item_store(WorkItemStore(write=True)), Denied)


def test_a_network_purpose_is_not_another(desk: Desk) -> None:
    desk.grants = Grants(Network(NetworkPurpose.FETCH))
    assert isinstance(desk.handed().network(NetworkPurpose.SEARCH), Denied)
    assert isinstance(desk.handed().network(NetworkPurpose.FETCH), Unavailable)


@requirement("feature.services.unavailable")
@pytest.mark.parametrize(("capability", "ask"), ASKS[1:10], ids=NAMES[1:10])
def test_what_is_granted_and_not_there_is_unavailable_with_a_diagnostic(
    desk: Desk, capability: AnyCapability, ask: Ask
) -> None:
    desk.roots = desk.standing(work_items=False)
    answer = ask(desk.handed())
    assert isinstance(answer, Unavailable)
    assert answer.service == capability.text()
    [said] = desk.record.diagnostics
    assert said.message == f"{capability.text()} is unavailable: {answer.reason}"
    assert (said.stage, said.by) == ("capability", "host")


def test_the_same_no_is_told_once(desk: Desk) -> None:
    services = desk.handed()
    for _ in range(5):
        services.memory(MemoryStore(read=True))
    assert len(desk.host.told) == 1


def test_a_flood_of_questions_is_bounded(desk: Desk) -> None:
    services = desk.handed()
    for number in range(1_000):
        services.secret(f"NAME_{number}")
    assert len(desk.record.diagnostics) == len(desk.host.told) == 100
    assert desk.record.suppressed == 900


@pytest.mark.parametrize("wanted", ["files", None, 7, WorkItemStore(read=True)])
def test_nonsense_is_answered_as_unavailable(desk: Desk, wanted: object) -> None:
    assert isinstance(desk.port().provide(wanted, ScopedFiles), Unavailable)
    assert len(desk.record.diagnostics) == 1


def test_a_task_is_started_in_the_name_of_the_feature(desk: Desk) -> None:
    assert desk.handed().start_task("watch") is True
    assert desk.started == [("builtin:probe", "watch")]


@requirement("invariant.06.withdrawn-while-running")
def test_after_the_grant_is_withdrawn_no_task_is_started(desk: Desk) -> None:
    services = desk.handed()
    desk.grants.withdraw(RunBackgroundTask())
    assert isinstance(services.start_task("watch"), Denied)
    assert desk.started == []


def test_after_the_end_every_service_that_was_handed_out_refuses(desk: Desk) -> None:
    desk.secrets["TOKEN"] = "a-secret-value"
    services = desk.handed()
    files = services.files(ScopedFs(read=True))
    items = services.work_item_store(WorkItemStore(read=True))
    secret = services.secret("TOKEN")
    state = services.state(1)
    assert isinstance(files, ScopedFiles)
    assert isinstance(items, WorkItems)
    assert isinstance(secret, SecretService)
    assert isinstance(state, StateDirectory)
    take_back(services.lease)
    for use in (files.names, items.items, secret.reveal, state.names):
        with pytest.raises(HandleClosed):
            use()
