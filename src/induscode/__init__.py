"""induscode: a coding agent for the terminal whose whole state is an append-only log.

Importing this package imports nothing else: `indus --version` and programs that only want one
part must not pay for the house. Start reading at `kernel/`, then `session/`, then `conductor/`;
`boot/` is where the parts meet.
"""

from induscode.version import VERSION as __version__

__all__ = ["__version__"]
