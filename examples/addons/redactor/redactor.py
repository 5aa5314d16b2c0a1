"""An interceptor: what looks like an AWS key never reaches the model."""

import json
import re

from indus_addon import Addon

KEY = re.compile(r"\b(AKIA|ASIA)[A-Z0-9]{16}\b")
addon = Addon("redactor", "1.0.0")


@addon.exit()
def redact(context: dict) -> dict | None:
    text = json.dumps(context["result"])
    return json.loads(KEY.sub("[an AWS key]", text)) if KEY.search(text) else None


addon.run()
