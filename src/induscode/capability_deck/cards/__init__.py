"""The seven cards that are not native tools, in the order in which models see them.

A row names what a card is. The module that does the work is loaded when the tool is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

from msgspec.structs import replace

from induscode.capability_deck import groups, subjects
from induscode.capability_deck.cards import definitions
from induscode.capability_deck.connectors.subject import calls_service
from induscode.capability_deck.contract import (
    BuildFn,
    Capability,
    CapabilityCard,
    DeckContext,
    Profile,
    SubjectFn,
    capability_id,
)
from induscode.kernel.tool import ToolKind
from induscode.tools.bounded import bounded
from induscode.tools.definition import Execute, LateTool, ToolDefinition
from induscode.tools.validated import validated

__all__ = ["APP_NOVEL_CARDS", "app_card", "app_novel_cards"]


def _late(definition: ToolDefinition, module: str, builder: str) -> BuildFn:
    """Builds the tool that `definition` describes and `builder` of `module` makes, late."""

    def build(ctx: DeckContext) -> Capability:
        def load() -> Execute:
            home = import_module(f"induscode.capability_deck.cards.{module}")
            make = cast("Callable[[DeckContext], Capability]", getattr(home, builder))
            return make(ctx).execute

        return bounded(validated(LateTool(definition, load)))

    return build


def _task(ctx: DeckContext) -> Capability:
    """Its description names the agents there are."""
    runner = ctx.framework.delegate
    roster = ", ".join(runner.list_agents()) if runner is not None else ""
    told = f"{definitions.TASK.description} Agents: {roster}." if roster else ""
    definition = replace(definitions.TASK, description=told) if told else definitions.TASK
    return _late(definition, "task", "build_task_capability")(ctx)


def _row(
    definition: ToolDefinition,
    summary: str,
    build: BuildFn,
    feature: str,
    kind: ToolKind,
    subject: SubjectFn,
) -> CapabilityCard:
    return CapabilityCard(
        id=capability_id(definition.name),
        title=definition.label,
        summary=summary,
        profiles=(Profile.ALL,),
        build=build,
        feature=feature,
        kind=kind,
        subject=subject,
    )


@cache
def app_novel_cards() -> tuple[CapabilityCard, ...]:
    return (
        _row(
            definitions.TODO,
            "Keep a weighted checklist.",
            _late(definitions.TODO, "todo", "build_todo_capability"),
            groups.CHECKLIST,
            ToolKind.STATE,
            subjects.keeps_to_the_session,
        ),
        _row(
            definitions.BG_PROCESS,
            "Start a command beside the conversation and look after it.",
            _late(definitions.BG_PROCESS, "bg_process", "build_daemon_capability"),
            groups.SHELL,
            ToolKind.SHELL,
            subjects.manages_process,
        ),
        _row(
            definitions.TASK,
            "Hand a self-contained sub-task to a delegate agent.",
            _task,
            groups.DELEGATE,
            ToolKind.DELEGATE,
            subjects.nothing,
        ),
        _row(
            definitions.SAAS_ACTION,
            "Call an operation of a configured service.",
            _late(definitions.SAAS_ACTION, "saas", "build_saas_capability"),
            groups.CONNECTORS,
            ToolKind.NETWORK,
            calls_service,
        ),
        _row(
            definitions.MEMORY,
            "Keep notes that outlive the conversation.",
            _late(definitions.MEMORY, "memory", "build_memory_capability"),
            groups.MEMORY,
            ToolKind.STATE,
            subjects.keeps_to_the_session,
        ),
        _row(
            definitions.ENTER_PLAN_MODE,
            "Explore first and change nothing.",
            _late(definitions.ENTER_PLAN_MODE, "plan", "build_enter_plan_mode_capability"),
            groups.PLAN,
            ToolKind.STATE,
            subjects.keeps_to_the_session,
        ),
        _row(
            definitions.EXIT_PLAN_MODE,
            "Present a plan for approval.",
            _late(definitions.EXIT_PLAN_MODE, "plan", "build_exit_plan_mode_capability"),
            groups.PLAN,
            ToolKind.STATE,
            subjects.keeps_to_the_session,
        ),
    )


def app_card(name: str) -> CapabilityCard:
    """The row of this name."""
    return next(card for card in app_novel_cards() if card.id == name)


APP_NOVEL_CARDS = app_novel_cards()
