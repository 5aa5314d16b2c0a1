"""A gate: no force push, whoever asks for it."""

from indus_addon import Addon

addon = Addon("safety", "1.0.0")


@addon.on("tool:before", gate=True)
def no_force(payload: dict) -> str | None:
    if payload["name"] == "bash" and "push --force" in payload["args"].get("command", ""):
        return "no force push from here"
    return None


addon.run()
