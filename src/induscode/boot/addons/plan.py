"""What installing an addon would mean, before anything is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from induscode.addons.contract import HookKind
from induscode.addons.descriptors import descriptor_of
from induscode.addons.offers import OfferedEvent, OfferedInterceptor, Offers
from induscode.addons.package import AddonPackage, package_at
from induscode.boot.addons.look import Look
from induscode.boot.addons.records import TIERS
from induscode.boot.addons.store import Installed, InstalledState
from induscode.boot.macro_feature import MACROS
from induscode.boot.skill_feature import SKILLS
from induscode.errors import IndusError
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.claims import Claims, Kind
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.kernel.prompt_commands import RESERVED

__all__ = ["Asked", "Cost", "Difference", "Plan", "hook_words", "plan_of"]

_CHARACTERS_PER_TOKEN = 4
_PROMPT = "the prompt itself"
_VERBS = {
    HookKind.GATE: "may stop",
    HookKind.TRANSFORM: "may change",
    HookKind.OBSERVE: "is told of",
}


class Asked(Struct, frozen=True):
    """A capability as people write it. `contributes` is one that its offers ask for by themselves:
    without it, what it is about is left out."""

    capability: str
    reason: str
    required: bool
    contributes: bool


class Cost(Struct, frozen=True):
    """A tool, and about how many tokens it costs in every request."""

    tool: str
    tokens: int


class Difference(Struct, frozen=True):
    """From what is installed. Each line names a thing of the one or of both."""

    version: str
    digest: str
    origin: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Plan(Struct, frozen=True):
    """`asked` says whether the addon was run once to know this."""

    id: str
    tier: int
    version: str
    description: str
    path: str
    files: int
    bytes: int
    digest: str
    runs: tuple[str, ...]
    confinement: str
    asked: bool
    requests: tuple[Asked, ...]
    tools: tuple[Cost, ...]
    hooks: tuple[str, ...]
    commands: tuple[str, ...]
    tasks: tuple[str, ...]
    conflicts: tuple[str, ...]
    installed: Difference | None = None


def plan_of(look: Look, before: Installed | None, registry: FeatureRegistry) -> Plan:
    """`registry` has the features of this workspace, `before` is what is installed under its id.
    Raises ValueError for a capability that nobody knows."""
    package, offers = look.package, look.offers
    return Plan(
        id=look.id,
        tier=TIERS.index(package.tier),
        version=offers.version,
        description=offers.description,
        path=str(package.path),
        files=len(package.files),
        bytes=sum(mark.size for mark in package.files.values()),
        digest=package.digest,
        runs=look.runs,
        confinement=look.confinement,
        asked=look.asked,
        requests=tuple(_requests(look)),
        tools=tuple(Cost(tool.name, _tokens(tool)) for tool in offers.tools),
        hooks=hook_words(offers),
        commands=tuple(_line(f"/{one.name}", one.summary) for one in offers.commands),
        tasks=tuple(_line(one.name, one.description) for one in offers.tasks),
        conflicts=tuple(_conflicts(look, registry)),
        installed=None if before is None else _difference(look, before),
    )


def hook_words(offers: Offers) -> tuple[str, ...]:
    """Where it is heard, and what it may do there."""
    return (*map(_event, offers.events), *(one for i in offers.interceptors for one in _stages(i)))


def _event(one: OfferedEvent) -> str:
    return f"{_VERBS[one.kind]}: {one.event}" + (f" ({one.tool})" if one.tool else "")


def _stages(one: OfferedInterceptor) -> Iterator[str]:
    which = one.tool or "every tool"
    if one.enter:
        yield f"may stop or change: calls of {which}"
    if one.exit:
        yield f"may change: results of {which}"


def _requests(look: Look) -> Iterator[Asked]:
    made = descriptor_of(FeatureId.user(look.id), look.package.tier, look.offers)
    stated = len(made.requested_capabilities)
    for place, request in enumerate(made.all_requests()):
        text = request.capability.text()
        yield Asked(text, request.reason, request.is_required, place >= stated)


def _tokens(tool: Struct) -> int:
    fields: dict[str, object] = msgspec.to_builtins(tool)
    characters = sum(len(msgspec.json.encode(value)) for value in fields.values())
    return round(characters / _CHARACTERS_PER_TOKEN)


def _line(name: str, words: str) -> str:
    return f"{name}: {words}" if words else name


def _conflicts(look: Look, registry: FeatureRegistry) -> Iterator[str]:
    """Names that somebody has: who is installed first keeps it, with the other it is left out."""
    ahead, behind = Claims({}, dict.fromkeys(RESERVED, _PROMPT)), Claims({}, {})
    own = FeatureId.user(look.id)
    for feature in registry.features:
        if feature.descriptor.id != own:
            claims = ahead if _comes_before(feature.descriptor.id, own) else behind
            for kind, name in feature.draft.taken():
                claims.take(kind, name, feature.id)
    for kind, name in _names(look.offers):
        if (claim := ahead.of(kind, name)) is not None:
            yield f"{kind} {name}: {claim.told(name)}, so it would be left out"
        elif (claim := behind.of(kind, name)) is not None:
            yield f"{kind} {name}: {claim.told(name)}, and would lose it"
    where = str(look.package.path)
    for feature in registry.known:
        twin = feature.descriptor.id == FeatureId.project(look.id)
        if twin and not where.endswith(f"/{feature.record.label}"):
            yield f"id {look.id}: {feature.record.label} of this workspace has it too; both count"


def _names(offers: Offers) -> Iterator[tuple[Kind, str]]:
    for tool in offers.tools:
        yield "tool", tool.name
    for command in offers.commands:
        yield "command", command.name


def _comes_before(other: FeatureId, own: FeatureId) -> bool:
    """Ours first, then the installed addons by name, then those of the workspace, then what people
    keep in files."""
    if other.source == "builtin":
        return str(other) not in (MACROS, SKILLS)
    return other.source == own.source and other.name < own.name


def _difference(look: Look, before: Installed) -> Difference:
    old = {} if before.offers is None else dict(_things(before.offers))
    new = dict(_things(look.offers))
    return Difference(
        version=before.version,
        digest=before.digest,
        origin=before.origin,
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed=tuple(name for name, value in new.items() if name in old and old[name] != value),
        files=tuple(_files(before, look.package)),
    )


def _things(offers: Offers) -> Iterator[tuple[str, object]]:
    """Everything that it asks for or adds, by a name for people."""
    for wanted in offers.capabilities:
        yield f"asks for {wanted.name}", wanted
    for tool in offers.tools:
        yield f"tool {tool.name}", tool
    for words in hook_words(offers):
        yield words, None
    for command in offers.commands:
        yield f"command /{command.name}", command
    for task in offers.tasks:
        yield f"task {task.name}", task


def _files(before: Installed, package: AddonPackage) -> Iterator[str]:
    if before.package is None or before.state is not InstalledState.OK:
        yield f"all of them: the installed copy is {before.state}"
        return
    try:
        old = package_at(before.package.path).files
    except IndusError as error:
        yield str(error)
        return
    yield from _changes(old, package.files, package.path.name)


def _changes(old: Mapping[str, object], new: Mapping[str, object], alone: str) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            how = "new" if name not in old else "gone" if name not in new else "changed"
            yield f"{name or alone}: {how}"
