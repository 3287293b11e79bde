"""Leak tests of Bluff the Bullet alone; the leak test of all families is in ``tests/families/test_leaks.py``.

* *Two worlds.* Two games whose decks differ only in what a player does not see run side by side with equal moves. As
  long as nothing public tells them apart, the player sees the same.
* *Truth.* Every card that a player is shown is the card that lies there.
* *Races.* Whatever others answer: until all have answered, and after another's answer is drawn, all look alike.
"""

from __future__ import annotations

import random

import pytest
from bullet_helpers import decode, phase
from bullet_tables import PLAYERS, choose, positions, random_deck

from bluff_env.bullet.game import NUM_ACTIONS
from bluff_env.bullet.rules import CARD_NAMES
from bluff_env.bullet.states.events import public_events
from bluff_env.envs.position import Position

GAMES = 12


def view(position: Position, seat: int) -> list[int]:
    """The observation of a seat followed by its mask, which is zero unless the seat is to act."""
    mask = position.game.mask.tolist() if position.current_player() == seat else [0] * NUM_ACTIONS
    return position.observe(seat).tolist() + mask


def twin_deck(position: Position, deck: list[str], me: int, rng: random.Random) -> list[str]:
    """The deck with all cards shuffled that ``me`` does not see after the deal and their own first draw."""
    n, dealer = position.num_players, int(position.snapshot()["dealer"])
    order = [(dealer + 1 + k) % n for k in range(n)]
    hidden = [i * n + k for i in (3, 4) for k in range(n) if order[k] != me]
    hidden += [5 * n + k for k in range(n) if order[k] != me]
    hidden += [i for i in range(6 * n, len(deck)) if deck[i] != "fin"]
    if position.snapshot()["starter"] == me:
        hidden.remove(6 * n)
    cards = [deck[i] for i in hidden]
    rng.shuffle(cards)
    other = deck.copy()
    for i, card in zip(hidden, cards, strict=True):
        other[i] = card
    return other


@pytest.mark.parametrize("num_players", PLAYERS)
def test_two_worlds_look_alike_until_something_public_differs(num_players: int) -> None:
    rng = random.Random(f"worlds {num_players}")
    compared = 0
    for _ in range(4 * GAMES):
        deck, dealer = random_deck(num_players, rng), rng.randrange(num_players)
        me = rng.randrange(num_players)
        one = Position("bluff-the-bullet", num_players, deck=deck, dealer=dealer)
        if not one.is_player_node():
            continue
        other = Position("bluff-the-bullet", num_players, deck=twin_deck(one, deck, me, rng), dealer=dealer)
        while not one.is_terminal() and not other.is_terminal() and _public(one, me) == _public(other, me):
            assert view(one, me) == view(other, me)
            if phase(one) == "replace" or phase(other) == "replace":
                break  # the discards are drawn from, and they are equal, but not their places in a deck
            compared += 1
            names = one.legal_actions()
            assert names == other.legal_actions()
            action = choose(names, rng)
            for world in (one, other):
                world.apply_action(action)
    assert compared > 100


def _public(position: Position, me: int) -> tuple[object, ...]:
    """Return what tells worlds apart for a player: the cards they know, their own, discards, what was turned over."""
    state = position.snapshot()
    known = [[c["card"] for c in hand if me in c["known_to"]] for hand in state["hands"]]
    events = [(event["event"], event["card"]) for event in public_events(position.game.state, position.game.rule_row)]
    return known, state["action_cards"][me], state["discards"], events


@pytest.mark.parametrize("num_players", PLAYERS)
def test_what_a_player_is_shown_lies_there(num_players: int) -> None:
    rng = random.Random(f"truth {num_players}")
    for _ in range(GAMES):
        for position in positions(num_players, rng):
            state = position.snapshot()
            for me in range(num_players):
                seen = decode(position, me)
                for k in range(num_players):
                    cards = state["hands"][(me + k) % num_players]
                    for value, suit, card in zip(seen["values"][k], seen["suits"][k], cards, strict=True):
                        if value:
                            assert card["card"] == CARD_NAMES[(suit - 1) * 7 + value - 1]
                        else:
                            assert not card["face_up"] and me not in card["known_to"]


@pytest.mark.parametrize("num_players", PLAYERS[1:])
def test_what_others_answer_shows_nowhere_before_the_draw_nor_after_it_if_it_lapses(num_players: int) -> None:
    """Every round of some games is answered again at random, with one answer kept: all players see the same after each
    answer, and the same again when the kept answer is drawn."""
    rng = random.Random(f"races {num_players}")
    compared = lapsed = 0
    for _ in range(GAMES):
        for position in positions(num_players, rng):
            if phase(position) != "respond" or any(position.snapshot()["answers"]):
                continue
            kept, answer = rng.choice(_asked(position)), rng.choice(["call", "bullet 1"])
            one, other = _answered(position, kept, answer, rng), _answered(position, kept, answer, rng)
            assert [looks for looks, _ in one] == [looks for looks, _ in other]
            assert one[-1][1].snapshot() | {"record": 0} == other[-1][1].snapshot() | {"record": 0}
            compared += 1
            lapsed += one[-2][1].chance_weights() != other[-2][1].chance_weights()
    assert compared > 50 and lapsed > 10


def _asked(position: Position) -> list[int]:
    """The seats that answer in a round that begins, in order."""
    trial, seats = position.clone(), []
    while phase(trial) == "respond" and trial.current_player() not in seats:
        seats.append(trial.current_player())
        trial.apply_action("let")
    return seats


def _answered(position: Position, kept: int, answer: str, rng: random.Random) -> list[tuple[list[list[int]], Position]]:
    """Return what every player sees after each answer of a round and after the draw, with the positions: random
    answers, but for one player's (a call if they have no card to lay), which is drawn."""
    trial, seen = position.clone(), []
    while phase(trial) == "respond":
        names = trial.legal_actions()
        mine = answer if answer in names else "call"
        trial.apply_action(mine if trial.current_player() == kept else rng.choice(names))
        seen.append(([trial.observe(seat).tolist() for seat in range(trial.num_players)], trial.clone()))
    trial.apply_action(f"player_{kept}")
    return [*seen, ([trial.observe(seat).tolist() for seat in range(trial.num_players)], trial.clone())]
