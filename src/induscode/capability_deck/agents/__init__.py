"""Profiles of sub-agents: what one is (`profile.py`), and its file (`files.py`).

May import: errors, policy. Must not: send an agent, or ask whether a workspace is trusted.
"""
