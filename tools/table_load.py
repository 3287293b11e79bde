"""Load test of the server of `bluff-env table`: idle connections, tables at once, and garbage.

    python tools/table_load.py --connections 1000 --tables 100 --seconds 10
    python tools/table_load.py --mixed 60 --connections 200 --tables 20

Starts a server and prints its memory, and how long a person at another table waits for the answer to a choice, first
alone and then while others are connected, play or send garbage. With ``--mixed MINUTES`` all happens at once, with
connections that never say anything, and a line is printed every minute. Linux only, for the memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_at_once

SMALL = {"variant": "bullshit", "players": 3, "rules": {}, "pace": 0}
ANSWERS = 30  # choices of which the time is measured
PATIENCE = 60  # seconds until an answer counts as lost


class Server:
    """A server in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "bluff_env", "table", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found is not None
        self.port = int(found[1])

    def memory(self) -> float:
        """Its resident memory in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024

    async def open(self, seats: list[dict[str, str]]) -> dict[str, Any]:
        """Opens a table; waits as long as the server asks to."""
        body = json.dumps({**SMALL, "seats": seats}).encode()
        while True:
            try:
                return await asyncio.to_thread(self._post, body)
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    raise
                await asyncio.sleep(0.5)

    def _post(self, body: bytes) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/tables", body) as answer:
            table: dict[str, Any] = json.load(answer)
            return table

    def address(self, table: dict[str, Any]) -> str:
        """Return the address at which one connects to a table."""
        return f"ws://127.0.0.1:{self.port}/ws/{table['table']}"

    async def sit(self, table: dict[str, Any], seat: int | None = None) -> ClientConnection:
        """Sits down at a seat, or with the watchers."""
        socket = await connect(self.address(table), compression=None, ping_interval=None, open_timeout=60)
        key = table["watch"] if seat is None else table["seats"][seat]
        await socket.send(json.dumps({"type": "sit", "token": key["token"]}))
        return socket


PERSON, POLICY = {"kind": "person"}, {"kind": "policy", "policy": "scripted/counter"}


async def answer_times(server: Server) -> str:
    """Return a person's wait for the state after a choice, in milliseconds: median and worst of some."""
    times: list[float] = []
    socket, message = None, dict[str, Any]()
    while len(times) < ANSWERS:
        if socket is None:
            socket = await server.sit(await server.open([PERSON, POLICY, POLICY]), 0)
            message = json.loads(await socket.recv())
        legal = [choice["action"] for choice in message.get("legal", ())]
        began = time.perf_counter()
        if legal and message["paused"] is None:
            action = next((name for name in ("let", "commit") if name in legal), legal[0])
            await socket.send(json.dumps({"type": "act", "action": action, "moment": message["moment"]}))
        try:
            message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        except TimeoutError:
            raise SystemExit(f"no answer within {PATIENCE} s; the last message was {str(message)[:1500]}") from None
        if legal:
            times.append((time.perf_counter() - began) * 1000)
        if message.get("over"):
            await socket.close()
            socket = None
    if socket is not None:
        await socket.close()
    return f"an answer takes {statistics.median(times):.1f} ms, at worst {max(times):.1f} ms"


async def idle(server: Server, number: int) -> None:
    """Connections that watch one table at which nothing happens."""
    table = await server.open([PERSON, POLICY, POLICY])
    before, began = server.memory(), time.perf_counter()
    sockets = []
    for _ in range(number):
        sockets.append(await server.sit(table))
    for socket in sockets:
        await socket.recv()
    seconds, each = time.perf_counter() - began, (server.memory() - before) / number * 1024
    print(f"{number} idle connections, made in {seconds:.0f} s: {server.memory():.0f} MiB, {each:.0f} KiB each")
    print(f"  beside them {await answer_times(server)}")
    for socket in sockets:
        await socket.close()


async def tables(server: Server, number: int, seconds: float) -> None:
    """Tables at which policies play, each with somebody who watches."""
    before, events = server.memory(), 0
    sockets = [await server.sit(await server.open([POLICY] * 3)) for _ in range(number)]
    each = (server.memory() - before) / number * 1024

    async def watch(socket: ClientConnection) -> None:
        nonlocal events
        await socket.send(json.dumps({"type": "pace", "seconds": 0.8}))
        async for text in socket:
            events += len(json.loads(text).get("events", ()))

    watching = [asyncio.create_task(watch(socket)) for socket in sockets]
    await asyncio.sleep(2)
    events, began = 0, time.perf_counter()
    await asyncio.sleep(seconds)
    rate = events / (time.perf_counter() - began)
    print(f"{number} tables with policies: {each:.0f} KiB each, {rate:.0f} events a second at a pace of 0.8 s")
    print(f"  beside them {await answer_times(server)}")
    for task in watching:
        task.cancel()
    for socket in sockets:
        await socket.close()


