"""What a command of the read-only table may be given."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Spec", "fits"]


class Spec(Struct, frozen=True):
    """`short` flags may be clustered; `valued` ones take a value, glued or as the next word;
    `long` are whole words up to `=`; `number` allows `-20`; `operands` False allows none;
    `paths` says that operands name files; `needs` are words of which operands need one."""

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    number: bool = False
    operands: bool = True
    paths: bool = True
    needs: frozenset[str] = frozenset()


def fits(spec: Spec, given: tuple[str, ...]) -> bool:
    """Whether the words after a command's name are all on its list."""
    flags = [word for word in given if word.startswith("-") and word != "-"]
    if len(flags) < len(given):
        needed = not spec.needs or any(flag.partition("=")[0] in spec.needs for flag in flags)
        if not spec.operands or not needed:
            return False
    return all(_flagfits(spec, flag) for flag in flags)


def _flagfits(spec: Spec, flag: str) -> bool:
    if flag == "--" or flag.partition("=")[0] in spec.long:
        return True
    if flag.startswith("--"):
        return False
    if spec.number and flag[1:].isdigit():
        return True
    for letter in flag[1:]:
        if letter in spec.valued:
            return True
        if letter not in spec.short:
            return False
    return True
