"""Behaviours as data: the mark that a test carries, and the reading of both sides.

`requirements.toml` has the rows. Marks are read from the source text (`ast`), not from a test run,
so that the check is complete whichever tests were selected.
"""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROWS_FILE = HERE / "requirements.toml"


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Say which rows a test proves. The ids must be string literals, for they are never run."""
    return pytest.mark.requirement(*ids)


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    document: str
    sentence: str
    status: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One id on one test; `id` is None where the argument is no string literal."""

    id: str | None
    where: str
    on_a_test: bool


def read_rows(file: Path = ROWS_FILE) -> list[Row]:
    """Read the rows in file order; a row with a missing or an unknown key raises."""
    return [Row(**row) for row in tomllib.loads(file.read_text(encoding="utf-8"))["requirement"]]


def read_marks(tests: Path = HERE) -> list[Mark]:
    """Read every mark of the test tree, in the order of paths and lines."""
    marks: list[Mark] = []
    for file in sorted(tests.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        marks += marks_of(tree, file.relative_to(tests).as_posix())
    return marks


def marks_of(tree: ast.Module, name: str) -> Iterator[Mark]:
    """Read the marks of one file: decorators, `pytestmark = ...` and `marks=...` of a parameter."""
    is_test_file = Path(name).name.startswith("test_")
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                candidates, on_a_test = node.decorator_list, node.name.startswith("test")
            case ast.ClassDef():
                candidates, on_a_test = node.decorator_list, node.name.startswith("Test")
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                candidates, on_a_test = alternatives(value), True
            case ast.keyword(arg="marks", value=value):
                candidates, on_a_test = alternatives(value), True
            case _:
                continue
        for candidate in candidates:
            yield from ids_of(candidate, name, on_a_test=on_a_test and is_test_file)


def alternatives(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.List | ast.Tuple) else [value]


def ids_of(candidate: ast.expr, name: str, *, on_a_test: bool) -> Iterator[Mark]:
    """Yield the ids of `requirement(...)` or `pytest.mark.requirement(...)`, none for others."""
    match candidate:
        case ast.Call(func=ast.Name(id="requirement") | ast.Attribute(attr="requirement")):
            where = f"{name}:{candidate.lineno}"
            for argument in [*candidate.args, *(word.value for word in candidate.keywords)]:
                match argument:
                    case ast.Constant(value=str(id_)):
                        yield Mark(id_, where, on_a_test)
                    case _:
                        yield Mark(None, where, on_a_test)
        case _:
            return
