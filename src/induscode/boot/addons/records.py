"""What is written down about addons, in one file of the person's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct

from induscode.addons.discovery import Tier
from induscode.addons.offers import Offers
from induscode.errors import ConfigError
from induscode.policy.private_file import read_private, update_private

__all__ = ["TIERS", "AddonBook", "AddonRecord", "AddonRecords", "Looked", "kept_offers"]

TIERS = (Tier.DECLARATIVE, Tier.PROCESS, Tier.WASM)
"""By their numbers."""

_Id = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class AddonRecord(Struct, frozen=True, omit_defaults=True):
    """One that is installed. `file` is the name of an addon that is one file, `entry` where one
    that is a folder begins. `glance` is of the copy when it was last compared with the digest.
    `offers` stay as they were written: those of another version of ours may be unknown here."""

    digest: _Digest
    tier: Annotated[int, Meta(ge=0, lt=len(TIERS))]
    version: str
    origin: str = msgspec.field(name="from")
    at: str
    offers: Raw
    entry: str = ""
    file: str = ""
    glance: str = ""


class Looked(Struct, frozen=True):
    """What content of a workspace offered when it was asked."""

    offers: Raw
    at: str


class AddonBook(Struct, frozen=True, omit_defaults=True):
    """`installed` by id; `looked` and `copies` (the glance at each) by digest."""

    installed: dict[_Id, AddonRecord] = msgspec.field(default_factory=dict[str, AddonRecord])
    looked: dict[_Digest, Looked] = msgspec.field(default_factory=dict[str, Looked])
    copies: dict[_Digest, str] = msgspec.field(default_factory=dict[str, str])


class AddonRecords:
    """Methods raise `ConfigError` for a file that cannot be used."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> AddonBook:
        return self._decoded(read_private(self.file))

    def change(self, change: Callable[[AddonBook], object]) -> None:
        """Write what `change` makes of it; on disk as a whole when this returns."""

        def rewritten(before: bytes | None) -> bytes:
            book = self._decoded(before)
            change(book)
            return msgspec.json.format(msgspec.json.encode(book), indent=2)

        update_private(self.file, rewritten)

    def _decoded(self, data: bytes | None) -> AddonBook:
        if data is None:
            return AddonBook()
        try:
            return msgspec.json.decode(data, type=AddonBook)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ConfigError(
                str(self.file),
                field="file",
                found=f"it is not what we wrote ({error})",
                hint="mend it, or remove it and install the addons again",
            ) from None


def kept_offers(raw: Raw) -> Offers | None:
    """None for what another version wrote and this one cannot read."""
    try:
        return msgspec.json.decode(raw, type=Offers)
    except msgspec.DecodeError:
        return None
