"""`indus grants`: what a person allowed for always and granted to features, and taking it back."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

import msgspec

from induscode.boot.commands.common import here, out, out_json, parser, table
from induscode.boot.listing import features_here
from induscode.boot.surroundings import Surroundings
from induscode.channels.terminal import exact
from induscode.errors import UsageError
from induscode.feature.capability import AnyCapability, parse_capability
from induscode.feature.hosting.grant_store import FeatureGrant, GrantStore
from induscode.feature.hosting.installed import InstalledFeature
from induscode.kernel.clock import iso
from induscode.policy.approvals import ApprovalStore, KeptRule

__all__ = ["run"]

_EXAMPLES = """\
  indus grants                              what holds here: rules kept for always, and grants
  indus grants --all --json                 in every workspace, for a program
  indus grants revoke 'bash(rm -r build)'   ask again from the next session on
  indus grants withdraw builtin:work-item emit-alert        counts at the next use, also in a
                                                            session that runs
  indus grants give builtin:work-item emit-alert            give it back
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("grants", "Show, give and take back what was allowed and granted.", _EXAMPLES)
    words.add_argument(
        "action",
        nargs="?",
        choices=("list", "revoke", "give", "withdraw"),
        default="list",
    )
    words.add_argument("subject", nargs="?", metavar="RULE or FEATURE")
    words.add_argument("capability", nargs="*", metavar="CAPABILITY", help="e.g. 'scoped-fs(read)'")
    words.add_argument("--all", action="store_true", help="those of every workspace")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_args(argv)
    around = here(environ)
    match asked.action:
        case "revoke":
            return _revoke(around, asked)
        case "give" | "withdraw":
            return _change(around, asked)
        case _:
            return _list(around, asked)


def _list(around: Surroundings, asked: Namespace) -> int:
    if asked.subject is not None:
        raise UsageError("list takes no more words", hint="see: indus grants --help")
    kept = ApprovalStore(around.places.config).all()
    here_only = str(around.workspace)
    if not asked.all:
        kept = {here_only: kept.get(here_only, [])}
    store = GrantStore(around.places.config, around.workspace)
    grants = store.all() if asked.all else store.here()
    if asked.json:
        out_json({"rules": kept, "features": grants})
        return 0
    rules = [
        [exact(rule.text), rule.at, rule.session, exact(workspace)]
        for workspace, some in kept.items()
        for rule in some
    ]
    if rules:
        table(rules, ["RULE", "SINCE", "SESSION", "WORKSPACE"])
    else:
        out('nothing is allowed for "always" here')
    for feature, grant in grants.items():
        if grant.granted or grant.withdrawn:
            _show(feature, grant)
    return 0


def _show(feature: str, grant: FeatureGrant) -> None:
    out(f"{exact(feature)} {grant.version} · since {grant.at}")
    for verb, capabilities in (("granted", grant.granted), ("withdrawn", grant.withdrawn)):
        for capability in capabilities:
            out(f"  {verb:<10} {exact(capability.text())}")


def _revoke(around: Surroundings, asked: Namespace) -> int:
    if asked.subject is None or asked.capability:
        raise UsageError("revoke needs one RULE", hint="`indus grants` lists them")
    store = ApprovalStore(around.places.config)
    if not store.forget(around.workspace, asked.subject):
        known: list[KeptRule] = store.rules(around.workspace)
        listed = ", ".join(rule.text for rule in known) or "none"
        raise UsageError(
            f"{asked.subject!r} is not allowed for always here", hint=f"known: {listed}"
        )
    out(f"{asked.subject} is asked about again, from the next session on")
    return 0


def _change(around: Surroundings, asked: Namespace) -> int:
    feature = _feature(around, asked.subject)
    wanted = [_capability(text) for text in asked.capability]
    if not wanted:
        requested = feature.descriptor.all_requests()
        listed = ", ".join(f"'{request.capability.text()}'" for request in requested)
        raise UsageError(f"{asked.action} needs a CAPABILITY", hint=f"it asks for {listed}")
    store = GrantStore(around.places.config, around.workspace)
    at = iso(around.clock.now_ms())
    if asked.action == "give":
        store.give(feature.descriptor, feature.digest, wanted, at)
    else:
        store.withdraw(feature.id, wanted, at)
    verb = "granted to" if asked.action == "give" else "withdrawn from"
    out(f"{', '.join(one.text() for one in wanted)}: {verb} {feature.id}")
    return 0


def _feature(around: Surroundings, wanted: str | None) -> InstalledFeature:
    features = features_here(around)
    features.registry.close()
    known = {feature.id: feature for feature in features.registry.known}
    if wanted is None or wanted not in known:
        listed = ", ".join(known)
        raise UsageError(f"there is no feature {wanted!r} here", hint=f"known: {listed}")
    return known[wanted]


def _capability(text: str) -> AnyCapability:
    try:
        return parse_capability(text)
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(str(error), hint="see: indus feature list") from None
