"""The hostile server at an address.

python hostile_site.py http|sse PORT SEED: everything it says comes as events.
"""

import asyncio
import json
import random
import sys

from hostile import answers

HEAD = b"HTTP/1.1 %s\r\nconnection: close\r\n%s\r\n"
STREAM = HEAD % (b"200 OK", b"content-type: text/event-stream\r\n")
PIECE = 64


class Site:
    def __init__(self, how: str, seed: str) -> None:
        self.how = how
        self.dice = random.Random(seed)
        self.ids: list[object] = []
        self.stream: asyncio.StreamWriter | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            if writer is not self.stream:
                writer.close()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in lines}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if not first.startswith("POST"):
            if self.how == "sse":
                self.stream = writer
                writer.write(STREAM + b"event: endpoint\ndata: /said\n\n")
            else:
                writer.write(HEAD % (b"405 No", b"content-length: 0\r\n"))
            return
        asked = json.loads(body)
        wanted = "id" in asked and "method" in asked
        if self.how == "sse" or not wanted:
            writer.write(HEAD % (b"202 Accepted", b"content-length: 0\r\n"))
        else:
            writer.write(STREAM)
        if wanted:
            await self.say(asked, self.stream if self.how == "sse" else writer)

    async def say(self, asked: dict, to: asyncio.StreamWriter) -> None:
        self.ids.append(asked["id"])
        for number, frame in enumerate(answers(self.dice, asked, self.ids)):
            to.write(b"event: message\ndata: " + frame + b"\n\n")
            if number % PIECE == 0:
                await to.drain()
        await to.drain()


async def main(how: str, port: str, seed: str) -> None:
    server = await asyncio.start_server(Site(how, seed).serve, "127.0.0.1", int(port))
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
