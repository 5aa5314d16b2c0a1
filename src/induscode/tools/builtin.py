"""The native tools as the host installs them: wrapped, classified, and with their subject.

Reading starts here: `builtin_tools` is the whole list, and the order of the wrappers is visible in
it. Validation stands inside the bound, so that every answer is bounded, refusals too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from induscode.errors import HostError
from induscode.kernel.sources import sources_digest
from induscode.kernel.tool import AgentTool, ToolKind
from induscode.policy.paths import command_subject, path_subject, resolve
from induscode.policy.subject import Access, CallView, NoSubject, Subject
from induscode.tools.bounded import bounded
from induscode.tools.limits import READ_RESULT_CHARACTERS
from induscode.tools.native import (
    create_bash_tool,
    create_edit_tool,
    create_ls_tool,
    create_read_tool,
    create_write_tool,
)
from induscode.tools.validated import validated

__all__ = ["FILES", "SHELL", "BuiltinTool", "builtin_tools", "feature_digest"]

FILES = "builtin:files"
SHELL = "builtin:shell"

_WRAPPERS = (
    "bounded.py",
    "builtin.py",
    "compare.py",
    "definition.py",
    "definitions.py",
    "guarded.py",
    "limits.py",
    "marked.py",
    "native.py",
    "schema.py",
    "spill.py",
    "validated.py",
)
_SOURCES: dict[str, tuple[str, ...]] = {
    FILES: (
        *_WRAPPERS,
        "anchored.py",
        "edit.py",
        "local_fs.py",
        "ls.py",
        "read.py",
        "replacing.py",
        "textfile.py",
        "trouble.py",
        "write.py",
    ),
    SHELL: (*_WRAPPERS, "bash.py", "capture.py", "local_shell.py"),
}


class BuiltinTool(Struct, frozen=True):
    """A tool with what the host knows of it. `subject` finds what a call is about, from its
    arguments and the working directory; it never raises, and says `NoSubject` where nothing usable
    is given."""

    tool: AgentTool
    kind: ToolKind
    feature: str
    subject: Callable[[Mapping[str, Any], Path], Subject]

    def view(self, arguments: Mapping[str, Any], cwd: Path) -> CallView:
        """One call, as the gate judges it."""
        return CallView(self.tool.name, self.kind, arguments, self.subject(arguments, cwd))


def builtin_tools() -> tuple[BuiltinTool, ...]:
    """Fresh tools, in the order in which models see them."""
    return (
        BuiltinTool(
            bounded(validated(create_read_tool()), limit=READ_RESULT_CHARACTERS),
            ToolKind.READ,
            FILES,
            _read,
        ),
        BuiltinTool(bounded(validated(create_ls_tool())), ToolKind.READ, FILES, _listed),
        BuiltinTool(bounded(validated(create_write_tool())), ToolKind.WRITE, FILES, _written),
        BuiltinTool(bounded(validated(create_edit_tool())), ToolKind.WRITE, FILES, _written),
        BuiltinTool(bounded(validated(create_bash_tool())), ToolKind.SHELL, SHELL, _command),
    )


@cache
def feature_digest(feature: str) -> str:
    """sha256 over the sources that make up a feature, names included: what ran, for the log."""
    if feature not in _SOURCES:
        raise HostError(f"no built-in feature {feature}", hint=f"known: {', '.join(_SOURCES)}")
    folder = Path(__file__).parent
    return sources_digest(folder / name for name in _SOURCES[feature])


def _read(arguments: Mapping[str, Any], cwd: Path) -> Subject:
    return _path(arguments, cwd, Access.READ)


def _listed(arguments: Mapping[str, Any], cwd: Path) -> Subject:
    return _path({"path": ".", **arguments}, cwd, Access.READ)


def _written(arguments: Mapping[str, Any], cwd: Path) -> Subject:
    return _path(arguments, cwd, Access.WRITE)


def _path(arguments: Mapping[str, Any], cwd: Path, access: Access) -> Subject:
    text = arguments.get("path")
    if not isinstance(text, str):
        return NoSubject()
    try:
        return path_subject(cwd, text, access)
    except (ValueError, OSError):
        return NoSubject()


def _command(arguments: Mapping[str, Any], cwd: Path) -> Subject:
    command, place = arguments.get("command"), arguments.get("cwd", ".")
    if not isinstance(command, str) or not isinstance(place, str):
        return NoSubject()
    try:
        return command_subject(command, resolve(cwd, place))
    except (ValueError, OSError):
        return NoSubject()
