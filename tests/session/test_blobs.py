"""Content kept once by its digest."""

from pathlib import Path

import pytest

from induscode.errors import LogDown
from induscode.kernel.content import Image, Text
from induscode.kernel.jsontext import digest
from induscode.session.blobs import BlobStore, MissingBlob
from induscode.session.stored import ImageRef, TextRef
from induscode.session.storing import INLINE_LIMIT, load_said, store_said
from tests.requirements import requirement


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


@requirement("log.content-addressed")
def test_the_same_content_is_stored_once(tmp_path: Path):
    one, two = BlobStore(tmp_path), BlobStore(tmp_path)
    names = {one.put(b"x" * 100), one.put(b"x" * 100), two.put(b"x" * 100)}
    assert names == {digest(b"x" * 100)}
    assert len(files(tmp_path)) == 1
    assert two.get(names.pop()) == b"x" * 100


@requirement("log.blob-threshold")
@pytest.mark.parametrize("size", [INLINE_LIMIT, INLINE_LIMIT + 1])
@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_text_beyond_the_limit_is_a_blob_and_below_it_stands_inline(
    tmp_path: Path, size: int, letter: str
):
    text = letter * (size // len(letter.encode()))
    text += "a" * (size - len(text.encode()))
    blobs = BlobStore(tmp_path)
    stored = store_said([Text(text)], blobs)
    assert isinstance(stored[0], Text if size == INLINE_LIMIT else TextRef)
    assert load_said(stored, blobs) == (Text(text),)


@requirement("log.blob-threshold")
def test_a_picture_is_always_a_blob(tmp_path: Path):
    blobs = BlobStore(tmp_path)
    stored = store_said([Image("image/png", b"tiny")], blobs)
    assert stored == [ImageRef("image/png", digest(b"tiny"), 4)]
    assert load_said(stored, blobs) == (Image("image/png", b"tiny"),)


def test_an_altered_or_missing_blob_is_told_and_an_altered_one_is_written_again(tmp_path: Path):
    name = BlobStore(tmp_path).put(b"content")
    path = tmp_path / name[:2] / name[2:]
    path.write_bytes(b"c0ntent")
    with pytest.raises(MissingBlob, match="altered"):
        BlobStore(tmp_path).get(name)
    BlobStore(tmp_path).put(b"content")
    assert BlobStore(tmp_path).get(name) == b"content"
    path.unlink()
    with pytest.raises(MissingBlob, match="cannot be read"):
        BlobStore(tmp_path).get(name)


@pytest.mark.parametrize(
    "name",
    ["", "../../../../dev/zero", "ab/../../x", "a\0b", "A" * 64, "0" * 63, "0" * 64 + "\n"],
)
def test_a_name_that_is_no_digest_never_reaches_the_file_system(tmp_path: Path, name: str):
    with pytest.raises(MissingBlob, match="no sha256"):
        BlobStore(tmp_path).get(name)


def test_a_blob_that_is_not_text_is_missing_as_text(tmp_path: Path):
    blobs = BlobStore(tmp_path)
    with pytest.raises(MissingBlob, match="not text"):
        load_said([TextRef(blobs.put(b"\xff\xfe"), 2)], blobs)


def test_a_store_that_cannot_be_written_is_a_log_that_is_down(tmp_path: Path):
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(LogDown, match="cannot store session content"):
        BlobStore(tmp_path / "blobs").put(b"x")
