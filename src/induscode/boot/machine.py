"""This machine, as the tools and services of one session reach it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from induscode.boot.credentials import Credentials, find_key
from induscode.boot.framework import memory_of
from induscode.boot.permission import SessionPermission
from induscode.boot.services.roots import ServiceRoots, SessionReach
from induscode.boot.surroundings import Surroundings
from induscode.conductor.ports import ContextMaker
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import Progress, ToolContext
from induscode.policy.subject import CallView
from induscode.session.known import Known
from induscode.tools.guarded import GuardedFilesystem, GuardedShell
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.marked import MarkAwareFilesystem
from induscode.tools.processes.line import Keeper
from induscode.tools.spill import Spill

__all__ = ["Machine"]

_STATE = "features"
_WORK_ITEMS = ".indus/work-items"


class Machine:
    """Files and a shell without secrets; each call and each service gets them behind its guard."""

    def __init__(self, around: Surroundings, session: str) -> None:
        folder = around.store.spill_root / session
        self._around = around
        self._files = MarkAwareFilesystem(LocalFilesystem(), around.secrets)
        self._shell = LocalShell(
            folder,
            environ=around.environ,
            secrets=around.secrets,
            before_first=around.before_commands,
        )
        self.spill = Spill(folder, around.secrets.text)

    @property
    def keeper(self) -> Keeper:
        """Who starts the programs of this session, and ends what they leave."""
        return self._shell.keeper

    async def close(self) -> None:
        """End what commands of this session left running."""
        await self._shell.close()

    def contexts(self, permission: SessionPermission, known: Known) -> ContextMaker:
        def make(call: CallView, cancel: CancelToken, progress: Progress) -> ToolContext:
            return ToolContext(
                cwd=self._around.cwd,
                fs=GuardedFilesystem(self._files, partial(permission.reaches, call)),
                shell=GuardedShell(self._shell, call.subject),
                cancel=cancel,
                progress=progress,
                spill=self.spill.keep,
                clean=self._around.secrets.text,
                read_state=known,
                recall=known.recall,
            )

        return make

    def roots(
        self,
        permission: SessionPermission,
        start_task: Callable[[str, str], bool],
        *,
        session: SessionReach | None = None,
    ) -> ServiceRoots:
        """What the services of features stand on; without a `session`, those that need none."""
        around = self._around
        return ServiceRoots(
            workspace=around.workspace,
            state=around.places.data / _STATE,
            work_items=around.workspace / _WORK_ITEMS,
            judge=permission.judge,
            shell=self._shell,
            find_secret=self._secret,
            hide=around.secrets.add,
            start_task=start_task,
            spill=self.spill.keep,
            session=session,
            memory=memory_of(around),
            clock=around.clock,
        )

    def _secret(self, name: str) -> str | None:
        """A key that the user stored or has in the environment, by the name of its provider."""
        around = self._around
        key = find_key(around.config, around.environ, Credentials(around.places.config), name)
        return key.value if key else None
