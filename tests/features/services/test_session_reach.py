"""The services that reach a session: every use asks for its grant again, and is bounded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from induscode.boot.services.limits import CHOICES_MOST
from induscode.boot.services.typed import Typed, TypedCommand
from induscode.errors import HandleClosed, ServiceRefused
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ScopedFs,
    SendMessage,
    SetModel,
    SetThinking,
)
from induscode.feature.lending import take_back
from induscode.feature.services import CommandShell, FeatureServiceProvider, SessionControl
from induscode.kernel.tool import ShellOutcome, ShellStream
from tests.features.services.desk import Desk
from tests.requirements import requirement

FEATURE = "builtin:probe"
DEPLOY = ContributeCommand("deploy")


class Session:
    """Takes note of what is done to it."""

    settled = False

    def __init__(self) -> None:
        self.typed = Typed()
        self.done: list[tuple[str, ...]] = []
        self.outcome = ShellOutcome("out\n", 0, errors=ShellStream("err\n"))

    async def send(self, text: str, *, by: str) -> None:
        self.done.append(("send", text, by))

    async def set_model(self, model: str, *, by: str) -> None:
        self.done.append(("model", model, by))

    async def set_thinking(self, level: str, *, by: str) -> None:
        self.done.append(("thinking", level, by))

    async def execute(self, line: str, *, by: str) -> ShellOutcome:
        self.done.append(("execute", line, by))
        return self.outcome

    def types(self, line: str = "", name: str = "deploy") -> AbstractContextManager[None]:
        return self.typed.runs(TypedCommand(FEATURE, name, line))


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def desk(tmp_path: Path, session: Session) -> Desk:
    made = Desk(tmp_path)
    made.roots = replace(made.roots, session=session)
    return made


@pytest.fixture
def services(desk: Desk) -> FeatureServiceProvider:
    return desk.handed()


def control(services: FeatureServiceProvider, wanted: Any) -> SessionControl:
    found = services.session(wanted)
    assert isinstance(found, SessionControl)
    return found


def shell(services: FeatureServiceProvider) -> CommandShell:
    found = services.command_shell("deploy")
    assert isinstance(found, CommandShell)
    return found


Held = Callable[[FeatureServiceProvider], Callable[[], Awaitable[object]]]
USES: list[tuple[AnyCapability, Held]] = [
    (SendMessage(), lambda made: partial(control(made, SendMessage()).send_message, "x")),
    (SetModel(), lambda made: partial(control(made, SetModel()).set_model, "p/m")),
    (SetThinking(), lambda made: partial(control(made, SetThinking()).set_thinking, "low")),
    (DEPLOY, lambda made: partial(shell(made).run, "./go now")),
    (ScopedFs(execute=True), lambda made: partial(shell(made).run, "ls")),
]


@requirement("invariant.06.withdrawn-while-running", "decision.handles-are-capabilities")
@pytest.mark.parametrize(("needed", "held"), USES, ids=[one.text() for one, _ in USES])
async def test_a_handle_that_is_held_refuses_once_its_grant_is_withdrawn(
    desk: Desk, session: Session, needed: AnyCapability, held: Held
) -> None:
    use = held(desk.handed())
    with session.types("./go now"):
        await use()
        assert len(session.done) == 1
        assert session.done[0][-1] == FEATURE
        desk.grants.withdraw(needed)
        with pytest.raises(ServiceRefused, match="may not be used"):
            await use()
    assert len(session.done) == 1


@pytest.mark.parametrize("held", [held for _, held in USES], ids=[one.text() for one, _ in USES])
async def test_a_handle_that_was_taken_back_is_closed(
    services: FeatureServiceProvider, session: Session, held: Held
) -> None:
    use = held(services)
    take_back(services.lease)
    with session.types("./go now"), pytest.raises(HandleClosed):
        await use()
    assert session.done == []


async def test_choices_are_bounded_over_all_handles_of_a_feature(
    services: FeatureServiceProvider, session: Session
) -> None:
    for _ in range(CHOICES_MOST):
        await control(services, SetThinking()).set_thinking("low")
    with pytest.raises(ServiceRefused, match="at most 100 times"):
        await control(services, SetModel()).set_model("p/m")
    assert len(session.done) == CHOICES_MOST


@pytest.mark.parametrize("line", ["", "  \n", "ls\0-l"])
async def test_what_is_no_line_is_refused(
    services: FeatureServiceProvider, session: Session, line: str
) -> None:
    with session.types(), pytest.raises(ServiceRefused, match="empty or holds NUL"):
        await shell(services).run(line)
    assert session.done == []


async def test_a_shell_needs_its_own_command_to_be_the_one_that_runs(
    services: FeatureServiceProvider, session: Session
) -> None:
    handle = shell(services)
    with pytest.raises(ServiceRefused, match="does not run"):
        await handle.run("ls")
    with session.types(name="other"), pytest.raises(ServiceRefused, match="does not run"):
        await handle.run("ls")
    other = TypedCommand("user:else", "deploy")
    with session.typed.runs(other), pytest.raises(ServiceRefused, match="does not run"):
        await handle.run("ls")
    assert session.done == []


@pytest.mark.parametrize(
    ("outcome", "trouble"),
    [
        (ShellOutcome("", 0), ""),
        (ShellOutcome("", 2), "exit code 2"),
        (ShellOutcome("", None, timed_out=True), "it took too long and was ended"),
        (ShellOutcome("", None, note="too much"), "too much"),
    ],
)
async def test_how_the_declared_line_ended_is_known_of_the_command_and_of_no_other_line(
    services: FeatureServiceProvider, session: Session, outcome: ShellOutcome, trouble: str
) -> None:
    session.outcome = outcome
    command = TypedCommand(FEATURE, "deploy", "./go now")
    with session.typed.runs(command):
        await shell(services).run("ls")
        assert command.trouble == ""
        ran = await shell(services).run("./go now")
        assert command.trouble == trouble
    assert (ran.stdout, ran.stderr, ran.code) == ("", "", outcome.code)
