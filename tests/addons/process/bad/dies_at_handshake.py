"""Ends when it is spoken to."""

import os

from speech import heard

next(heard())
os._exit(3)
