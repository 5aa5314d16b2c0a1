"""Run one command and print what it cost as JSON. Executed in a process of its own.

A child's peak memory includes that of the process it was forked from, so the measuring process must
be smaller than what it measures: this one imports next to nothing.
"""

import os
import sys
import time

started = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - started
cpu = usage.ru_utime + usage.ru_stime
print(f"\n[{wall}, {cpu}, {usage.ru_maxrss / 1024}]", file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
