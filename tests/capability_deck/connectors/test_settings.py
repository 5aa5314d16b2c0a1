"""Connectors as a user writes them down, and what a mistake is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.capability_deck.connectors.settings import AuthKind, read_connectors
from induscode.errors import ConfigError

BASE = {"openapi": "a.json", "base_url": "https://x.example"}


def read(tables: dict[str, Any]) -> Any:
    return read_connectors(tables, file="config.toml", folder=Path("/conf"))


def test_a_connector_is_read() -> None:
    (git,) = read({
        "git-hub": {
            "openapi": "specs/github.json",
            "base_url": "HTTPS://API.GitHub.com/",
            "auth": {"type": "header", "name": "X-Key", "prefix": "Token ", "secret": "gh"},
        }
    })  # fmt: skip
    assert git.document == Path("/conf/specs/github.json")
    assert git.base.url == "https://api.github.com/"
    assert git.prefix == "GIT_HUB_"
    assert (git.auth.kind, git.auth.prefix, git.auth.secret) == (AuthKind.HEADER, "Token ", "gh")


def test_a_document_may_be_an_address_or_lie_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    net, home = read({"net": {"openapi": "https://x.example/a.json"}, "h": {"openapi": "~/a.json"}})
    assert net.document.url == "https://x.example/a.json"
    assert home.document == Path("/home/ann/a.json")


@pytest.mark.parametrize(
    ("name", "table", "field", "remedy"),
    [
        ("a", "x", "connectors.a", "give it openapi, base_url, auth"),
        ("a", {}, "connectors.a.openapi", "name an OpenAPI document"),
        ("a", {"openapi": 5}, "connectors.a.openapi", "put it in quotes"),
        ("a", {"openapi": "x\n"}, "connectors.a.openapi", "in one line"),
        ("a b", {"openapi": "x"}, "connectors.a b", "up to 32 letters"),
        ("a", {"openapi": "x", "url": "y"}, "connectors.a.url", "use openapi, base_url, auth"),
        ("a", {"openapi": "http://"}, "connectors.a.openapi", "write it like https://"),
        ("a", {"openapi": "x", "base_url": "ftp://x"}, "connectors.a.base_url", "https://"),
        ("a", {"openapi": "x", "base_url": "https://u:p@x"}, "connectors.a.base_url", "https://"),
        ("a", {"openapi": "x", "base_url": "https://x?k=1"}, "connectors.a.base_url", "leave out"),
        ("a", {**BASE, "auth": "key"}, "connectors.a.auth", "give it type"),
        ("a", {**BASE, "auth": {}}, "connectors.a.auth.type", "bearer, basic, header, query"),
        ("a", {**BASE, "auth": {"type": "oauth"}}, "connectors.a.auth.type", "use one of"),
        ("a", {**BASE, "auth": {"type": "bearer"}}, "connectors.a.auth.value_env", "indus login"),
        (
            "a",
            {**BASE, "auth": {"type": "bearer", "value_env": "K", "secret": "s"}},
            "connectors.a.auth.value_env",
            "name a variable",
        ),
        ("a", {**BASE, "auth": {"type": "bearer", "value": "k"}}, "connectors.a.auth.value", "use"),
        (
            "a",
            {**BASE, "auth": {"type": "header", "value_env": "K"}},
            "connectors.a.auth.name",
            "X-API-Key",
        ),
        (
            "a",
            {**BASE, "auth": {"type": "header", "name": "Host", "value_env": "K"}},
            "connectors.a.auth.name",
            "X-API-Key",
        ),
        (
            "a",
            {**BASE, "auth": {"type": "query", "value_env": "K"}},
            "connectors.a.auth.name",
            "api_key",
        ),
        (
            "a",
            {**BASE, "auth": {"type": "bearer", "name": "X", "value_env": "K"}},
            "connectors.a.auth.name",
            "leave it out",
        ),
        (
            "a",
            {"openapi": "x.json", "auth": {"type": "bearer", "value_env": "K"}},
            "connectors.a.base_url",
            "write where it may go",
        ),
    ],
)
def test_a_mistake_names_the_field_and_the_remedy(
    name: str, table: Any, field: str, remedy: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read({name: table})
    assert caught.value.file == "config.toml"
    assert caught.value.field == field
    assert remedy in caught.value.hint
    assert "u:p" not in str(caught.value)


def test_two_connectors_whose_slugs_could_be_alike_are_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be told from those of 'a'"):
        read({"a": BASE, "a-b": BASE})
    with pytest.raises(ConfigError, match="cannot be told"):
        read({"a_b": BASE, "a-b": BASE})
    assert len(read({"a": BASE, "ab": BASE})) == 2
