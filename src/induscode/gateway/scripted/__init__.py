"""A provider that answers from a file: for demos, tests and trying things without a key.

May import: gateway.neutral, gateway.calls, kernel, errors. Must not: touch the network, or decide
from anything but the request which answer comes next (docs/scripted.md has the format).
"""
