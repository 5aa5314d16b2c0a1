"""`indus logout PROVIDER`: forget a stored key."""

from __future__ import annotations

from collections.abc import Mapping

from induscode.boot.commands.common import here, out, parser
from induscode.boot.credentials import Credentials
from induscode.errors import UsageError

__all__ = ["run"]


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("logout", "Forget the stored key of a provider.", "  indus logout anthropic\n")
    words.add_argument("provider", metavar="PROVIDER", help="e.g. anthropic, openai, gemini")
    asked = words.parse_args(argv)
    around = here(environ)
    credentials = Credentials(around.places.config)
    if not credentials.remove(asked.provider):
        stored = ", ".join(credentials.providers()) or "none"
        raise UsageError(f"no key is stored for {asked.provider!r}", hint=f"stored: {stored}")
    out(f"the key for {asked.provider} is forgotten")
    variable = around.config.text(f"providers.{asked.provider}.api_key_env")
    if variable and environ.get(variable):
        out(f"note: ${variable} is still set in your environment")
    return 0
