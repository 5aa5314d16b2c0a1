"""Write the goldens of the prompt anew: `python -m tests.briefing.compose.golden`."""

from __future__ import annotations

from pathlib import Path

from induscode.briefing import compose_briefing_with_options
from tests.briefing.compose.inputs import INPUTS

FOLDER = Path(__file__).parents[2] / "goldens" / "prompt"


def golden(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each, (ctx, options) in INPUTS.items():
        golden(each).write_text(compose_briefing_with_options(ctx, options) + "\n")
