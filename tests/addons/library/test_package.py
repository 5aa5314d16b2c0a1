"""An addon on disk: its tier, its entry, and one digest for one content."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.addons.contract import LoaderError, LoaderErrorKind
from induscode.addons.discovery import Tier
from induscode.addons.offers import Offers
from induscode.addons.package import id_of, package_at
from induscode.policy import contents
from tests.policy.trusting import Bench

MANIFEST = 'id = "safety"\n'


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "entry", "tier"),
    [
        ({"manifest.toml": MANIFEST, "index.js": ""}, "manifest.toml", Tier.DECLARATIVE),
        (
            {"package.json": '{"indusAddon": "lib/main.js"}', "lib/main.js": "", "index.py": ""},
            "lib/main.js",
            Tier.PROCESS,
        ),
        (
            {"package.json": '{"indusAddon": "guest.wasm"}', "guest.wasm": ""},
            "guest.wasm",
            Tier.WASM,
        ),
        ({"index.mjs": "", "a.wasm": ""}, "index.mjs", Tier.PROCESS),
        ({"guard.wasm": "", "guard.c": ""}, "guard.wasm", Tier.WASM),
    ],
)
def test_what_a_folder_holds_says_which_tier_it_is_and_where_it_begins(
    tmp_path: Path, files: dict[str, str], entry: str, tier: Tier
) -> None:
    folder = write(tmp_path / "x", files)
    found = package_at(folder)
    assert (found.path, found.entry, found.tier) == (folder, folder / entry, tier)
    assert (found.name, set(found.files)) == ("x", set(files))


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        *((f"x{suffix}", Tier.PROCESS) for suffix in (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx")),
        ("x.wasm", Tier.WASM),
    ],
)
def test_a_bare_file_is_an_addon_by_its_suffix(tmp_path: Path, name: str, tier: Tier) -> None:
    write(tmp_path, {name: ""})
    found = package_at(tmp_path / name)
    assert (found.tier, found.name, found.entry) == (tier, "x", tmp_path / name)


def test_an_executable_file_is_an_addon_and_another_is_not(tmp_path: Path) -> None:
    file = write(tmp_path, {"safety.sh": "#!/bin/sh\n"}) / "safety.sh"
    with pytest.raises(LoaderError, match="no addon of any tier") as refused:
        package_at(file)
    assert refused.value.kind is LoaderErrorKind.UNSUPPORTED
    assert "manifest.toml" in refused.value.hint
    file.chmod(0o755)
    assert package_at(file).tier is Tier.PROCESS


@pytest.mark.parametrize("name", ["manifest.toml", "index.py"])
def test_the_first_file_of_a_folder_means_the_folder(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / "x", {name: MANIFEST, "more.txt": "x"})
    assert package_at(folder / name) == package_at(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "lib/a.py").write_text("b"),
        lambda folder: (folder / "lib/a.py").rename(folder / "lib/b.py"),
        lambda folder: (folder / "lib/a.py").chmod(0o755),
        lambda folder: (folder / "new").write_text(""),
    ],
    ids=["a byte", "a name", "an executable bit", "a file more"],
)
def test_the_digest_is_of_every_file(tmp_path: Path, change: Callable[[Path], object]) -> None:
    folder = write(tmp_path / "x", {"manifest.toml": MANIFEST, "lib/a.py": "a"})
    before = package_at(folder).digest
    change(folder)
    assert package_at(folder).digest != before


@pytest.mark.parametrize("item", [".indus/addons/x", ".indus/addons/tool.py"])
def test_trust_and_packages_have_the_same_digest_for_the_same_content(
    tmp_path: Path, item: str
) -> None:
    bench = Bench(tmp_path)
    bench.write({".indus/addons/x/manifest.toml": MANIFEST, ".indus/addons/tool.py": "x"})
    trust = bench.granted()
    (belonging,) = (each for each in trust.items if each.path == item)
    elsewhere = tmp_path / "copy" / Path(item).name
    elsewhere.parent.mkdir()
    (bench.work / item).rename(elsewhere)
    assert trust.record is not None
    assert package_at(elsewhere).digest == trust.record.items[belonging.path].digest


def _linked_folder(folder: Path) -> Path:
    link = folder.with_name("link")
    link.symlink_to(folder)
    return link


def _linked_file(folder: Path) -> Path:
    (folder / "data").symlink_to("manifest.toml")
    return folder


def _linked_out(folder: Path) -> Path:
    (folder / "data").symlink_to("/etc/passwd")
    return folder


def _fifo(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder


def _huge(folder: Path) -> Path:
    with (folder / "manifest.toml").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    return folder


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_linked_folder, "it is a link"),
        (_linked_file, "reached through a link"),
        (_linked_out, "link"),
        (_fifo, "not a regular file"),
        (_huge, "larger than"),
        (lambda folder: folder.with_name("nothing"), "there is nothing at this path"),
        (lambda _: Path("/"), "no addon of any tier"),
    ],
)
def test_what_is_not_plainly_there_is_refused(
    tmp_path: Path, make: Callable[[Path], Path], reason: str
) -> None:
    folder = write(tmp_path / "x", {"manifest.toml": MANIFEST})
    with pytest.raises(LoaderError, match=reason):
        package_at(make(folder))


def test_a_huge_manifest_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "x", {"manifest.toml": MANIFEST})
    _huge(folder)
    read: list[int] = []
    real = contents.digest
    monkeypatch.setattr(contents, "digest", lambda data: (read.append(len(data)), real(data))[1])
    with pytest.raises(LoaderError):
        package_at(folder)
    assert not read


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"README.md": ""}, "no addon in this folder"),
        ({"a.wasm": "", "b.wasm": ""}, "more than one component"),
        ({"package.json": '{"indusAddon": "gone.js"}'}, "there is no file gone.js"),
        ({"package.json": '{"indusAddon": "../x.js"}'}, "not in the package"),
    ],
)
def test_a_folder_that_is_no_addon_says_why(
    tmp_path: Path, files: dict[str, str], reason: str
) -> None:
    with pytest.raises(LoaderError, match=reason) as refused:
        package_at(write(tmp_path / "x", files))
    assert refused.value.hint


@pytest.mark.parametrize("said", ["../../x", "/etc/x", "X", ".hidden", "a b", "a" * 65])
def test_an_id_of_which_a_path_could_be_made_is_refused(tmp_path: Path, said: str) -> None:
    package = package_at(write(tmp_path / "x", {"index.py": ""}))
    assert id_of(package, Offers()) == "x"
    with pytest.raises(LoaderError, match="no id of an addon"):
        id_of(package, Offers(id=said))
