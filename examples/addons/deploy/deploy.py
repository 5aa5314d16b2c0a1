"""A command: runs the project's deploy script, and says what came of it."""

import shlex

from indus_addon import Addon, Call

addon = Addon("deploy", "1.0.0", "Deploys this project by its own script.")
addon.needs("scoped-fs(execute)", "to run scripts/deploy.sh", required=True)


@addon.command("deploy", "run scripts/deploy.sh with the place you name")
def deploy(args: str, call: Call) -> str:
    place = shlex.quote(args.strip() or "staging")
    ran = call.host.exec(f"./scripts/deploy.sh {place}")
    if ran["code"] != 0:
        return f"The deploy failed with exit code {ran['code']}.\n{ran['stderr']}"
    return ran["stdout"].rstrip()


addon.run()
