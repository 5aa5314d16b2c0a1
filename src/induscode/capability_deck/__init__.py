"""The deck: one catalog of tools, profiles over it, and one assembler (seeds 001 and 002)."""
