from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from induscode.errors import (
    Cancelled,
    ConfigError,
    ContextTooLong,
    KeyRefused,
    NetworkFailed,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RequestRejected,
    StreamBroken,
)
from induscode.gateway import ProviderSpec, connect
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Text, Thinking, ToolCall, plain_text
from induscode.kernel.model import Answer, Provider, StopReason
from induscode.kernel.request import Message
from tests.gateway.conversations import Heard, assistant, head, request, result, user

CALL = "[[answer]]\n[[answer.call]]\nname='a'\n"
DOCS = Path(__file__).parents[2] / "docs" / "scripted.md"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "script.toml"


def scripted(file: Path, source: str) -> Provider:
    file.write_text(source)
    return connect(ProviderSpec(provider="scripted", model=str(file), wire="scripted"))


async def ask(
    provider: Provider, *sealed: Message, last: str = "go", heard: Heard | None = None
) -> Answer:
    body = provider.encoder().encode(request(*sealed, head=head("s"), tail=user(last)))
    return await provider.exchange(body, heard or Heard(), CancelToken())


def turns(count: int) -> list[Message]:
    return [message for at in range(count) for message in (user(f"q{at}"), assistant(f"a{at}"))]


async def test_answers_come_in_order_with_calls_thinking_and_usage(file: Path) -> None:
    provider = scripted(
        file,
        """
        [[answer]]
        thinking = "First look."
        text = "I read two files."
        usage = {input = 12, output = 3, cache_read = 2}
        [[answer.call]]
        name = "read"
        arguments = {path = "a.py", limit = 5}
        [[answer.call]]
        name = "read"
        arguments_json = '{"path": "b.py"'

        [[answer]]
        text = "Done."
        """,
    )
    heard = Heard()
    first = await ask(provider, heard=heard)
    assert first.content[:2] == (Thinking("First look."), Text("I read two files."))
    whole, broken = first.content[2:]
    assert isinstance(whole, ToolCall)
    assert isinstance(broken, ToolCall)
    assert whole.decoded() == {"path": "a.py", "limit": 5}
    assert broken.broken == '{"path": "b.py"'
    assert (first.stop, first.usage.input, first.usage.cache_read) == (StopReason.TOOLS, 12, 2)
    assert (heard.sent_count, heard.texts, heard.thoughts) == (
        1,
        ["I read two files."],
        ["First look."],
    )
    second = await ask(provider, *turns(1))
    assert (second.content, second.stop) == ((Text("Done."),), StopReason.END)


async def test_another_process_goes_on_where_the_conversation_is(file: Path) -> None:
    source = '[[answer]]\ntext="one"\nrepeat=2\n[[answer]]\ntext="two"'
    assert plain_text((await ask(scripted(file, source), *turns(2))).content) == "two"
    assert plain_text((await ask(scripted(file, source), *turns(1))).content) == "one"


async def test_a_script_that_is_over_says_which_step_it_lacks(file: Path) -> None:
    with pytest.raises(RequestRejected, match=r"script\.toml has no answer for step 3; add an"):
        await ask(scripted(file, '[[answer]]\ntext="one"\nrepeat=2'), *turns(2))


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("overloaded", Overloaded),
        ("quota", QuotaExceeded),
        ("network", NetworkFailed),
        ("stream", StreamBroken),
        ("context", ContextTooLong),
        ("key", KeyRefused),
    ],
)
async def test_a_failure_is_raised_and_the_next_attempt_goes_on(
    file: Path, word: str, error: type[ProviderError]
) -> None:
    source = f"""
        [[answer]]
        text = "half and half"
        fail = "{word}"
        retry_after = 0.5
        repeat = 2
        [[answer]]
        text = "at last"
    """
    provider = scripted(file, source)
    for _ in range(2):
        heard = Heard()
        with pytest.raises(error) as caught:
            await ask(provider, heard=heard)
        assert type(caught.value) is error
        assert heard.sent_count == 1
        assert caught.value.retry_after == (0.5 if word in {"quota", "overloaded"} else None)
    assert plain_text((await ask(provider)).content) == "at last"


