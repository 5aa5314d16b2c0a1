"""The command line of a run, parsed once into frozen data."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from induscode.errors import UsageError

__all__ = ["MODES", "PROFILES", "HelpText", "Invocation", "parse"]

MODES = ("ask", "accept-edits", "plan", "full")
PROFILES = ("authoring", "survey", "all", "read-only", "coding")

_EXAMPLES = """\
examples:
  indus                                   talk to it
  indus "why does the build fail?"        talk to it, beginning with this
  indus -p "explain this repository"      one answer, printed
  git diff | indus -p "review this"       the prompt from standard input, too
  indus -p "fix the typo in README.md" --mode accept-edits
  indus -c -p "and now the tests"         go on with the last session here
  indus why last --find "be concise"      who put that in front of the model?
  indus replay last                       prove what was sent

commands:
  sessions  replay  why  context  rewind  fork  skills  models  login  logout
  local  trust  addon  grants  feature  mcp  config  doctor  demo
  (each has --help; `indus sessions` lists what there is to look at)
"""


class Invocation(Struct, frozen=True):
    """What was asked for. None means: not said here, the configuration decides."""

    prompt: str | None = None
    print_mode: bool = False
    json: bool = False
    rpc: bool = False
    plain: bool = False
    model: str | None = None
    mode: str | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    profile: str | None = None
    tools: tuple[str, ...] | None = None
    no_tools: bool = False
    no_addons: bool = False
    mcp: str | None = None
    system: str | None = None
    append_system: str | None = None
    trust: bool = False
    cwd: str | None = None
    resume: str | None = None
    fork: str | None = None
    max_steps: int | None = None
    max_cost: float | None = None
    thinking: str | None = None


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal. argparse would find that out by loading `shutil`, which takes
    4 ms, and at every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(1).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


_USUAL_COLUMNS = 80


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint="see: indus --help")


def build_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="indus",
        usage="indus [PROMPT] [options]\n"
        "       indus -p PROMPT [options]\n"
        "       indus COMMAND ...",
        description="A coding agent whose every ability is declared, granted, recorded\n"
        "and explainable afterwards.",
        epilog=_EXAMPLES,
        formatter_class=HelpText,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("prompt", nargs="?", metavar="PROMPT", help="what to do; submitted first")
    run = parser.add_argument_group("how to run")
    run.add_argument(
        "-p",
        "--print",
        dest="print_prompt",
        nargs="?",
        const="",
        metavar="PROMPT",
        help="run to the end and print the final text",
    )
    run.add_argument("--json", action="store_true", help="with -p: one JSON event per line")
    run.add_argument("--rpc", action="store_true", help="JSON-RPC 2.0 on standard streams")
    run.add_argument("--plain", action="store_true", help="a line prompt instead of a screen")
    run.add_argument("--cwd", metavar="DIR", help="work there instead of here")
    which = parser.add_argument_group("which session")
    which.add_argument(
        "-c", "--continue", dest="last", action="store_true", help="go on with the last one here"
    )
    which.add_argument("-r", "--resume", metavar="ID", help="go on with this one")
    which.add_argument("--fork", metavar="ID", help="go on with a copy of this one")
    model = parser.add_argument_group("which model")
    model.add_argument("-m", "--model", metavar="PROVIDER/MODEL", help="e.g. scripted/FILE")
    model.add_argument("--thinking", choices=("off", "low", "medium", "high"), help="effort")
    model.add_argument("--system", metavar="TEXT", help="instead of our prompt; @FILE reads one")
    model.add_argument("--append-system", metavar="TEXT", help="after our prompt; @FILE reads one")
    may = parser.add_argument_group("what it may do")
    may.add_argument("--mode", choices=MODES, help="permission mode (default: ask)")
    may.add_argument("--allow", action="append", default=[], metavar="RULE", help="'bash(make *)'")
    may.add_argument("--deny", action="append", default=[], metavar="RULE", help="always wins")
    may.add_argument("--profile", choices=PROFILES, help="which tools there are (default: all)")
    may.add_argument("--tools", metavar="A,B", help="only these tools")
    may.add_argument("--no-tools", action="store_true", help="no tools at all")
    may.add_argument("--no-addons", action="store_true", help="without any addon")
    may.add_argument("--mcp", metavar="FILE", help="more MCP servers; `off` for none at all")
    may.add_argument(
        "--trust", action="store_true", help="trust this workspace, and what is new in it"
    )
    may.add_argument("--max-steps", type=_positive_int, metavar="N", help="stop after N steps")
    may.add_argument("--max-cost", type=_positive_float, metavar="USD", help="stop at this cost")
    add("-v", "--version", action="store_true", help="print the version")
    return parser


def parse(argv: list[str]) -> Invocation:
    """Raises `UsageError`; `--help` prints and exits as argparse does."""
    found = build_parser().parse_args(argv)
    if found.version:
        raise UsageError("--version stands alone", hint="try: indus --version")
    prompt, print_mode = found.prompt, found.print_prompt is not None
    if print_mode and found.print_prompt:
        if prompt:
            raise UsageError("two prompts were given", hint="quote the prompt as one word")
        prompt = found.print_prompt
    sessions = [name for name in ("last", "resume", "fork") if getattr(found, name)]
    if len(sessions) > 1:
        raise UsageError("only one of --continue, --resume, --fork can be given")
    if found.json and not print_mode:
        raise UsageError("--json goes with -p", hint='try: indus -p "..." --json')
    if found.no_tools and found.tools:
        raise UsageError("--tools and --no-tools contradict each other")
    return Invocation(
        prompt=prompt,
        print_mode=print_mode,
        json=found.json,
        rpc=found.rpc,
        plain=found.plain,
        model=found.model,
        mode=found.mode,
        allow=tuple(found.allow),
        deny=tuple(found.deny),
        profile=found.profile,
        tools=_names(found.tools),
        no_tools=found.no_tools,
        no_addons=found.no_addons,
        mcp=found.mcp,
        system=_text_or_file(found.system),
        append_system=_text_or_file(found.append_system),
        trust=found.trust,
        cwd=found.cwd,
        resume="last" if found.last else found.resume,
        fork=found.fork,
        max_steps=found.max_steps,
        max_cost=found.max_cost,
        thinking=found.thinking,
    )


def _names(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _text_or_file(text: str | None) -> str | None:
    if text is None or not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(f"{text}: {reason}", hint="@FILE must name a readable text file") from None


def _positive_int(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _positive_float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value
