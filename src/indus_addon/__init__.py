"""Write an addon for `indus` in Python, in ten lines.

    from indus_addon import Addon

    addon = Addon("guard")

    @addon.on("tool:before", gate=True)
    def no_force(payload):
        if "--force" in str(payload["args"]):
            return "not with --force"

    addon.run()

Standard library only, and nothing of `induscode`: the two meet at docs/addon-protocol.md.
"""

from __future__ import annotations

from indus_addon.addon import Addon
from indus_addon.call import Call, Host
from indus_addon.wire import HostRefused

__all__ = ["Addon", "Call", "Host", "HostRefused"]
