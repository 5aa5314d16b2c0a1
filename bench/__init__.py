"""`make bench`: what the product costs, as ratios against floors measured in the same run.

The floor of an exchange is a minimal script on httpx2 (`floor.py`) that does the same HTTP exchange
and nothing else: no log, no permission, no replay. Runs of both are interleaved and the minimum of
each is compared, with the environment's own interpreter.
"""
