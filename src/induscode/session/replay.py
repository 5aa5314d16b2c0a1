"""Proof that the log explains every request: rebuild each one and compare digests.

Replay reads no stored body. It runs the same fold and the same encoders as the live session, over
every branch, and reports per request PASS, UNVERIFIABLE (it depended on entries or content that
cannot be read) or MISMATCH, with the first JSON path that differs and the entry behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec
from msgspec import Struct

from induscode.errors import LogCorrupt
from induscode.kernel.model import Encoder
from induscode.kernel.request import NeutralRequest
from induscode.session.blobs import BlobStore
from induscode.session.entries import Quarantine, Request
from induscode.session.projection import Projection
from induscode.session.reader import Damage, Scan
from induscode.session.trail import entry_at, pieces
from induscode.session.tree import branches, path_to

__all__ = ["ReplayReport", "RequestCheck", "Verdict", "replay"]

EncoderFor = Callable[[str], Encoder | None]


class Verdict(StrEnum):
    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    UNVERIFIABLE = "UNVERIFIABLE"
    MISMATCH = "MISMATCH"


class RequestCheck(Struct, frozen=True):
    """`number` counts the requests of the log from 1; `where` is the first differing JSON path;
    `entry` the id behind it; `detail` a sentence."""

    number: int
    request: str
    verdict: Verdict
    where: str = ""
    entry: str = ""
    detail: str = ""


class ReplayReport(Struct, frozen=True):
    checks: tuple[RequestCheck, ...]
    damages: tuple[Damage, ...]

    @property
    def passed(self) -> bool:
        return all(check.verdict is Verdict.PASS for check in self.checks) and not self.damages


def replay(found: Scan, blobs: BlobStore, encoder_for: EncoderFor) -> ReplayReport:
    """Check every request on every branch once."""
    numbers: dict[str, int] = {}
    for entry in found.entries:
        if isinstance(entry, Request):
            numbers[entry.id] = len(numbers) + 1
    checks: dict[str, RequestCheck] = {}
    for leaf in branches(found.entries):
        walk = _Walk(found, blobs, encoder_for)
        for entry in path_to(found.entries, leaf):
            if isinstance(entry, Request):
                check = walk.check(entry, numbers[entry.id])
                checks.setdefault(entry.id, check)
            walk.projection.add(entry)
    ordered = sorted(checks.values(), key=lambda check: check.number)
    return ReplayReport(tuple(ordered), tuple(found.damages))


class _Walk:
    """The fold over one branch, and what its requests said they showed."""

    def __init__(self, found: Scan, blobs: BlobStore, encoder_for: EncoderFor) -> None:
        self.projection = Projection(blobs)
        self._encoder_for = encoder_for
        self._encoders: dict[str, Encoder | None] = {}
        self._trail: dict[str, str] = {}
        self._revision = -1
        self._firsts: dict[str, tuple[str, RequestCheck]] = {}
        self._healed_at = _healing(found)

    def check(self, entry: Request, number: int) -> RequestCheck:
        if entry.retry_of:
            return self._check_retry(entry, number)
        check = self._check_first(entry, number)
        self._firsts[entry.id] = (entry.body_sha256, check)
        return check

    def _check_first(self, entry: Request, number: int) -> RequestCheck:
        encoder = self._encoder(entry.encoder)
        if encoder is None:
            detail = f"this version does not have the encoder {entry.encoder}"
            return RequestCheck(number, entry.id, Verdict.UNVERIFIABLE, detail=detail)
        try:
            request = self.projection.request(entry.purpose)
        except LogCorrupt as problem:
            return RequestCheck(number, entry.id, Verdict.UNVERIFIABLE, detail=problem.message)
        self._remember(entry, request)
        body = encoder.encode(request)
        if body.sha256 == entry.body_sha256:
            return RequestCheck(number, entry.id, Verdict.PASS)
        return self._explain(entry, number, request)

    def _check_retry(self, entry: Request, number: int) -> RequestCheck:
        """A retry that repeats its first attempt shares that one's verdict."""
        first = self._firsts.get(entry.retry_of)
        if first is None:
            detail = f"the request {entry.retry_of} that it repeats cannot be read"
            return RequestCheck(number, entry.id, Verdict.UNVERIFIABLE, detail=detail)
        sent, check = first
        if sent == entry.body_sha256:
            return msgspec.structs.replace(check, number=number, request=entry.id)
        detail = f"it does not repeat the request {entry.retry_of}"
        return RequestCheck(number, entry.id, Verdict.MISMATCH, entry=entry.id, detail=detail)

    def _remember(self, entry: Request, request: NeutralRequest) -> None:
        """Join what this request logged as new to what the ones before it logged."""
        if request.revision != self._revision:
            self._trail = {k: v for k, v in self._trail.items() if not k.startswith("messages[")}
            self._revision = request.revision
        if "model" in entry.trail:
            self._trail = {k: v for k, v in self._trail.items() if k.startswith("messages[")}
        self._trail.update(entry.trail)

    def _explain(self, entry: Request, number: int, request: NeutralRequest) -> RequestCheck:
        rebuilt = pieces(request)
        where = next((p for p in rebuilt if self._trail.get(p) != rebuilt[p]), "")
        if not where:
            where = next((p for p in self._trail if p not in rebuilt), "")
        source = entry_at(request, where) or self.projection.head_entries.get(where, "")
        if self._depends_on_damage(entry) or self.projection.problems:
            problems = self.projection.problems
            detail = problems[0] if problems else "entries before it cannot be read"
            return RequestCheck(number, entry.id, Verdict.UNVERIFIABLE, where, source, detail)
        detail = (
            "the log shows the model something else than it saw"
            if where
            else f"the encoder {entry.encoder} no longer makes the same bytes"
        )
        return RequestCheck(number, entry.id, Verdict.MISMATCH, where, source, detail)

    def _depends_on_damage(self, entry: Request) -> bool:
        return any(after < entry.seq < healed for after, healed in self._healed_at)

    def _encoder(self, version: str) -> Encoder | None:
        if version not in self._encoders:
            self._encoders[version] = self._encoder_for(version)
        return self._encoders[version]


def _healing(found: Scan) -> list[tuple[int, float]]:
    """For each damage: the last entry before it, and the number of the entry that names it (from
    there on, requests were made without what is lost)."""
    named = [(e.after_seq, float(e.seq)) for e in found.entries if isinstance(e, Quarantine)]
    return named + [(damage.after_seq, float("inf")) for damage in found.unreported()]
