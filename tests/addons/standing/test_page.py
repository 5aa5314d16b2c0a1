"""The manifest of docs/addon-protocol.md, as it is written there."""

from __future__ import annotations

import time
from pathlib import Path

from induscode.addons.contract import Gate, ToolPayload
from induscode.kernel.content import plain_text
from tests.addons.process.nursery import context
from tests.addons.standing.field import Field
from tests.docs_blocks import blocks_of
from tests.requirements import requirement

PAGE = Path(__file__).parents[3] / "docs" / "addon-protocol.md"
COMMIT = ToolPayload("bash", {"command": "git commit -m x"})
STATUS = ToolPayload("bash", {"command": "git status"})


@requirement("addons.tier0.extended-manifest")
async def test_the_manifest_of_the_protocol_page_works_as_written(field: Field) -> None:
    written = {block.file: block.text for block in blocks_of(PAGE) if block.file}
    today = time.strftime("%a", time.gmtime())
    manifest = written["manifest.toml"].replace('"Fri"', f'"{today}"')
    script = written["friday.sh"].removeprefix("#!/bin/sh\n").replace("date +", "date -u +")
    package = field.manifest("", friday=script)
    field.write("addon/manifest.toml", manifest)
    placed = await field.placed(package, allow_fs=True)
    gate = placed.handler
    assert isinstance(gate, Gate)
    decision = await gate.run(COMMIT)
    assert (decision.stop, decision.reason) == (True, "not on a Friday")
    assert not (await gate.run(STATUS)).stop
    (field.workspace / "a b").write_text("1\n2\n")
    result = await placed.tool.execute({"path": "a b"}, context(field.folder))
    assert plain_text(result.content) == "2 a b"
