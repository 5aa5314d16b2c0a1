"""Where a provider listens."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct

from induscode.errors import ConfigError

__all__ = ["Endpoint"]

_PORTS = {"http": 80, "https": 443}


class Endpoint(Struct, frozen=True):
    """`path` begins with a slash."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def where(self) -> str:
        """How messages name it: never more than host and port."""
        return f"{self.host}:{self.port}"

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @classmethod
    def parse(cls, base_url: str, path: str) -> Endpoint:
        """`path` is appended to the URL's own. Raises `ConfigError` for what is not a URL."""
        try:
            parts = urlsplit(base_url.strip())
            host, port = parts.hostname, parts.port
        except ValueError:
            raise _not_a_url() from None
        if parts.scheme not in _PORTS or not host:
            raise _not_a_url()
        whole = parts.path.rstrip("/") + path
        return cls(parts.scheme, host, port or _PORTS[parts.scheme], whole)


def _not_a_url() -> ConfigError:
    # The address itself is not repeated: it may hold a password.
    return ConfigError(
        "provider",
        field="base_url",
        found="not an http or https address",
        hint="write it like https://api.example.com",
    )
