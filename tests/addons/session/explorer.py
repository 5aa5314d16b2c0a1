"""An addon that tells what it can reach: one variable, and a file of the workspace."""

import os
from pathlib import Path

from indus_addon import Addon, Call

addon = Addon("explorer", "1.0.0")
addon.needs("inherit-environment(FLAVOUR)", "to know the flavour")
addon.needs("scoped-fs(read)", "to read the notes")
addon.needs("scoped-fs(read, write)", "to write them")


@addon.tool("explore", "Say what can be reached.", {"type": "object"})
def explore(args: dict, call: Call) -> str:
    del args
    folder = Path(call.params["cwd"])
    return f"{os.environ.get('FLAVOUR')}, {_read(folder)}, {_written(folder)}"


def _read(folder: Path) -> str:
    try:
        return (folder / "notes.txt").read_text()
    except OSError as error:
        return type(error).__name__


def _written(folder: Path) -> str:
    try:
        (folder / "made.txt").write_text("made")
    except OSError as error:
        return type(error).__name__
    return "written"


addon.run()
