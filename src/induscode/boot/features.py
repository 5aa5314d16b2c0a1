"""The features of one session: which there are, what they may, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from induscode.boot.addons.session import NO_ADDONS, Addons
from induscode.boot.binding import bound_tools
from induscode.boot.builtin_features import builtin_packages
from induscode.boot.config import Config
from induscode.boot.hostfeatures import host_digests
from induscode.boot.mcp.names import MCP, MCP_TOOLS
from induscode.boot.mcp.ports import NO_SERVERS, Servers
from induscode.boot.outlet import Outlet
from induscode.boot.services.late import LateServices
from induscode.boot.services.roots import ServiceRoots
from induscode.boot.standing_gates import with_shut_gates
from induscode.capability_deck.contract import DeckContext, ToolDeck
from induscode.conductor.feature_hooks import hooks_of
from induscode.conductor.hooks import Hooks
from induscode.conductor.ports import Background, BoundTool, BriefSpan, NoBackground
from induscode.feature.capability import AnyCapability, GrantPort
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.draft import DraftFragment
from induscode.feature.hosting.grant_store import GrantStore
from induscode.feature.hosting.installed import FeatureRegistry, Member
from induscode.feature.hosting.installed import InstalledFeature as Installed
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.registry import FeatureHost, FeatureRegistryBuilder, Package
from induscode.feature.services import ServicePort
from induscode.kernel.prompt_commands import RESERVED
from induscode.kernel.sources import sources_digest
from induscode.session.entries import InstalledFeature
from induscode.version import VERSION

__all__ = ["Features", "Fragment", "Ground", "install_features", "packages"]

_WORK_ITEM = "work-item"
_PROMPT = "the prompt itself"


def packages(config: Config, deck: ToolDeck) -> list[Package]:
    """All there are, in the order of installation: those of the deck's tools, then what was
    switched on in `[features]`."""
    found = builtin_packages(deck.tools())
    if config.get(f"features.{_WORK_ITEM}") is True:
        from induscode.crew.work_items import work_item_feature

        folder = Path(__file__).parent.parent / "crew" / "work_items"
        digest = sources_digest(folder.glob("*.py"))
        label = f"builtin:{_WORK_ITEM}"
        found.append(Package(work_item_feature(), digest, "builtin", label, ours=True))
    return found


class Tasks(Background, Protocol):
    """The background tasks of a session."""

    def start(self) -> None: ...

    def start_task(self, feature_id: str, task_id: str, /) -> bool: ...


class _NoTasks(NoBackground):
    def start(self) -> None:
        """There is nothing to start."""

    def start_task(self, feature_id: str, task_id: str, /) -> bool:
        del feature_id, task_id
        return False


class Fragment(Struct, frozen=True):
    """A piece of the prompt that a feature adds; `slot` is the section it belongs to."""

    slot: str
    span: BriefSpan


Install = Callable[[Sequence[Package], FeatureRegistry], FeatureRegistry]
"""Installs packages as if they came after those of a registry, which keep their names."""


class Features:
    """What a session gets from its features. Those of MCP servers change while it runs, and only
    when `renew` is called; all others stay."""

    def __init__(
        self,
        registry: FeatureRegistry,
        hooks: Hooks,
        supervisor: Tasks,
        ctx: DeckContext,
        *,
        addons: Addons = NO_ADDONS,
        servers: Servers = NO_SERVERS,
        install: Install = lambda _, before: before,
    ) -> None:
        self.registry = registry
        self.hooks = hooks
        self.supervisor = supervisor
        self.ctx = ctx
        self.addons = addons
        self.servers = servers
        self._settled = registry
        self._install = install
        self._version = -1

    def renew(self) -> None:
        """Take in what servers offer now, and what was decided about it."""
        self.servers.refresh()
        if self._version == self.servers.version:
            return
        self._version = self.servers.version
        packages = self.servers.packages()
        if packages:
            self.registry = self._settled.joined(self._install(packages, self._settled))

    async def close(self) -> None:
        """Every handle is taken back, and what servers and addons started ends. Tasks are over by
        then."""
        self.registry.close()
        await self.servers.close()
        await self.addons.close()

    def tools(self, environment: Mapping[str, str]) -> tuple[BoundTool, ...]:
        return bound_tools(self.registry, self.ctx, environment)

    def fragments(self) -> list[Fragment]:
        """What features add to the prompt, each under its own name, as far as it is granted now."""
        return [
            _fragment(feature.id, draft)
            for feature, draft in self.registry.fragments()
            if feature.lacks(draft.needs) is None
        ]

    def entries(self) -> tuple[InstalledFeature, ...]:
        """Who may produce entries, for the log: the features, and the host's own parts."""
        installed = [
            InstalledFeature(
                id=feature.id,
                version=feature.descriptor.version,
                package=feature.digest,
                grant=_grant(feature),
                runtime=feature.descriptor.runtime.value,
            )
            for feature in self.registry.features
        ]
        host = [
            InstalledFeature(id=name, version=VERSION, package=digest, grant="builtin")
            for name, digest in host_digests().items()
        ]
        return (*installed, *host)


