"""Ends in the middle of a call."""

import sys

from speech import introduced

for _ in introduced():
    sys.stderr.write("the disk is gone\n")
    sys.exit(7)
