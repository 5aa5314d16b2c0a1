"""An addon that stands around one tool of a server: other arguments go in, another result out."""

from indus_addon import Addon

addon = Addon("rewriter", "1.0.0")


@addon.enter("srv__a")
def enter(call):
    return {**call["args"], "x": "rewritten"}


@addon.exit("srv__a")
def leave(call):
    return f"seen: {call['result']['content'][0]['text']}"


addon.run()
