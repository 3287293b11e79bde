"""Promises of the server of tables: nobody but its own page drives it, and nothing that is sent to it ends it."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from serving import PERSON, QUICK, Person, Served, policy, serving
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bluff_env import cli
from bluff_env.web.guard import HEADERS, is_loopback
from bluff_env.web.limits import Limits
from bluff_env.web.serve import link, new_key

SMALL = {"ranks": ["A", "2", "3"]}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


def alive(served: Served) -> bool:
    """Return whether the server still opens a table and plays at it."""
    person = served.sit(served.open("bullshit", [PERSON, policy()], rules=SMALL, pace=0))
    person.turn()
    person.close()
    return True


# --- whose page may ask ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.168.1.9", ""])
def test_a_name_that_is_not_the_servers_own_is_refused(served: Served, host: str) -> None:
    status, answer = served.ask("/api/games", Host=host)
    assert status == 403 and answer["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1"])
def test_another_websites_page_is_refused(served: Served, origin: str) -> None:
    assert served.ask("/api/describe", {"variant": "bullshit"}, Origin=origin)[0] == 403
    table = served.open("bullshit", [PERSON, policy()])
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{served.port}/ws/{table['table']}", origin=origin)  # type: ignore[arg-type]
    own = f"http://127.0.0.1:{served.port}"
    assert served.ask("/api/describe", {"variant": "bullshit"}, Origin=own)[0] == 200
    connect(f"ws://127.0.0.1:{served.port}/ws/{table['table']}", origin=own).close()  # type: ignore[arg-type]


def test_every_answer_says_what_a_browser_may_do_with_it(served: Served) -> None:
    for path in ("/", "/api/games", "/api/nothing", "/page/none.js"):
        with socket.create_connection(("127.0.0.1", served.port)) as wire:
            wire.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda w=wire: w.recv(65536), b"")).partition(b"\r\n\r\n")[0].decode().lower()
        assert all(f"{name}: {value}".lower() in answer for name, value in HEADERS.items())


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "index.html%00.js", "app.py", ".js", "A.js"]
)
def test_no_other_file_is_read(served: Served, name: str) -> None:
    status, answer = served.ask(f"/page/{name}")
    assert status == 404 and "make_app" not in str(answer)


def test_in_a_network_whoever_opens_tables_must_have_the_printed_link() -> None:
    key = new_key("0.0.0.0")
    assert key and new_key("127.0.0.1") is None and link("10.0.0.7", 80, key) == f"http://10.0.0.7:80/#{key}"
    asked = {"variant": "bullshit", "players": 2, "rules": SMALL, "seats": [PERSON, policy()], "pace": 0}
    with serving(host="0.0.0.0", key=key) as served:
        for wrong in ({}, {"X_Table_Key": "no"}, {"X_Table_Key": key[:-1]}, {"X_Table_Key": "ü"}):
            status, answer = served.ask("/api/tables", asked, **wrong)
            assert status == 403 and "link" in answer["error"]
        status, table = served.ask("/api/tables", asked, X_Table_Key=key)
        assert status == 200 and served.sit(table).turn()["legal"]  # a seat's link is enough to play
        assert served.ask("/api/games", Host="192.168.1.9:80")[0] == 200  # an address cannot be made to mean another
        assert served.ask("/api/games", Host="evil.example")[0] == 403


def test_only_this_machine_reaches_a_server_without_a_host() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.1.1.1", "::", "name")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("options", [["--host", "nowhere.invalid"], ["--port", "70000"], ["--port", "x"]])
def test_an_address_that_cannot_be_is_refused_in_a_sentence(options: list[str], capsys: Any) -> None:
    assert cli.main(["table", *options]) == 2
    assert capsys.readouterr().err.startswith("bluff-env: ")


def test_and_a_port_that_is_taken(served: Served, capsys: Any) -> None:
    assert cli.main(["table", "--port", str(served.port)]) == 2
    assert "in use" in capsys.readouterr().err


# --- requests that cannot be answered --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/tables", b""),
        ("/api/tables", b"\xff\xfe"),
        ("/api/tables", b"[" * 5000),
        ("/api/tables", b'{"variant": NaN}'),
        ("/api/tables", {"variant": "nothing", "seats": [PERSON] * 4}),
        ("/api/tables", {"variant": "bullshit", "seats": [PERSON] * 3}),
        ("/api/tables", {"variant": "bullshit", "seats": "pppp"}),
        ("/api/tables", {"variant": "bullshit", "players": 10**9, "seats": []}),
        ("/api/tables", {"variant": "bullshit", "players": True, "seats": []}),
        ("/api/tables", {"variant": "bullshit", "players": 0, "seats": [PERSON] * 4}),
        ("/api/describe", {"variant": "pagat", "players": 0}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON, {"kind": "policy"}]}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON, policy("../../etc/passwd")]}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON, policy("bot.py:play")]}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON] * 2, "seed": -1}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON] * 2, "pace": "fast"}),
        ("/api/tables", {"variant": "bullshit", "players": 2, "seats": [PERSON] * 2, "timer": 1e9}),
        ("/api/describe", {"variant": "bullshit", "rules": {"cup": True}}),
        ("/api/describe", {"variant": "bullshit", "rules": {"nothing": 1}}),
        ("/api/describe", {"variant": "bullshit", "rules": {"ranks": {"a": [[]]}}}),
        ("/api/describe", {"variant": "bullshit", "rules": {"ranks": "[A"}}),
        ("/api/describe", {"variant": "bullshit", "rules": {"suits": [["C"]], "teams": [[1]]}}),
        ("/api/describe", {"variant": ["bullshit"], "rules": []}),
        ("/api/open", b"no record"),
        ("/api/open", b"\x80\x02}q\x00."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(served: Served, path: str, body: Any) -> None:
    status, answer = served.ask(path, body)
    assert status == 400 and answer["error"].isprintable() and len(answer["error"]) < 500


def test_requests_that_are_too_long_or_do_not_end_are_refused() -> None:
    with serving(replace(QUICK, to_send=0.3, record=1000)) as served:
        status, answer = served.ask("/api/tables", b" " * (QUICK.body + 1))
        assert status == 413 and "64 KiB" in answer["error"]
        assert served.ask("/api/open", b" " * 2000)[0] == 413
        with socket.create_connection(("127.0.0.1", served.port), timeout=20) as wire:
            wire.sendall(b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            answer = wire.recv(65536) + wire.recv(65536)
            assert b"does not come to its end" in answer


def test_there_is_no_seat_without_its_token(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy()])
    for token in ("", "x", None, 7, ["a"], {"a": 1}, table["watch"]["token"][:-1], "ü" * 22):
        assert Person(served, table["table"], token).ended() == "This link opens no place at the table."
    assert "no such table" in Person(served, "nothing", "x").ended()
    assert served.ask("/api/tables/nothing/record?token=x")[0] == 404
    assert served.ask(f"/api/tables/{table['table']}/record?token={table['watch']['token']}")[0] == 400  # not over


# --- too much --------------------------------------------------------------------------------------------------------


def test_requests_tables_and_connections_are_limited() -> None:
    limits = replace(QUICK, tables=2, connections=3, requests=0.01, request_burst=8, to_sit=0.4)
    with serving(limits) as served:
        tables = [served.open("bullshit", [PERSON, policy()]) for _ in range(2)]
        asked = {"variant": "bullshit", "players": 2, "seats": [PERSON, policy()]}
        status, answer = served.ask("/api/tables", asked)
        assert status == 429 and "too many tables" in answer["error"]
        watchers = [served.sit(tables[0], None) for _ in range(3)]
        for watcher in watchers:
            watcher.told("state")
        refused = connect(f"ws://127.0.0.1:{served.port}/ws/{tables[0]['table']}")
        assert "Too many connections" in str(refused.recv(timeout=10))
        watchers[0].close()
        time.sleep(0.3)
        silent = connect(f"ws://127.0.0.1:{served.port}/ws/{tables[0]['table']}")
        assert "Nobody has sat down" in str(silent.recv(timeout=10))
        assert [served.ask("/api/games")[0] for _ in range(6)].count(429) >= 1


def test_a_table_that_nobody_visits_ends() -> None:
    with serving(replace(QUICK, empty=0.4)) as served:
        table = served.open("bullshit", [PERSON, policy()])
        person = served.sit(table)
        person.turn()
        time.sleep(1.0)
        assert len(served.tables) == 1  # somebody is there
        person.close()
        deadline = time.monotonic() + 20
        while len(served.tables) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(served.tables) == 0 and "no such table" in served.sit(table).ended()


def test_a_table_at_which_nothing_happens_ends_and_says_so() -> None:
    with serving(replace(QUICK, idle=0.5, empty=0.4)) as served:
        person = served.sit(served.open("bullshit", [PERSON, policy()]))
        assert "nobody has done anything" in person.ended()


def test_a_server_that_is_stopped_ends_its_connections() -> None:
    with serving() as served:
        person = served.sit(served.open("bullshit", [PERSON, policy()]))
        person.turn()
    person.ended()


def test_long_messages_and_too_many_of_them_are_refused() -> None:
    with serving(replace(QUICK, rate=1, burst=20)) as served:
        table = served.open("bullshit", [PERSON, policy()])
        person = served.sit(table)
        person.turn()
        person.send("x" * 5000)
        assert "4096 characters" in person.told("error")["text"]
        person.socket.send("x" * 70000)
        person.ended()  # cut by the transport
        person = served.sit(table)
        for _ in range(30):
            person.send("undo", moment=0)
        assert person.until(lambda m: "too much" in m.get("text", ""))
        for _ in range(600):
            try:
                person.send("undo", moment=0)
            except Exception:
                break
        assert "far too much" in person.ended()
        assert alive(served)


# --- garbage ---------------------------------------------------------------------------------------------------------

WORDS: list[Any] = [
    "act", "sit", "undo", "hint", "timer", "pace", "leave", "replace", "cards", "review", "say", "", "type", "moment",
    None, True, False, 0, 1, -1, 2**70, 1.5, -1e308, [], {}, [[]], {"type": "act"}, "\x1b[2J", "ü\u202e", "place A",
    "call", "scripted/honest", "cheat/generalist", "../x", "bot.py:f",
]  # fmt: skip


def garbage(rng: random.Random) -> str | bytes:
    """Something that somebody might send: noise, or a message with something wrong in it."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(60))
    if kind == 1:
        return "".join(chr(rng.choice([*range(128), 0x202E, 0xFFFF, 0x1F600])) for _ in range(rng.randrange(60)))
    if kind == 2:
        return json.dumps(rng.choice(WORDS))
    keys = ["type", "action", "moment", "seconds", "on", "all", "policy", "seat", "token", "x"]
    message = {key: rng.choice(WORDS) for key in rng.sample(keys, rng.randrange(1, 7))}
    if kind > 3:
        message["type"] = rng.choice(WORDS[:10])
    text = json.dumps(message)
    return text[: rng.randrange(len(text))] if rng.random() < 0.1 else text


