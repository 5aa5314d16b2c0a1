"""How a session's steps come under watch: loaded with the first call that may change something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.places import user_home
from induscode.boot.surroundings import Surroundings
from induscode.conductor.ports import NoWatch, Step
from induscode.errors import LogDown
from induscode.kernel.tool import ToolKind
from induscode.policy.environment import child_environment
from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.subject import CallView, SessionSubject
from induscode.policy.verdict import Allow
from induscode.session.entries import Checkpoint, Entry, SessionStart
from induscode.session.log import SessionLog
from induscode.session.store import workspace_key

if TYPE_CHECKING:
    from induscode.checkpoint.contents import ContentStore
    from induscode.checkpoint.watch import Checkpoints

__all__ = ["LateWatch", "broken_rewind", "contents_of", "home_of"]

_CHECKPOINTS = "checkpoints"
_HARMLESS = frozenset({ToolKind.READ, ToolKind.STATE, ToolKind.NETWORK})


class LateWatch:
    """The watch of one session, and the store for `write` and `edit`. Commands that cannot write
    cost nothing here."""

    def __init__(self, around: Surroundings, log: SessionLog, tell: Callable[[str], None]) -> None:
        self._around = around
        self._log = log
        self._tell = tell
        self._made: Checkpoints | None = None
        # In plan mode, and without any rule, a command is allowed when it cannot write.
        self._planning = Policy(
            mode=Mode.PLAN, workspace=around.workspace, readable=(around.store.spill_root,)
        )

    async def begin(self, call: str, view: CallView) -> Step:
        if self._cannot_change(view):
            return NoWatch()
        return await self._watch().begin(call, view)

    def record(self, path: Path, previous: bytes | None) -> None:
        self._watch().record(path, previous)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    def _cannot_change(self, view: CallView) -> bool:
        if view.kind in _HARMLESS or isinstance(view.subject, SessionSubject):
            return True
        return view.kind is ToolKind.SHELL and isinstance(decide(view, self._planning), Allow)

    def _watch(self) -> Checkpoints:
        if self._made is None:
            from induscode.checkpoint.watch import Checkpoints, Scene

            around, log = self._around, self._log
            secrets = around.secrets
            self._made = Checkpoints(
                Scene(
                    workspace=around.workspace,
                    home=home_of(around, log.path, log.entries),
                    session=log.session,
                    store=contents_of(around, log.path),
                    environ=child_environment(around.environ, secrets=secrets),
                    tell=self._tell,
                    own=(around.places.config, around.places.data),
                    settings=_git_settings(around),
                    speakable=lambda path: secrets.text(path) == path,
                    spent=_kept_by(log),
                )
            )
        return self._made


def contents_of(around: Surroundings, log: Path) -> ContentStore:
    """What the sessions beside this log keep of files."""
    from induscode.checkpoint.contents import ContentStore

    return ContentStore(around.places.data / _CHECKPOINTS / log.parent.name)


def home_of(around: Surroundings, log: Path, entries: Sequence[Entry]) -> Path:
    """The workspace in which the session began: paths in its log are relative to it. The log has
    its name as text only, so the one that we stand in is taken where it is that one."""
    if workspace_key(around.workspace) == log.parent.name:
        return around.workspace
    starts = [entry for entry in entries if isinstance(entry, SessionStart)]
    return Path(starts[0].workspace) if starts else around.workspace


def broken_rewind(around: Surroundings, log: SessionLog) -> str:
    """What came of a rewind that ended with its process, settled now; empty when there was none."""
    if not any(isinstance(entry, Checkpoint) and entry.rewind for entry in reversed(log.entries)):
        return ""
    from induscode.checkpoint.rewind import finish_broken

    try:
        return finish_broken(log, home_of(around, log.path, log.entries))
    except LogDown as down:
        return f"a rewind of this session broke off, and what came of it is not settled: {down}"


def _kept_by(log: SessionLog) -> int:
    checkpoints = (entry for entry in log.entries if isinstance(entry, Checkpoint))
    return sum(change.before.size for entry in checkpoints for change in entry.files)


def _git_settings(around: Surroundings) -> tuple[Path, ...]:
    """Where a user or a system tells git how files on disk differ from what it records."""
    home = user_home(around.environ)
    config = Path(around.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    return (
        home / ".gitconfig",
        config / "config",
        config / "attributes",
        Path("/etc/gitconfig"),
        Path("/etc/gitattributes"),
    )
