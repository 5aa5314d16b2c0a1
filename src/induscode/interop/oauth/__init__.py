"""Logins at servers: OAuth 2.1 by the official SDK, and what it leaves to its host around it.

`login.py` is the way of a person through a browser; `bearer.py` puts what came of it on the
requests of a session and renews it silently. `credential.py` says what is kept, and by whom.
May import: what `interop` may. Must not: open a browser in a session, or send what one issuer gave
for one server to anybody else.
"""
