"""Tests that hurt: `indus` as a real process, killed and starved while it works.

`python -m tests.torture kills --count 1000 --seed 1` kills it at random moments of a session of
twenty turns and at every system call that touches the disk of a session of three;
`python -m tests.torture faults` makes each of these calls fail instead; `all` does both. The short
versions run with the test suite.

Start reading at `scenario.py` (what is played), then `audit.py` (what must hold whatever happened);
`kills.py` and `faults.py` only decide what goes wrong when.
"""
