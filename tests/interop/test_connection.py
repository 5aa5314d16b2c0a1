"""One server: how it is started, spoken to, asked by, and what becomes of its failures."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from induscode.capability_deck.mcp_config.servers import StdioServer, Transport
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Asked, Reply
from induscode.kernel.content import Text
from tests.interop.harbour import Harbour, free_port, local, odd, raw, remote, said, until


async def opened(harbour: Harbour, server, **more) -> Connection:
    made = Connection(server, harbour.ground(**more), lambda _: None)
    await made.open()
    return made


async def failed(harbour: Harbour, server, **more) -> ServerFault:
    with pytest.raises(ServerFault) as caught:
        await opened(harbour, server, **more)
    assert caught.value.server == server.name
    return caught.value


async def test_both_eras_of_the_protocol_are_agreed_on(harbour: Harbour) -> None:
    new, old = await asyncio.gather(opened(harbour, odd()), opened(harbour, raw("plain")))
    assert (new.protocol, old.protocol) == ("2026-07-28", "2025-11-25")
    await asyncio.gather(new.close(), old.close())


async def test_prompts_and_resources_are_listed_and_read(harbour: Harbour) -> None:
    made = await opened(harbour, odd())
    assert [each.name for each in await made.prompts()] == ["review"]
    assert [each.uri for each in await made.resources()] == ["odd://notes"]
    assert await made.prompt("review", {"code": "x = 1"}) == (Text("Please review: x = 1"),)
    (notes,) = await made.read("odd://notes")
    assert isinstance(notes, Text)
    assert notes.text.endswith("some notes")
    with pytest.raises(ServerFault) as caught:
        await made.read("odd://nothing")
    assert caught.value.kind is ServerFaultKind.FAILED
    await made.close()


async def test_lists_are_read_page_by_page_but_not_for_ever(harbour: Harbour) -> None:
    paged, endless = await asyncio.gather(
        opened(harbour, raw("paged")), opened(harbour, raw("endless"))
    )
    assert [each.name for each in await paged.tools()] == ["ping", "pong"]
    with pytest.raises(ServerFault) as caught:
        await endless.tools()
    assert caught.value.kind is ServerFaultKind.TOO_MANY
    await asyncio.gather(paged.close(), endless.close())


async def test_a_child_sees_its_own_variables_and_no_secret_of_ours(
    harbour: Harbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "a-secret-of-ours")
    monkeypatch.setenv("UNLISTED", "x")
    made = await opened(harbour, odd(env={"OWN_TOKEN": "token-of-the-row"}))
    seen = {
        name: said(await made.call("variable", {"name": name}))
        for name in ("SOME_API_KEY", "UNLISTED", "OWN_TOKEN", "HOME")
    }
    assert seen == {
        "SOME_API_KEY": "(unset)",
        "UNLISTED": "(unset)",
        "OWN_TOKEN": "token-of-the-row",
        "HOME": os.environ["HOME"],
    }
    await made.close()


async def test_stderr_is_kept_without_secrets_and_bounded(harbour: Harbour) -> None:
    made = await opened(harbour, odd(env={"OWN_TOKEN": "token-of-the-row"}), stderr_bytes=1000)
    for text in ("x" * 900, "y" * 900, " my token-of-the-row."):
        await made.call("complain", {"text": text})
    await until(lambda: "redacted" in made.said())
    assert "token-of-the-row" not in made.said()
    assert len(made.said()) <= 1000
    await made.close()


@pytest.mark.parametrize(
    ("server", "kind", "words"),
    [
        (local("none", "no-such-program"), ServerFaultKind.NOT_STARTED, "no-such-program"),
        (local("ends", "/bin/sh", "-c", "echo why >&2; exit 3"), ServerFaultKind.LOST, "why"),
        (local("ends", "/bin/sh", "-c", "exit 3"), ServerFaultKind.LOST, "exit code 3"),
        (raw("silent", startup_seconds=0.3), ServerFaultKind.NO_HANDSHAKE, "startup_timeout_sec"),
        (raw("endless-line"), ServerFaultKind.FRAME_TOO_LONG, "too long"),
        (remote("http://127.0.0.1:9/mcp"), ServerFaultKind.NOT_REACHED, "reached"),
        (remote("http://127.0.0.1:9/", Transport.SSE), ServerFaultKind.NOT_REACHED, "reached"),
    ],
    ids=["no program", "stderr", "exit code", "silent", "endless line", "http", "sse"],
)
async def test_a_server_that_does_not_come_up_is_a_fault_that_says_why(
    harbour: Harbour, server, kind: ServerFaultKind, words: str
) -> None:
    fault = await failed(harbour, server, frame_bytes=100_000)
    assert fault.kind is kind
    assert words in str(fault)


async def test_a_folder_that_is_not_there_is_a_fault(harbour: Harbour) -> None:
    fault = await failed(harbour, raw("plain", cwd="nowhere"))
    assert fault.kind is ServerFaultKind.NOT_STARTED


async def test_an_unknown_version_of_the_protocol_is_a_fault(harbour: Harbour) -> None:
    fault = await failed(harbour, raw("old"))
    assert "1999-01-01" in str(fault)


async def test_what_is_no_message_is_passed_over(harbour: Harbour) -> None:
    made = await opened(harbour, raw("greeting"))
    assert said(await made.call("ping", {})) == "pong"
    await made.close()


async def test_a_hundred_thousand_malformed_lines_crash_nothing(harbour: Harbour) -> None:
    made = await opened(harbour, raw("malformed"))
    assert said(await made.call("ping", {})) == "pong"
    await made.close()


async def test_a_server_that_does_not_read_holds_nobody(harbour: Harbour) -> None:
    made = await opened(harbour, raw("deaf", call_seconds=0.3), close_seconds=0.2)
    for _ in range(2):
        with pytest.raises(ServerFault) as caught:
            await made.call("ping", {"much": "x" * 1_000_000})
        assert caught.value.kind is ServerFaultKind.OUT_OF_TIME
    await made.close()


async def test_an_answer_of_the_wrong_shape_is_a_fault_of_that_call(harbour: Harbour) -> None:
    made = await opened(harbour, raw("misshapen"))
    with pytest.raises(ServerFault) as caught:
        await made.call("ping", {})
    assert caught.value.kind is ServerFaultKind.BAD_ANSWER
    assert len(await made.tools()) == 1
    await made.close()


async def test_a_call_past_its_deadline_is_cancelled_at_the_server(
    harbour: Harbour, tmp_path: Path
) -> None:
    made = await opened(harbour, odd(call_seconds=0.5))
    with pytest.raises(ServerFault) as caught:
        await made.call("slow", {"mark": str(tmp_path / "mark")})
    assert caught.value.kind is ServerFaultKind.OUT_OF_TIME
    await until(lambda: (tmp_path / "mark").read_text() == "cancelled")
    assert said(await made.call("echo", {"text": "still here"})) == "still here"
    await made.close()


ELICIT = {
    "method": "elicitation/create",
    "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
}


async def asked_back(harbour: Harbour, question: dict, **more) -> dict:
    made = await opened(harbour, raw("asking", call_seconds=0.5), **more)
    answer = json.loads(said(await made.call("ping", question)))
    await made.close()
    return answer


async def test_a_question_to_the_person_reaches_them_and_stops_the_clock(harbour: Harbour) -> None:
    heard: list[Asked] = []

    async def ask(asked: Asked) -> Reply:
        heard.append(asked)
        await asyncio.sleep(0.8)  # longer than the call's own deadline
        return Reply(accepted=True, content={"name": "Ada"})

    answer = await asked_back(harbour, ELICIT, ask=ask)
    assert answer["result"] == {"action": "accept", "content": {"name": "Ada"}}
    assert [(each.server, each.message) for each in heard] == [("asking", "Who?")]


async def test_a_question_of_the_newer_protocol_reaches_the_person_too(harbour: Harbour) -> None:
    async def ask(asked: Asked) -> Reply:
        return Reply(accepted=asked.message == "Who are you?", content={"name": "Ada"})

    made, alone = await asyncio.gather(
        opened(harbour, odd(), ask=ask), opened(harbour, odd("alone"))
    )
    assert said(await made.call("greet", {})) == "Hello Ada."
    assert (await alone.call("greet", {})).is_error
    await asyncio.gather(made.close(), alone.close())


async def test_without_a_person_questions_are_declined(harbour: Harbour) -> None:
    assert (await asked_back(harbour, ELICIT))["result"] == {"action": "decline"}


async def test_the_roots_are_the_workspace(harbour: Harbour) -> None:
    answer = await asked_back(harbour, {"method": "roots/list"})
    assert [each["uri"] for each in answer["result"]["roots"]] == [harbour.folder.as_uri()]


async def test_sampling_is_declined(harbour: Harbour) -> None:
    params = {"messages": [], "maxTokens": 5}
    answer = await asked_back(harbour, {"method": "sampling/createMessage", "params": params})
    assert "error" in answer


@pytest.mark.parametrize(
    ("how", "path", "protocol"),
    [("streamable-http", "mcp", "2026-07-28"), ("sse", "sse", "2025-11-25")],
)
async def test_a_server_at_an_address_is_called(
    harbour: Harbour, how: str, path: str, protocol: str
) -> None:
    port = free_port()
    await harbour.serve(how, port)
    transport = Transport.SSE if how == "sse" else Transport.HTTP
    made = await opened(harbour, remote(f"http://127.0.0.1:{port}/{path}", transport))
    assert made.protocol == protocol
    assert said(await made.call("echo", {"text": "far"})) == "far"
    await made.close()


async def test_closing_ends_everything_that_a_server_started(
    harbour: Harbour, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    script = f'sleep 1000 & echo $! $$ > {pids}; exec {os.fspath(raw("plain").command)} "$@"'
    server: StdioServer = raw("plain")
    made = await opened(harbour, local("tree", "/bin/sh", "-c", script, "sh", *server.args))
    await made.close()
    for pid in pids.read_text().split():
        assert not Path("/proc", pid).exists()


OUTLIVED = """
import asyncio, sys
from pathlib import Path
from tests.interop.harbour import Harbour, local
async def main():
    await Harbour(Path(sys.argv[1])).fleet(local("plain", *sys.argv[2:]))
    print("ready", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_servers_die_with_us_even_by_sigkill(harbour: Harbour, tmp_path: Path) -> None:
    plain = raw("plain")
    script = f'sleep 1000 & echo $$ $! > {tmp_path}/pids; exec {plain.command} "$@"'
    words = ("/bin/sh", "-c", script, "sh", *plain.args)
    us = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OUTLIVED, str(tmp_path), *words, stdout=asyncio.subprocess.PIPE
    )
    assert us.stdout is not None
    async with asyncio.timeout(30):
        assert await us.stdout.readline() == b"ready\n"
    left = [Path("/proc", pid) for pid in (tmp_path / "pids").read_text().split()]
    assert [each.exists() for each in left] == [True, True]
    us.kill()
    await us.communicate()
    await until(lambda: not any(each.exists() for each in left))
