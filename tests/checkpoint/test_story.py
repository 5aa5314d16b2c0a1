"""Random stories of edits, commands, people and rewinds: no byte differs from the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoint.story import tell
from tests.requirements import requirement

STORIES = 50
LOTS = 5


@requirement("decision.beyond.rewind-files")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("lot", range(LOTS))
def test_whatever_happened_a_rewind_leads_to_the_tree_of_the_model(
    tmp_path: Path, lot: int
) -> None:
    counts: dict[str, int] = {}
    for number in range(STORIES // LOTS):
        told = tell(tmp_path / str(number), seed=lot * 1000 + number)
        counts = {name: counts.get(name, 0) + count for name, count in told.items()}
    assert counts["agent"] >= 50
    assert counts["rewind"] >= 20
    assert counts["undone"] >= 5
    assert counts["person"] >= 8
