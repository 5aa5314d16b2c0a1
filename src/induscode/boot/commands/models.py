"""`indus models [WORD]`: which models are known, what they can hold and cost, and who has a key."""

from __future__ import annotations

from collections.abc import Mapping

from induscode.boot.commands.common import here, out, out_json, parser, table
from induscode.boot.credentials import Credentials, find_key
from induscode.boot.models import own_models
from induscode.gateway.catalog import ModelCard, known_models

__all__ = ["run"]

_EXAMPLES = """\
  indus models                    every model in the data file, and yours
  indus models haiku              those whose name has this word
  indus models --json
more: any model of a provider works by its name; add what you know of it to config.toml:
  [models."ollama/qwen3"]
  context = 32768
"""
_THOUSAND = 1000


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("models", "List models: window, output limit, prices, whether a key is there.",
                   _EXAMPLES)  # fmt: skip
    words.add_argument("word", nargs="?", default="", metavar="WORD", help="part of the name")
    words.add_argument("--json", action="store_true", help="one JSON object")
    asked = words.parse_args(argv)
    around = here(environ)
    models = {
        name: card
        for name, card in sorted(known_models(own_models(around.config)).items())
        if asked.word.lower() in name.lower()
    }
    if asked.json:
        out_json(models)
        return 0
    if not models:
        out(f"no model with {asked.word!r} in the data file; it can still be used by its name")
        return 0
    credentials = Credentials(around.places.config)
    providers = {name.partition("/")[0] for name in models}
    keys = {
        name: find_key(around.config, environ, credentials, name) is not None
        or not around.config.text(f"providers.{name}.api_key_env")
        for name in providers
    }
    chosen = around.config.text("model")
    rows = [
        [
            ("* " if name == chosen else "  ") + name,
            _size(card.context),
            _size(card.max_output),
            _price(card),
            "yes" if keys[name.partition("/")[0]] else "no key",
            " ".join(a for a, has in (("images", card.images), ("thinking", card.thinking)) if has),
        ]
        for name, card in models.items()
    ]
    table(rows, ["  model", "window", "output", "USD per M in/out", "ready", "abilities"])
    return 0


def _size(tokens: int) -> str:
    if tokens >= _THOUSAND * _THOUSAND:
        return f"{tokens / _THOUSAND / _THOUSAND:.1f}M"
    return f"{tokens // _THOUSAND}k" if tokens >= 10 * _THOUSAND else str(tokens)


def _price(card: ModelCard) -> str:
    if card.input is None or card.output is None:
        return "unknown"
    return f"{card.input:g} / {card.output:g}"
