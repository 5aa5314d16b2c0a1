"""One decision to stop, seen by everything it was handed to."""

import asyncio

import pytest

from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken

BOUND = 5


def test_cancelling_twice_is_cancelling_once_with_the_first_reason():
    token, heard = CancelToken(), []
    token.on_cancel(lambda: heard.append(token.reason))
    assert not token.cancelled
    token.check()
    token.cancel("first")
    token.cancel("second")
    assert (token.cancelled, token.reason, heard) == (True, "first", ["first"])
    with pytest.raises(Cancelled, match="first"):
        token.check()


def test_a_child_is_cancelled_with_its_parent_and_not_the_other_way_round():
    parent = CancelToken()
    child, other = CancelToken(parent), CancelToken(parent)
    grandchild = CancelToken(child)
    child.cancel("only this one")
    assert (parent.cancelled, other.cancelled) == (False, False)
    assert grandchild.reason == "only this one"
    parent.cancel("all")
    assert (other.reason, child.reason) == ("all", "only this one")
    assert CancelToken(parent).reason == "all", "born cancelled"


def test_a_listener_can_be_taken_off_and_one_that_comes_late_hears_at_once():
    token, heard = CancelToken(), []
    remove = token.on_cancel(lambda: heard.append("removed"))
    token.on_cancel(lambda: heard.append("kept"))
    remove()
    remove()
    token.cancel()
    token.on_cancel(lambda: heard.append("late"))
    assert heard == ["kept", "late"]


async def test_work_that_ends_gives_its_value_and_leaves_no_listener():
    token = CancelToken()

    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert await token.run(work()) == 7
    assert token._listeners == {}
    token.cancel()


async def test_work_is_stopped_as_soon_as_the_token_is_cancelled():
    token, started, ended = CancelToken(), asyncio.Event(), []

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    async def stop() -> None:
        await started.wait()
        token.cancel("enough")

    async with asyncio.timeout(BOUND) as bound:
        stopper = asyncio.create_task(stop())
        with pytest.raises(Cancelled, match="enough"):
            await token.run(work())
        await stopper
    assert ended == ["cleaned up"]
    assert not bound.expired(), "stopped by the bound and not by the token"


async def test_work_is_not_begun_under_a_token_that_is_already_cancelled():
    token, begun = CancelToken(), []

    async def work() -> None:
        begun.append(1)

    token.cancel()
    with pytest.raises(Cancelled):
        await token.run(work())
    assert begun == []


async def test_a_failure_of_the_work_comes_through_as_it_is():
    async def work() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await CancelToken().run(work())


async def test_cancelling_the_task_around_it_is_no_decision_of_the_user():
    token, started, ended = CancelToken(), asyncio.Event(), []

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)

    task = asyncio.create_task(token.run(work()))
    async with asyncio.timeout(BOUND):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (ended, token.cancelled) == ([1], False)
