"""Promises of a table in the browser: what a seat is sent is a function of what it observes, and so is when.

Games of which a seat cannot tell the difference give it the very same messages.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from serving import PERSON, QUICK, Person, Puppet, Served, policy, serving

from bluff_env.core.registry import make_rules
from bluff_env.play.session import Session
from bluff_env.web import live
from bluff_env.web.board import Board
from bluff_env.web.guests import Chair, Guest, Place
from bluff_env.web.sight import event_values, public_sight, seat_sight

Cards = list[str]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


# --- what is sent ----------------------------------------------------------------------------------------------------

GAMES = [
    ("bullshit", 4, {}),
    ("british", 3, {"length_limit": 40}),
    ("spanish", 4, {"length_limit": 40}),
    ("jump-in", 3, {"length_limit": 40}),
    ("hawaiian", 3, {"length_limit": 40}),
    ("chinese", 3, {"length_limit": 40}),
    ("kings-cup", 3, {"length_limit": 40}),
    ("bluff-the-bullet", 3, {}),
]


def redealt(session: Session, seat: int, rng: random.Random) -> Session:
    """The same moment, with all that a seat does not know drawn anew; good for looking at, not for playing on."""
    other = copy.copy(session)
    other.game = session.game.copy()
    session.family.states.resample_hidden(other.game.state, other.game.rule_row, seat, rng)
    other.game.write_mask()
    return other


@pytest.mark.parametrize(("variant", "players", "rules"), [pytest.param(*game, id=game[0]) for game in GAMES])
@pytest.mark.sample(3)
def test_a_sight_shows_nothing_that_its_seat_does_not_know(variant: str, players: int, rules: Mapping) -> None:
    check_sights(Session(make_rules(variant, **rules).resolve(players), players, 11), random.Random(variant))


def test_a_sight_of_a_match_shows_nothing_that_its_seat_does_not_know() -> None:
    session = Session(make_rules("bullshit", length_limit=8).resolve(3), 3, 11, deals=3)
    check_sights(session, random.Random("match"))
    assert any(told.event["event"] == "deal_over" for told in session.story)


def check_sights(session: Session, rng: random.Random) -> None:
    """Play at random, and compare what is shown with what is shown when all that a seat does not know is drawn anew."""
    players, compared = session.num_players, 0
    while not session.is_over and len(session.steps) < 200:
        if rng.random() < 0.15:
            for seat in range(players):
                other = redealt(session, seat, rng)
                assert seat_sight(other, seat) == seat_sight(session, seat)
                assert public_sight(other) == public_sight(session)  # all seats know it, so this one does
                compared += session.snapshot() != other.snapshot()
        session.step(rng.choice(session.legal))
    assert compared > 12
    for number, told in enumerate(session.story):
        assert told.hidden is None or not {"cards", "lie", "forced"} & set(event_values(told, number))


@pytest.mark.parametrize(("variant", "players", "rules"), [pytest.param(*game, id=game[0]) for game in GAMES])
@pytest.mark.sample(3)
def test_a_message_comes_only_when_its_seat_sees_something_new(variant: str, players: int, rules: Mapping) -> None:
    session = Session(make_rules(variant, **rules).resolve(players), players, 12)
    chairs, watchers, rng = [Chair(seat) for seat in range(players)], Place(None), random.Random(variant)
    board = Board(session, chairs, watchers, None)
    guests = [Guest() for _ in range(players + 1)]
    for guest, place in zip(guests, [*chairs, watchers], strict=True):
        guest.place = place
        place.guests.append(guest)
    seen: list[Any] = [None] * (players + 1)
    sent = silent = 0
    while not session.is_over and len(session.steps) < 150:
        board.look()
        board.send(guests, {}, None, None, None)
        views = [session.game.observe(seat).tobytes() for seat in range(players)]
        masks = [session.mask.tobytes() if seat == session.to_act else b"" for seat in range(players)]
        knowing = [*zip(views, masks, strict=True), None]
        public = len(session.story)
        for k, guest in enumerate(guests):
            news = (knowing[k], public)
            came = guest.outbox.qsize()
            if k < players and news == seen[k]:
                assert came == 0, "the seat learnt that somebody took a step"
                silent += 1
            seen[k], sent = news, sent + came
            while guest.outbox.qsize():
                guest.outbox.get_nowait()
        session.step(rng.choice(session.legal))
    assert sent > 40 and silent > 20


# --- paired worlds ---------------------------------------------------------------------------------------------------


HANDS: list[list[Cards]] = [
    [["AC", "2C", "3C", "AD"], ["4C", "4D", "4H", "4S", "5C", "5D"], ["2D", "2H", "3D", "3H", "5H", "5S"]],
    [["AC", "2C", "3C", "AD"], ["2D", "2H", "3D", "3H", "5H", "5S"], ["4C", "4D", "4H", "4S", "5C", "5D"]],
]
RULES = {"count": "more", "max_extra": 1, "ranks": ["A", "2", "3", "4", "5"], "reveal": "announced"}


def world(served: Served, monkeypatch: pytest.MonkeyPatch, hands: list[Cards], puppets: list[Puppet], pace: float):
    """A table with these hands and puppets at the seats 1 and 2; its game, and the person at seat 0."""

    def dealt(rules: Any, players: int, seed: int, title: str, deals: int) -> Session:
        return Session(rules, players, seed, title, {"hands": hands, "starter": 1, "dealer": 0}, deals=deals)

    by_name = {puppet.name: puppet for puppet in puppets}
    with monkeypatch.context() as patch:
        patch.setattr(live, "Session", dealt)
        patch.setattr("bluff_env.web.tables.load", lambda name, game: by_name[name])
        patch.setattr("bluff_env.web.tables.described", lambda game: {})
        seats = [PERSON, *[policy(puppet.name) for puppet in puppets]]
        table = served.open("bullshit", seats, rules=RULES, pace=pace, seed=1)
    return served.tables.find(table["table"]).session, served.sit(table)


def play_turns(person: Person, number: int) -> None:
    """Lets everything be, and plays for some of the person's own turns."""
    while number and not person.turn()["over"]:
        legal = [choice["action"] for choice in person.state["legal"]]
        number -= legal[0].startswith("place")
        action = next(name for name in ("let", "commit", "count 1", *legal) if name in legal)
        person.send("act", action=action, moment=person.state["moment"])
        person.until(lambda m: m["type"] == "state")


