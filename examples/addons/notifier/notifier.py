"""A task: tells the person where the branch is, and when it moves."""

from indus_addon import Addon, Call

addon = Addon("notifier", "1.0.0", "Tells when the branch moves.")
addon.needs("scoped-fs(execute)", "to ask git where the branch is", required=True)
addon.needs("emit-alert", "to tell you", required=True)


@addon.task("watch", "looks at the branch every five minutes", restarts=1)
def watch(call: Call) -> None:
    seen = None
    while not call.cancelled:
        now = call.host.exec("git rev-parse HEAD")["stdout"].strip()
        if now != seen:
            call.host.notify(f"the branch is at {now[:12]}")
        seen = now
        call.wait(300)


addon.run()
