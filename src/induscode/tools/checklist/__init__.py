"""The checklist of a conversation: what was set last, as the log tells it."""