def test_worlds_that_a_seat_cannot_tell_apart_send_it_the_same(served: Served, monkeypatch: Any) -> None:
    texts = []
    for hands, cards in zip(HANDS, (1, 2), strict=True):  # the others hold other cards, and lay one more than they say
        puppets = [Puppet("one", cards), Puppet("two", cards)]
        game, person = world(served, monkeypatch, hands, puppets, 0)
        play_turns(person, 2)
        texts.append(person.texts)
        person.close()
        plays = [told.hidden for told in game.story if told.hidden and told.event["player"]]
        assert [len(play.cards) for play in plays[:2]] == [cards] * 2  # there was something to hide
    assert len(texts[0]) >= 8 and texts[0] == texts[1]


@pytest.mark.slow
def test_and_at_the_same_times(monkeypatch: Any) -> None:
    gaps = []
    with serving(QUICK) as served:
        for hands, cards, seconds in ((HANDS[0], 1, 0.0), (HANDS[1], 2, 0.15)):
            puppets = [Puppet("one", cards, seconds), Puppet("two", cards, seconds)]
            _, person = world(served, monkeypatch, hands, puppets, 1.2)
            came = []
            while len(came) < 2:
                state = person.told("state")
                if state["events"]:
                    came.append(time.monotonic())
                if "let" in [choice["action"] for choice in state["legal"]]:
                    person.send("act", action="let", moment=state["moment"])
            gaps.append(came[1] - came[0])
            person.close()
    assert gaps[0] == pytest.approx(gaps[1], abs=0.25)  # the other thought for half a second longer


def test_nobody_is_sent_anything_while_another_person_composes_a_play(served: Served) -> None:
    table = served.open("bullshit", [PERSON, PERSON, policy()], pace=0, seed=2)
    people = [served.sit(table, seat) for seat in (0, 1)]
    people[0].until(lambda m: m["type"] == "state" and m["paused"] is None)
    while not any(p.state.get("legal") and p.state["legal"][0]["group"] == "place" for p in people):
        for person in people:
            if person.state.get("legal"):
                person.act("let")
            else:
                try:
                    person.next(0.1)
                except TimeoutError:
                    continue
    acting, waiting = people if people[0].state["legal"] else people[::-1]
    before = waiting.state
    acting.act(acting.state["legal"][0]["action"])
    acting.act(next(c["action"] for c in acting.state["legal"] if c["group"] == "place"))
    acting.send("undo", moment=acting.state["moment"])
    acting.told("state")
    acting.send("hint", moment=acting.state["moment"])
    acting.told("hint")
    waiting.send("undo", moment=1)
    assert waiting.next()["type"] == "error" and waiting.state == before
    for person in people:
        person.close()
