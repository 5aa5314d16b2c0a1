"""How what is offered to a model is found by words. Pure; the same answer every time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["Words", "plain_words", "ranked"]

T = TypeVar("T")
Words = Callable[[str], frozenset[str]]
_WORD = re.compile(r"[^\W_]+")
_PART_OF_A_WORD = 3
"""So many letters are looked for inside of words, too; fewer are in nearly every text."""
_WHOLE_NAME, _IN_NAME, _WITHIN_NAME, _IN_TEXT, _WITHIN_TEXT = 64, 16, 8, 4, 1


def plain_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def ranked(
    offered: Sequence[T],
    query: str,
    said: Callable[[T], tuple[str, str]],
    words_of: Words = plain_words,
) -> list[T]:
    """Those that have a word of `query` in what is `said` of them, a name and a text: first those
    with most of the words, then those that have them in their names. Of equals, the one given
    first. Without a word, all as they are given."""
    words = words_of(query)
    if not words:
        return list(offered)
    weighed = [(_weight(*said(each), words, words_of), each) for each in offered]
    found = [pair for pair in weighed if pair[0] > (0, 0)]
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [each for _, each in found]


def _weight(name: str, text: str, words: frozenset[str], words_of: Words) -> tuple[int, int]:
    """How many of the words it has, and how near to its name."""
    name_words, text_words = words_of(name), words_of(text)
    name, text = name.casefold(), text.casefold()
    weights: list[int] = []
    for word in words:
        long = len(word) >= _PART_OF_A_WORD
        if word in name_words:
            weights.append(_IN_NAME)
        elif long and word in name:
            weights.append(_WITHIN_NAME)
        elif word in text_words:
            weights.append(_IN_TEXT)
        elif long and word in text:
            weights.append(_WITHIN_TEXT)
    return len(weights), sum(weights) + (_WHOLE_NAME if words == name_words else 0)
