"""An addon with a gate at every event. Three can stop something; the others say so in vain."""

from indus_addon import Addon

addon = Addon("gatekeeper", "1.0.0")
MARKS = {"input:submit": "stopword", "tool:before": "forbidden"}
EVENTS = (
    *("session:start", "session:end", "turn:start", "turn:end", "tool:before", "tool:after"),
    *("chat:params", "chat:message", "shell:env", "input:submit", "context:build"),
    "compact:build",
)
objected = []


def guard(event):
    @addon.on(event, gate=True)
    def judge(payload):
        return f"no {event} here" if MARKS.get(event, "") in str(payload) else None


@addon.on("compact:before", gate=True)
def once(payload):
    """Objects the first time only."""
    objected.append(payload)
    return "no compact:before here" if len(objected) == 1 else None


for name in EVENTS:
    guard(name)
addon.run()