def test_garbage_does_not_end_the_server_nor_other_peoples_games(served: Served) -> None:
    rng = random.Random(7)
    other = served.sit(served.open("bullshit", [PERSON, policy()], rules=SMALL, pace=0, seed=1))
    story = other.turn()
    table = served.open("bullshit", [PERSON, PERSON, policy()], rules=SMALL, pace=0)
    for seat in (0, 1, None):
        person = served.sit(table, seat)
        person.told("state")
        for _ in range(150):
            person.socket.send(garbage(rng))
        person.send("no such type")
        assert person.until(lambda m: m["type"] == "error" and "no such type" in m["text"])
        assert all(json.loads(text)["text"].isprintable() for text in person.texts if '"error"' in text[:20])
        person.close()
    for _ in range(40):
        status, answer = served.ask(rng.choice(["/api/tables", "/api/describe", "/api/open"]), random_body(rng))
        assert status in (200, 400) and (status == 200 or answer["error"])
    assert other.act(story["legal"][0]["action"]) and alive(served)
    other.close()


def random_body(rng: random.Random) -> bytes:
    """The body of a request with something wrong in it."""
    keys = ["variant", "players", "rules", "seed", "seats", "watch", "timer", "pace"]
    asked: dict[str, Any] = {key: rng.choice(WORDS) for key in rng.sample(keys, rng.randrange(8))}
    if rng.random() < 0.7:
        asked |= {"variant": "bullshit", "players": 2}
    if rng.random() < 0.5:
        asked["rules"] = {rng.choice(["ranks", "jokers", "teams", "steps", "suits", "count"]): rng.choice(WORDS)}
    return json.dumps(asked).encode()


def test_limits_leave_room_for_a_person_who_plays_fast() -> None:
    assert Limits().burst >= 2 * 26  # the actions of the longest play, one after the other


@pytest.mark.parametrize("path", ["/api/tables", "/api/describe"])
@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[" * 5000, b'{"variant": NaN}', b"[]", b'{"a": 1, "a": 2}'])
def test_a_request_that_cannot_be_read_is_called_by_its_name(served: Served, path: str, body: bytes) -> None:
    status, answer = served.ask(path, body)
    assert status == 400 and answer["error"].startswith("The request ") and answer["error"].endswith(".")
