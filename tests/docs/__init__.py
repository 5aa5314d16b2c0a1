"""The pages a stranger reads first, executed."""
