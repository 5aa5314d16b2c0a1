"""What the user granted to features, kept where no workspace can write.

Built-in features are granted what they ask for unless the user took it away. Everything else is
granted by the user, by name, and bound to the exact version and content: what changed asks again.
What a workspace brings along is granted for that workspace: another may have a feature of the same
name. Trust in a workspace may give some of it too, until the user takes that away.

The file is looked at before every answer, so that a withdrawal counts at the next call, also when
another process made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.errors import ConfigError
from induscode.feature.capability import AnyCapability, GrantPort
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.points import HookPoint
from induscode.policy.private_file import read_private, update_private

__all__ = ["FeatureGrant", "GrantStore", "StandingGate"]


class StandingGate(Struct, frozen=True):
    """A guard that was installed once: its name, and where it stood; of tool calls, which tools it
    is about (none means every tool)."""

    hook: str
    tools: tuple[str, ...] = ()
    point: HookPoint = HookPoint.PRE_TOOL_CALL


class FeatureGrant(Struct, frozen=True, omit_defaults=True):
    """What one feature may, for one content of it. `withdrawn` counts against what it would have
    otherwise: because it ships, or by trust in its workspace. `gates` are the guards it was last
    installed with, under `label`: what they gated stays shut while the feature is there and cannot
    run."""

    version: str = ""
    digest: str = ""
    granted: tuple[AnyCapability, ...] = ()
    withdrawn: tuple[AnyCapability, ...] = ()
    at: str = ""
    gates: tuple[StandingGate, ...] = ()
    label: str = ""


_Grants = dict[str, FeatureGrant]
_PROJECT = "project:"
_IN = " in "
"""Between the id of a project's feature and its workspace; no id has a space."""


class GrantStore:
    """All grants of one user, by feature id. `workspace` is the real path of the one whose features
    `project:` means; without it, grants of those are kept under the bare id. Methods raise
    `ConfigError` for a file that cannot be used."""

    def __init__(self, folder: Path, workspace: Path | None = None) -> None:
        self.file = folder / "grants.json"
        self._suffix = "" if workspace is None else f"{_IN}{workspace}"
        self._seen: tuple[int, int, int] | None = None
        self._grants: _Grants = {}

    def all(self) -> _Grants:
        """What the file says now. A feature of another workspace is named with that."""
        mark = self._mark()
        if mark is None:
            self._grants = {}
        elif mark != self._seen:
            self._grants = self._decoded(read_private(self.file))
        self._seen = mark
        return self._grants

    def here(self) -> _Grants:
        """What counts in this workspace, by the bare ids of features."""
        return {
            name.removesuffix(self._suffix): grant
            for name, grant in self.all().items()
            if not name.startswith(_PROJECT) or name == self._key(name.partition(_IN)[0])
        }

    def of(self, feature: str) -> FeatureGrant | None:
        return self.all().get(self._key(feature))

    def port(
        self, descriptor: FeatureDescriptor, digest: str, trusted: tuple[AnyCapability, ...] = ()
    ) -> GrantPort:
        """The live answer for one feature. `trusted` is what it has without being named, as long as
        nobody withdraws it."""
        if descriptor.id.source == "builtin":
            return _Builtin(self, str(descriptor.id))
        return _Granted(self, str(descriptor.id), (descriptor.version, digest), trusted)

    def give(
        self,
        descriptor: FeatureDescriptor,
        digest: str,
        capabilities: Iterable[AnyCapability],
        at: str,
    ) -> None:
        """Grants for other content of the same feature end with this."""
        wanted = tuple(capabilities)

        def add(grants: _Grants) -> None:
            key, version = self._key(str(descriptor.id)), descriptor.version
            before = grants.get(key, FeatureGrant())
            same = (before.version, before.digest) == (version, digest)
            held = before.granted if same else ()
            kept = tuple(one for one in held if not any(new.covers(one) for new in wanted))
            left = tuple(rest for one in before.withdrawn if (rest := _less(one, wanted)))
            grants[key] = msgspec.structs.replace(
                before, version=version, digest=digest, granted=kept + wanted, withdrawn=left, at=at
            )

        self._change(add)

    def withdraw(self, feature: str, capabilities: Iterable[AnyCapability], at: str) -> None:
        """Take these away; a grant of which a part is taken is taken as a whole."""
        gone, key = tuple(capabilities), self._key(feature)

        def remove(grants: _Grants) -> None:
            before = grants.get(key, FeatureGrant())
            kept = tuple(
                one
                for one in before.granted
                if not any(one.covers(other) or other.covers(one) for other in gone)
            )
            taken = (*before.withdrawn, *(one for one in gone if one not in before.withdrawn))
            grants[key] = msgspec.structs.replace(before, granted=kept, withdrawn=taken, at=at)

        self._change(remove)

    def remember_gates(self, feature: str, label: str, gates: tuple[StandingGate, ...]) -> None:
        """What a feature guards now; nothing is written when that was known."""
        before = self.of(feature) or FeatureGrant()
        if before.gates == gates:
            return
        key = self._key(feature)

        def note(grants: _Grants) -> None:
            known = grants.get(key, FeatureGrant())
            grants[key] = msgspec.structs.replace(known, gates=gates, label=label)

        self._change(note)

    def forget(self, feature: str) -> bool:
        """Back to how it was before anybody decided; False when nobody had."""
        key = self._key(feature)
        if key not in self.all():
            return False
        self._change(lambda grants: grants.pop(key, None))
        return True

    def _key(self, feature: str) -> str:
        return feature + self._suffix if feature.startswith(_PROJECT) else feature

    def _change(self, change: Callable[[_Grants], object]) -> None:
        def rewritten(before: bytes | None) -> bytes:
            grants = self._decoded(before)
            change(grants)
            return msgspec.json.format(msgspec.json.encode(grants), indent=2)

        update_private(self.file, rewritten)

    def _mark(self) -> tuple[int, int, int] | None:
        try:
            status = self.file.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error.strerror or "cannot be read") from None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _decoded(self, data: bytes | None) -> _Grants:
        if data is None:
            return {}
        try:
            return msgspec.json.decode(data, type=_Grants)
        except msgspec.DecodeError as error:
            raise self._unusable(f"it is not what we wrote ({error})") from None

    def _unusable(self, found: str) -> ConfigError:
        return ConfigError(
            str(self.file), field="file", found=found, hint="mend it, or remove it to grant anew"
        )


