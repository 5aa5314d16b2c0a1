"""Putting the parts together: the one place that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from induscode.boot.addons.session import NO_ADDONS, addons_of
from induscode.boot.beginning import Beginning, begun_by_errand, begun_by_person, policy_of
from induscode.boot.checkpoints import LateWatch, broken_rewind
from induscode.boot.credentials import Credentials
from induscode.boot.deck import admits_servers, check_names, deck_of, within_bounds
from induscode.boot.delegating import Delegates, Parent
from induscode.boot.errand import Errand
from induscode.boot.features import Features, Ground, install_features
from induscode.boot.file_joins import FileJoins
from induscode.boot.framework import deck_context
from induscode.boot.invocation import Invocation
from induscode.boot.kept_features import kept_packages
from induscode.boot.machine import Machine
from induscode.boot.mcp.configured import configured
from induscode.boot.mcp.ports import NO_SERVERS, Servers
from induscode.boot.models import ModelMaker
from induscode.boot.outlet import Outlet
from induscode.boot.prompt import Prompt
from induscode.boot.renewing import renewal_of
from induscode.boot.running import Greeting, Means, RunningSession
from induscode.boot.secrets import clean_events
from induscode.boot.session_link import SessionLink
from induscode.boot.surroundings import Surroundings
from induscode.briefing.contract import ComposeOptions
from induscode.conductor.ports import BoundTool, Setup, Wiring
from induscode.conductor.retries import Retries
from induscode.conductor.turn import Conductor
from induscode.feature.registry import Package
from induscode.kernel.clock import iso
from induscode.kernel.events import Alert, Event
from induscode.kernel.jsontext import clean_text
from induscode.kernel.person import Person
from induscode.kernel.tool import ToolKind
from induscode.policy.environment import child_environment
from induscode.session.state import SessionState
from induscode.version import VERSION

__all__ = ["open_session", "policy_of"]


def open_session(
    invocation: Invocation,
    around: Surroundings,
    emit: Callable[[Event], None],
    *,
    person: Person | None = None,
    brought: Sequence[Package] = (),
    errand: Errand | None = None,
    waits: bool = True,
) -> RunningSession:
    """A session ready for its first turn: new, resumed or forked, as the invocation says, or a
    delegate's, as its `errand` says.

    Raises `UserError` kinds; nothing is on disk before the first input of a new session. `brought`
    are features that the calling program brings itself. A session that `waits` has its MCP servers
    before its first turn, up to their deadlines; otherwise they join at an epoch.
    """
    emit = clean_events(emit, around.secrets)
    maker = ModelMaker(
        around.config, around.environ, Credentials(around.places.config), around.secrets
    )
    if errand is None:
        begun = begun_by_person(invocation, around, maker)
    else:
        begun = begun_by_errand(errand, around, maker)
    log, permission = begun.log, begun.permission
    state = SessionState()
    machine = Machine(around, log.session)
    outlet = Outlet(emit, around.clock, around.secrets, machine.spill)
    watch = LateWatch(around, log, lambda text: emit(Alert(text=text, at=_now(around))))
    broken = broken_rewind(around, log)
    more = partial(_delegate, invocation, around)
    delegates = Delegates(begun.agents, begun.depth, more)
    ctx = deck_context(around, watch, delegates)
    without = invocation.no_addons or errand is not None  # a delegate has those of its sender
    addons = NO_ADDONS if without else addons_of(around, machine, outlet.told)
    servers = NO_SERVERS
    if errand is None:
        opened = partial(_servers, invocation, around, machine, outlet, emit, person)
        servers = opened(patient=waits)
    environment = partial(child_environment, around.environ, secrets=around.secrets)
    link = SessionLink(maker, begun.budget, ctx, environment, settled=errand is not None)
    features = install_features(
        Ground(
            config=around.config,
            grants=around.places.config,
            workspace=around.workspace,
            outlet=outlet,
            roots=partial(machine.roots, permission, session=link),
            ctx=ctx,
            deck=deck_of(invocation, ctx).retain(lambda tool: begun.admits(tool.name)),
            brought=brought,
            addons=addons,
            servers=servers,
            kept=kept_packages(begun.materials),
            guests=begun.guests,
            tasks=errand is None,
        )
    )
    tools = partial(_tools, invocation, features, begun, environment())
    check_names(invocation, tools(), servers.servers())
    wiring = Wiring(
        setup=_setup(invocation, around, features, begun, tools()),
        setting=begun.setting,
        permission=permission,
        context=machine.contexts(permission, state.known),
        emit=emit,
        clock=around.clock,
        person=person,
        budget=begun.budget,
        retries=Retries(
            total=around.config.number("network.retry_seconds"),
            wished=around.config.number("network.wait_seconds"),
        ),
        fallbacks=tuple(partial(maker.make, name) for name in around.config.strings("fallback")),
        secrets=around.secrets,
        hooks=features.hooks,
        background=features.supervisor,
        watch=watch,
        plan=begun.plan,
        renewal=renewal_of(features, tools),
        touched=FileJoins(around.workspace, begun.materials),
        sender=begun.sender,
        abroad=delegates.abroad,
    )
    conductor = Conductor(log, around.store.blobs, wiring, state)
    layer = around.config.workspace
    faults = (*outlet.faults, *(layer.faults if layer is not None else ()))
    faults = (*faults, broken) if broken else faults
    faults = (*faults, *begun.agents.faults)
    outlet.connect(conductor)
    link.connect(conductor)
    delegates.connect(Parent(conductor, permission, features, begun.materials, person, emit))
    forked = invocation.fork is not None
    greeting = Greeting(around.config.unknown, begun.notices, faults, forked)
    means = Means(features, machine, begun.materials, link.typed)
    return RunningSession(conductor, emit, around.clock, begun.report, greeting, means)


def _delegate(
    invocation: Invocation,
    around: Surroundings,
    errand: Errand,
    emit: Callable[[Event], None],
    person: Person | None,
) -> RunningSession:
    again = replace(invocation, resume=None, fork=None)
    return open_session(again, around, emit, person=person, errand=errand)


def _now(around: Surroundings) -> str:
    return iso(around.clock.now_ms())


def _servers(
    invocation: Invocation,
    around: Surroundings,
    machine: Machine,
    outlet: Outlet,
    emit: Callable[[Event], None],
    person: Person | None,
    *,
    patient: bool,
) -> Servers:
    """Nothing of them is imported where there are none, or none of their tools could be used."""
    loaded = configured(around, invocation.mcp) if admits_servers(invocation) else None
    if loaded is None:
        return NO_SERVERS
    from induscode.boot.mcp.asking import Telling
    from induscode.boot.mcp.news import News
    from induscode.boot.mcp.opening import Use, open_servers

    news = News(outlet.fault, outlet.alert)
    use = Use(invocation.tools or (), patient)
    telling = Telling(emit, outlet.answered)
    return open_servers(loaded, around, machine, news, telling, person=person, use=use)


def _tools(
    invocation: Invocation, features: Features, begun: Beginning, environment: Mapping[str, str]
) -> tuple[BoundTool, ...]:
    """All that there are now, within the bounds of the run."""
    return begun.admitted(within_bounds(invocation, features.tools(environment)))


def _setup(
    invocation: Invocation,
    around: Surroundings,
    features: Features,
    begun: Beginning,
    tools: tuple[BoundTool, ...],
) -> Setup:
    delegating = any(bound.kind is ToolKind.DELEGATE for bound in tools)
    prompt = Prompt(
        options=ComposeOptions(
            system=invocation.system,
            prelude=begun.materials.settings.prelude,
            append_system=invocation.append_system,
        ),
        workspace=str(around.workspace),
        cwd=str(around.cwd),
        clock=around.clock,
        materials=begun.materials,
        subagents=begun.agents.briefs if delegating else tuple,
        fragments=features.fragments,
        errand=begun.spans,
    )
    return Setup(
        workspace=clean_text(str(around.workspace))[0],
        cwd=clean_text(str(around.cwd))[0],
        version=VERSION,
        mode=begun.permission.mode.value,
        features=features.entries(),
        tools=tools,
        briefing=prompt.spans,
        delegator=begun.sender.link if begun.sender is not None else None,
    )
