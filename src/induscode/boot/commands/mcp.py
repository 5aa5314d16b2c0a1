"""`indus mcp list, log, approve, login, logout`: MCP servers, and what became of their tools."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from induscode.boot.commands.common import Parser, here, out, parser, table
from induscode.boot.mcp.configured import configured, ledger_file
from induscode.channels.terminal import exact, safe_json
from induscode.errors import UsageError

if TYPE_CHECKING:
    from induscode.boot.surroundings import Surroundings
    from induscode.capability_deck.mcp_config.discovery import LoadedServers

__all__ = ["run"]

_EXAMPLES = """\
  indus mcp                              connect the servers, show them and what is held
  indus mcp list git --full              one server, nothing shortened
  indus mcp list --offline --json        what is known, without starting anything
  indus mcp log -n 20                    what was enrolled, held, approved, retired
  indus mcp approve git__log             see what changed, and accept it
  indus mcp approve git --yes            everything that is held of a server, without asking
  indus mcp login linear                 log in at a server, through your browser
  indus mcp logout linear                forget that login

exit: 1 when something was not approved, 3 when nobody could be asked
"""
_ACTIONS = ("list", "log", "approve", "login", "logout")
_KEY = 11
_GOES_WITH = {
    "json": ("list", "log"),
    "offline": ("list",),
    "full": ("list",),
    "last": ("log",),
    "yes": ("approve",),
    "mcp": ("list", "approve", "login", "logout"),
    "no_browser": ("login",),
}
_FLAGS = {"last": "-n", "no_browser": "--no-browser"}
_HELP = "see: indus mcp --help"


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    asked = _words().parse_intermixed_args(argv)
    _check(asked)
    around = here(environ)
    match asked.action:
        case "log":
            return _log(around, asked)
        case "approve":
            return _approve(around, asked)
        case "login":
            return _login(around, asked)
        case "logout":
            return _logout(around, asked)
        case _:
            return _list(around, asked)


def _words() -> Parser:
    words = parser("mcp", "Show MCP servers, approve their tools, log in at them.", _EXAMPLES)
    words.add_argument("action", nargs="?", default="list", choices=_ACTIONS)
    words.add_argument("names", nargs="*", metavar="SERVER or TOOL")
    words.add_argument("--json", action="store_true", help="with list and log: one JSON value")
    words.add_argument("--offline", action="store_true", help="with list: start nothing")
    words.add_argument("--full", action="store_true", help="with list: nothing shortened")
    words.add_argument("-n", dest="last", type=_count, metavar="N", help="with log: the last N")
    words.add_argument("--yes", action="store_true", help="with approve: do not ask")
    words.add_argument("--mcp", metavar="FILE", help="a file with more servers, as in a session")
    words.add_argument(
        "--no-browser", action="store_true", help="with login: only show where to go"
    )
    return words


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise UsageError(f"-n {text}: it must be a whole number above 0")
    return int(text)


def _check(asked: Namespace) -> None:
    for name, actions in _GOES_WITH.items():
        if getattr(asked, name) and asked.action not in actions:
            flag = _FLAGS.get(name, f"--{name}")
            raise UsageError(f"{flag} goes with {' and '.join(actions)}", hint=_HELP)
    match asked.action:
        case "log" if asked.names:
            raise UsageError("log takes no more words", hint=_HELP)
        case "approve" if not asked.names:
            raise UsageError("approve needs a TOOL or a SERVER", hint="`indus mcp` lists them")
        case "login" | "logout" if len(asked.names) != 1:
            raise UsageError(f"{asked.action} needs one SERVER", hint="`indus mcp` lists them")
        case _:
            return


def _loaded(around: Surroundings, asked: Namespace) -> LoadedServers:
    from induscode.capability_deck.mcp_config.discovery import LoadedServers

    return configured(around, asked.mcp) or LoadedServers()


def _print_json(around: Surroundings, value: object) -> None:
    """Without the secrets of servers' rows, too."""
    out(around.secrets.text(safe_json(msgspec.json.encode(value).decode())))


def _list(around: Surroundings, asked: Namespace) -> int:
    from induscode.boot.mcp.status import look
    from induscode.boot.mcp.view import ConnectingLine, McpView

    loaded = _loaded(around, asked)
    _check_names(around, loaded, asked.names)
    wanted = [each.name for each in loaded.servers if not asked.names or each.name in asked.names]
    with ConnectingLine(() if asked.offline else wanted) as line:
        looking = look(around, loaded, only=asked.names, offline=asked.offline, told=line.hear)
        status = asyncio.run(looking)
    if asked.json:
        _print_json(around, status)
    elif status.servers or status.waiting or status.problems or status.ledger:
        McpView(around.environ, around.secrets.text, full=asked.full).status(status)
    else:
        out("no MCP servers are configured here; for example, in .mcp.json:")
        out('  {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}')
    return 0


def _check_names(around: Surroundings, loaded: LoadedServers, names: Sequence[str]) -> None:
    from induscode.boot.mcp.opening import open_listings
    from induscode.tools.compare import close_names

    known = {each.name for each in (*loaded.servers, *loaded.disabled)}
    for name in names:
        if name not in known:
            snapshot = open_listings(around).ledger.snapshot
            known.update(each.server for each in snapshot.enrolled.values())
        if name not in known:
            listed = ", ".join(close_names(name, sorted(known)) or sorted(known)) or "none"
            raise UsageError(f"there is no MCP server {name!r} here", hint=f"known: {listed}")


def _log(around: Surroundings, asked: Namespace) -> int:
    from induscode.boot.mcp.history import told_events
    from induscode.capability_deck.bridge_ledger.store import LedgerStore

    store, report = LedgerStore.open(ledger_file(around))
    rows = told_events(store.ledger.log)[-(asked.last or 0) :]
    if asked.json:
        _print_json(around, rows)
        return 0
    for sentence in report.sentences:
        sys.stderr.write(f"indus: {exact(sentence)}\n")
    if not rows:
        out("nothing happened with tools of MCP servers here yet")
        return 0
    table(
        [
            [str(each.seq), each.at, each.op, exact(each.name), each.key[:_KEY], exact(each.reason)]
            for each in rows
        ],
        ["SEQ", "AT", "WHAT", "TOOL", "KEY", "WHY"],
    )
    return 0


def _approve(around: Surroundings, asked: Namespace) -> int:
    from induscode.boot.commands.mcp_approve import run_approve

    return run_approve(around, _loaded(around, asked), asked.names, yes=asked.yes)


def _login(around: Surroundings, asked: Namespace) -> int:
    from induscode.boot.mcp.credentials import McpCredentials
    from induscode.boot.mcp.login import Terminal, login_server, opens_browser, wanted_server

    server = wanted_server(asked.names[0], _loaded(around, asked).servers)
    browse = None if asked.no_browser else opens_browser(around.environ, around.secrets)
    terminal = Terminal(sys.stdout, sys.stdin, browse)
    vault = McpCredentials(around.places.config)
    asyncio.run(login_server(server, vault, around.secrets, terminal))
    return 0


def _logout(around: Surroundings, asked: Namespace) -> int:
    from induscode.boot.mcp.credentials import McpCredentials
    from induscode.boot.mcp.login import wanted_server
    from induscode.interop.oauth.forgetting import forget

    server = wanted_server(asked.names[0], _loaded(around, asked).servers)
    issuers = forget(server, McpCredentials(around.places.config))
    for issuer in issuers:
        out(f"the login of {exact(server.name)} at {exact(issuer)} is forgotten")
    if not issuers:
        out(f"there is no login of {exact(server.name)}")
    return 0
