"""Finding addons on a real disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.addons.contract import AddonDiscovery, LoaderError, LoaderErrorKind
from induscode.addons.discovery import (
    MANIFEST_BYTES,
    Tier,
    derive_addon_id,
    discover_addons,
    discover_sources,
    package_entry,
    read_bounded,
    tier_of,
)
from tests.requirements import requirement


def put(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@requirement("addons.discovery.manifest-directory")
def test_a_folder_with_a_manifest_is_the_folder_itself(tmp_path: Path) -> None:
    put(tmp_path / "safety" / "manifest.toml")
    put(tmp_path / "safety" / "index.js")
    put(tmp_path / "safety" / "package.json", '{"indusAddon": "index.js"}')
    assert discover_addons(tmp_path) == [tmp_path / "safety"]


@requirement("addons.discovery.bare-module")
@pytest.mark.parametrize("suffix", ["ts", "tsx", "mts", "cts", "js", "mjs", "cjs", "py", "wasm"])
def test_a_module_by_itself_is_its_own_path(suffix: str, tmp_path: Path) -> None:
    file = put(tmp_path / f"gate.{suffix}")
    assert discover_addons(tmp_path) == [file]


def test_what_has_no_shape_of_an_addon_is_none(tmp_path: Path) -> None:
    put(tmp_path / "README.md")
    put(tmp_path / "notes.toml")
    put(tmp_path / "manifest.toml")
    put(tmp_path / "empty" / "main.js")
    put(tmp_path / "plain" / "package.json", '{"name": "plain"}')
    (tmp_path / "folder.js").mkdir()
    assert discover_addons(tmp_path) == []


@requirement("addons.discovery.package-entry")
def test_a_package_is_the_entry_that_it_names(tmp_path: Path) -> None:
    put(tmp_path / "pack" / "package.json", '{"indusAddon": "./src/../src/main.js"}')
    put(tmp_path / "pack" / "index.js")
    assert discover_addons(tmp_path) == [tmp_path / "pack" / "src" / "main.js"]


@requirement("addons.discovery.package-index")
@pytest.mark.parametrize("name", ["index.ts", "index.mjs", "index.py", "index.wasm"])
def test_a_folder_with_an_index_is_that_index(name: str, tmp_path: Path) -> None:
    file = put(tmp_path / "pack" / name)
    put(tmp_path / "pack" / "package.json", "{}")
    assert discover_addons(tmp_path) == [file]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"indusAddon": "../../evil.js"}', "'../../evil.js' is not in the package"),
        ('{"indusAddon": "/bin/sh"}', "'/bin/sh' is not in the package"),
        ('{"indusAddon": "~/x.js"}', "'~/x.js' is not in the package"),
        ('{"indusAddon": 7}', "expected the path of a file"),
        ('{"indusAddon": " "}', "expected the path of a file"),
        ('{"indusAddon": "a.js", "indusAddon": "b.js"}', "appears twice"),
        ("{", "not valid JSON"),
        ("[]", "expected a JSON object"),
    ],
)
def test_a_package_that_is_wrong_is_found_so_that_loading_can_say_why(
    text: str, found: str, tmp_path: Path
) -> None:
    put(tmp_path / "pack" / "package.json", text)
    assert discover_addons(tmp_path) == [tmp_path / "pack"]
    with pytest.raises(LoaderError) as caught:
        package_entry(tmp_path / "pack")
    assert caught.value.kind is LoaderErrorKind.INVALID
    assert found in str(caught.value)


@requirement(
    "addons.discovery.skips-hidden", "addons.discovery.sorted", "addons.discovery.one-level"
)
def test_hidden_entries_are_skipped_the_rest_is_sorted_and_nothing_deeper_counts(
    tmp_path: Path,
) -> None:
    for name in ("zeta", "Beta", "alpha", ".hidden", "10", "9"):
        put(tmp_path / name / "manifest.toml")
    put(tmp_path / ".secret.js")
    put(tmp_path / "middle.js")
    put(tmp_path / "group" / "deeper" / "manifest.toml")
    names = [path.name for path in discover_addons(tmp_path)]
    assert names == ["10", "9", "Beta", "alpha", "middle.js", "zeta"]


@requirement("addons.discovery.missing-directory")
def test_a_folder_that_is_missing_or_no_folder_has_no_addons(tmp_path: Path) -> None:
    assert discover_addons(tmp_path / "gone") == []
    assert discover_addons(put(tmp_path / "file")) == []
    assert discover_sources(AddonDiscovery(workspace=tmp_path)) == []
    assert discover_sources(AddonDiscovery()) == []


@requirement(
    "addons.tier0.location",
    "addons.discovery.explicit-paths-appended",
    "addons.discovery.duplicate-paths",
    "addons.discovery.stamps-id",
)
def test_explicit_paths_follow_the_found_ones_and_a_path_counts_once(tmp_path: Path) -> None:
    folder = tmp_path / ".indus" / "addons"
    put(folder / "safety" / "manifest.toml")
    put(folder / "b.js")
    other = put(tmp_path / "else" / "a.py")
    explicit = (
        other,
        folder / "safety",
        folder / "x" / ".." / "b.js",
        Path(f"\u200b{other}\u00a0"),
        tmp_path / "not there",
    )
    sources = discover_sources(AddonDiscovery(tmp_path, explicit_paths=explicit))
    assert [(source.path, source.id) for source in sources] == [
        (folder / "b.js", "b"),
        (folder / "safety", "safety"),
        (other, "a"),
        (tmp_path / "not there", "not there"),
    ]


@requirement("addons.discovery.dir-override")
def test_another_folder_of_the_workspace_may_be_named(tmp_path: Path) -> None:
    put(tmp_path / ".indus" / "addons" / "usual" / "manifest.toml")
    mine = put(tmp_path / "tools" / "mine" / "manifest.toml").parent
    sources = discover_sources(AddonDiscovery(tmp_path, dir="tools"))
    assert [source.path for source in sources] == [mine]


@requirement(
    "addons.discovery.id-of-directory",
    "addons.discovery.id-of-index",
    "addons.discovery.id-of-file",
)
def test_an_id_comes_from_the_folder_or_from_the_stem(tmp_path: Path) -> None:
    (tmp_path / "my.addon").mkdir()
    assert derive_addon_id(tmp_path / "my.addon") == "my.addon"
    assert derive_addon_id(put(tmp_path / "pack" / "index.mjs")) == "pack"
    assert derive_addon_id(put(tmp_path / "pack" / "main.js")) == "main"
    assert derive_addon_id(Path("/nowhere/scripted")) == "scripted"


def test_the_tier_follows_from_the_shape(tmp_path: Path) -> None:
    manifest = put(tmp_path / "zero" / "manifest.toml")
    program = put(tmp_path / "run")
    program.chmod(0o755)
    assert tier_of(manifest.parent) is Tier.DECLARATIVE
    assert tier_of(manifest) is Tier.DECLARATIVE
    assert tier_of(put(tmp_path / "one" / "index.js").parent) is Tier.PROCESS
    assert tier_of(tmp_path / "any.py") is Tier.PROCESS
    assert tier_of(program) is Tier.PROCESS
    assert tier_of(put(tmp_path / "two.wasm")) is Tier.WASM
    assert tier_of(put(tmp_path / "README.md")) is None


def test_reading_is_bounded_and_follows_no_link(tmp_path: Path) -> None:
    fits = put(tmp_path / "fits", "x" * MANIFEST_BYTES)
    assert len(read_bounded(fits)) == MANIFEST_BYTES
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    link = tmp_path / "link"
    link.symlink_to(fits)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, why in (
        (large, "it has over"),
        (link, "it is a link"),
        (fifo, "it is not a regular file"),
        (tmp_path / "gone", "No such file"),
        (tmp_path, "it is not a regular file"),
        (Path("/a\0b"), "null"),
    ):
        with pytest.raises(LoaderError, match=why):
            read_bounded(path)
