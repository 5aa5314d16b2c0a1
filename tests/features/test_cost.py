"""Features that have nothing to say about a call cost it nothing."""

from __future__ import annotations

import time
from typing import Any

from induscode.conductor.decisions import Decisions
from induscode.conductor.feature_hooks import hooks_of
from induscode.conductor.hooks import NO_HOOKS, Hooks
from induscode.conductor.tool_hooks import Ended, Entered, ToolHooks
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hook import HookDeclaration
from induscode.feature.hook_views import Continue
from induscode.feature.points import HookPoint
from induscode.feature.registry import FeatureInstallContext
from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import ToolResult
from induscode.policy.redaction import Secrets
from tests.features.hosting import TestHost, package

MICROSECONDS = 1e6
MOST = 100
ROUNDS = 2_000


class Picky:
    """Ten hooks, all about a tool that nobody calls."""

    def __init__(self, name: str) -> None:
        self._name = name

    def descriptor(self) -> FeatureDescriptor:
        builder = FeatureDescriptor.builder(FeatureId.builtin(self._name))
        for number in range(5):
            for point in (HookPoint.PRE_TOOL_CALL, HookPoint.POST_TOOL_CALL):
                builder.hook(HookDeclaration(f"{point}-{number}", point, tools=("nothing",)))
        return builder.build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for number in range(5):
            ctx.hooks.pre_tool_call(f"{HookPoint.PRE_TOOL_CALL}-{number}", self)
            ctx.hooks.post_tool_call(f"{HookPoint.POST_TOOL_CALL}-{number}", self)

    async def on_pre_tool_call(self, event: object) -> Continue:
        raise AssertionError(event)

    async def on_post_tool_call(self, event: object) -> Continue:
        raise AssertionError(event)


async def test_a_thousand_hooks_that_do_not_match_cost_less_than_100_microseconds() -> None:
    registry = TestHost().registry(*(package(Picky(f"f{number}")) for number in range(100)))
    hooks = hooks_of(registry)
    assert len(hooks.tool) == 1_000

    async def cost(some: Hooks) -> float:
        around = ToolHooks(some, _unused(), Secrets())
        ended, cancel = Ended(ToolResult.text(""), "x"), CancelToken()
        best = float("inf")
        for _ in range(5):
            start = time.process_time()
            for number in range(ROUNDS):
                entered = await around.enter(f"c/{number}", "read", {}, cancel)
                assert isinstance(entered, Entered)
                await around.exit(f"c/{number}", "read", {}, ended, cancel)
            best = min(best, (time.process_time() - start) / ROUNDS)
        return best * MICROSECONDS

    assert await cost(hooks) - await cost(NO_HOOKS) < MOST


def _unused() -> Any:
    return Decisions.__new__(Decisions)
