"""With what a session begins: as a person asked for it, or as its sender decided for a delegate."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from induscode.boot.agents import Agents
from induscode.boot.defaults import DefaultModel
from induscode.boot.errand import Errand
from induscode.boot.invocation import Invocation
from induscode.boot.materials import Materials
from induscode.boot.models import ModelMaker
from induscode.boot.permission import KeepAlways, SessionPermission
from induscode.boot.planning import beginning_mode, delegate_plan, plan_setting
from induscode.boot.surroundings import Surroundings
from induscode.boot.verdicts import rules_of
from induscode.conductor.ports import (
    BoundTool,
    BriefSpan,
    Budget,
    ModelSetting,
    PlanSetting,
    Sender,
)
from induscode.errors import IndusError, UsageError
from induscode.feature.hosting.installed import Member
from induscode.kernel.clock import iso
from induscode.kernel.model import Usage
from induscode.policy.approvals import ApprovalStore, KeptRule
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Rule
from induscode.session.choices import Choice, last_choice
from induscode.session.fork import fork_log
from induscode.session.log import OpenReport, SessionLog

__all__ = ["Beginning", "begun_by_errand", "begun_by_person", "policy_of", "priced"]


class Beginning(Struct, frozen=True):
    """`tools` are the names of those there may be at most, None for no bound. `spans` join the
    prompt, which is made of the `materials`; `agents` can be sent; `depth` counts the levels above,
    whose features `guests` are; `notices` are for the person."""

    log: SessionLog
    report: OpenReport
    setting: ModelSetting
    permission: SessionPermission
    plan: PlanSetting
    budget: Budget
    agents: Agents
    materials: Materials
    tools: frozenset[str] | None = None
    spans: tuple[BriefSpan, ...] = ()
    sender: Sender | None = None
    depth: int = 0
    guests: tuple[Member, ...] = ()
    notices: tuple[str, ...] = ()

    def admits(self, tool: str) -> bool:
        return self.tools is None or tool in self.tools

    def admitted(self, tools: Sequence[BoundTool]) -> tuple[BoundTool, ...]:
        return tuple(bound for bound in tools if self.admits(bound.tool.name))


def begun_by_person(invocation: Invocation, around: Surroundings, maker: ModelMaker) -> Beginning:
    """New, resumed or forked, as the invocation says. Raises `UserError` kinds."""
    policy = policy_of(invocation, around)
    waiting = around.door.waiting()
    log, report = _log(invocation, around)
    budget = Budget(invocation.max_steps, invocation.max_cost)
    try:
        before = last_choice(log.path_entries())
        wanted = _wanted(around, before, maker)
        setting = priced(_resumed(around, before, maker.make(wanted.model)), budget)
    except IndusError:
        log.close()
        if invocation.fork is not None:
            log.path.unlink(missing_ok=True)
        raise
    permission = SessionPermission(policy, _keeper(around, log.session))
    permission.set_mode(beginning_mode(around.config, log))
    return Beginning(
        log=log,
        report=report,
        setting=setting,
        permission=permission,
        plan=plan_setting(around.config, log),
        budget=budget,
        agents=Agents(around),
        materials=Materials(around),
        notices=tuple(line for line in (wanted.notice, waiting) if line),
    )


def begun_by_errand(errand: Errand, around: Surroundings, maker: ModelMaker) -> Beginning:
    """A new session of a delegate. Raises `UserError` kinds."""
    setting = priced(maker.make(errand.model), errand.budget.within(errand.sender.left()))
    log = around.store.create(around.workspace)
    permission = errand.permission.under(errand.mode, _keeper(around, log.session))
    return Beginning(
        log=log,
        report=OpenReport(),
        setting=setting,
        permission=permission,
        plan=delegate_plan(permission.mode, log),
        budget=errand.budget,
        agents=errand.agents,
        materials=errand.materials,
        tools=errand.tools,
        spans=errand.spans,
        sender=errand.sender,
        depth=errand.depth,
        guests=errand.guests,
    )


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


def priced(setting: ModelSetting, budget: Budget) -> ModelSetting:
    """The same. Raises `UsageError` when its cost is limited and cannot be known."""
    if budget.max_cost is not None and setting.price(Usage()) is None:
        raise UsageError(
            f"the price of {setting.name}/{setting.model} is not known",
            hint="--max-cost needs a model with a price; use --max-steps instead",
        )
    return setting


def _wanted(around: Surroundings, before: Choice, maker: ModelMaker) -> DefaultModel:
    """A flag or the environment decides; else a resumed session goes on with the model it had."""
    if before.model and not around.config.settings["model"].layer.startswith(("--", "$")):
        return DefaultModel(before.model)
    return maker.default()


def _resumed(around: Surroundings, before: Choice, setting: ModelSetting) -> ModelSetting:
    """The effort is kept as the model is: a flag decides, else what the session had."""
    if not before.thinking or around.config.settings["thinking"].layer.startswith("--"):
        return setting
    return replace(setting, parameters=replace(setting.parameters, thinking=before.thinking))


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
