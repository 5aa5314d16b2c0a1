"""Whose certificates are trusted: the system's, or what the usual variables name instead.

SSL_CERT_FILE and SSL_CERT_DIR come first and together, then REQUESTS_CA_BUNDLE, then
CURL_CA_BUNDLE; these two may name a file or a directory. What is named replaces the system's.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Mapping
from functools import lru_cache
from os import pathsep
from pathlib import Path

from induscode.errors import ConfigError

__all__ = ["trust"]

_PAIR = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+\Z")

Named = tuple[tuple[str, str], ...]
"""Variables and their values."""


def trust(environ: Mapping[str, str]) -> ssl.SSLContext:
    """What the variables name is read at once, so that it fails where a person can be told. Raises
    `ConfigError`."""
    return _context(_named(environ))


def _named(environ: Mapping[str, str]) -> Named:
    for group in (_PAIR, *((one,) for one in _BUNDLES)):
        found = tuple((name, value) for name in group if (value := environ.get(name, "").strip()))
        if found:
            return found
    return ()


@lru_cache(maxsize=8)
def _context(named: Named) -> ssl.SSLContext:
    if not named:
        return ssl.create_default_context()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for variable, value in named:
        if variable == "SSL_CERT_DIR":
            _trust_directories(context, variable, map(Path, value.split(pathsep)))
        elif Path(value).is_dir() and variable in _BUNDLES:
            _trust_directories(context, variable, [Path(value)])
        else:
            _trust_file(context, variable, Path(value))
    return context


def _trust_file(context: ssl.SSLContext, variable: str, file: Path) -> None:
    try:
        context.load_verify_locations(cafile=file)
    except ssl.SSLError:
        raise _bad(variable, f"{file} holds no certificate that can be read") from None
    except OSError as error:
        raise _bad(variable, f"{file}: {error.strerror or 'it cannot be read'}") from None


def _trust_directories(context: ssl.SSLContext, variable: str, directories: Iterable[Path]) -> None:
    """Directories as OpenSSL has them (names are hashes, read when needed), or with any files."""
    usable = 0
    listed = list(directories)
    for directory in listed:
        try:
            files = sorted(directory.iterdir())
        except OSError:
            continue  # one of several need not exist
        if any(_HASHED.match(file.name) for file in files):
            context.load_verify_locations(capath=directory)
            usable += 1
        else:
            usable += sum(_holds_certificates(context, file) for file in files)
    if not usable:
        raise _bad(variable, f"no certificate in {', '.join(map(str, listed))}")


def _holds_certificates(context: ssl.SSLContext, file: Path) -> bool:
    try:
        context.load_verify_locations(cafile=file)
    except OSError:  # not a certificate, which a directory may well contain
        return False
    return True


def _bad(variable: str, found: str) -> ConfigError:
    return ConfigError(
        "environment",
        field=variable,
        found=found,
        hint="name a file of certificates in PEM form, or unset it",
    )
