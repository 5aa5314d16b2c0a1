"""`indus login NAME`: keep a key of a provider or a connector, for nobody but you to read."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping

from induscode.boot.commands.common import here, out, parser
from induscode.boot.credentials import Credentials
from induscode.errors import UsageError

__all__ = ["run"]

_EXAMPLES = """\
  indus login anthropic                   asks for the key without showing it
  pass show anthropic | indus login anthropic
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("login", "Store the key of a provider or a connector.", _EXAMPLES)
    words.add_argument(
        "provider", metavar="PROVIDER", help="e.g. anthropic; or a connector's secret"
    )
    asked = words.parse_args(argv)
    around = here(environ)
    known = [*around.config.providers(), *around.config.connector_secrets()]
    if asked.provider not in known:
        raise UsageError(
            f"there is no provider or connector secret {asked.provider!r}",
            hint=f"known: {', '.join(known)}",
        )
    if sys.stdin.isatty():
        key = getpass.getpass(f"key for {asked.provider} (not shown): ")
    else:
        key = sys.stdin.readline()
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError("that is not a key", hint="paste the key as one word")
    where = Credentials(around.places.config).put(asked.provider, key)
    out(f"the key for {asked.provider} is kept in {where}")
    variable = around.config.text(f"providers.{asked.provider}.api_key_env")
    if variable and environ.get(variable):
        out(f"note: ${variable} is set and decides as long as it is")
    return 0
