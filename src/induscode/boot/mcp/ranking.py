"""How what servers offer is found by words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from induscode.kernel import ranking

__all__ = ["ranked"]

T = TypeVar("T")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def ranked(offered: Sequence[T], query: str, said: Callable[[T], tuple[str, str]]) -> list[T]:
    """As `kernel.ranking` does, for names as programmers make them."""
    return ranking.ranked(offered, query, said, _words)


def _words(text: str) -> frozenset[str]:
    """`createPullRequest` and `create_pull_request` have the same."""
    return ranking.plain_words(_HUMP.sub(" ", text))
