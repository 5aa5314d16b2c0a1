"""What a program still says when nobody hears it any more."""

from __future__ import annotations

import pytest
from msgspec import Raw

from induscode.addons.acting import HostCalls, LogLevel
from induscode.addons.process.host_calls import heard
from induscode.errors import HandleClosed


@pytest.mark.parametrize("params", [b'{"text": "x"}', b"[]", b"null"])
def test_a_word_that_comes_too_late_or_is_none_is_passed_over(params: bytes) -> None:
    def closed(level: LogLevel, text: str) -> None:
        raise HandleClosed(f"{level}: {text}")

    heard(HostCalls(log=closed), "log", Raw(params))
