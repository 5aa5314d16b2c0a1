"""One feature at a real host: a workspace, a gate, a shell, and the services it is handed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from induscode.boot.permission import SessionPermission
from induscode.boot.services.provider import HostServices
from induscode.boot.services.roots import ServiceRoots
from induscode.feature.capability import GrantPort
from induscode.feature.descriptor import FeatureId
from induscode.feature.hosting.records import FeatureRecord
from induscode.feature.lending import lend
from induscode.feature.services import FeatureServiceProvider
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.rules import Rule
from induscode.policy.subject import CallView
from induscode.policy.verdict import Verdict
from induscode.tools.local_shell import LocalShell
from induscode.tools.spill import Spill
from tests.features.hosting import Grants, TestHost

__all__ = ["Desk"]


class Desk:
    """`handed` has the provider of a feature; `roots` is what it stands on. `before_judging` is
    called when the gate is asked, before it answers."""

    def __init__(
        self, root: Path, *, mode: Mode = Mode.ACCEPT_EDITS, rules: Iterable[Rule] = ()
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self.workspace = self.root / "repo"
        self.workspace.mkdir(exist_ok=True)
        self.grants = Grants(everything=True)
        self.host = TestHost(self.grants)
        self.record = self.host.record("builtin:probe")
        self.secrets: dict[str, str] = {}
        self.hidden: list[tuple[str, str]] = []
        self.started: list[tuple[str, str]] = []
        self.before_judging: Callable[[], object] = lambda: None
        self.items = self.workspace / ".indus" / "work-items"
        policy = Policy(mode=mode, workspace=self.workspace, rules=tuple(rules))
        self.permission = SessionPermission(policy)
        self.roots = self.standing()

    def standing(self, *, work_items: bool = True) -> ServiceRoots:
        return ServiceRoots(
            workspace=self.workspace,
            state=self.root / "data" / "features",
            work_items=self.items if work_items else None,
            judge=self._judge,
            shell=LocalShell(self.root / "spill"),
            find_secret=self.secrets.get,
            hide=lambda *told: self.hidden.append(told),
            start_task=lambda *task: self.started.append(task) or True,
            spill=Spill(self.root / "spill").keep,
        )

    def port(self, feature: str = "builtin:probe") -> HostServices:
        return HostServices(FeatureId.parse(feature), self.grants, self.record, self.roots)

    def handed(self, feature: str = "builtin:probe") -> FeatureServiceProvider:
        return FeatureServiceProvider(lend(self.port(feature)))

    def services(
        self, feature: FeatureId, grants: GrantPort, record: FeatureRecord
    ) -> HostServices:
        """As the registry asks for it."""
        return HostServices(feature, grants, record, self.roots)

    def diagnostics(self) -> list[str]:
        return [one.message for one in self.record.diagnostics]

    def _judge(self, call: CallView) -> Verdict:
        self.before_judging()
        return self.permission.judge(call)