class _Builtin:
    """Ours: granted by default, and still declared, shown and taken away like the rest."""

    def __init__(self, store: GrantStore, feature: str) -> None:
        self._store = store
        self._feature = feature

    def denial(self, capability: AnyCapability) -> str | None:
        grant = _current(self._store, self._feature)
        if isinstance(grant, str):
            return grant
        return None if grant is None else _withdrawn(self._feature, grant, capability)


class _Granted:
    """Everybody else: nothing but what the user granted to exactly this content, and what comes
    with trust."""

    def __init__(
        self,
        store: GrantStore,
        feature: str,
        content: tuple[str, str],
        trusted: tuple[AnyCapability, ...],
    ) -> None:
        self._store = store
        self._feature = feature
        self._content = content
        self._trusted = trusted

    def denial(self, capability: AnyCapability) -> str | None:
        grant = _current(self._store, self._feature)
        if isinstance(grant, str):
            return grant
        if any(held.covers(capability) for held in self._trusted):
            return None if grant is None else _withdrawn(self._feature, grant, capability)
        how = f"indus grants give {self._feature} '{capability.text()}'"
        if grant is None or not grant.granted:
            return f"it was not granted; to do so: {how}"
        if (grant.version, grant.digest) != self._content:
            return f"it was granted to other content than this; to grant it anew: {how}"
        if not any(held.covers(capability) for held in grant.granted):
            return f"it was not granted; to do so: {how}"
        return None


def _current(store: GrantStore, feature: str) -> FeatureGrant | str | None:
    """A file that cannot be used grants nothing."""
    try:
        return store.of(feature)
    except ConfigError as error:
        return str(error)


def _withdrawn(feature: str, grant: FeatureGrant, capability: AnyCapability) -> str | None:
    if not any(_touches(gone, capability) for gone in grant.withdrawn):
        return None
    how = f"indus grants give {feature} '{capability.text()}'"
    return f"it was withdrawn; to give it back: {how}"


def _less(gone: AnyCapability, given: Iterable[AnyCapability]) -> AnyCapability | None:
    """What stays withdrawn when these are given back."""
    for one in given:
        if one.covers(gone):
            return None
        if type(one) is type(gone):
            flags = {name: False for name in gone.__struct_fields__ if getattr(one, name) is True}
            gone = msgspec.structs.replace(gone, **flags)
    return gone


def _touches(gone: AnyCapability, wanted: AnyCapability) -> bool:
    """Whether something that was taken away is part of what is wanted."""
    if gone.covers(wanted):
        return True
    if type(gone) is not type(wanted):
        return False
    flags = [field for field in gone.__struct_fields__ if isinstance(getattr(gone, field), bool)]
    return any(getattr(gone, field) and getattr(wanted, field) for field in flags)