async def test_a_broken_stream_leaves_the_half_that_was_said(file: Path) -> None:
    provider = scripted(file, '[[answer]]\ntext="12345678"\nchunk=2\nfail="stream"')
    heard = Heard()
    with pytest.raises(StreamBroken):
        await ask(provider, heard=heard)
    assert heard.texts == ["12", "34"]
    assert provider.partial is not None
    assert provider.partial.content == (Text("1234"),)
    assert provider.partial.stop is StopReason.PARTIAL


async def test_a_step_may_insist_on_what_was_said_before(file: Path) -> None:
    provider = scripted(file, '[[answer]]\ntext="ok"\nwhen="42 lines"')
    body = provider.encoder().encode(
        request(head=head("s"), tail=user(result("c", "it has 42 lines")))
    )
    assert (await provider.exchange(body, Heard(), CancelToken())).content == (Text("ok"),)
    with pytest.raises(RequestRejected, match="expects '42 lines' at step 1"):
        await ask(provider, last="nothing of the kind")


async def test_a_reaction_answers_out_of_turn(file: Path) -> None:
    provider = scripted(
        file, '[[answer]]\ntext="step"\n[[answer]]\non="summarise"\ntext="a summary"'
    )
    assert (await ask(provider, *turns(3), last="please summarise")).content == (Text("a summary"),)
    assert (await ask(provider)).content == (Text("step"),)


async def test_a_slow_answer_can_be_stopped(file: Path) -> None:
    provider = scripted(file, '[[answer]]\ntext="abcdef"\nchunk=1\ndelay_ms=1')
    cancel = CancelToken()

    class Stopping(Heard):
        def text(self, delta: str) -> None:
            super().text(delta)
            if len(self.texts) == 2:
                asyncio.get_running_loop().call_soon(cancel.cancel)

    body = provider.encoder().encode(request(head=head("s"), tail=user("x")))
    with pytest.raises(Cancelled):
        await provider.exchange(body, Stopping(), cancel)
    assert provider.partial is not None
    assert plain_text(provider.partial.content) in {"ab", "abc"}


@pytest.mark.parametrize(
    ("source", "field", "found"),
    [
        ("[[answer]]\ntext = 7", "answer[0].text", "Expected `str`, got `int`"),
        ("[[answer]]\ntxt = 'x'", "answer[0]", "unknown field `txt`"),
        ("[[answer]]\n[[answer]]\nfail='never'", "answer[1].fail", "Invalid enum value 'never'"),
        ("[[answer]]\n[[answer.call]]\narguments={}", "answer[0].call[0]", "required field `name`"),
        ("[[answer]]\nrepeat=0", "answer[0].repeat", ">= 1"),
        ("[[answer]]\nretry_after=1", "answer[0].retry_after", "without fail"),
        (CALL + "arguments={x=nan}", "call[0].arguments", "finite"),
        (CALL + "arguments={x=1}\narguments_json='{}'", "call[0].arguments", "as well"),
        ("[[answers]]", "file", "unknown field `answers`"),
        ("[[answer]]\ntext = \"open", "file", "not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_named_with_its_place(
    file: Path, source: str, field: str, found: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        scripted(file, source)
    assert str(file) in str(caught.value)
    assert field in caught.value.field
    assert found in str(caught.value)
    assert caught.value.hint


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: file: No such file"):
        connect(
            ProviderSpec(provider="scripted", model=str(tmp_path / "absent.toml"), wire="scripted")
        )


async def test_the_example_in_the_documentation_runs(file: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert example is not None
    provider = scripted(file, example[1])
    first = await ask(provider, last="what is in README.md?")
    assert first.stop is StopReason.TOOLS
    call = first.content[-1]
    assert isinstance(call, ToolCall)
    answered = [user("what is in README.md?"), assistant(*first.content)]
    with pytest.raises(Overloaded):
        await ask(provider, *answered, last="# Hello")
    last = await ask(provider, *answered, last="# Hello")
    assert last.stop is StopReason.END
    summary = await ask(provider, *answered, last="Summarise the conversation so far.")
    assert summary.stop is StopReason.END
