"""One issuer and one guarded server of a test, and the person who logs in there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import httpx2

from induscode.boot.mcp.credentials import McpCredentials
from induscode.capability_deck.mcp_config.servers import OAuthClient, RemoteServer, Source
from induscode.interop.oauth.credential import Credential
from induscode.interop.oauth.login import LoggedIn, Visit, login
from induscode.policy.redaction import Secrets

HERE = Path(__file__).parent


@contextmanager
def running(program: str) -> Iterator[int]:
    """A program of this folder, until the end; its port."""
    words = [sys.executable, str(HERE / f"{program}.py")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def asked(address: str, said: dict[str, Any] | None = None) -> Any:
    headers = {"content-type": "application/json"}
    body = None if said is None else json.dumps(said).encode()
    with urlopen(Request(address, body, headers), timeout=10) as answered:
        return json.load(answered)


class Realm:
    """`issuer` and `url` are where they are; the vault is the product's own, in a folder."""

    def __init__(self, name: str, issuer_port: int, guarded_port: int, folder: Path) -> None:
        self.issuer = f"http://127.0.0.1:{issuer_port}/{name}"
        self.place = f"http://127.0.0.1:{guarded_port}/{name}"
        self.url = f"{self.place}/mcp"
        self.folder = folder
        self.vault = McpCredentials(folder)
        self.secrets = Secrets()
        self.visits: list[Visit] = []
        self.pages: list[httpx2.Response] = []
        self.server(issuers=[self.issuer], judge=self.issuer)

    def issues(self, **habits: Any) -> None:
        """From now on the issuer behaves like this."""
        asked(f"{self.issuer}/habits", habits)

    def server(self, **habits: Any) -> None:
        asked(f"{self.place}/habits", habits)

    def end_tokens(self, *, renewal: bool = False) -> None:
        asked(f"{self.issuer}/end", {"renewal": renewal})

    def seen(self, verb: str) -> list[dict[str, Any]]:
        """What the issuer was asked."""
        return [each for each in asked(f"{self.issuer}/seen") if each["verb"] == verb]

    def renewals(self) -> list[dict[str, Any]]:
        return [e for e in self.seen("token") if e["said"]["grant_type"] == "refresh_token"]

    def tokens_sent(self) -> list[str]:
        """To the server, empty for a request without one."""
        return asked(f"{self.place}/seen")

    def row(self, **more: Any) -> RemoteServer:
        source = Source("mcp.json", "mcpServers.far")
        return RemoteServer(
            **{"name": "far", "source": source, "launch": "sha256:x", "url": self.url, **more}
        )

    async def browse(self, visit: Visit) -> None:
        """As a browser does, to the end of all redirects."""
        self.visits.append(visit)
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            self.pages.append(await browser.get(visit.address))

    async def log_in(self, oauth: OAuthClient | None = None, **more: Any) -> LoggedIn:
        row = self.row(oauth=oauth, **more)
        return await login(row, self.vault, self.secrets, self.browse, seconds=20)

    def kept(self) -> Credential | None:
        found = self.vault.issuers(self.url)
        return self.vault.get(found[0], self.url) if found else None

    def must_keep(self) -> Credential:
        found = self.kept()
        assert found is not None
        return found
