"""What an addon records, on what, and what a loader makes of one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from induscode.addons.contract.commands import (
    AddonCommand,
    AddonTask,
    CommandFn,
    FrameworkHandles,
    TaskFn,
)
from induscode.addons.contract.events import AddonId, EventSubscription, HookEvent, HookHandler
from induscode.addons.contract.interception import EnterFn, ExitFn, ToolInterceptor, ToolMatch
from induscode.errors import AddonAuthorError
from induscode.feature.capability import CapabilityRequest
from induscode.kernel.tool import AgentTool

__all__ = [
    "ADDONS_DIR",
    "ADDON_MANIFEST_FIELD",
    "Addon",
    "AddonApi",
    "AddonDiscovery",
    "AddonManifest",
    "AddonSource",
    "AddonTool",
    "CloseFn",
    "LoaderError",
    "LoaderErrorKind",
    "ModuleLoader",
    "RegisterFn",
    "RegisteredManifest",
    "Standing",
]

ADDONS_DIR = ".indus/addons"
ADDON_MANIFEST_FIELD = "indusAddon"
"""The field of a `package.json` that names the package's entry."""

AddonTool = AgentTool


class RegisteredManifest(Struct, frozen=True):
    """What one addon recorded, in the order in which it did."""

    subscriptions: tuple[EventSubscription, ...] = ()
    interceptors: tuple[ToolInterceptor, ...] = ()
    commands: tuple[AddonCommand, ...] = ()
    tools: tuple[AddonTool, ...] = ()
    tasks: tuple[AddonTask, ...] = ()

    @classmethod
    def empty(cls) -> RegisteredManifest:
        return cls()


class AddonApi(Protocol):
    """All of the host that an addon sees while it registers. Each call records; none dispatches,
    runs or decides a conflict. After `manifest` nothing more can be recorded."""

    @property
    def id(self) -> AddonId: ...

    def on(self, event: HookEvent, handler: HookHandler) -> None: ...

    def intercept_tool(
        self, match: ToolMatch, enter: EnterFn | None = None, exit_: ExitFn | None = None
    ) -> None: ...

    def add_command(self, name: str, summary: str, run: CommandFn) -> None: ...

    def add_tool(self, card: AddonTool) -> None: ...

    def add_task(
        self, name: str, run: TaskFn, description: str = "", *, restarts: int = 0
    ) -> None: ...

    def handles(self) -> FrameworkHandles: ...

    def manifest(self) -> RegisteredManifest: ...


class Standing(Protocol):
    """An addon at rest: what it offers is known, and nothing of it runs. `record` records all of
    that at once and starts nothing; the first call of a handler does. `unconfined` says what this
    machine does not keep its program from, "" when there is nothing to say."""

    @property
    def unconfined(self) -> str: ...

    def record(self, api: AddonApi, /) -> None: ...

    async def close(self) -> None:
        """End what it started. A later call of a handler fails."""
        ...


RegisterFn = Callable[[AddonApi], Awaitable[None]]
CloseFn = Callable[[], Awaitable[None]]


class AddonManifest(Struct, frozen=True):
    """What a loader makes of a path. Without an `id` the one derived from the path is used.
    `requests` are what it asks the person for, over and above its contributions; `close` ends what
    it started, is called once, and only after `register` was."""

    register: RegisterFn
    id: AddonId | None = None
    version: str | None = None
    requests: tuple[CapabilityRequest, ...] = ()
    close: CloseFn | None = None


class Addon(Struct, frozen=True):
    id: AddonId
    manifest: AddonManifest


class AddonDiscovery(Struct, frozen=True):
    """Where to look: `dir` (else `ADDONS_DIR`) under the workspace, and paths given by name."""

    workspace: Path | None = None
    dir: str | None = None
    explicit_paths: tuple[Path, ...] = ()


class AddonSource(Struct, frozen=True):
    """One path that may be an addon, with the id derived from it."""

    path: Path
    id: AddonId


class LoaderErrorKind(StrEnum):
    """`unsupported`: another tier loads this. `unreadable`: the file system refused. `invalid`: it
    was read and is no addon. `failed`: its program could not be started or did not register."""

    UNSUPPORTED = "unsupported"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    FAILED = "failed"


class LoaderError(AddonAuthorError):
    """A path could not be loaded. `hint` is the remedy; an unsupported one names the tier."""

    def __init__(self, kind: LoaderErrorKind, path: Path, detail: str, *, hint: str = "") -> None:
        super().__init__(f"{path}: {detail}", hint=hint)
        self.kind = kind
        self.path = path
        self.detail = detail

    @classmethod
    def unsupported(cls, path: Path, detail: str, *, hint: str = "") -> LoaderError:
        return cls(LoaderErrorKind.UNSUPPORTED, path, detail, hint=hint)


class ModuleLoader(Protocol):
    async def load(self, path: Path) -> AddonManifest:
        """Raises `LoaderError`, and nothing else."""
        ...
