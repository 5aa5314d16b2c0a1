"""What OpenAI's two wires have in common as providers: the names of their variables, the key."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["KEY_VARIABLE", "URL_VARIABLE", "bearer"]

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"


def bearer(key: str) -> Sequence[tuple[str, str]]:
    return (("authorization", f"Bearer {key}"),)
