"""`indus addon list, plan, install, remove, test`: what others add, looked at before it counts."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from induscode.boot.commands.common import Parser, here, out, out_json, parser
from induscode.channels.terminal import exact
from induscode.errors import UsageError, UserError
from induscode.feature.capability import AnyCapability, parse_capability
from induscode.feature.hosting.grant_store import GrantStore
from induscode.kernel.clock import iso

if TYPE_CHECKING:
    from induscode.boot.addons.look import Look
    from induscode.boot.addons.plan import Asked, Plan
    from induscode.boot.surroundings import Surroundings

__all__ = ["run"]

_EXAMPLES = """\
  indus addon                                 what there is here, and how it stands
  indus addon plan ./safety                   what it is, asks for and would add; changes nothing
  indus addon install ./safety                the same, then asks you for the grants
  indus addon install ./safety --yes          grant all that it asks for
  indus addon install ./x --grant 'scoped-fs(read)' --grant 'contribute-tool(count)'
  indus addon remove safety                   take it away, and its grants
  indus addon test ./safety --replay last     what it would have changed; see: indus addon test -h
"""
_TEST = "test"


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    if argv[:1] == [_TEST]:
        from induscode.boot.commands.addon_test import run as run_test

        return run_test(argv[1:], environ)
    asked = _words().parse_args(argv)
    around = here(environ)
    match asked.action:
        case "plan":
            return _plan(around, _subject(asked, "a PATH"), as_json=asked.json)
        case "install":
            return _install(around, asked)
        case "remove":
            return _remove(around, _subject(asked, "the ID of an installed addon"))
        case _:
            return _list(around, asked)


def _words() -> Parser:
    words = parser("addon", "Look at addons, install them and take them away.", _EXAMPLES)
    words.add_argument(
        "action", nargs="?", default="list", choices=("list", "plan", "install", "remove", _TEST)
    )
    words.add_argument("subject", nargs="?", metavar="PATH or ID")
    words.add_argument(
        "--grant",
        action="append",
        default=[],
        metavar="CAPABILITY",
        help="with install: grant this, and nothing that is not named",
    )
    words.add_argument(
        "--yes", action="store_true", help="with install: grant all that it asks for"
    )
    words.add_argument("--json", action="store_true", help="with list and plan: one JSON value")
    return words


def _subject(asked: Namespace, what: str) -> str:
    if asked.subject is None:
        raise UsageError(f"{asked.action} needs {what}", hint="see: indus addon --help")
    if asked.action != "install" and (asked.yes or asked.grant):
        raise UsageError("--yes and --grant go with install", hint="see: indus addon --help")
    return asked.subject


def _list(around: Surroundings, asked: Namespace) -> int:
    if asked.subject is not None or asked.yes or asked.grant:
        raise UsageError("list takes no more words", hint="see: indus addon --help")
    from induscode.boot.addons.listing import addons_here
    from induscode.boot.addons.view import AddonView

    rows = addons_here(around)
    if asked.json:
        out_json([{**msgspec.to_builtins(row), "where": exact(row.where)} for row in rows])
    elif rows:
        AddonView(around.environ).rows(rows)
    else:
        out("there are no addons here; to install one: indus addon install PATH")
    return 0


def _plan(around: Surroundings, path: str, *, as_json: bool) -> int:
    look, plan = _planned(around, path)
    if as_json:
        out_json({**msgspec.to_builtins(plan), "path": exact(plan.path)})
        return 0
    from induscode.boot.addons.view import AddonView

    AddonView(around.environ).plan(plan)
    _say_where_it_belongs(around, look)
    return 0


def _planned(around: Surroundings, path: str) -> tuple[Look, Plan]:
    """What an addon of this workspace offers is remembered by its digest: it is not run again to
    ask, and counts once its content is trusted."""
    from induscode.addons.discovery import Tier
    from induscode.addons.package import package_at
    from induscode.boot.addons.items import item_of, refuse_untrusted
    from induscode.boot.addons.look import look_at
    from induscode.boot.addons.plan import plan_of
    from induscode.boot.addons.store import AddonStore
    from induscode.boot.listing import features_here

    package = package_at(around.cwd / Path(path).expanduser())
    runs = package.tier is not Tier.DECLARATIVE
    if runs:
        refuse_untrusted(around, package)
    look = asyncio.run(look_at(package, around, _warn))
    store = AddonStore(around.places.data)
    if runs and item_of(around, package) is not None:
        store.remember(look.package.digest, look.offers, at=iso(around.clock.now_ms()))
    features = features_here(around)
    try:
        return look, plan_of(look, store.get(look.id), features.registry)
    finally:
        features.registry.close()


def _warn(told: str) -> None:
    sys.stderr.write(f"indus: it runs now to say what it offers. {told}\n")


def _say_where_it_belongs(around: Surroundings, look: Look) -> None:
    from induscode.boot.addons.items import item_of

    item = item_of(around, look.package)
    if item is not None:
        path = exact(item.path)
        out(f"It belongs to this workspace, where it needs no installing: indus trust show {path}")
        out(f"and, for what trust alone does not give: indus grants give project:{look.id} ...")


def _install(around: Surroundings, asked: Namespace) -> int:
    path = _subject(asked, "a PATH")
    if asked.json or (asked.yes and asked.grant):
        raise UsageError("install takes --yes or --grant, and no --json")
    wanted = [_capability(text) for text in asked.grant]
    look, plan = _planned(around, path)
    from induscode.boot.addons.view import AddonView

    AddonView(around.environ).plan(plan)
    granted = _chosen(plan, path, wanted, everything=asked.yes)
    if granted is None:
        out("nothing was installed")
        return 1
    _put(around, look, granted, path)
    out(f"installed: {look.id}")
    missing = [one for one in plan.requests if not _covered(one.capability, granted)]
    for one in missing:
        out(f"  not granted: {exact(one.capability)}")
    if missing:
        out(f"to grant more: indus grants give user:{look.id} CAPABILITY")
    return 0


def _chosen(
    plan: Plan, path: str, wanted: Sequence[AnyCapability], *, everything: bool
) -> list[AnyCapability] | None:
    """What the person grants; None when it is not to be installed. Raises `UsageError` when nobody
    can be asked."""
    requested = [parse_capability(one.capability) for one in plan.requests]
    if wanted:
        for one in wanted:
            if not any(held.covers(one) or one.covers(held) for held in requested):
                listed = ", ".join(f"'{exact(held.text())}'" for held in requested) or "nothing"
                raise UsageError(f"it does not ask for {one.text()}", hint=f"it asks for {listed}")
        return list(wanted)
    if everything or not requested:
        return requested
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is nobody to ask for the grants, so nothing was installed",
            hint=f"to grant all of it: indus addon install {path} --yes; to grant some: --grant",
        )
    return _asked_for(plan, requested)


def _asked_for(plan: Plan, requested: Sequence[AnyCapability]) -> list[AnyCapability] | None:
    answer = _answer("grant all of this and install it? [y]es, [n]o, ask for [e]ach: ")
    if answer in {"y", "yes"}:
        return list(requested)
    if answer not in {"e", "each"}:
        return None
    return [
        capability
        for capability, one in zip(requested, plan.requests, strict=True)
        if _answer(f"{_words_of(one)}? [y/n] ") in {"y", "yes"}
    ]


def _words_of(one: Asked) -> str:
    need = "required" if one.required else "optional"
    return f"{exact(one.capability)} ({need}: {exact(one.reason)})".replace("\n", "\u240a")


def _answer(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower()


def _put(around: Surroundings, look: Look, granted: Sequence[AnyCapability], path: str) -> None:
    """The copy first: what is granted and not there grants nothing. `path` is what was named."""
    from induscode.addons.descriptors import descriptor_of
    from induscode.boot.addons.store import AddonStore
    from induscode.feature.descriptor import FeatureId

    at = iso(around.clock.now_ms())
    origin = os.path.normpath(around.cwd / Path(path).expanduser())
    AddonStore(around.places.data).put(look.id, look.package, look.offers, origin=origin, at=at)
    grants = GrantStore(around.places.config, around.workspace)
    made = descriptor_of(FeatureId.user(look.id), look.package.tier, look.offers)
    asked = [one.capability for one in made.all_requests()]
    refused = [one for one in asked if not any(held.covers(one) for held in granted)]
    if refused and (held := grants.of(str(made.id))) is not None and held.granted:
        grants.withdraw(str(made.id), refused, at)
    grants.give(made, look.package.digest, granted, at)


def _covered(text: str, granted: Sequence[AnyCapability]) -> bool:
    return any(held.covers(parse_capability(text)) for held in granted)


def _remove(around: Surroundings, name: str) -> int:
    from induscode.boot.addons.store import AddonStore

    store = AddonStore(around.places.data)
    grants = GrantStore(around.places.config, around.workspace)
    if not store.remove(name.removeprefix("user:"), grants):
        known = ", ".join(each.id for each in store.installed()) or "none"
        raise UserError(f"no addon {name!r} is installed", hint=f"installed: {known}")
    out(f"removed: {exact(name)}, with its grants")
    return 0


def _capability(text: str) -> AnyCapability:
    try:
        return parse_capability(text)
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(str(error), hint="see: indus addon plan PATH") from None