class Ground(Struct, frozen=True):
    """What features are installed upon. `grants` is the folder of the user's grants, `workspace`
    what a project's features belong to; `roots` is given how a task is started; `ctx` is what the
    deck's tools are built for, and `deck` which of them there are; `brought` are features of the
    program that opens the session, `addons` come after them; `kept` come last: what people keep in
    files never takes a name from any of them. What MCP `servers` offer joins later, behind all of
    these. `guests` are features of the session above a
    delegate's. Without `tasks` nothing runs in the background: the session above has the tasks."""

    config: Config
    grants: Path
    workspace: Path
    outlet: Outlet
    roots: Callable[[Callable[[str, str], bool]], ServiceRoots]
    ctx: DeckContext
    deck: ToolDeck
    brought: Sequence[Package] = ()
    addons: Addons = NO_ADDONS
    servers: Servers = NO_SERVERS
    kept: Sequence[Package] = ()
    guests: Sequence[Member] = ()
    tasks: bool = True


def install_features(ground: Ground) -> Features:
    """Policy first, then every feature; a fault of one is told through the outlet and never sinks
    the rest."""
    store, outlet = GrantStore(ground.grants, ground.workspace), ground.outlet
    supervisors: list[Tasks] = []

    def start_task(feature: str, task: str) -> bool:
        return supervisors[0].start_task(feature, task)

    stands_on = ground.roots(start_task)

    def services(feature: FeatureId, grants: GrantPort, record: FeatureRecord) -> ServicePort:
        return LateServices(feature, grants, record, stands_on)

    own = dict.fromkeys(RESERVED, _PROMPT)
    kept = dict.fromkeys(MCP_TOOLS, MCP)  # which comes after all others
    host = FeatureHost(store.port, services, outlet.paths(), outlet.record, own, kept)
    builtin = packages(ground.config, ground.deck)
    all_of = (*builtin, *ground.brought, *ground.addons.packages, *ground.kept)
    registry = _installed(host, all_of).with_guests(ground.guests)
    supervisors.append(_supervisor(registry) if ground.tasks else _NoTasks())
    hooks = with_shut_gates(hooks_of(registry), registry, store)

    def install_after(more: Sequence[Package], before: FeatureRegistry) -> FeatureRegistry:
        tools = {tool.tool.name: feature.id for feature, tool in before.tools()}
        commands = {each.contribution.name: feature.id for feature, each in before.commands()}
        taken = {**own, **commands}
        record = outlet.renewed_record
        found = [_withdrawable(package, store) for package in more]
        return _installed(replace(host, tools=tools, commands=taken, record=record), found)

    features = Features(
        registry,
        hooks,
        supervisors[0],
        ground.ctx,
        addons=ground.addons,
        servers=ground.servers,
        install=install_after,
    )
    features.renew()
    return features


def _installed(host: FeatureHost, packages: Sequence[Package]) -> FeatureRegistry:
    builder = FeatureRegistryBuilder(host)
    for package in packages:
        builder.add(package)
    return builder.install()


class _BothGrant(Struct, frozen=True):
    first: GrantPort
    second: GrantPort

    def denial(self, capability: AnyCapability) -> str | None:
        return self.first.denial(capability) or self.second.denial(capability)


def _withdrawable(package: Package, store: GrantStore) -> Package:
    """What comes with its grants holds them only as long as the user does not withdraw them."""
    if package.grants is None:
        return package
    made = package.module.descriptor()
    asked = tuple(request.capability for request in made.all_requests())
    kept = store.port(made, package.digest, asked)
    return replace(package, grants=_BothGrant(kept, package.grants))


def _fragment(feature: str, draft: DraftFragment) -> Fragment:
    slot, made = draft.declaration.slot, draft.contribution
    return Fragment(slot, BriefSpan(f"{slot}/{made.name}", made.text, feature))


def _supervisor(registry: FeatureRegistry) -> Tasks:
    if not registry.tasks():
        return _NoTasks()
    from induscode.feature.hosting.supervisor import Supervisor

    return Supervisor(registry)


def _grant(feature: Installed) -> str:
    """By which right: ours by default; a server by what the ledger of tools says; anything else by
    trust in the workspace it belongs to, and by the user, for exactly these."""
    if feature.descriptor.id.source == "builtin":
        return "builtin"
    if feature.descriptor.id.source == "mcp":
        count = len(feature.draft.tools)
        return "ledger: 1 tool" if count == 1 else f"ledger: {count} tools"
    named = tuple(one for one in feature.granted if one not in feature.trusted)
    rights = (("trust", feature.trusted), ("user", named))
    said = [f"{by}: {', '.join(one.text() for one in held)}" for by, held in rights if held]
    return "; ".join(said) or "user: "
