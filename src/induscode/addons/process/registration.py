"""What an addon says that it contributes, when it is asked to begin."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Raw, Struct

from induscode.addons.offers import Most, Name, Offers, Sentence, each_once
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import PROTOCOL
from induscode.kernel.jsontext import JsonProblem

__all__ = ["OfferedTask", "Registration", "registration_of"]


class OfferedTask(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    description: Sentence = ""


class Registration(Offers, frozen=True, forbid_unknown_fields=True):
    tasks: Annotated[tuple[OfferedTask, ...], Most] = ()

    def check(self) -> None:
        Offers.check(self)
        each_once("tasks", (task.name for task in self.tasks))


class _Spoken(Struct, frozen=True):
    protocol: int


class _Answer(Struct, frozen=True):
    protocol: int
    name: Sentence
    version: Sentence = ""
    register: Registration = Registration()


def registration_of(answer: Raw) -> Registration:
    """What the answer to `initialize` registers. Raises `ProcessFault`, naming the field."""
    try:
        spoken = msgspec.json.decode(answer, type=_Spoken)
        if spoken.protocol != PROTOCOL:
            raise ProcessFault(
                ProcessFaultKind.WRONG_PROTOCOL,
                f"it speaks version {spoken.protocol} of the protocol",
                hint=f"this host speaks version {PROTOCOL}",
            )
        found = msgspec.json.decode(answer, type=_Answer).register
        found.check()
    except (msgspec.MsgspecError, JsonProblem, RecursionError, ValueError) as error:
        raise ProcessFault(
            ProcessFaultKind.BAD_REGISTRATION,
            f"its answer to initialize: {error}",
            hint="docs/addon-protocol.md has its shape",
        ) from None
    return found
