"""What a tool is. A tool's failure is a value; a broken contract raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import SaidBlock, Text

__all__ = [
    "AgentTool",
    "Filesystem",
    "Progress",
    "ReadState",
    "Recall",
    "Shell",
    "ShellOutcome",
    "ShellStream",
    "Spawned",
    "SpawnedOutput",
    "ToolContext",
    "ToolKind",
    "ToolResult",
]


class ToolKind(StrEnum):
    """What a tool can do to the world, as the host classifies it, never as the tool claims."""

    READ = "read"
    WRITE = "write"
    SHELL = "shell"
    NETWORK = "network"
    STATE = "state"
    DELEGATE = "delegate"
    FOREIGN = "foreign"


class ToolResult(Struct, frozen=True):
    """`content` is what the model reads; `display` what the person sees, when that differs;
    `details` is structured data for programs."""

    content: tuple[SaidBlock, ...]
    is_error: bool = False
    display: str | None = None
    details: dict[str, Any] | None = None

    @classmethod
    def text(cls, text: str, *, display: str | None = None) -> ToolResult:
        return cls(content=(Text(text),), display=display)

    @classmethod
    def error(cls, text: str, *, details: dict[str, Any] | None = None) -> ToolResult:
        return cls(content=(Text(text),), is_error=True, details=details)


class ShellStream(Struct, frozen=True):
    """What a command said on one stream, in the fields of `ShellOutcome`."""

    output: str
    tail: str = ""
    omitted_bytes: int = 0
    omitted_lines: int = 0
    spilled: Path | None = None


class ShellOutcome(Struct, frozen=True):
    """What a command said (both streams as they came, decoded) and how it ended.

    `output` is the whole of it unless `omitted_bytes` is more than 0: then it is the beginning,
    `tail` is the end, and `spilled` names the file that holds everything, if it could be kept.
    `code` is None when the shell had to end it; `note` says why when that was not the time.
    `errors` is the second stream where it was wanted apart; the first is then all of the rest."""

    output: str
    code: int | None
    timed_out: bool = False
    tail: str = ""
    omitted_bytes: int = 0
    omitted_lines: int = 0
    spilled: Path | None = None
    note: str = ""
    errors: ShellStream | None = None


class Filesystem(Protocol):
    """Files as tools reach them. Paths are absolute, with every link followed: a link found in one
    is an error. Raises OSError as the system does."""

    def read(self, path: Path) -> bytes:
        """The whole of a regular file; EFBIG when it is larger than is kept in memory."""
        ...

    def open(self, path: Path) -> BinaryIO:
        """A regular file of any size, at its beginning; whoever asked closes it."""
        ...

    def write(self, path: Path, data: bytes) -> None:
        """Create parents, keep the mode of an existing file, replace atomically."""
        ...

    def is_file(self, path: Path) -> bool: ...

    def is_dir(self, path: Path) -> bool: ...

    def names(self, path: Path) -> tuple[str, ...]:
        """What a directory holds, sorted; directories end with `/`."""
        ...


Progress = Callable[[str], None]


class SpawnedOutput(Protocol):
    """What one stream of a spawned command said, without secrets. Its last lines can be asked for;
    `file` has everything unless `note` says otherwise. Positions count characters from 0."""

    @property
    def file(self) -> Path: ...

    @property
    def note(self) -> str: ...

    @property
    def end(self) -> int:
        """The position of what will come next."""
        ...

    def since(self, position: int) -> tuple[str, int]:
        """The text from there on, and how many characters before it are only in the file."""
        ...


class Spawned(Protocol):
    """A command that runs beside the conversation. `running` is true as long as anything that it
    started is left, the command itself may have `exited` before; `code` is how it ended, None when
    nobody knows."""

    @property
    def pid(self) -> int: ...

    @property
    def outputs(self) -> tuple[SpawnedOutput, ...]: ...

    @property
    def exited(self) -> bool: ...

    @property
    def code(self) -> int | None: ...

    @property
    def running(self) -> bool: ...

    async def wait(self) -> None:
        """Until the command itself has exited."""
        ...

    async def stop(self, seconds: float) -> None:
        """Ask everything that it started to end, and kill what is left after `seconds`."""
        ...


class Shell(Protocol):
    """`run` runs a command line for at most `seconds`; everything it started is gone when this
    returns, raises or is cancelled. `spawn` starts one and comes back: it lives until it is
    stopped, but no longer than the session, unless it is `detached`. With `apart`, errors are a
    stream of their own. `environment` is all that the command finds there, in the place of what
    the shell gives otherwise. Both raise OSError when nothing could be started."""

    async def spawn(
        self,
        command: str,
        *,
        cwd: Path,
        apart: bool = False,
        detached: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Spawned: ...

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        seconds: float,
        cancel: CancelToken,
        progress: Progress,
        apart: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> ShellOutcome: ...


class ReadState(Protocol):
    """Which files the model knows, and in which state."""

    def seen(self, path: Path) -> str | None:
        """sha256 of the content that the model last read or wrote; None if it never did. The path
        is as the log has it: `tools/knowing.py` says how."""
        ...


Recall = Callable[[str], Mapping[str, Any] | None]
"""The `details` of the last good result of a tool in this conversation, by the tool's name."""


class ToolContext(Struct, frozen=True):
    """What a tool may touch during one call. `spill` keeps a text that is too long for the model
    in a file and returns its path; `clean` takes secrets out of a text, and must be used before
    the text is cut: half a secret is not recognised. `read_state` and `recall` are folds of the
    session's log; without the first, nothing asks whether a file was read before it is changed.
    `call` is our id of the call, "" outside of a session."""

    cwd: Path
    fs: Filesystem
    shell: Shell
    cancel: CancelToken
    progress: Progress
    spill: Callable[[str, str], Path]
    clean: Callable[[str], str] = str
    read_state: ReadState | None = None
    recall: Recall = lambda _: None
    call: str = ""


class AgentTool(Protocol):
    """A callable the model can name. `parameters` is a JSON schema of type object."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    @property
    def read_only(self) -> bool: ...

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult: ...
