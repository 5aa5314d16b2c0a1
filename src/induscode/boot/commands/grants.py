"""`indus grants`: what a person allowed for always, and taking it back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from induscode.boot.commands.common import here, out, out_json, parser, table
from induscode.channels.terminal import exact
from induscode.errors import UsageError
from induscode.policy.approvals import ApprovalStore, KeptRule

__all__ = ["run"]

_EXAMPLES = """\
  indus grants                              what was answered with "always" in this workspace
  indus grants --all --json                 in every workspace, for a program
  indus grants revoke 'bash(make test)'     ask again from the next session on
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("grants", 'Show and take back what was allowed for "always".', _EXAMPLES)
    words.add_argument("action", nargs="?", choices=("list", "revoke"), default="list")
    words.add_argument("rule", nargs="?", metavar="RULE", help="as `indus grants` shows it")
    words.add_argument("--all", action="store_true", help="of every workspace, not only this one")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_args(argv)
    around = here(environ)
    store = ApprovalStore(around.places.config)
    if asked.action == "revoke":
        return _revoke(store, around.workspace, asked.rule)
    if asked.rule is not None:
        raise UsageError("list takes no RULE", hint=f"try: indus grants revoke {asked.rule!r}")
    kept = store.all()
    if not asked.all:
        kept = {str(around.workspace): kept.get(str(around.workspace), [])}
    if asked.json:
        out_json(kept)
    else:
        _show(kept)
    return 0


def _show(kept: Mapping[str, list[KeptRule]]) -> None:
    rows = [
        [exact(rule.text), rule.at, rule.session, exact(workspace)]
        for workspace, rules in kept.items()
        for rule in rules
    ]
    if rows:
        table(rows, ["RULE", "SINCE", "SESSION", "WORKSPACE"])
    else:
        out('nothing is allowed for "always" here')


def _revoke(store: ApprovalStore, workspace: Path, rule: str | None) -> int:
    if rule is None:
        raise UsageError("revoke needs a RULE", hint="`indus grants` lists them")
    if not store.forget(workspace, rule):
        known = ", ".join(kept.text for kept in store.rules(workspace)) or "none"
        raise UsageError(f"{rule!r} is not allowed for always here", hint=f"known: {known}")
    out(f"{rule} is asked about again, from the next session on")
    return 0
