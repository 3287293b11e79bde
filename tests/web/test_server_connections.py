"""Promises of a table in the browser: connections that ask for nothing end, and keep nobody from playing."""

from __future__ import annotations

import re
import resource
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from serving import PATIENCE, PERSON, QUICK, Served, policy, serving

HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ASKS = {
    "nothing": [b""],
    "half a head": [HEAD],
    "byte by byte": [HEAD[:k] for k in range(1, 4)],
    "half a second head": [HEAD + b"\r\n", HEAD],
}


def ended(link: socket.socket) -> bool:
    """Return whether the server ends a connection before patience does."""
    link.settimeout(PATIENCE)
    with suppress(ConnectionResetError):
        while link.recv(65536):
            pass
    return True


@pytest.mark.parametrize("asks", ASKS.values(), ids=list(ASKS))
def test_a_connection_that_asks_for_nothing_is_ended(asks: list[bytes]) -> None:
    with serving(replace(QUICK, to_ask=0.4)) as served, socket.create_connection(("127.0.0.1", served.port)) as link:
        for part in asks:
            link.sendall(part)
            time.sleep(0.1)
        began = time.monotonic()
        assert ended(link) and time.monotonic() - began < PATIENCE


def test_a_seat_stays_connected_longer_than_that() -> None:
    with serving(replace(QUICK, to_ask=0.2)) as served:
        person = served.sit(served.open("bullshit", [PERSON, policy()], pace=0))
        person.turn()
        time.sleep(0.6)
        person.send("no such type")
        assert person.told("error")
        person.close()


def test_a_header_that_names_another_address_changes_no_limit() -> None:
    with serving(replace(QUICK, requests=0.01, request_burst=5)) as served:
        status = [
            served.ask("/api/games", X_Forwarded_For=f"10.0.0.{k}", Forwarded=f"for=10.0.0.{k}") for k in range(9)
        ]
    assert [code for code, _ in status] == [200] * 5 + [429] * 4


def test_who_plays_is_told_that_the_server_stops() -> None:
    """Their page would try to connect again, and say that their seat is kept."""
    with serving() as served:
        people = [served.sit(served.open("bullshit", [PERSON, policy()]), seat) for seat in (0, None)]
        for person in people:
            person.told("state")
    assert [person.ended() for person in people] == ["The server has been stopped."] * 2


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("files", [256, 1024])
def test_idle_connections_beyond_the_files_of_the_process_stop_nobody(files: int, tmp_path: Any) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    wanted = files + 100
    if most < wanted + 50:
        pytest.skip("the machine allows too few files")
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}));"
        "from bluff_env.web.serve import listen, make_server;"
        "found = listen('127.0.0.1', 0); print(found.getsockname()[1], flush=True);"
        "make_server('127.0.0.1', None).run(sockets=[found])"
    )
    log = tmp_path / "log"
    with (
        open(log, "wb") as errors,
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        links: list[socket.socket] = []
        try:
            assert process.stdout is not None
            served = Served(int(re.sub(rb"\D", b"", process.stdout.readline())), None)
            person = served.sit(served.open("bullshit", [PERSON, policy()], pace=0))
            person.turn()
            for k in range(wanted):
                links.append(socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE))
                links[-1].sendall(HEAD if k % 2 else b"")
            assert served.ask("/")[0] == 200
            person.send("no such type")
            assert person.told("error")
            assert log.stat().st_size < 10_000
        finally:
            for link in links:
                link.close()
            process.terminate()