async def garbage(server: Server, seconds: float) -> None:
    """A connection that sends noise as fast as it can and reads nothing; once cut, it comes again."""
    table, rng, stop = await server.open([PERSON, POLICY, POLICY]), random.Random(0), Event()
    counted: Counter[str] = Counter()
    noise: list[bytes | str] = [rng.randbytes(rng.randrange(1, 200)) for _ in range(50)]
    noise += ["{" * 30, '{"type": 7}', '{"type": "act"}', "null", '{"type": "review"}']
    sit = json.dumps({"type": "sit", "token": table["watch"]["token"]})

    def pester() -> None:
        while not stop.is_set():
            with suppress(ConnectionClosed), connect_at_once(server.address(table)) as socket:
                socket.send(sit)
                while not stop.is_set():
                    socket.send(rng.choice(noise))
                    counted["sent"] += 1

    before, began = server.memory(), time.perf_counter()
    pestering = asyncio.create_task(asyncio.to_thread(pester))
    answer = await answer_times(server)
    await asyncio.sleep(max(0.0, seconds - (time.perf_counter() - began)))
    rate = counted["sent"] / (time.perf_counter() - began)
    stop.set()
    await pestering
    grown = server.memory() - before
    print(f"{rate:.0f} messages of garbage a second; memory grew by {grown:.1f} MiB")
    print(f"  beside it {answer}")


async def silent(server: Server, stop: asyncio.Event) -> None:
    """Connections that send half of a request and wait; each is made anew when the server has closed it."""
    while not stop.is_set():
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: ")
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(), 60)
            writer.close()


async def mixed(server: Server, minutes: float, connections: int, number: int) -> None:
    """Idle and silent connections, tables of policies, games of a person and garbage at the same time."""
    stop, table = asyncio.Event(), await server.open([PERSON, POLICY, POLICY])
    watching = [await server.sit(table) for _ in range(connections)]
    playing = [await server.sit(await server.open([POLICY] * 3)) for _ in range(number)]
    others = [asyncio.create_task(silent(server, stop)) for _ in range(50)]
    others += [asyncio.create_task(_read(socket)) for socket in playing]
    others.append(asyncio.create_task(_pester_slowly(server, table, stop)))
    print(
        f"{connections} watchers, 50 silent connections, {number} tables, garbage: {server.memory():.0f} MiB",
        flush=True,
    )
    began = time.perf_counter()
    while (passed := (time.perf_counter() - began) / 60) < minutes:
        until = time.perf_counter() + 60
        answers = []
        while time.perf_counter() < until:
            answers.append(await answer_times(server))
            await asyncio.sleep(1)
        print(f"minute {passed + 1:.0f}: {server.memory():.0f} MiB; {answers[-1]}; {len(answers)} games", flush=True)
    stop.set()
    for task in others:
        task.cancel()
    for socket in (*watching, *playing):
        await socket.close()


async def _read(socket: ClientConnection) -> None:
    """Watches policies at the pace at which people can follow."""
    await socket.send(json.dumps({"type": "pace", "seconds": 0.8}))
    async for _ in socket:
        pass


async def _pester_slowly(server: Server, table: dict[str, Any], stop: asyncio.Event) -> None:
    """Some hundred messages of noise a second, on a connection that comes again once it is cut."""
    rng = random.Random(0)
    sit = json.dumps({"type": "sit", "token": table["watch"]["token"]})
    while not stop.is_set():
        with suppress(ConnectionClosed, OSError):
            async with connect(server.address(table)) as socket:
                await socket.send(sit)
                while not stop.is_set():
                    await socket.send(rng.randbytes(rng.randrange(1, 200)))
                    await asyncio.sleep(0.005)


async def measure(connections: int, number: int, seconds: float, minutes: float) -> None:
    """All of it, one after the other; with ``minutes`` all at once, for so long."""
    server = Server()
    try:
        print(f"alone {await answer_times(server)}; {server.memory():.0f} MiB")
        if minutes:
            await mixed(server, minutes, connections, number)
            return
        await idle(server, connections)
        await tables(server, number, seconds)
        await garbage(server, seconds)
        print(f"at the end {await answer_times(server)}; {server.memory():.0f} MiB")
    finally:
        server.process.terminate()
        server.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="What the server of tables bears.")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--mixed", type=float, default=0, metavar="MINUTES", help="all at once, for so long")
    args = parser.parse_args()
    asyncio.run(measure(args.connections, args.tables, args.seconds, args.mixed))


if __name__ == "__main__":
    main()
