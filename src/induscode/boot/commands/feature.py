"""`indus feature list`: what is installed, what it may, what it gave and what was left out."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from induscode.boot.commands.common import here, out, out_json, parser
from induscode.boot.listing import listed_features
from induscode.channels.terminal import exact
from induscode.feature.diagnostic import FeatureInstallReport

__all__ = ["run"]

_EXAMPLES = """\
  indus feature list             every feature: enabled, granted, installed, skipped and why
  indus feature list --json      the same for a program
"""
_CHARACTERS_PER_TOKEN = 4
_CONTRIBUTING = ("contribute-", "run-background-task")


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("feature", "Show the features of this workspace.", _EXAMPLES)
    words.add_argument("action", nargs="?", choices=("list",), default="list")
    words.add_argument("--json", action="store_true", help="one JSON array")
    asked = words.parse_args(argv)
    reports = listed_features(here(environ))
    if asked.json:
        out_json([{**msgspec.to_builtins(one), "prompt_tokens": _tokens(one)} for one in reports])
        return 0
    for number, report in enumerate(reports):
        if number:
            out()
        _show(report)
    return 0


def _tokens(report: FeatureInstallReport) -> int:
    """About how many tokens it costs in every request."""
    return round(report.prompt_characters / _CHARACTERS_PER_TOKEN)


def _show(report: FeatureInstallReport) -> None:
    state = "enabled" if report.enabled else "not installed"
    version = f" {exact(report.version)}" if report.version else ""
    out(f"{exact(report.feature_id)}{version} · {report.runtime or 'unknown'} · {state}")
    if report.display_name:
        out(f"  {exact(report.display_name)}")
    _show_requests(report)
    for kind, names in (
        ("tools", report.installed_tools),
        ("hooks", report.installed_hooks),
        ("tasks", report.installed_background_tasks),
        ("commands", report.installed_commands),
        ("prompt", report.installed_fragments),
    ):
        if names:
            out(f"  {kind:<9} {', '.join(map(exact, names))}")
    for skipped in report.skipped_contributions:
        out(f"  skipped   {skipped.kind} {exact(skipped.name)}: {exact(skipped.reason)}")
    for diagnostic in report.diagnostics:
        out(f"  {diagnostic.stage:<9} {exact(diagnostic.message)}")
    if report.suppressed:
        out(f"  and {report.suppressed} more diagnostics, not kept")
    if report.prompt_characters:
        out(f"  in front of the model: about {_tokens(report)} tokens a request")


def _show_requests(report: FeatureInstallReport) -> None:
    denied = {denial.capability: denial.reason for denial in report.denied}
    for request in report.requested:
        why = denied.get(request.capability)
        if why is None and request.capability.text().startswith(_CONTRIBUTING):
            continue  # what it contributed is listed below
        verdict = "granted " if why is None else "denied  "
        need = "" if request.is_required else ", optional"
        out(f"  {verdict}  {exact(request.capability.text())}{need}: {exact(request.reason)}")
        if why is not None:
            out(f"            {exact(why)}")
