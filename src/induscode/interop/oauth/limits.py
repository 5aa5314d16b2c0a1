"""Every bound on logins, by name."""

from __future__ import annotations

__all__ = [
    "ANSWER_BYTES",
    "CONNECT_SECONDS",
    "LIFETIME_MOST",
    "LOCK_SECONDS",
    "LOGIN_SECONDS",
    "READ_SECONDS",
    "RENEWAL_SECONDS",
    "SETTLE_SECONDS",
    "SLACK_SECONDS",
    "VISIT_BYTES",
    "VISIT_SECONDS",
]

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0
ANSWER_BYTES = 1024 * 1024
"""Of what an issuer answers."""

LOGIN_SECONDS = 300.0
"""For a person to find their way through a browser."""

RENEWAL_SECONDS = 20.0
"""For all that is asked of a server and its issuer to renew a login."""

LOCK_SECONDS = 25.0
"""For another process to renew the same login."""

SETTLE_SECONDS = 5.0
"""At the end of a connection, for a renewal that is under way: what was spent must be kept."""

SLACK_SECONDS = 30
"""A token is renewed so much before its end, or a tenth of its life where that is less."""

LIFETIME_MOST = 10 * 365 * 24 * 3600
"""What an issuer may promise of a token."""

VISIT_BYTES = 32 * 1024
VISIT_SECONDS = 10.0
"""Of what a browser says when it comes back."""
