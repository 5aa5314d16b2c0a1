"""Files of the workspace and commands in it, for a feature: its grant, its scope, and the gate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, assert_never

from induscode.boot.services.authority import Authority
from induscode.boot.services.roots import ServiceRoots
from induscode.errors import ServiceRefused
from induscode.feature.capability import ScopedFs
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ShellOutcome, ToolKind
from induscode.policy.paths import command_subject, inside, path_subject
from induscode.policy.subject import Access, CallView, Subject
from induscode.policy.verdict import Allow, Ask, Deny
from induscode.tools.local_fs import LocalFilesystem

__all__ = ["Files"]


_READ = ScopedFs(read=True)
_WRITE = ScopedFs(write=True)
_EXECUTE = ScopedFs(execute=True)


class Files:
    """The port behind `ScopedFiles`. Three questions at every use, each by itself: is it granted
    now, does the path stay inside the workspace, does the gate allow it. What the gate would ask a
    person about is refused: nobody is asked on behalf of a feature. A command of a session is in
    the log before it runs."""

    def __init__(self, authority: Authority, wanted: ScopedFs, roots: ServiceRoots) -> None:
        self._authority = authority
        self._wanted = wanted
        self._workspace = Path(os.path.realpath(roots.workspace))
        self._shell = roots.shell
        self._judge = roots.judge
        self._session = roots.session
        self._disk = LocalFilesystem()

    def read(self, path: str) -> bytes:
        self._granted(_READ)
        return self._disk.read(self._place(path, Access.READ))

    def write(self, path: str, data: bytes) -> None:
        self._granted(_WRITE)
        whole = bytes(memoryview(data))  # what is no bytes fails here, before a file is touched
        self._disk.write(self._place(path, Access.WRITE), whole)

    def names(self, path: str) -> tuple[str, ...]:
        self._granted(_READ)
        return self._disk.names(self._place(path, Access.READ))

    async def run(self, command: str, *, seconds: float, cancel: CancelToken) -> ShellOutcome:
        self._granted(_EXECUTE)
        if not seconds > 0:
            raise ServiceRefused("a command needs a time in seconds that is more than 0")
        if not command.strip() or "\0" in command:
            raise ServiceRefused("the command is empty or holds NUL")
        try:
            command.encode()
            subject = command_subject(command, self._workspace)
        except ValueError as error:
            raise ServiceRefused(f"the command is not usable: {error}") from None
        call = self._gate("bash", ToolKind.SHELL, {"command": command}, subject)
        if self._session is None:
            return await self._shell.run(
                command,
                cwd=subject.cwd,
                seconds=seconds,
                cancel=cancel,
                progress=_unheard,
                apart=True,
            )
        by = str(self._authority.feature)
        return await self._session.execute_unasked(call, seconds=seconds, by=by, cancel=cancel)

    def _granted(self, needed: ScopedFs) -> None:
        if not self._wanted.covers(needed):
            raise ServiceRefused(
                f"this handle is for {self._wanted.text()}", hint=f"ask for {needed.text()}"
            )
        self._authority.check(needed)

    def _place(self, path: str, access: Access) -> Path:
        """Where `path` leads, every link followed, when it may be used so."""
        if not path or path.startswith("/"):
            raise ServiceRefused(
                f"{path!r} is no path of the workspace", hint="name it from there, as in src/a.py"
            )
        try:
            subject = path_subject(self._workspace, f"./{path}", access)
        except ValueError as error:
            raise ServiceRefused(f"the path is not usable: {error}") from None
        for place in (subject.path, subject.named):
            if not inside(self._workspace, place):
                raise ServiceRefused(f"{path} leads outside the workspace")
        tool, kind = _DEEDS[access]
        self._gate(tool, kind, {"path": path}, subject)
        return subject.path

    def _gate(
        self, tool: str, kind: ToolKind, arguments: dict[str, Any], what: Subject
    ) -> CallView:
        """What was judged. Raises `ServiceRefused` with the words of the verdict."""
        call = CallView(tool, kind, arguments, what)
        verdict = self._judge(call)
        match verdict:
            case Allow():
                return call
            case Ask(question=question):
                raise ServiceRefused(f"{question}; nobody is asked on behalf of a feature")
            case Deny(reason=reason):
                raise ServiceRefused(reason)
            case _:
                assert_never(verdict)


_DEEDS = {Access.READ: ("read", ToolKind.READ), Access.WRITE: ("write", ToolKind.WRITE)}


def _unheard(_: str) -> None:
    """A feature is not told of a command's progress."""
