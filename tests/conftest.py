"""Programs that tests start can be interrupted, also where the tests themselves run in the
background: a shell starts those with SIGINT ignored, and what is ignored is inherited."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
