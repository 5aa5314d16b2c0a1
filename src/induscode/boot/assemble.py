"""Putting the parts together: the one place that knows every implementation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from induscode.boot.config import Config, load_config
from induscode.boot.credentials import Credentials
from induscode.boot.deck import select_tools
from induscode.boot.defaults import DefaultModel
from induscode.boot.hostfeatures import host_digests
from induscode.boot.invocation import Invocation
from induscode.boot.models import ModelMaker
from induscode.boot.permission import SessionPermission
from induscode.boot.places import Places, find_places, workspace_of
from induscode.boot.prompt import briefing_for
from induscode.boot.running import Greeting, RunningSession
from induscode.conductor.ports import BoundTool, Budget, ContextMaker, Setup, Wiring
from induscode.conductor.retries import Retries
from induscode.conductor.turn import Conductor
from induscode.errors import IndusError, UsageError
from induscode.kernel.cancel import CancelToken
from induscode.kernel.clock import Clock, SystemClock
from induscode.kernel.events import Event
from induscode.kernel.ids import IdMint
from induscode.kernel.jsontext import clean_text
from induscode.kernel.model import Usage
from induscode.kernel.person import Person
from induscode.kernel.tool import Progress, ToolContext, ToolKind
from induscode.policy.environment import child_environment
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Effect, Rule, parse_rule
from induscode.policy.verdict import Layer
from induscode.session.entries import InstalledFeature, ModelChoice
from induscode.session.fork import fork_log
from induscode.session.log import OpenReport, SessionLog
from induscode.session.store import SessionStore
from induscode.tools.builtin import BuiltinTool, builtin_tools, feature_digest
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.spill import Spill
from induscode.tools.validated import problem_with
from induscode.version import VERSION

__all__ = ["Surroundings", "open_session", "surroundings"]


class Surroundings(Struct, frozen=True):
    """What a run stands in: directories, configuration, environment, time."""

    cwd: Path
    workspace: Path
    places: Places
    environ: Mapping[str, str]
    config: Config
    store: SessionStore
    clock: Clock


def surroundings(invocation: Invocation, environ: Mapping[str, str]) -> Surroundings:
    """Raises `UsageError` or `ConfigError`."""
    cwd = Path(invocation.cwd or ".").expanduser().absolute()
    if not cwd.is_dir():
        raise UsageError(f"{cwd} is not a directory", hint="give an existing one to --cwd")
    places = find_places(dict(environ))
    clock = SystemClock()
    return Surroundings(
        cwd=Path(os.path.realpath(cwd)),
        workspace=workspace_of(cwd),
        places=places,
        environ=environ,
        config=load_config(places.config_file, environ, invocation),
        store=SessionStore(places.data, clock, IdMint(clock)),
        clock=clock,
    )


def open_session(
    invocation: Invocation,
    around: Surroundings,
    emit: Callable[[Event], None],
    *,
    person: Person | None = None,
    patience: float = 10.0,
) -> RunningSession:
    """A session ready for its first turn: new, resumed or forked, as the invocation says.

    Raises `UserError` kinds; nothing is on disk before the first input of a new session.
    """
    maker = ModelMaker(around.config, around.environ, Credentials(around.places.config))
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
    tools = select_tools(invocation, builtin_tools())
    permission = SessionPermission(_policy(invocation, around), tools, around.cwd)
    wiring = Wiring(
        setup=_setup(invocation, around, tools, permission.mode),
        setting=setting,
        permission=permission,
        context=_context(around, log.session),
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
    )
    conductor = Conductor(log, around.store.blobs, wiring)
    notices = (wanted.notice,) if wanted.notice else ()
    return RunningSession(
        conductor, emit, around.clock, report, Greeting(around.config.unknown, notices)
    )


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


def _policy(invocation: Invocation, around: Surroundings) -> Policy:
    config = around.config
    rules: list[Rule] = []
    file = str(around.places.config_file)
    for effect in Effect:
        key = f"permissions.{effect}"
        rules.extend(
            parse_rule(text, effect=effect, layer=Layer.USER, file=file)
            for text in config.strings(key)
        )
    for effect, texts in ((Effect.ALLOW, invocation.allow), (Effect.DENY, invocation.deny)):
        rules.extend(parse_rule(text, effect=effect, layer=Layer.FLAG) for text in texts)
    return Policy(
        mode=Mode(config.text("mode")),
        workspace=around.workspace,
        rules=tuple(rules),
        own=(around.places.config, around.places.data),
        readable=(around.store.spill_root,),
    )


def _setup(
    invocation: Invocation, around: Surroundings, tools: tuple[BuiltinTool, ...], mode: Mode
) -> Setup:
    names = sorted({tool.feature for tool in tools})
    digests = {name: feature_digest(name) for name in names} | host_digests()
    features = [
        InstalledFeature(id=name, version=VERSION, package=digest, grant="builtin")
        for name, digest in digests.items()
    ]
    return Setup(
        workspace=clean_text(str(around.workspace))[0],
        cwd=clean_text(str(around.cwd))[0],
        version=VERSION,
        mode=mode.value,
        features=tuple(features),
        tools=tuple(_bound(tool, around.environ) for tool in tools),
        briefing=briefing_for(invocation, str(around.cwd), around.clock),
    )


def _bound(tool: BuiltinTool, environ: Mapping[str, str]) -> BoundTool:
    return BoundTool(
        tool=tool.tool,
        kind=tool.kind,
        by=tool.feature,
        problem=partial(problem_with, tool.tool),
        environment=child_environment(environ) if tool.kind is ToolKind.SHELL else None,
    )


def _context(around: Surroundings, session: str) -> ContextMaker:
    folder = around.store.spill_root / session
    files, shell = LocalFilesystem(), LocalShell(folder, environ=around.environ)
    spill = Spill(folder)

    def make(cancel: CancelToken, progress: Progress) -> ToolContext:
        return ToolContext(
            cwd=around.cwd,
            fs=files,
            shell=shell,
            cancel=cancel,
            progress=progress,
            spill=spill.keep,
        )

    return make
