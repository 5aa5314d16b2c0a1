"""Who put what in front of the model, from the log alone."""

from pathlib import Path

import pytest

from induscode.errors import UserError
from induscode.session.blobs import BlobStore
from induscode.session.entries import InstalledFeature, Notice
from induscode.session.log import read_only
from induscode.session.why import find_text, request_views, view_request
from tests.requirements import requirement
from tests.session.damage import without
from tests.session.recording import Recording, call
from tests.session.samples import everything, small


@pytest.fixture
def told(quick_home: Path) -> Recording:
    it = Recording(quick_home)
    it.start()
    it.install(InstalledFeature("addon:notes", "2.0", "a" * 64, "granted by the user", "process"))
    it.brief(role="You are terse.")
    it.offer("read", by="addon:notes")
    it.say("go")
    it.ask(call("a", arguments=b'{"path":"needle-1"}'))
    it.result(it.log.entries[-1], 0, "needle-2")
    it.note("needle-3 is near", by="addon:notes")
    it.ask("I see the needle-4.")
    it.say("and?")
    it.ask("Done.")
    it.log.close()
    return it


@requirement("invariant.02.everything-has-a-producer")
def test_every_piece_names_its_producer_and_an_installed_one_its_package_and_grant(told: Recording):
    views = list(request_views(read_only(told.path), told.blobs))
    assert [view.number for view in views] == [1, 2, 3]
    for view in views:
        assert all(piece.by and piece.entry and piece.at and piece.size for piece in view.pieces)
    tool = next(p for p in views[0].pieces if p.path == "tools[0]")
    assert (tool.by, tool.package, tool.grant) == ("addon:notes", "a" * 64, "granted by the user")
    assert (tool.source, tool.entry_type) == ("read", "toolset")
    assert [(p.path, p.by) for p in views[0].pieces] == [
        ("system[0]", "builtin:role"),
        ("tools[0]", "addon:notes"),
        ("messages[0].content[0]", "user"),
    ]


@requirement("invariant.02.why-from-the-log")
def test_a_text_is_found_with_its_producer_and_the_request_that_first_showed_it(told: Recording):
    scan = read_only(told.path)
    (found,) = find_text(scan, BlobStore(Path("gone")), "needle-3")
    said = next(e for e in told.log.entries if isinstance(e, Notice))
    piece = found.piece
    assert (piece.by, piece.entry, piece.entry_type, piece.at) == (
        said.by,
        said.id,
        "notice",
        said.at,
    )
    assert (piece.package, piece.grant) == ("a" * 64, "granted by the user")
    assert (found.since_request, found.requests) == (2, 2)
    assert find_text(scan, told.blobs, "nobody said this") == []


def test_each_place_of_a_text_is_a_finding_of_its_own(told: Recording):
    found = find_text(read_only(told.path), told.blobs, "needle")
    assert sorted(f.piece.text[:9] for f in found) == [
        "I see the",
        "needle-2",
        "needle-3 ",
        'read {"pa',
    ]


def test_an_amended_piece_names_who_amended_it(quick_home: Path):
    it = everything(quick_home)
    (found,) = find_text(read_only(it.path), it.blobs, "[shortened]")
    assert found.piece.by == "addon:notes"
    assert found.piece.grant == "granted by the user"


def test_one_request_can_be_asked_for_and_a_wrong_number_is_told(told: Recording):
    scan = read_only(told.path)
    assert view_request(scan, told.blobs, None).number == 3
    assert view_request(scan, told.blobs, 1).number == 1
    with pytest.raises(UserError, match="no request 9"):
        view_request(scan, told.blobs, 9)
    scan.entries.clear()
    with pytest.raises(UserError, match="no request yet"):
        view_request(scan, told.blobs, None)


def test_a_log_whose_model_was_lost_is_explained_as_far_as_it_goes(quick_home: Path):
    it = small(quick_home)
    it.log.close()
    without(it.path, 1)
    assert list(request_views(read_only(it.path), it.blobs)) == []
