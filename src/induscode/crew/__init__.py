"""What a session does together with others: work items, and delegates that it sends.

Nothing here holds more of the host than it was granted or handed. May import: errors, kernel,
policy, session, feature, capability_deck. Must not: start processes, or run a session.
"""
