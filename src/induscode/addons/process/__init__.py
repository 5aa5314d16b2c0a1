"""Tier 1: addons that are programs, spoken to in JSON-RPC 2.0 over their standard streams.

Start reading at `addon.py` (the runtime), then `peer.py` (calls and answers), `started.py` and
`launch.py` (how a program begins, and behind which walls), `loader.py` (how a path becomes one).
`workshop.py` runs the programs of manifests, which speak no protocol, behind the same walls.
docs/addon-protocol.md is what an author reads. May import: errors, kernel, policy, tools, feature,
and of the addons the contract. Must not: believe anything an addon says before it was decoded, wait
for one without a bound, or decide what its silence means (the dispatcher does).
"""
