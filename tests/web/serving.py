"""A server of tables in a thread, and people who play over its sockets: what the tests of the table share."""

from __future__ import annotations

import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from bluff_env.core.registry import family_of
from bluff_env.policies.policy import BasePolicy
from bluff_env.web.limits import Limits
from bluff_env.web.serve import listen, make_server

Message = dict[str, Any]
QUICK = Limits(least_pace=0.0, settle=0.0, requests=1000, request_burst=1000, rate=1000, burst=1000)
PERSON: Message = {"kind": "person"}
PATIENCE = 20  # seconds for an answer: the machine may be busy


def policy(name: str = "scripted/counter") -> Message:
    """A seat at which a policy plays."""
    return {"kind": "policy", "policy": name}


class Served:
    """A running server.

    Attributes:
        port: where it listens, on this machine.
        tables: its tables.
    """

    def __init__(self, port: int, tables: Any) -> None:
        self.port, self.tables = port, tables

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """A request: GET, or POST of a body (bytes as they are, else as JSON); the status, and the JSON or, of
        several lines, the text."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, named)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        return status, json.loads(text) if text.startswith(("{", "[")) and text.count("\n") < 2 else text

    def open(self, variant: str, seats: list[Message], **asked: Any) -> Message:
        """Opens a table; what the server answers."""
        status, table = self.ask("/api/tables", {"variant": variant, "players": len(seats), "seats": seats, **asked})
        assert status == 200, table
        found: Message = table
        return found

    def sit(self, table: Message, seat: int | None = 0, **said: Any) -> Person:
        """Sits down at a seat, or with the watchers; `said` is said with it, as a name."""
        key = table["watch"] if seat is None else table["seats"][seat]
        return Person(self, table["table"], key["token"], said)


class Person:
    """One connection to a table.

    Attributes:
        state: the last state that came; empty before the first.
        texts: every text that came.
        story: the events in words.
    """

    def __init__(self, served: Served, table: str, token: Any, said: Message | None = None, **options: Any) -> None:
        self.socket: ClientConnection = connect(f"ws://127.0.0.1:{served.port}/ws/{table}", **options)
        self.state: Message = {}
        self.texts: list[str] = []
        self.story: list[str] = []
        self.send("sit", token=token, **(said or {}))

    def send(self, kind: str, **values: Any) -> None:
        """Sends a message."""
        self.socket.send(json.dumps({"type": kind, **values}))

    def next(self, seconds: float = PATIENCE) -> Message:
        """The next message. Raises TimeoutError if none comes in time."""
        text = self.socket.recv(timeout=seconds)
        assert isinstance(text, str)
        self.texts.append(text)
        message: Message = json.loads(text)
        if message["type"] == "state":
            self.state = message
            self.story += [event["text"] for event in message["events"]]
        return message

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message of which this is true."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if wanted(message := self.next()):
                return message
        raise AssertionError("it never came")

    def told(self, kind: str) -> Message:
        """The next message of this type."""
        return self.until(lambda message: message["type"] == kind)

    def turn(self) -> Message:
        """The next state in which this person is to decide, or the game is over."""
        if self.state.get("legal") or self.state.get("over"):
            return self.state
        return self.until(lambda message: message["type"] == "state" and bool(message["legal"] or message["over"]))

    def act(self, action: str) -> Message:
        """Takes an action; the state after it."""
        self.send("act", action=action, moment=self.state["moment"])
        return self.told("state")

    def play(self, rng: random.Random) -> Message:
        """Plays random moves to the end of the game; the last state."""
        while not self.turn()["over"]:
            self.act(rng.choice(self.state["legal"])["action"])
        return self.state

    def ended(self) -> str:
        """Reads on until the connection ends; the sentence with which it ends."""
        sentence = ""
        try:
            while True:
                message = self.next()
                sentence = message["text"] if message["type"] == "closed" else sentence
        except ConnectionClosed:
            return sentence

    def close(self) -> None:
        """Goes away."""
        self.socket.close()


@contextmanager
def serving(limits: Limits = QUICK, host: str = "127.0.0.1", key: str | None = None) -> Iterator[Served]:
    """A server in a thread, for a block."""
    found = listen("127.0.0.1", 0)
    server = make_server(host, key, limits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    app: Any = server.config.app
    try:
        yield Served(found.getsockname()[1], app.state.tables)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Puppet(BasePolicy):
    """Lays as many cards as it is told, announces one, and lets everything be."""

    def __init__(self, name: str, cards: int, seconds: float = 0.0) -> None:
        super().__init__(name)
        self.cards, self.seconds, self.laid = cards, seconds, 0

    def choose(self, observations: Any, action_masks: Any, deterministic: bool, rng: Any) -> np.ndarray:
        time.sleep(self.seconds)
        names = family_of("bullshit").game.action_names
        legal = [names[action] for action in np.flatnonzero(action_masks[0])]
        places = [name for name in legal if name.startswith("place")]
        if places and self.laid < self.cards:
            self.laid += 1
            return np.array([names.index(places[0])])
        self.laid = 0
        wanted = next(name for name in ("commit", "count 1", "let", *legal) if name in legal)
        return np.array([names.index(wanted)])
