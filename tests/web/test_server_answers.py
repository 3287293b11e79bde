"""Promises of a table in the browser: answers come independently of hidden work, and seats and names are kept."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from serving import PERSON, QUICK, Message, Person, Puppet, Served, policy, serving

from bluff_env.web import choices
from bluff_env.web.live import WebTable


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


class Held(Puppet):
    """Thinks until it is let go; lays as many cards as it is told."""

    def __init__(self, name: str, cards: int) -> None:
        super().__init__(name, cards)
        self.thinks, self.go = threading.Event(), threading.Event()

    def choose(self, observations: Any, action_masks: Any, deterministic: bool, rng: Any) -> np.ndarray:
        self.thinks.set()
        self.go.wait(60)
        return super().choose(observations, action_masks, deterministic, rng)


# Of every type, and each as it may be wrong.
PROBES: list[Message] = [
    {"type": "act", "action": "call", "moment": 1}, {"type": "act"}, {"type": "undo", "moment": 1},
    {"type": "hint", "moment": 1}, {"type": "timer", "on": 3}, {"type": "pace", "seconds": "x"}, {"type": "leave"},
    {"type": "leave", "policy": "nobody"}, {"type": "replace", "seat": 1}, {"type": "replace"}, {"type": "cards"},
    {"type": "cards", "all": True}, {"type": "review"}, {"type": "no such type"}, {"type": "sit", "token": "x"},
    {"type": "skip"}, {"type": "name"}, {"type": "name", "name": "Xia"},
]  # fmt: skip


@pytest.mark.parametrize("cards", [1, 2])
def test_messages_are_answered_while_policies_think(
    served: Served, monkeypatch: pytest.MonkeyPatch, cards: int
) -> None:
    """In both worlds every probe gets the same answer, before the policy has taken its first unseen step."""
    held = Held("held", cards)
    real = choices.load
    monkeypatch.setattr("bluff_env.web.tables.load", lambda name, game: held if name == "held" else real(name, game))
    table = served.open("bullshit", [PERSON, policy("held"), policy("held")], pace=0, seed=1)
    person = served.sit(table)
    try:
        while not held.thinks.wait(0.05):
            legal = [choice["action"] for choice in person.turn()["legal"]]
            person.send(
                "act", action=next(a for a in ("let", "commit", *legal) if a in legal), moment=person.state["moment"]
            )
            person.told("state")
        before = len(served.tables.find(table["table"]).session.steps)
        for probe in PROBES:
            person.send(**{"kind": probe["type"], **{k: v for k, v in probe.items() if k != "type"}})
            assert person.told("error")["text"], probe
        person.send("pace", seconds=1.5)
        assert person.until(lambda m: m["type"] == "state" and m["pace"] == 1.5)
        assert len(served.tables.find(table["table"]).session.steps) == before
    finally:
        held.go.set()
    person.close()


def test_every_type_of_message_is_probed() -> None:
    assert {probe["type"] for probe in PROBES} >= set(WebTable._ANSWERS)


def test_who_comes_back_while_a_policy_is_loaded_keeps_the_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    loads, go, slow = threading.Event(), threading.Event(), threading.Event()
    real = choices.load

    def load(name: str, game: Any) -> Any:
        if slow.is_set():
            loads.set()
            go.wait(60)
        return real(name, game)

    monkeypatch.setattr("bluff_env.web.tables.load", load)
    with serving(replace(QUICK, away=0.2)) as served:
        table = served.open("bullshit", [PERSON, PERSON, policy()], pace=0, seed=1)
        one, two = served.sit(table, 0), served.sit(table, 1)
        one.until(lambda m: m["type"] == "state" and m["connected"][1])
        two.close()
        one.until(lambda m: m["type"] == "state" and m["replaceable"] == [1])
        slow.set()
        one.send("replace", seat=1, policy="scripted/honest")
        assert loads.wait(20)
        back = served.sit(table, 1)
        back.told("state")
        go.set()
        assert "back" in one.told("error")["text"]
        assert served.tables.find(table["table"]).chairs[1].is_person
        back.send("hint", moment=0)
        assert back.told("error")  # still at the table
        for person in (one, back):
            person.close()


def test_a_token_that_is_no_text_opens_nothing_and_a_post_that_is_cut_off_leaves_no_traceback(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    table = served.open("bullshit", [PERSON, policy()])
    for token in ("\ud800", "\x00", 3, None, [], {}, "é"):
        assert "opens no place" in Person(served, table["table"], token).ended()
    for body in (b"", b'{"vari'):
        with socket.create_connection(("127.0.0.1", served.port)) as link:
            link.sendall(b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n" + body)
            time.sleep(0.3)
    assert served.ask("/")[0] == 200
    time.sleep(0.3)
    assert "Traceback" not in caplog.text and not [r for r in caplog.records if r.exc_info]


def test_people_are_called_by_their_names(served: Served) -> None:
    seats = [{**PERSON, "name": "Zoe"}, PERSON, {"kind": "level", "level": "beginner"}]
    table = served.open("bullshit", seats, pace=0, seed=1)
    one = served.sit(table)
    two = served.sit(table, 1, name="Yan")
    state = two.told("state")
    assert state["names"] == ["Zoe", "Yan", "Ada"] and state["you"] == "Yan" and state["kinds"][2] == "beginner"
    assert [player["name"] for player in state["picture"]["players"]][1:] == ["Ada", "Zoe"]
    assert one.until(lambda m: m["type"] == "state" and m["names"] == ["Zoe", "Yan", "Ada"])
    late = served.sit(table, 1, name="Xia")
    assert late.told("state")["names"][1] == "Yan"  # the game has begun
    for person in (one, late):
        person.close()


@pytest.mark.parametrize("name", ["", "x" * 17, "\ud800", "zoe", 3, "Zo\u200de", "\u200d", "a\u202eb"])
def test_a_name_that_is_refused_leaves_the_seat(served: Served, name: Any) -> None:
    table = served.open("bullshit", [{**PERSON, "name": "Zoe"}, PERSON], pace=0)
    two = served.sit(table, 1, name=name)
    assert two.told("error")["text"]
    assert two.told("state")["names"] == ["Zoe", "player_1"]
    two.close()


def puppets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Policies of the name ``puppet`` lay a card and let everything be."""
    real = choices.load
    monkeypatch.setattr(
        "bluff_env.web.tables.load", lambda name, game: Puppet(name, 1) if name == "puppet" else real(name, game)
    )


