"""A tool for the model: the lines of this project that hold a mark."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indus_addon import Addon, Call

MARK = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_]+$",
    "description": "for example TODO or FIXME",
}
SCHEMA = {
    "type": "object",
    "required": ["mark"],
    "additionalProperties": False,
    "properties": {"mark": MARK},
}
addon = Addon("project-tool", "1.0.0", "Finds what is left to do in this project.")
addon.needs("scoped-fs(read)", "to read the files of the project", required=True)


@addon.tool(
    "find_marks",
    "List the lines of this project that hold a mark, with file and line number.",
    SCHEMA,
)
def find_marks(args: dict[str, Any], call: Call) -> str:
    found = sorted(_lines(Path(call.params["cwd"]), args["mark"], call))
    return "\n".join(found) or f"no line holds {args['mark']}"


def _lines(root: Path, mark: str, call: Call) -> Iterator[str]:
    word = re.compile(rf"\b{mark}\b")
    for file in root.rglob("*"):
        name = file.relative_to(root)
        if call.cancelled or any(part.startswith(".") for part in name.parts):
            continue
        if file.is_file():
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                if word.search(line):
                    yield f"./{name}:{number}:{line}"


addon.run()
