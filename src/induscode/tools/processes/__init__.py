"""Commands as processes: started, watched, and ended with everything that came of them.

`keeper.py` is a program of its own, beside each session: it starts the commands and adopts whatever
they leave behind, so that nothing escapes by changing its group, its session or its parent.
`line.py` is our end of it, `spawned.py` a command that runs beside the conversation. The tool
`process` and the card `bg-process` keep a `table.py` each.

May import: errors, kernel, policy, and the limits and wrappers of tools. Must not: decide which
command may run.
"""
