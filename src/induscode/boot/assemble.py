"""Putting the parts together: the one place that knows every implementation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from induscode.boot.credentials import Credentials
from induscode.boot.deck import deck_of, within_bounds
from induscode.boot.defaults import DefaultModel
from induscode.boot.features import Features, Ground, install_features
from induscode.boot.framework import deck_context
from induscode.boot.invocation import Invocation
from induscode.boot.machine import Machine
from induscode.boot.models import ModelMaker
from induscode.boot.outlet import Outlet
from induscode.boot.permission import KeepAlways, SessionPermission
from induscode.boot.planning import beginning_mode, plan_setting
from induscode.boot.prompt import briefing_for
from induscode.boot.running import Greeting, RunningSession
from induscode.boot.secrets import clean_events
from induscode.boot.surroundings import Surroundings
from induscode.boot.verdicts import rules_of
from induscode.conductor.ports import Budget, Setup, Wiring
from induscode.conductor.retries import Retries
from induscode.conductor.turn import Conductor
from induscode.errors import IndusError, UsageError
from induscode.feature.registry import Package
from induscode.kernel.clock import iso
from induscode.kernel.events import Event
from induscode.kernel.jsontext import clean_text
from induscode.kernel.model import Usage
from induscode.kernel.person import Person
from induscode.policy.approvals import ApprovalStore, KeptRule
from induscode.policy.environment import child_environment
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Rule
from induscode.session.entries import ModelChoice
from induscode.session.fork import fork_log
from induscode.session.log import OpenReport, SessionLog
from induscode.session.state import SessionState
from induscode.version import VERSION

__all__ = ["open_session", "policy_of"]


def open_session(
    invocation: Invocation,
    around: Surroundings,
    emit: Callable[[Event], None],
    *,
    person: Person | None = None,
    patience: float = 10.0,
    brought: Sequence[Package] = (),
) -> RunningSession:
    """A session ready for its first turn: new, resumed or forked, as the invocation says.

    Raises `UserError` kinds; nothing is on disk before the first input of a new session. `brought`
    are features that the calling program brings itself.
    """
    emit = clean_events(emit, around.secrets)
    maker = ModelMaker(
        around.config, around.environ, Credentials(around.places.config), around.secrets
    )
    policy = policy_of(invocation, around)
    waiting = around.door.waiting()
    log, report = _log(invocation, around)
    try:
        wanted = _wanted(around, log, maker)
        setting = maker.make(wanted.model)
        if invocation.max_cost is not None and setting.price(Usage()) is None:
            raise UsageError(
                f"the price of {wanted.model} is not known",
                hint="--max-cost needs a model with a price; use --max-steps instead",
            )
    except IndusError:
        log.close()
        if invocation.fork is not None:
            log.path.unlink(missing_ok=True)
        raise
    permission = SessionPermission(policy, _keeper(around, log.session))
    permission.set_mode(beginning_mode(around.config, log))
    state = SessionState()
    machine = Machine(around, log.session)
    outlet = Outlet(emit, around.clock, around.secrets, machine.spill)
    ctx = deck_context(around)
    features = install_features(
        Ground(
            config=around.config,
            grants=around.places.config,
            outlet=outlet,
            roots=partial(machine.roots, permission),
            ctx=ctx,
            deck=deck_of(invocation, ctx),
            brought=brought,
        )
    )
    wiring = Wiring(
        setup=_setup(invocation, around, features, permission.mode),
        setting=setting,
        permission=permission,
        context=machine.contexts(permission, state.known),
        emit=emit,
        clock=around.clock,
        person=person,
        budget=Budget(invocation.max_steps, invocation.max_cost),
        retries=Retries(
            total=around.config.number("network.retry_seconds"),
            wished=around.config.number("network.wait_seconds"),
        ),
        fallbacks=tuple(partial(maker.make, name) for name in around.config.strings("fallback")),
        patience=patience,
        secrets=around.secrets,
        hooks=features.hooks,
        background=features.supervisor,
        plan=plan_setting(around.config, log),
    )
    conductor = Conductor(log, around.store.blobs, wiring, state)
    notices = tuple(line for line in (wanted.notice, waiting) if line)
    layer = around.config.workspace
    faults = (*outlet.faults, *(layer.faults if layer is not None else ()))
    outlet.connect(conductor)
    forked = invocation.fork is not None
    greeting = Greeting(around.config.unknown, notices, faults, forked)
    return RunningSession(conductor, emit, around.clock, report, greeting, features)


def _wanted(around: Surroundings, log: SessionLog, maker: ModelMaker) -> DefaultModel:
    """A flag or the environment decides; else a resumed session goes on with the model it had."""
    if not around.config.settings["model"].layer.startswith(("--", "$")):
        for entry in reversed(log.path_entries()):
            if isinstance(entry, ModelChoice) and not entry.reason.startswith("fallback"):
                return DefaultModel(f"{entry.provider}/{entry.model}")
    return maker.default()


def _log(invocation: Invocation, around: Surroundings) -> tuple[SessionLog, OpenReport]:
    store = around.store
    if invocation.fork is not None:
        source = store.find(invocation.fork, around.workspace)
        copy = store.create(around.workspace).path
        return store.open(fork_log(source, copy))
    if invocation.resume is not None:
        return store.open(store.find(invocation.resume, around.workspace))
    return store.create(around.workspace), OpenReport()


def _keeper(around: Surroundings, session: str) -> KeepAlways | None:
    approvals = ApprovalStore(around.places.config)
    if not approvals.serves(around.workspace):
        return None

    def keep(rule: Rule) -> None:
        kept = KeptRule(
            tool=rule.tool,
            pattern=rule.pattern or "",
            text=rule.text,
            at=iso(around.clock.now_ms()),
            session=session,
        )
        approvals.keep(around.workspace, kept)

    return keep


def policy_of(invocation: Invocation, around: Surroundings) -> Policy:
    """What is in force when a session begins. Raises `UsageError` or `ConfigError`."""
    config = around.config
    written = rules_of(config, around.places, around.workspace, invocation)
    return Policy(
        mode=Mode(config.text("mode")),
        workspace=around.workspace,
        rules=tuple(each.rule for each in written),
        own=(around.places.config, around.places.data),
        readable=(around.store.spill_root,),
    )


def _setup(invocation: Invocation, around: Surroundings, features: Features, mode: Mode) -> Setup:
    environment = child_environment(around.environ, secrets=around.secrets)
    return Setup(
        workspace=clean_text(str(around.workspace))[0],
        cwd=clean_text(str(around.cwd))[0],
        version=VERSION,
        mode=mode.value,
        features=features.entries(),
        tools=within_bounds(invocation, features.tools(environment)),
        briefing=briefing_for(invocation, str(around.cwd), around.clock, features.fragments),
    )
