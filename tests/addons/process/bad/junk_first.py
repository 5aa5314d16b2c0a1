"""Greets on standard output."""

from speech import introduced, say

say("Welcome!\n")
list(introduced())
