"""Plan mode of one session: whether it begins in it, and where leaving it leads."""

from __future__ import annotations

from functools import partial

from induscode.boot.config import Config
from induscode.capability_deck.cards.plan_files import write_plan
from induscode.conductor.plan_mode import ENTERED
from induscode.conductor.ports import PlanSetting
from induscode.policy.modes import Mode
from induscode.session.entries import ModeChange
from induscode.session.log import SessionLog

__all__ = ["beginning_mode", "delegate_plan", "plan_setting"]


def beginning_mode(config: Config, log: SessionLog) -> Mode:
    """The mode that was chosen. Only a plan that the session was in the middle of outlives it: that
    narrows, and nothing wider is ever taken from a log."""
    chosen = Mode(config.text("mode"))
    if config.settings["mode"].layer.startswith("--"):
        return chosen
    for entry in reversed(log.path_entries()):
        if isinstance(entry, ModeChange):
            return Mode.PLAN if (entry.mode, entry.reason) == (Mode.PLAN, ENTERED) else chosen
    return chosen


def plan_setting(config: Config, log: SessionLog) -> PlanSetting:
    """An approved plan leads back to the chosen mode; where that is plan itself, to asking."""
    chosen = Mode(config.text("mode"))
    afterwards = Mode.ASK if chosen is Mode.PLAN else chosen
    return PlanSetting(afterwards, partial(write_plan, log.path.with_suffix("")))


def delegate_plan(mode: Mode, log: SessionLog) -> PlanSetting:
    """A delegate that was sent to plan only plans; another one comes back to the mode it has."""
    afterwards = None if mode is Mode.PLAN else mode
    return PlanSetting(afterwards, partial(write_plan, log.path.with_suffix("")))
