"""What a person sees of a login, and what they may do where there is no browser."""

from __future__ import annotations

import asyncio
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import httpx2
import pytest

from induscode.boot.mcp.login import Terminal, login_server, opens_browser, wanted_server
from induscode.errors import UsageError
from induscode.policy.redaction import Secrets
from tests.interop.harbour import local, until
from tests.interop.oauth.realm import Realm


@pytest.fixture
def pipe() -> Iterator[tuple[TextIO, TextIO]]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as read, os.fdopen(writing, "w", buffering=1) as write:
        yield read, write


def address_in(out: io.StringIO) -> str:
    found = re.search(r"^  (http\S+)$", out.getvalue(), re.MULTILINE)
    return found[1] if found else ""


async def test_a_browser_is_opened_and_the_address_is_shown_as_well(
    realm: Realm, pipe: tuple[TextIO, TextIO]
) -> None:
    out = io.StringIO()
    visits: list[asyncio.Task[httpx2.Response]] = []

    async def follow(address: str) -> httpx2.Response:
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            return await browser.get(address)

    def browse(address: str) -> bool:
        visits.append(asyncio.ensure_future(follow(address)))
        return True

    terminal = Terminal(out, pipe[0], browse)
    await login_server(realm.row(), realm.vault, realm.secrets, terminal, seconds=20)
    assert (await visits[0]).status_code == 200
    told = out.getvalue()
    assert f"far at {realm.url} asks you to log in at {realm.issuer}" in told
    assert "your browser shows it" in told
    assert address_in(out).startswith(f"{realm.issuer}/authorize?")
    assert f"far is logged in at {realm.issuer}; the login is kept in {realm.folder}" in told
    assert not any(each in told for each in realm.must_keep().secrets())


async def test_the_address_where_a_browser_elsewhere_ended_can_be_pasted(
    realm: Realm, pipe: tuple[TextIO, TextIO]
) -> None:
    out = io.StringIO()
    terminal = Terminal(out, pipe[0], None)
    work = asyncio.ensure_future(
        login_server(realm.row(), realm.vault, realm.secrets, terminal, seconds=20)
    )
    await until(lambda: address_in(out))
    async with httpx2.AsyncClient() as browser:
        ended = (await browser.get(address_in(out))).headers["location"]
    pipe[1].write("what?\n")
    await until(lambda: "that is no address that begins with http://127.0.0.1" in out.getvalue())
    pipe[1].write(f"{ended}\n")
    await work
    assert realm.must_keep().access.startswith("at-")


async def test_a_pasted_address_of_another_login_is_refused(
    realm: Realm, pipe: tuple[TextIO, TextIO]
) -> None:
    terminal = Terminal(io.StringIO(), pipe[0], None)
    pipe[1].write("http://127.0.0.1:1/callback?code=stolen&state=other\n")
    with pytest.raises(Exception, match="state is not ours"):
        await login_server(realm.row(), realm.vault, realm.secrets, terminal, seconds=20)
    assert realm.kept() is None


async def test_where_nothing_can_be_pasted_the_browser_is_waited_for(
    realm: Realm, pipe: tuple[TextIO, TextIO], tmp_path: Path
) -> None:
    (tmp_path / "nothing").touch()
    pipe[1].close()
    with (tmp_path / "nothing").open() as nothing:
        for stdin in (pipe[0], nothing):
            out = io.StringIO()
            terminal = Terminal(out, stdin, None)
            work = asyncio.ensure_future(
                login_server(realm.row(), realm.vault, realm.secrets, terminal, seconds=20)
            )
            await until(lambda out=out: address_in(out))
            async with httpx2.AsyncClient(follow_redirects=True) as browser:
                await browser.get(address_in(out))
            await work


async def test_a_browser_is_given_the_address_and_no_secret(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nenv > "{seen}.new"\necho "$1" >> "{seen}.new"\nmv "{seen}.new" "{seen}"\n'
    )
    browser.chmod(0o700)
    environ = {
        "PATH": os.environ["PATH"],
        "BROWSER": str(browser),
        "MY_API_KEY": "sk-123456789",
        "LANG": "holds-the-secret",
    }
    browse = opens_browser(environ, Secrets([("x", "holds-the-secret")]))
    assert browse("https://issuer.example/authorize?a=b&c=d")
    await until(seen.exists)
    assert "https://issuer.example/authorize?a=b&c=d\n" in seen.read_text()
    assert "sk-123456789" not in seen.read_text()
    assert "holds-the-secret" not in seen.read_text()


def test_without_a_display_or_a_program_no_browser_is_opened() -> None:
    assert not opens_browser({"PATH": os.environ["PATH"]}, Secrets())("https://x.example")
    missing = {"PATH": os.environ["PATH"], "BROWSER": "/no/such/browser"}
    assert not opens_browser(missing, Secrets())("https://x.example")


def test_only_servers_at_an_address_that_have_no_key_are_logged_in_to(realm: Realm) -> None:
    own = realm.row(name="own", headers={"AUTHORIZATION": "Bearer x"})
    inside = realm.row(name="inside", url="https://me:pass@x.example/mcp")
    servers = [realm.row(), own, inside, local("git", "git-mcp")]
    assert wanted_server("far", servers).url == realm.url
    for name, told in {
        "fra": "no MCP server 'fra'; configured: far, own, inside, git",
        "git": "is a program of this machine",
        "own": "let in by its row",
        "inside": "let in by its row",
    }.items():
        with pytest.raises(UsageError, match=told):
            wanted_server(name, servers)
