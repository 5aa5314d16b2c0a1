"""A task: tells the person when the branch has new commits. Needs `exec` and `notify`."""

from indus_addon import Addon, Call

addon = Addon("notifier", "1.0.0")


@addon.task("watch", "looks at the branch every five minutes")
def watch(call: Call) -> None:
    seen = None
    while not call.cancelled:
        now = call.host.exec("git rev-parse @{upstream}")["stdout"].strip()
        if seen is not None and now != seen:
            call.host.notify(f"the branch moved to {now[:12]}")
        seen = now
        call.wait(300)


addon.run()
