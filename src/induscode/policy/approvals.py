"""Answers "always", kept where no workspace can write: exact rules, each for one workspace.

The log records every answer too, but is never read for this: what a file of a session claims
allows nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.errors import ConfigError
from induscode.policy.paths import inside
from induscode.policy.private_file import read_private, update_private
from induscode.policy.rules import Effect, Rule
from induscode.policy.verdict import Layer

__all__ = ["ApprovalStore", "KeptRule"]


class KeptRule(Struct, frozen=True):
    """One answer: the tool and the exact subject that it allows, when and in which session it was
    given."""

    tool: str
    pattern: str
    text: str
    at: str
    session: str

    def rule(self) -> Rule:
        return Rule(Effect.ALLOW, self.tool, self.pattern, Layer.ALWAYS, self.text, exact=True)


_Kept = dict[str, list[KeptRule]]


class ApprovalStore:
    """The rules of one user, by the real path of the workspace. All methods raise `ConfigError`
    for a file that cannot be used. A workspace that holds the file itself has no such rules."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "approvals.json"

    def serves(self, workspace: Path) -> bool:
        return not inside(workspace, Path(os.path.realpath(self.file)))

    def rules(self, workspace: Path) -> list[KeptRule]:
        return self.all().get(str(workspace), []) if self.serves(workspace) else []

    def all(self) -> _Kept:
        return self._decoded(read_private(self.file))

    def keep(self, workspace: Path, rule: KeptRule) -> None:
        """On disk when this returns; a rule that is there already is left as it was."""

        def add(kept: _Kept) -> None:
            here = kept.setdefault(str(workspace), [])
            if all(known.text != rule.text for known in here):
                here.append(rule)

        self._change(add)

    def forget(self, workspace: Path, text: str) -> bool:
        """False when no such rule was kept."""
        found: list[KeptRule] = []

        def remove(kept: _Kept) -> None:
            here = kept.get(str(workspace), [])
            found.extend(rule for rule in here if rule.text == text)
            kept[str(workspace)] = [rule for rule in here if rule.text != text]
            if not kept[str(workspace)]:
                del kept[str(workspace)]

        self._change(remove)
        return bool(found)

    def _change(self, change: Callable[[_Kept], None]) -> None:
        def rewritten(before: bytes | None) -> bytes:
            kept = self._decoded(before)
            change(kept)
            return msgspec.json.format(msgspec.json.encode(kept), indent=2)

        update_private(self.file, rewritten)

    def _decoded(self, data: bytes | None) -> _Kept:
        if data is None:
            return {}
        try:
            return msgspec.json.decode(data, type=_Kept)
        except msgspec.DecodeError as error:
            raise ConfigError(
                str(self.file),
                field="file",
                found=f"it is not what we wrote ({error})",
                hint="mend it, or remove it to be asked again",
            ) from None
