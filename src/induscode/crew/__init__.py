"""What a session does together with others: work items now.

Everything here is a feature and holds nothing of the host but what it was granted. May import:
errors, kernel, feature. Must not: open files, start processes or know a session.
"""
