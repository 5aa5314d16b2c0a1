"""The person at the terminal is asked by mail, which says when nobody waits any more."""

from __future__ import annotations

import asyncio

import pytest

from induscode.channels.mailedperson import Asked, MailedPerson, ToFill
from induscode.errors import Cancelled
from induscode.kernel.cancel import CancelToken
from induscode.kernel.form import Declined, Form

FORM = Form("1", "the MCP server 'x'", "Who?")


async def test_a_form_that_was_withdrawn_before_it_was_read_is_over() -> None:
    mail: list[Asked | ToFill] = []
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        await MailedPerson(mail.append).fill(FORM, cancel)
    assert all(isinstance(each, ToFill) and each.over() for each in mail)


async def test_a_form_is_over_once_it_is_answered_and_a_second_answer_changes_nothing() -> None:
    mail: list[Asked | ToFill] = []
    filling = asyncio.ensure_future(MailedPerson(mail.append).fill(FORM, CancelToken()))
    await asyncio.sleep(0)
    (posted,) = mail
    assert isinstance(posted, ToFill)
    assert not posted.over()
    await asyncio.to_thread(posted.reply, Declined())
    assert await filling == Declined()
    assert posted.over()
    posted.reply(Declined())
    await asyncio.sleep(0)
