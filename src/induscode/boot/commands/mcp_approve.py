"""`indus mcp approve`: what changed is shown first, and exactly that is what a yes is for."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from induscode.boot.commands.common import out
from induscode.boot.mcp.approving import Shown, approve, held_of
from induscode.boot.mcp.configured import ledger_file
from induscode.boot.mcp.differing import differences
from induscode.boot.mcp.launch_line import launch_line
from induscode.boot.mcp.view import McpView
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.bridge_ledger.ledger import BridgeLedger
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from induscode.capability_deck.mcp_config.discovery import LoadedServers
from induscode.channels.terminal import exact
from induscode.errors import NobodyToAsk, UserError
from induscode.kernel.clock import iso

__all__ = ["run_approve"]

_YES = frozenset({"y", "yes"})
_EACH = frozenset({"e", "each"})


def run_approve(
    around: Surroundings, loaded: LoadedServers, names: Sequence[str], *, yes: bool
) -> int:
    """Raises `UsageError` for a name that means nothing, `NobodyToAsk` when there is nobody, and
    `UserError` when the ledger changed meanwhile."""
    store, report = LedgerStore.open(ledger_file(around))
    for sentence in report.sentences:
        sys.stderr.write(f"indus: {exact(sentence)}\n")
    shown = _meant(store.ledger, [each.name for each in loaded.servers], names)
    if not shown:
        return 0
    _show(around, loaded, store.ledger, shown)
    chosen = shown if yes else _chosen(shown, names)
    if not chosen:
        out("nothing was approved")
        return 1
    if not approve(store, chosen, iso(around.clock.now_ms())):
        raise UserError(
            "what is held changed while you looked, so nothing was approved",
            hint=f"look again: indus mcp approve {shlex.join(names)}",
        )
    for each in chosen:
        out(f"approved: {each.tool.name}")
    return 0 if len(chosen) == len(shown) else 1


def _meant(ledger: BridgeLedger, servers: Sequence[str], names: Sequence[str]) -> list[Shown]:
    """Every held tool that is meant, once."""
    found: dict[str, Shown] = {}
    for name in names:
        held = held_of(ledger.snapshot, name, servers)
        found.update((each.key, each) for each in held)
        if not held:
            out(f"nothing of {exact(name)} is held; to look at it again: indus mcp list")
    return list(found.values())


def _show(
    around: Surroundings, loaded: LoadedServers, ledger: BridgeLedger, shown: Sequence[Shown]
) -> None:
    view = McpView(around.environ, around.secrets.text)
    servers = {each.name: each for each in loaded.servers}
    for each in shown:
        server = servers.get(each.tool.server)
        same = server is not None and server.launch == each.tool.launch
        line = launch_line(server) if server is not None and same else ""
        view.held(each.tool.name, each.reason, differences(ledger, each.tool, line))
        if not same:
            view.note("its server is not configured this way now; to look: indus mcp list")


def _chosen(shown: list[Shown], names: Sequence[str]) -> list[Shown]:
    """What the person says yes to. Raises `NobodyToAsk`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NobodyToAsk(
            "there is nobody to ask, so nothing was approved",
            hint=f"to accept what is shown: indus mcp approve {shlex.join(names)} --yes",
        )
    if len(shown) == 1:
        answer = _answer("approve this as it is now? [y]es, [n]o: ")
        return shown if answer in _YES else []
    answer = _answer(f"approve these {len(shown)} tools? [y]es, [n]o, ask for [e]ach: ")
    if answer in _EACH:
        return [each for each in shown if _answer(f"{each.tool.name}? [y/n] ") in _YES]
    return shown if answer in _YES else []


def _answer(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower()
