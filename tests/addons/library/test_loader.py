"""The loader of tier 0: reads data, runs nothing, and sends the rest to the right tier."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from induscode.addons.contract import LoaderError, LoaderErrorKind
from induscode.addons.manifest import DeclarativeLoader, ManifestError
from tests.addons.library.test_discovery import put
from tests.addons.library.test_manifest import SAFETY
from tests.requirements import requirement


@requirement("addons.loader.directory-or-file", "addons.path.single-normalizer")
async def test_the_folder_or_the_file_may_be_named_with_invisible_characters_or_without(
    tmp_path: Path,
) -> None:
    file = put(tmp_path / "safety" / "manifest.toml", SAFETY)
    for path in (file, file.parent, Path(f"\ufeff{tmp_path}/saf\u200bety\u00a0")):
        manifest = await DeclarativeLoader().load(path)
        assert (manifest.id, manifest.version) == ("safety", "1.0.0")


@requirement("addons.loader.rejects-modules")
@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("x.ts", "tier 1 (a subprocess)"),
        ("x.js", "tier 1 (a subprocess)"),
        ("x.py", "tier 1 (a subprocess)"),
        ("x.wasm", "tier 2 (a WASM component)"),
        ("README.md", "tier 0 (a manifest.toml)"),
    ],
)
async def test_what_it_cannot_load_is_refused_with_the_tier_to_pick(
    name: str, tier: str, tmp_path: Path
) -> None:
    with pytest.raises(LoaderError) as caught:
        await DeclarativeLoader().load(put(tmp_path / name))
    assert caught.value.kind is LoaderErrorKind.UNSUPPORTED
    assert tier in caught.value.hint
    assert caught.value.path == tmp_path / name


async def test_a_package_is_refused_with_the_tier_of_its_entry_or_with_its_mistake(
    tmp_path: Path,
) -> None:
    put(tmp_path / "good" / "package.json", '{"indusAddon": "main.js"}')
    put(tmp_path / "bad" / "package.json", '{"indusAddon": "../main.js"}')
    with pytest.raises(LoaderError, match="tier 1"):
        await DeclarativeLoader().load(tmp_path / "good")
    with pytest.raises(LoaderError, match="is not in the package") as caught:
        await DeclarativeLoader().load(tmp_path / "bad")
    assert caught.value.kind is LoaderErrorKind.INVALID


async def test_a_mistake_in_a_manifest_names_the_file_the_field_and_the_remedy(
    tmp_path: Path,
) -> None:
    file = put(tmp_path / "a" / "manifest.toml", 'id = "../../x"')
    with pytest.raises(LoaderError) as caught:
        await DeclarativeLoader().load(tmp_path / "a")
    assert caught.value.kind is LoaderErrorKind.INVALID
    assert str(caught.value).startswith(f"{file}: id: '../../x' is no id of an addon; up to 64")
    assert isinstance(caught.value.__cause__, ManifestError)


async def test_links_and_what_is_not_there_are_unreadable(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "manifest.toml", SAFETY)
    (tmp_path / "linked").symlink_to(tmp_path / "outside")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "manifest.toml").symlink_to(tmp_path / "outside" / "manifest.toml")
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling" / "manifest.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder" / "manifest.toml").mkdir(parents=True)
    for name in ("linked", "half", "dangling", "gone", "folder"):
        with pytest.raises(LoaderError) as caught:
            await DeclarativeLoader().load(tmp_path / name)
        assert caught.value.kind is LoaderErrorKind.UNREADABLE, name


@requirement("addons.loader.stateless")
async def test_one_loader_loads_several_without_one_changing_another(tmp_path: Path) -> None:
    loader = DeclarativeLoader()
    for name in ("a", "b"):
        put(tmp_path / name / "manifest.toml", f'id = "{name}"')
    put(tmp_path / "bad" / "manifest.toml", "id = ")
    first = await loader.load(tmp_path / "a")
    with pytest.raises(LoaderError):
        await loader.load(tmp_path / "bad")
    second = await loader.load(tmp_path / "b")
    again = await loader.load(tmp_path / "a")
    assert [one.id for one in (first, second, again)] == ["a", "b", "a"]
    assert vars(loader).keys() == {"_read"}


@requirement("addons.tier0.data-only")
async def test_loading_executes_nothing_of_the_addon(tmp_path: Path) -> None:
    put(tmp_path / "a" / "manifest.toml", SAFETY)
    for name in ("index.py", "index.js", "__init__.py", "scripts/deploy.sh"):
        put(tmp_path / "a" / name, "#!/bin/sh\nexit 1\n").chmod(0o755)
    modules = set(sys.modules)
    acts: list[str] = []
    watching = True

    def watch(event: str, given: object) -> None:
        if watching and event.startswith(("subprocess", "os.exec", "os.fork", "os.posix", "exec")):
            acts.append(event)

    sys.addaudithook(watch)
    await DeclarativeLoader().load(tmp_path / "a")
    watching = False
    assert acts == []
    assert set(sys.modules) == modules


async def test_the_content_may_come_from_elsewhere(tmp_path: Path) -> None:
    asked: list[Path] = []

    def read(file: Path) -> bytes:
        asked.append(file)
        return SAFETY.encode()

    put(tmp_path / "a" / "manifest.toml", "not what was approved")
    assert (await DeclarativeLoader(read).load(tmp_path / "a")).id == "safety"
    assert asked == [tmp_path / "a" / "manifest.toml"]
