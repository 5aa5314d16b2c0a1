"""Connectors: operations of services, as OpenAPI documents describe them, called for the user.

`settings.py` is what a user configures, and light; `gateway.py` is the port behind `saas-action`
and is loaded by its first call. On the way: a document is read (`document.py`), its operations are
found (`reading.py`), a call is checked (`schemas.py`), spelled (`styles.py`, `sending.py`),
given its credential (`credentials.py`) and sent (`http.py`); `answers.py` says what came of it.

May import: errors, kernel, policy, gateway (lines, routes and TLS), tools, the deck's contract.
Must not: send a credential anywhere but to the origin that the user wrote down (`servers.py`),
follow a `$ref` out of its document, or show a credential to anybody.
"""
