"""Worlds for a search that does not peek: ``Position.resample`` keeps what a seat knows, and the game goes on.

In every variant, at random moments, for every seat: observation, mask and words stay the same, the cards stay those of
the deck, the new state is one that a saved game may have, and random play from there stays legal.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from looks import difference, look, words
from test_leaks import MATERIAL, SECRETS, TABLES

from bluff_env import Position
from bluff_env.cheat.variants import make_rules

STEPS = 6  # decisions that are looked at on each table
PLAYED_ON = 25
DRAWS = 4  # worlds that are drawn for a seat: where few cards are hidden, one is often the real world again


def play_on(position: Position, rng: random.Random) -> None:
    """Play at random; the state that is reached must be one of the game."""
    for _ in range(PLAYED_ON):
        if not position.is_terminal():
            position.apply_action(rng.choice(position.legal_actions()))
    if not position.is_chance_node():
        position.game.restore(position.game.save())


@pytest.mark.parametrize(("family", "name"), TABLES)
@pytest.mark.sample(8)
def test_a_seat_cannot_tell_the_new_world_from_the_real_one_and_the_game_goes_on(family: str, name: str) -> None:
    rng, numbers = random.Random(f"resample {name}"), np.random.default_rng(1)
    changed = 0
    for position in MATERIAL[family].decisions(name, rng, STEPS):
        before, cards = position.snapshot(), position.game.family.states.all_cards
        for seat in range(position.num_players):
            worlds = [position.resample(seat, numbers) for _ in range(DRAWS)]
            assert position.snapshot() == before
            changed += any(world.snapshot() != before for world in worlds)
            other = worlds[0]
            seen, again = look(position, seat), look(other, seat)
            assert (seen == again).all(), f"player_{seat} sees {difference(position, seen, again)} in {before}"
            names = [f"player_{p}" for p in range(position.num_players)]
            assert position.game.seat_text(seat, names) == other.game.seat_text(seat, names)
            if position.current_player() == seat:
                assert words(position, seat) == words(other, seat)
            assert cards(other.snapshot()) == cards(before)
            other.game.restore(other.game.save())
            play_on(other, rng)
    assert changed > STEPS


@pytest.mark.parametrize(("variant", "num_players"), [("pagat", 3), ("card-sharp", 4), ("bluff-the-bullet", 3)])
def test_at_chance_too(variant: str, num_players: int) -> None:
    """Also during the deal, where the deck is hidden."""
    rng, numbers = random.Random(3), np.random.default_rng(3)
    position, looked = Position(variant, num_players), 0
    while not position.is_terminal() and looked < 8:
        if position.is_chance_node() and rng.random() < 0.3:
            looked += 1
            for seat in range(num_players):
                other = position.resample(seat, numbers)
                assert np.array_equal(position.observe(seat), other.observe(seat))
                for _ in range(PLAYED_ON):
                    if not other.is_terminal():
                        other.apply_action(rng.choice(other.legal_actions()))
        position.apply_action(rng.choice(position.legal_actions()))
    assert looked == 8


@pytest.mark.parametrize(("family", "secret"), SECRETS)
@pytest.mark.sample(4)
def test_what_is_secret_is_drawn_anew(family: str, secret: str) -> None:
    material = MATERIAL[family]
    name, tell = material.SECRETS[secret]
    rng, numbers = random.Random(f"secret {secret}"), np.random.default_rng(2)
    assert any(
        np.any(tell(position.game.state, seat) != tell(position.resample(seat, numbers).game.state, seat))
        for position in material.decisions(name, rng, 120)
        for seat in range(position.num_players)
    )


@pytest.mark.parametrize(("variant", "num_players"), [("pagat", 3), ("bluff-the-bullet", 3), ("royals", 3)])
def test_the_draw_does_not_depend_on_what_is_hidden(variant: str, num_players: int) -> None:
    """Two worlds that are the same to a seat give the same draws, so a search learns nothing from them."""
    rng = random.Random(4)
    position = Position(variant, num_players)
    while position.is_chance_node():
        position.apply_action(rng.choice(position.legal_actions()))
    for _ in range(60):
        seat = position.current_player()
        if seat >= 0:
            other = position.resample(seat, 1)
            assert position.resample(seat, 5).snapshot() == other.resample(seat, 5).snapshot()
        if not position.is_terminal():
            position.apply_action(rng.choice(position.legal_actions()))


def test_deals_are_equally_likely() -> None:
    """Three cards are unseen; two of them are in the next hand."""
    rules = make_rules("cheat", ranks=("A", "2"), suits=("C", "D"), steps=(1,))
    position = Position(rules, 3, hands=[["AC"], ["2C", "2D"], ["AD"]], starter=0, dealer=2)
    numbers = np.random.default_rng(6)
    held = [tuple(sorted(position.resample(0, numbers).snapshot()["hands"][1])) for _ in range(150)]
    assert set(held) == {("2C", "2D"), ("2C", "AD"), ("2D", "AD")}
    assert all(30 <= held.count(pair) <= 70 for pair in set(held))


def test_only_a_seat_can_be_named() -> None:
    with pytest.raises(ValueError, match="seat"):
        Position("pagat", 3).resample(3)
