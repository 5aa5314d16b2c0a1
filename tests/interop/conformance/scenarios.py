"""The client scenarios of the suite: which there are, and which are not about us."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["ERAS", "NOT_OURS", "Run", "runs"]

ERAS = ("2025-11-25", "2026-07-28")
"""Of the protocol: with sessions, and without. A scenario of both is run in both."""

_MACHINES = "an extension for machines that log in as themselves; here a person does"
_PROOF = "an extension (SEP-1932) that the SDK does not have: tokens bound to a key"
_SKILLS = "an extension (SEP-2640) that we do not speak: skills are files of the person"
NOT_OURS: Mapping[str, str] = {
    "auth/client-credentials-jwt": _MACHINES,
    "auth/client-credentials-basic": _MACHINES,
    "auth/wif-jwt-bearer": _MACHINES,
    "auth/enterprise-managed-authorization": (
        "an extension (SEP-990) for tokens that a company's identity provider exchanges"
    ),
    "auth/dpop": _PROOF,
    "auth/dpop-nonce": _PROOF,
    "sep-2640-client-no-prefetch": _SKILLS,
    "sep-2640-client-verify-digest": _SKILLS,
    "sep-2640-client-verify-size": _SKILLS,
    "sep-2640-client-verify-frontmatter": _SKILLS,
}
_ROW = re.compile(r"^  - (?P<name>\S+) \[(?P<versions>[^\]]*)\]$", re.MULTILINE)


class Run(NamedTuple):
    """A scenario at a version of the protocol."""

    scenario: str
    version: str


def runs(listing: str) -> Sequence[Run]:
    """What applies of what the suite lists: in each era, or at the last version that it is about.
    Raises ValueError when one that is not ours is not there."""
    rows = {row["name"]: row["versions"].split(",") for row in _ROW.finditer(listing)}
    if gone := set(NOT_OURS) - set(rows):
        raise ValueError(f"the suite has no scenario {', '.join(sorted(gone))} any more")
    return [
        Run(name, version)
        for name, versions in rows.items()
        if name not in NOT_OURS
        for version in ([each for each in ERAS if each in versions] or versions[-1:])
    ]
