"""What a call is about, as the host sees it: facts from the disk, gathered before the judgement.

A subject is built by the host from the arguments, never taken from what a tool claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from induscode.kernel.tool import ToolKind

__all__ = [
    "Access",
    "CallView",
    "CommandSubject",
    "NoSubject",
    "PathSubject",
    "ServerSubject",
    "SessionSubject",
    "Subject",
    "UrlSubject",
]


class Access(StrEnum):
    READ = "read"
    WRITE = "write"


class PathSubject(Struct, frozen=True, tag="path"):
    """`path` is where the words lead (absolute, every link followed); `named` is the same place as
    it was spelled, links kept. Rules that narrow look at both, rules that allow only at `path`."""

    path: Path
    named: Path
    access: Access


class CommandSubject(Struct, frozen=True, tag="command"):
    """Build it with `paths.command_subject`.

    `paths` are the places that literals of the command lead to from `cwd`, as spelled and with
    links followed; `elsewhere` those that they lead to from other directories that it names, where
    it may change to. `program` is the file that the first word of a plain command would start, None
    when no file has that name; `shadows` says that it stands before another of the same name.
    `groups` are the literals of each simple command in it, with patterns and braces expanded.

    What a rule that narrows may be concerned with, without its being certain: `perhaps` are places
    that patterns in quoted text may mean, `below` are directories of which it reads or hands on
    everything, `unsure` says that a limit was reached before all of it was read. `git_runs` is the
    setting by which the repository makes git run a program of its choice, "" when there is none.
    """

    command: str
    cwd: Path
    paths: tuple[Path, ...] = ()
    program: Path | None = None
    shadows: bool = False
    groups: tuple[tuple[str, ...], ...] = ()
    elsewhere: tuple[Path, ...] = ()
    perhaps: tuple[Path, ...] = ()
    below: tuple[Path, ...] = ()
    unsure: bool = False
    git_runs: str = ""


class UrlSubject(Struct, frozen=True, tag="url"):
    host: str


class ServerSubject(Struct, frozen=True, tag="server"):
    """An MCP server that is asked for something beside its tools, whose names begin with `tools`:
    a rule that narrows all of them narrows this too."""

    server: str
    tools: str


class SessionSubject(Struct, frozen=True, tag="session"):
    """The call touches nothing but what this session keeps, whatever its tool can do otherwise:
    asking how a process is doing, listing what could be called."""


class NoSubject(Struct, frozen=True, tag="none"):
    """Nothing to judge: the tool has no such argument, or the call does not carry a usable one."""


Subject = PathSubject | CommandSubject | UrlSubject | ServerSubject | SessionSubject | NoSubject


class CallView(Struct, frozen=True):
    """One call as the gate sees it. `kind` is the host's classification of the tool."""

    tool: str
    kind: ToolKind
    arguments: Mapping[str, Any]
    subject: Subject
