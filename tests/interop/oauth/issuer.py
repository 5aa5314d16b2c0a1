"""An authorization server, in a process of its own, that forgives nothing.

    python issuer.py

Prints its port. Every first part of a path is an issuer of its own, with its own clients, tokens
and habits: POST /NAME/habits changes how it behaves, GET /NAME/seen tells what was asked of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import sys
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

ORIGIN = "origin"
"""The issuer that has no path: those that ask here before they know of any other meet it."""

ORDERLY: dict[str, Any] = {
    "issuer": None,  # what its metadata calls it
    "well_known": "oauth-authorization-server",
    "methods": ["S256"],
    "auth_methods": None,
    "promises_iss": True,
    "iss": "right",  # or "wrong" or "none"
    "state": "right",  # or "wrong"
    "authorize": "grant",  # or "deny"
    "resources": None,  # the beginnings of addresses that it gives tokens for; None for any
    "lifetime": 3600,
    "token_status": 0,
    "token_hangs": False,
    "token_redirect": "",
    "rotates": True,
    "waits_for": 1,  # refreshes that are answered together, if they come within a second
    "registers": True,
    "documents": False,  # whether it reads pages that say who a client is
    "endpoints": "",  # where its endpoints are, if not here
}


class Issuer:
    def __init__(self) -> None:
        self.habits = dict(ORDERLY)
        self.clients: dict[str, dict[str, Any]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.access: dict[str, dict[str, str]] = {}
        self.refresh: dict[str, dict[str, str]] = {}
        self.spent: dict[str, str] = {}
        self.seen: list[dict[str, Any]] = []
        self.change = threading.Condition()
        self.waiting = 0

    def revoke(self, family: str) -> None:
        for kind in (self.access, self.refresh):
            for token in [each for each, about in kind.items() if about["family"] == family]:
                del kind[token]

    def give(self, about: dict[str, str]) -> dict[str, Any]:
        access, refresh = f"at-{secrets.token_hex(16)}", f"rt-{secrets.token_hex(16)}"
        self.access[access] = about
        self.refresh[refresh] = about
        told = {"access_token": access, "token_type": "bearer", "refresh_token": refresh}
        if self.habits["lifetime"] is not None:
            told["expires_in"] = self.habits["lifetime"]
        return told

    def together(self) -> None:
        with self.change:
            self.waiting += 1
            self.change.notify_all()
            self.change.wait_for(lambda: self.waiting >= self.habits["waits_for"], timeout=1)


ISSUERS: dict[str, Issuer] = defaultdict(Issuer)


class Sent(Exception):
    """The answer is out."""


class Refused(Exception):
    def __init__(self, error: str, status: int = 400) -> None:
        super().__init__(error)
        self.error = error
        self.status = status


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        if self.headers.get("content-type", "").startswith("application/json"):
            self._answer(json.loads(body))
        else:
            self._answer(dict(parse_qsl(body)))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, said: dict[str, Any]) -> None:
        parts = urlsplit(self.path)
        names = [each for each in parts.path.split("/") if each]
        if names[0] == ".well-known":
            name, verb = names[2] if names[2:] else ORIGIN, names[1]
        else:
            name, verb = names[0], "/".join(names[1:])
        self.name, self.issuer = name, ISSUERS[name]
        said = said | dict(parse_qsl(parts.query))
        authorization = self.headers.get("authorization", "")
        if verb not in {"habits", "seen", "check", "end", "client"}:
            self.issuer.seen.append({"verb": verb, "said": said, "authorization": authorization})
        try:
            told = self._do(verb, said)
        except Sent:
            return
        except Refused as refused:
            self._send(refused.status, {"error": refused.error})
        else:
            self._send(200, told)

    def _do(self, verb: str, said: dict[str, Any]) -> Any:
        match verb:
            case "register":
                return self._register(said)
            case "mcp":  # a server of old, which is its own issuer
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                if token not in self.issuer.access:
                    raise Refused("invalid_token", 401)
                return {}
            case "authorize":
                return self._authorize(said)
            case "token":
                return self._token(said)
            case _ if verb == self.issuer.habits["well_known"]:
                return self._metadata()
            case _:
                return self._obey(verb, said)

    def _obey(self, verb: str, said: dict[str, Any]) -> Any:
        """What the test wants."""
        issuer = self.issuer
        match verb:
            case "habits":
                issuer.habits.update(said)
                return {}
            case "seen":
                return issuer.seen
            case "check":
                return issuer.access.get(said["token"])
            case "client":  # that a person registered
                issuer.clients[said["client_id"]] = said
                return {}
            case "end":  # of all that is out, and of the right to renew it if so wanted
                issuer.access.clear()
                if said.get("renewal"):
                    issuer.refresh.clear()
                return {}
            case _:
                raise Refused("not_found", 404)

    @property
    def place(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/{self.name}"

    @property
    def own(self) -> str:
        return self.place.removesuffix(f"/{ORIGIN}")

    def _metadata(self) -> dict[str, Any]:
        habits = self.issuer.habits
        at = habits["endpoints"] or self.place
        told = {
            "issuer": habits["issuer"] or self.own,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "registration_endpoint": f"{at}/register" if habits["registers"] else None,
            "client_id_metadata_document_supported": habits["documents"],
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": habits["methods"],
            "token_endpoint_auth_methods_supported": habits["auth_methods"],
            "authorization_response_iss_parameter_supported": habits["promises_iss"],
        }
        return {key: value for key, value in told.items() if value is not None}

    def _register(self, said: dict[str, Any]) -> dict[str, Any]:
        client = f"client-{secrets.token_hex(8)}"
        self.issuer.clients[client] = said
        return {**said, "client_id": client, "token_endpoint_auth_method": "none"}

    def _authorize(self, said: dict[str, str]) -> dict[str, Any]:
        habits = self.issuer.habits
        client = self.issuer.clients.get(said.get("client_id", ""))
        if client is None or said.get("redirect_uri") not in client["redirect_uris"]:
            raise Refused("invalid_request")
        back = {"state": said["state"] if habits["state"] == "right" else "of-another-login"}
        if habits["iss"] != "none":
            back["iss"] = self.own if habits["iss"] == "right" else "http://127.0.0.1:1/other"
        proper = said.get("response_type") == "code" and said.get("code_challenge_method") == "S256"
        if habits["authorize"] == "deny" or not proper:
            back |= {"error": "access_denied", "error_description": "the person said no"}
        elif not self._serves(said.get("resource", "")):
            back |= {"error": "invalid_target"}
        else:
            code = f"code-{secrets.token_hex(16)}"
            self.issuer.codes[code] = said
            back["code"] = code
        self._redirect(f"{said['redirect_uri']}?{urlencode(back)}")
        return {}

    def _token(self, said: dict[str, str]) -> dict[str, Any]:
        issuer, habits = self.issuer, self.issuer.habits
        if habits["token_redirect"]:
            self._redirect(habits["token_redirect"], 307)
        if habits["token_hangs"]:
            threading.Event().wait()
        if habits["token_status"]:
            raise Refused("temporarily_unavailable", habits["token_status"])
        self._client(said)
        if said.get("grant_type") == "authorization_code":
            return self._exchange(said)
        token = said.get("refresh_token", "")
        issuer.together()
        with issuer.change:
            if token in issuer.spent:
                issuer.revoke(issuer.spent[token])
                raise Refused("invalid_grant")
            about = issuer.refresh.get(token)
            if about is None or about["client"] != said["client_id"]:
                raise Refused("invalid_grant")
            if said.get("resource") != about["resource"]:
                raise Refused("invalid_target")
            if not habits["rotates"]:
                given = issuer.give(about)
                return {key: value for key, value in given.items() if key != "refresh_token"}
            del issuer.refresh[token]
            issuer.spent[token] = about["family"]
            return issuer.give(about)

    def _exchange(self, said: dict[str, str]) -> dict[str, Any]:
        granted = self.issuer.codes.pop(said.get("code", ""), None)
        if granted is None or granted["client_id"] != said["client_id"]:
            raise Refused("invalid_grant")
        digest = hashlib.sha256(said.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if challenge != granted["code_challenge"]:
            raise Refused("invalid_grant")
        if said.get("redirect_uri") != granted["redirect_uri"]:
            raise Refused("invalid_grant")
        if said.get("resource") != granted.get("resource"):
            raise Refused("invalid_target")
        about = {
            "client": said["client_id"],
            "resource": granted["resource"],
            "family": secrets.token_hex(8),
            "scope": granted.get("scope", ""),
        }
        return self.issuer.give(about)

    def _client(self, said: dict[str, str]) -> None:
        """A client that a person registered proves who it is by its secret."""
        client = self.issuer.clients.get(said.get("client_id", ""))
        if client is None:
            raise Refused("invalid_client", 401)
        if secret := client.get("client_secret"):
            methods = self.issuer.habits["auth_methods"] or ["client_secret_basic"]
            both = f"{quote(said['client_id'], safe='')}:{quote(secret, safe='')}"
            header = f"Basic {base64.b64encode(both.encode()).decode()}"
            by_header = header == self.headers.get("authorization")
            by_form = secret == said.get("client_secret")
            if not (by_header if "client_secret_basic" in methods else by_form):
                raise Refused("invalid_client", 401)

    def _serves(self, resource: str) -> bool:
        allowed = self.issuer.habits["resources"]
        return allowed is None or any(resource.startswith(each) for each in allowed)

    def _redirect(self, place: str, status: int = 302) -> None:
        self.send_response(status)
        self.send_header("location", place)
        self.send_header("content-length", "0")
        self.end_headers()
        raise Sent

    def _send(self, status: int, told: Any) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A browser that leaves is no news."""


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()
