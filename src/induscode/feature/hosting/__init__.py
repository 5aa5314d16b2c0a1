"""The host's side of the feature API: what stands behind the leases that features hold.

Features never import this; `boot` does, and the conductor runs what it hands out.
"""
