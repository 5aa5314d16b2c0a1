"""A feature chooses another model: an entry first, then from the next turn on; all are closed."""

from __future__ import annotations

import msgspec

from induscode.conductor.ports import ModelSetting
from induscode.kernel.content import Text
from induscode.session.entries import Hook, ModelChoice
from tests.conductor.rig import Model, Rig, bounded, say


class Closing(Model):
    closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_each_model_that_was_chosen_is_closed_once_with_the_session(rig: Rig) -> None:
    first, second = Closing(say("first")), Closing(say("second"))
    conductor = rig.open(first)
    await bounded(conductor.submit([Text("a")]))

    def harder(now: ModelSetting) -> ModelSetting:
        parameters = msgspec.structs.replace(now.parameters, thinking="high")
        return msgspec.structs.replace(now, parameters=parameters)

    other = rig.setting(second, "m-2")
    await conductor.choose(lambda _: other, "set-model", "p/m-2", by="user:x")
    await conductor.choose(harder, "set-thinking", "high", by="user:x")
    assert conductor.setting.model != "m-2"
    assert (await bounded(conductor.submit([Text("b")]))).text == "second"
    assert conductor.setting.parameters.thinking == "high"
    await conductor.close()
    rig.conductor = None

    assert (first.closed, second.closed) == (1, 1)
    assert [(hook.point, hook.reason, hook.by) for hook in rig.entries(Hook)] == [
        ("set-model", "p/m-2", "user:x"),
        ("set-thinking", "high", "user:x"),
    ]
    assert rig.entries(ModelChoice)[-1].reason == "set by user:x"
    assert rig.replay().passed
