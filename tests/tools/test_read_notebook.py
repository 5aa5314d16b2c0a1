"""Notebooks as cells."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace

from induscode.kernel.content import Image, plain_text
from induscode.tools.limits import READ_CHARACTERS
from induscode.tools.read import execute
from induscode.tools.reading.limits import OUTPUT_CHARACTERS, PICTURES
from tests.tools.conftest import Bench

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def code(source: Any, *outputs: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    fields = {"cell_type": "code", "source": source, "outputs": list(outputs), "metadata": {}}
    return {**fields, "execution_count": count}


def picture(data: bytes = PNG) -> dict[str, Any]:
    said = {"image/png": base64.b64encode(data).decode(), "text/plain": ["<Figure>"]}
    return {"output_type": "display_data", "data": said, "metadata": {}}


def notebook(*cells: dict[str, Any]) -> str:
    about = {"kernelspec": {"name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5})


async def test_cells_come_with_what_came_out_of_them(bench: Bench) -> None:
    cells = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "words"], "metadata": {}},
        code(
            "print(1)\n1 / 0",
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {
                "output_type": "error",
                "ename": "ZeroDivisionError",
                "evalue": "division by zero",
                "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"],
            },
            count=3,
        ),
        code("x", {"output_type": "execute_result", "data": {"text/plain": "42"}, "metadata": {}}),
    )
    bench.file("a.ipynb", cells)

    assert await bench.said("read", path="a.ipynb") == (
        "[notebook of 3 cells; offset and limit count cells; edit changes its JSON]\n"
        "[cell 1: markdown]\n# Title\nwords\n"
        "[cell 2: code, run 3]\nprint(1)\n1 / 0\n"
        "[output of cell 2, stdout]\n1\n"
        "[output of cell 2, an error]\nZeroDivisionError: division by zero\n"
        "[cell 3: code]\nx\n[output of cell 3]\n42"
    )


async def test_pictures_are_shown_up_to_a_number(bench: Bench) -> None:
    bench.file("a.ipynb", notebook(code("plot()", *(picture() for _ in range(PICTURES + 1)))))

    result = await bench.call("read", path="a.ipynb")

    assert result.content[1:] == (Image("image/png", PNG),) * PICTURES
    text = plain_text(result.content)
    assert f"[picture {PICTURES}: image/png, {len(PNG)} bytes]" in text
    assert text.count("left out, read this cell alone to see it") == 1


async def test_a_picture_with_too_long_a_side_is_not_shown(bench: Bench) -> None:
    wide = PNG[:8] + b"\0\0\0\rIHDR" + b"\0\0\xff\xff" * 2
    bench.file("a.ipynb", notebook(code("plot()", picture(wide), picture())))

    result = await bench.call("read", path="a.ipynb")

    assert result.content[1:] == (Image("image/png", PNG),)
    assert "[image/png: not shown]" in plain_text(result.content)


async def test_pictures_that_are_too_large_or_none_are_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("induscode.tools.reading.notebook.PICTURES_BYTES", 40)
    odd = {"image/png": "!!!", "image/svg+xml": "<svg/>", "text/html": "<b>"}
    only_html = {"output_type": "display_data", "data": {"text/html": "<b>"}}
    bench.file(
        "a.ipynb",
        notebook(
            code("a", picture(), picture()),
            code("b", {"output_type": "display_data", "data": odd}, only_html),
            code("c", {"output_type": "display_data", "data": {"application/json": {"a": 1}}}),
        ),
    )

    result = await bench.call("read", path="a.ipynb")

    text = plain_text(result.content)
    assert len(result.content) == 2
    assert "image/png of 28 bytes: left out" in text
    assert "[image/png: not shown]" in text
    assert "[text/html: not shown]" in text
    assert '{"a":1}' in text


async def test_offset_and_limit_count_cells(bench: Bench) -> None:
    bench.file("a.ipynb", notebook(*(code(f"cell = {n}") for n in range(1, 6))))

    middle = await bench.said("read", path="a.ipynb", offset=2, limit=2)
    end = await bench.said("read", path="a.ipynb", offset=5)

    assert "cell = 2\n[cell 3: code]\ncell = 3\n" in middle
    assert middle.endswith("[cells 2 to 3 of 5; go on with offset 4]")
    assert end.endswith("[cell 5: code]\ncell = 5\n[cells 5 to 5 of 5]")
    assert "has 5 cells; offset 6 is past its end" in await bench.refused(
        "read", path="a.ipynb", offset=6
    )


async def test_long_outputs_are_cut_and_a_long_notebook_stops_between_cells(bench: Bench) -> None:
    said = {"output_type": "stream", "name": "stdout", "text": "x" * OUTPUT_CHARACTERS * 3}
    cells = [code(f"cell = {n}", said, picture()) for n in range(1, 40)]
    bench.file("a.ipynb", notebook(*cells))

    result = await bench.call("read", path="a.ipynb")

    text = plain_text(result.content)
    assert f"[... {OUTPUT_CHARACTERS * 2:,} characters left out ...]" in text
    assert len(text) < READ_CHARACTERS + 200
    last = int(text.rsplit("offset ", 1)[1].rstrip("]")) - 1
    assert f"cell = {last}\n" in text
    assert f"cell = {last + 1}\n" not in text
    assert not bench.spilled.exists()


async def test_only_the_pictures_of_the_cells_shown_are_shown(bench: Bench) -> None:
    long = "y" * (READ_CHARACTERS * 2 // 3)
    bench.file("a.ipynb", notebook(code(long, picture()), code(long, picture())))

    result = await bench.call("read", path="a.ipynb")

    assert len(result.content) == 2
    assert plain_text(result.content).endswith("[cells 1 to 1 of 2; go on with offset 2]")


async def test_one_cell_that_is_too_long_is_cut(bench: Bench) -> None:
    bench.file("a.ipynb", notebook(code("y" * READ_CHARACTERS * 2), code("z")))

    text = await bench.said("read", path="a.ipynb")

    assert "characters left out" in text
    assert text.endswith("[cells 1 to 1 of 2; go on with offset 2]")


@pytest.mark.parametrize(
    "text",
    [
        '{"cells": [',
        '{"worksheets": [], "nbformat": 3}',
        '{"cells": [{"source": 1}], "nbformat": 4}',
        "[]",
        "plain words",
    ],
)
async def test_a_broken_notebook_is_shown_as_text(bench: Bench, text: str) -> None:
    bench.file("a.ipynb", text)

    assert await bench.said("read", path="a.ipynb") == f"     1\t{text}"


async def test_a_notebook_without_cells_says_so(bench: Bench) -> None:
    bench.file("a.ipynb", notebook())

    assert "is a notebook without cells" in await bench.said("read", path="a.ipynb")


async def test_a_secret_is_taken_out_before_an_output_is_cut(bench: Bench) -> None:
    half = "x" * (OUTPUT_CHARACTERS // 2 - 3)
    said = {"output_type": "stream", "name": "stdout", "text": f"{half}se\u0063ret{'y' * 9000}"}
    bench.file("a.ipynb", notebook(code("a", said)))
    context = replace(bench.context(), clean=lambda text: text.replace("secret", "[mark]"))

    result = await execute({"path": "a.ipynb"}, context)

    assert "xsec" not in plain_text(result.content)
