"""Fails with much to say, and what matters last."""

import sys

from speech import introduced

for _ in introduced():
    sys.stderr.write("and then\n" * 500)
    sys.exit("the disk is full")
