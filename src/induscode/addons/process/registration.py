"""What an addon says that it contributes, when it is asked to begin."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from induscode.addons.discovery import usable_id
from induscode.addons.offers import Offers, Sentence, Version
from induscode.addons.process.faults import ProcessFault, ProcessFaultKind
from induscode.addons.process.limits import PROTOCOL

__all__ = ["registration_of"]


class _Spoken(Struct, frozen=True):
    protocol: int


class _Answer(Struct, frozen=True):
    """A `name` that can be an id is the addon's id."""

    protocol: int
    name: Sentence
    version: Version = ""
    description: Sentence = ""
    register: Offers = Offers()

    def offers(self) -> Offers:
        register = self.register
        found = replace(
            register,
            id=register.id or (self.name if usable_id(self.name) else None),
            version=register.version or self.version,
            description=register.description or self.description,
        )
        found.check_spoken()
        return found


def registration_of(answer: Raw) -> Offers:
    """What the answer to `initialize` registers. Raises `ProcessFault`, naming the field."""
    try:
        spoken = msgspec.json.decode(answer, type=_Spoken)
        if spoken.protocol != PROTOCOL:
            raise ProcessFault(
                ProcessFaultKind.WRONG_PROTOCOL,
                f"it speaks version {spoken.protocol} of the protocol",
                hint=f"this host speaks version {PROTOCOL}",
            )
        return msgspec.json.decode(answer, type=_Answer).offers()
    except (RecursionError, ValueError) as error:
        raise ProcessFault(
            ProcessFaultKind.BAD_REGISTRATION,
            f"its answer to initialize: {error}",
            hint="docs/addon-protocol.md has its shape",
        ) from None
