"""The ground that programs of addons stand on: what they may touch, and their environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.process.confine import HOUSE, reach_of
from induscode.addons.process.runners import Runner
from induscode.addons.process.started import Program
from induscode.addons.sandbox import SandboxPolicy
from induscode.policy.environment import child_environment
from induscode.policy.redaction import Secrets

__all__ = ["JAVASCRIPT_SDK", "Ground"]

JAVASCRIPT_SDK = "INDUS_ADDON_JS"
"""The variable that tells an addon where the JavaScript module for authors is."""

_MODULE = HOUSE / "indus_addon" / "indus_addon.mjs"


class Ground(Struct, frozen=True):
    """`policy` and `network` are what was granted; `environ` is our own environment, of which a
    program gets what the policy lists and every program needs, but never a secret."""

    policy: SandboxPolicy = SandboxPolicy()
    network: bool = False
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    secrets: Secrets = msgspec.field(default_factory=Secrets)

    def environment(self) -> dict[str, str]:
        policy = self.policy
        listed = {name: value for name, value in self.environ.items() if policy.permits_env(name)}
        made = child_environment(listed, also=policy.env_allowlist, secrets=self.secrets)
        return {"LANG": "C.UTF-8", **made, JAVASCRIPT_SDK: str(_MODULE)}

    def program(self, words: tuple[str, ...], cwd: Path, *reads: Path) -> Program:
        """A program that can read these files and folders besides what was granted."""
        real = (Path(os.path.realpath(path)) for path in reads)
        reach = reach_of(self.policy, *reads, *real, network=self.network)
        return Program(words, cwd, self.environment(), reach)

    def run_by(self, runner: Runner) -> Program:
        """In the addon's own folder, which it can read."""
        own = runner.folder or runner.entry
        cwd = runner.folder or runner.entry.parent
        return self.program(runner.words, cwd, own, *runner.needs)
