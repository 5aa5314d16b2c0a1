"""What an address answered, as a connection that fails remembers it."""

from __future__ import annotations

from induscode.interop.watch import Watch


async def test_a_refusal_outlives_what_follows_until_it_is_taken_back() -> None:
    watch = Watch()
    watch.answered(404)
    watch.answered(401)
    watch.answered(400)
    assert watch.status == 401
    watch.answered(0)
    assert watch.status == 0
    watch.answered(500)
    assert watch.status == 500


async def test_what_one_request_is_answered_is_its_own() -> None:
    watch = Watch()
    with watch.asking() as one:
        watch.answered(403)
        watch.answered(500)
    assert (one.status, watch.status) == (500, 0)
