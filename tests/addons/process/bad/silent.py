"""Never answers the handshake."""

from speech import heard

for _ in heard():
    pass
