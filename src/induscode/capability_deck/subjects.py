"""What calls of the deck's tools are about, for the gate: found by the host, from the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from induscode.capability_deck.contract import DeckContext
from induscode.policy.paths import command_subject, path_subject, resolve
from induscode.policy.subject import Access, NoSubject, SessionSubject, Subject
from induscode.tools.web.settings import SearchSettings

__all__ = [
    "fetches",
    "keeps_to_the_session",
    "manages_process",
    "nothing",
    "reads_below",
    "reads_file",
    "runs_command",
    "searches_the_web",
    "writes_file",
]


def reads_file(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    return _path(arguments, ctx, Access.READ)


def reads_below(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    """A directory, the working one unless another is named."""
    return _path({"path": ".", **arguments}, ctx, Access.READ)


def writes_file(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    return _path(arguments, ctx, Access.WRITE)


def runs_command(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    command, place = arguments.get("command"), arguments.get("cwd", ".")
    if not isinstance(command, str) or not isinstance(place, str):
        return NoSubject()
    try:
        return command_subject(command, resolve(ctx.cwd, place))
    except (ValueError, OSError):
        return NoSubject()


def manages_process(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    """Starting one runs a command; looking after it touches nothing new."""
    if arguments.get("action") == "start":
        return runs_command(arguments, ctx)
    return SessionSubject()


def fetches(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    del ctx
    about = cast("Callable[[Mapping[str, Any]], Subject]", _web().web_subject)
    return about(arguments)


def searches_the_web(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    del arguments
    about = cast("Callable[[SearchSettings], Subject]", _web().search_subject)
    return about(ctx.framework.web.settings.search)


def _web() -> ModuleType:
    """Addresses are read when one is asked about: 2 ms that most runs never need."""
    return import_module("induscode.tools.web.subject")


def keeps_to_the_session(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    del arguments, ctx
    return SessionSubject()


def nothing(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    """There is nothing in the arguments that a rule could be about."""
    del arguments, ctx
    return NoSubject()


def _path(arguments: Mapping[str, Any], ctx: DeckContext, access: Access) -> Subject:
    text = arguments.get("path")
    if not isinstance(text, str):
        return NoSubject()
    try:
        return path_subject(ctx.cwd, text, access)
    except (ValueError, OSError):
        return NoSubject()
