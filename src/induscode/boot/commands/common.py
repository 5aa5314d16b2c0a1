"""What the commands share: a parser that raises our errors, where we are, writing output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from induscode.boot.invocation import HelpText, Invocation
from induscode.boot.surroundings import Surroundings, surroundings
from induscode.channels.terminal import safe_json
from induscode.errors import UsageError
from induscode.session.log import read_only
from induscode.session.reader import Scan

__all__ = ["Parser", "found_session", "here", "out", "out_json", "parser", "table"]


class Parser(argparse.ArgumentParser):
    """Raises `UsageError` instead of leaving the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see: {self.prog} --help")


def parser(name: str, purpose: str, examples: str) -> Parser:
    return Parser(
        prog=f"indus {name}",
        description=purpose,
        epilog="examples:\n" + examples,
        formatter_class=HelpText,
        allow_abbrev=False,
    )


def here(environ: Mapping[str, str], cwd: str | None = None) -> Surroundings:
    return surroundings(Invocation(cwd=cwd), environ)


def found_session(around: Surroundings, wanted: str) -> tuple[Path, Scan]:
    """The log that `wanted` names, read without touching it."""
    path = around.store.find(wanted, around.workspace)
    return path, read_only(path)


def out(text: str = "") -> None:
    sys.stdout.write(text + "\n")


def out_json(value: object) -> None:
    sys.stdout.write(safe_json(msgspec.json.encode(value).decode()) + "\n")


def table(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> None:
    """Columns as wide as they need to be; the last one takes the rest."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads) - 1)]
    for row in [heads, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        out("  ".join([*cells, row[-1]]).rstrip())
