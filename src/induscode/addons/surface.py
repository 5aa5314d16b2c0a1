"""The surface that one addon registers on."""

from __future__ import annotations

from induscode.addons.contract import (
    AddonCommand,
    AddonId,
    AddonTask,
    AddonTool,
    AnyTool,
    CommandFn,
    EnterFn,
    EventSubscription,
    ExitFn,
    FrameworkHandles,
    Gate,
    HookEvent,
    HookHandler,
    NamedTool,
    Observe,
    RegisteredManifest,
    TaskFn,
    ToolInterceptor,
    ToolMatch,
    Transform,
)
from induscode.errors import HandleClosed

__all__ = ["RecordingSurface"]

_HANDLERS = (Observe, Transform, Gate)
_MATCHES = (NamedTool, AnyTool)


class RecordingSurface:
    """Notes what an addon wants, each with the addon's id, and does nothing else. `manifest` takes
    it all back once; recording or taking after that raises `HandleClosed`, and recording what is
    no handler or match raises TypeError."""

    def __init__(self, addon: AddonId, handles: FrameworkHandles) -> None:
        self._addon = addon
        self._handles = handles
        self._open = True
        self._subscriptions: list[EventSubscription] = []
        self._interceptors: list[ToolInterceptor] = []
        self._commands: list[AddonCommand] = []
        self._tools: list[AddonTool] = []
        self._tasks: list[AddonTask] = []

    @property
    def id(self) -> AddonId:
        return self._addon

    def on(self, event: HookEvent, handler: HookHandler) -> None:
        self._check()
        if type(handler) not in _HANDLERS:
            raise TypeError(f"{type(handler).__name__} is no handler: Observe, Transform or Gate")
        self._subscriptions.append(EventSubscription(self._addon, HookEvent(event), handler))

    def intercept_tool(
        self, match: ToolMatch, enter: EnterFn | None = None, exit_: ExitFn | None = None
    ) -> None:
        self._check()
        if type(match) not in _MATCHES:
            raise TypeError(f"{type(match).__name__} is no match: NamedTool or AnyTool")
        self._interceptors.append(ToolInterceptor(self._addon, match, enter, exit_))

    def add_command(self, name: str, summary: str, run: CommandFn) -> None:
        self._check()
        self._commands.append(AddonCommand(name.removeprefix("/"), summary, self._addon, run))

    def add_tool(self, card: AddonTool) -> None:
        self._check()
        self._tools.append(card)

    def add_task(self, name: str, run: TaskFn, description: str = "", *, restarts: int = 0) -> None:
        self._check()
        self._tasks.append(AddonTask(name, self._addon, run, description, restarts))

    def handles(self) -> FrameworkHandles:
        return self._handles

    def manifest(self) -> RegisteredManifest:
        self._check()
        self._open = False
        return RegisteredManifest(
            tuple(self._subscriptions),
            tuple(self._interceptors),
            tuple(self._commands),
            tuple(self._tools),
            tuple(self._tasks),
        )

    def _check(self) -> None:
        if not self._open:
            raise HandleClosed(
                f"{self._addon}: its registration is over", hint="record while `register` runs"
            )
