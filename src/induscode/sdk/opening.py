"""Opening a session for a program: the heavy half of the SDK, imported when an agent is entered."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from induscode.boot.assemble import open_session
from induscode.boot.invocation import MODES, Invocation
from induscode.boot.running import RunningSession
from induscode.boot.surroundings import surroundings
from induscode.errors import UsageError, UserError
from induscode.feature.hosting.given import GivenGrants
from induscode.feature.registry import Package
from induscode.kernel.cancel import CancelToken
from induscode.kernel.events import Event
from induscode.kernel.form import Declined, Form, FormAnswer
from induscode.kernel.jsontext import digest
from induscode.kernel.person import PersonAnswer, Question
from induscode.sdk.options import AgentOptions, OnApproval, OnForm, OwnFeature

__all__ = ["open_agent"]

_EFFORTS = ("off", "low", "medium", "high")


def open_agent(
    invocation: Invocation,
    options: AgentOptions,
    emit: Callable[[Event], None],
) -> RunningSession:
    """Raises the types of `induscode.errors` that opening a session does."""
    _check(invocation)
    environ, home = options.get("environ"), options.get("home")
    known = dict(os.environ if environ is None else environ)
    if home is not None:
        known["INDUS_HOME"] = os.fspath(home)
    around = surroundings(invocation, known)
    on_approval, on_form = options.get("on_approval"), options.get("on_form")
    person = _Program(on_approval, on_form) if on_approval or on_form else None
    brought = [_package(own) for own in options.get("features", ())]
    session = open_session(invocation, around, emit, person=person, brought=brought)
    session.open(cwd=str(around.cwd))
    return session


def _package(own: OwnFeature | Package) -> Package:
    """The digest is that of the source file of its class, where there is one."""
    if isinstance(own, Package):
        return own
    kind = type(own.module)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    content = Path(file).read_bytes() if file else kind.__qualname__.encode()
    label = f"{kind.__module__}.{kind.__qualname__}"
    grants = None if own.granted is None else GivenGrants(own.granted)
    return Package(own.module, digest(content), "user", label, grants=grants)


def _check(invocation: Invocation) -> None:
    """What the command line's parser would have refused."""
    for name, value, choices in (
        ("mode", invocation.mode, MODES),
        ("thinking", invocation.thinking, _EFFORTS),
    ):
        if value is not None and value not in choices:
            raise UsageError(f"{name}: {value!r} is not known", hint=f"use {', '.join(choices)}")
    if invocation.resume is not None and invocation.fork is not None:
        raise UsageError("only one of resume and fork can be given")
    for name, limit in (("max_steps", invocation.max_steps), ("max_cost", invocation.max_cost)):
        if limit is not None and limit <= 0:
            raise UsageError(f"{name}: must be more than 0")


class _Program:
    """A program that answers for a person, as far as it does."""

    def __init__(self, on_approval: OnApproval | None, on_form: OnForm | None) -> None:
        self._on_approval = on_approval
        self._on_form = on_form

    async def fill(self, form: Form, cancel: CancelToken) -> FormAnswer:
        on_form = self._on_form
        if on_form is None:
            return Declined()

        async def answered() -> FormAnswer | None:
            return await on_form(form)

        return await cancel.run(answered()) or Declined()

    async def ask(self, question: Question, cancel: CancelToken) -> PersonAnswer:
        on_approval = self._on_approval
        if on_approval is None:
            return PersonAnswer("nobody")

        async def answered() -> PersonAnswer | None:
            return await on_approval(question)

        answer = await cancel.run(answered()) or PersonAnswer("no")
        if answer.choice not in (*question.choices, "timeout"):
            offered = ", ".join(question.choices)
            raise UserError(
                f"on_approval answered {answer.choice!r}", hint=f"this question offers {offered}"
            )
        return answer
