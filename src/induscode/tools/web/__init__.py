"""`webfetch` and `websearch`: what the web says, as data.

An address is read once, by `address.py`, for the gate (`subject.py`) and for the request alike, so
that the host that was approved is the host that is asked. `way.py` decides how it is reached:
every address that a name stands for is judged (`judging.py`, `allowing.py`), and the connection
goes to one of those, never to a second answer of the name service. `getting.py` is one HTTP
request, `reading.py` makes text of the answer; HTML is read, and DuckDuckGo asked, in a process of
its own (`aside.py`, `worker.py`) that can be ended.

May import: errors, kernel, policy, gateway, version. Must not: keep cookies, send what the caller
did not name, or follow a redirect to another host than the one that was approved.
"""