def until_out(person: Person) -> Message:
    """Plays as many cards as are allowed until the person is out; the state then."""
    while not person.state["out"]:
        if legal := [choice["action"] for choice in person.state["legal"]]:
            action = next(a for a in legal if a.startswith(("let", "place", "commit")))
            person.send("act", action=action, moment=person.state["moment"])
        person.told("state")
    return person.state


def test_who_is_out_skips_to_the_end_of_the_deal_and_plays_the_next_one(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody plays for them in a deal that they have not lost; who still plays cannot skip."""
    puppets(monkeypatch)
    rules = {"ranks": ["A", "2", "3"]}
    seats = [PERSON, policy("puppet"), policy("puppet")]
    table = served.open("bullshit-ranking", seats, rules=rules, pace=0.5, seed=1, deals=2)
    person = served.sit(table)
    person.told("state")
    person.send("skip")
    assert "You still play" in person.told("error")["text"]
    session = served.tables.find(table["table"]).session
    for deal in (1, 2):
        until_out(person)
        person.send("skip")
        person.until(lambda m: m["type"] == "state" and (m["over"] or not m["out"]))
        assert session.is_over == (deal == 2)
    assert [event["kind"] for event in session_events(person)].count("deal_over") == 2
    person.close()


def session_events(person: Person) -> list[Message]:
    """The public events that a person was told of."""
    states = [json.loads(text) for text in person.texts]
    return [event for state in states if state["type"] == "state" for event in state["events"]]


@pytest.mark.parametrize("name", ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u0645\u06cc\u200c\u0631\u0627"])
def test_names_of_joined_letters_and_pictures_are_names(served: Served, name: str) -> None:
    table = served.open("bullshit", [{**PERSON, "name": "Zoe"}, PERSON], pace=0)
    two = served.sit(table, 1, name=name)
    assert two.told("state")["names"] == ["Zoe", name]
    two.close()


@pytest.mark.long
def test_who_plays_with_others_cannot_skip(served: Served) -> None:
    table = served.open("bullshit", [PERSON, PERSON, policy()], pace=0)
    person = served.sit(table)
    person.send("skip")
    assert "Other people" in person.told("error")["text"]
    person.close()


@pytest.mark.long
def test_who_was_not_drawn_is_told_so_when_the_window_is_closed_and_nobody_else(served: Served) -> None:
    """Both others call every play: one is drawn, and the other learns that they were not."""
    lost = 0
    for seed in range(6):
        table = served.open("bullshit", [PERSON, PERSON, PERSON], pace=0, seed=seed, rules={"ranks": ["A", "2", "3"]})
        people = [served.sit(table, seat) for seat in range(3)]
        player = next(seat for seat in range(3) if _acts(people[seat], "place"))
        for action in ("place", "commit"):
            person = people[player]
            legal = [choice["action"] for choice in person.turn()["legal"]]
            person.act(next(name for name in legal if name.startswith(action)))
        callers = [people[seat] for seat in range(3) if seat != player]
        waiting = list(callers)
        while waiting:
            person = next(one for one in waiting if _acts(one, "call"))
            waiting.remove(person)
            assert not person.state["lost"]
            person.send("act", action="call", moment=person.state["moment"])
        for person in people:
            person.until(lambda m: m["type"] == "state" and any("_call" in e["kind"] for e in m["events"]))
        told = [person.state["lost"] for person in people]
        who = next(e["player"] for e in people[0].state["events"] if "_call" in e["kind"])
        (other,) = {0, 1, 2} - {player, who}
        assert told[other] == f"You wanted to call too; player_{who} was drawn." and told.count(None) == 2
        lost += 1
        for person in people:
            person.close()
    assert lost == 6


def _acts(person: Person, group: str) -> bool:
    """Return whether a person is to decide now, and may do something of this kind."""
    while True:
        try:
            person.next(0.3)
        except TimeoutError:
            break
    return any(choice["group"] == group for choice in person.state.get("legal", ()))
