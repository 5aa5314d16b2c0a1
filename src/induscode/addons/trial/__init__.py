"""What an addon makes of a session: tried out against samples or a recorded log, never a model.

Start reading at `report.py` (what is told), then `occasions.py` (what an addon can be asked),
`recorded.py` (the occasions of a log), `walking.py` (an addon's way through them), `asked.py` (one
question), `running.py` (two runs, one report). Must not: change a log; let an addon do anything but
answer; put a time or an id of its own into a report.
"""
