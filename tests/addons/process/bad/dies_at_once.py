"""Ends before it reads anything."""

import sys

sys.exit("nothing to do here")
