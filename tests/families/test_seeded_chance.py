"""What chance draws from a seed, worked out a second time from the weights of the outcomes; the masks on the way."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from bullet_tables import full_deck

from bluff_env.bullet.game.state import Phase as BulletPhase
from bluff_env.bullet.game.state import Stream as BulletStream
from bluff_env.cheat.game.state import NUM_STREAMS, Phase, Stream
from bluff_env.core.registry import FAMILIES, family_of
from bluff_env.core.single_game import SingleGame

OWN_STREAM = {  # every other phase draws from DEAL, the stream 0
    "cheat": {Phase.RACE: Stream.RACE, Phase.SHOW_ONE: Stream.SHOW, Phase.NOTICE: Stream.NOTICE,
              Phase.PEEK: Stream.PEEK, Phase.TRIGGER: Stream.TRIGGER},
    "bluff-the-bullet": {BulletPhase.RACE: BulletStream.RACE, BulletPhase.REPLACE: BulletStream.REPLACE},
}  # fmt: skip
SMALL = ("A", "2", "J", "K")
# Presets with a number of players and house rules, and the streams from which their games draw.
GAMES: list[tuple[str, int, dict[str, Any], set[int]]] = [
    ("british", 4, {"ranks": SMALL, "reveal": "one"}, set(range(NUM_STREAMS)) - {Stream.TRIGGER}),
    ("liars-deck", 3, {}, {Stream.DEAL, Stream.TRIGGER}),
    ("canadian", 3, {"ranks": SMALL}, {Stream.DEAL, Stream.RACE}),
    ("jump-in", 3, {"ranks": SMALL}, {Stream.DEAL, Stream.RACE}),
    ("bluff-the-bullet", 2, {}, {BulletStream.DEAL, BulletStream.RACE}),
    ("bluff-the-bullet", 5, {}, {BulletStream.DEAL, BulletStream.RACE}),
]  # fmt: skip
DECISIONS = 60
SHORT_DECKS = 40  # games of Bluff the Bullet with a deck that is soon empty, so that a discard replaces a lost card


def mixed(x: int) -> int:
    """A 32-bit hash of 32 bits, as chance.py names it: TheIronBorn's multiply-xorshift."""
    x &= 0xFFFFFFFF
    for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97), (15, 1)):
        x = ((x ^ x >> shift) * factor) & 0xFFFFFFFF
    return x


def draw_chance(game: SingleGame) -> int:
    """Draws at a chance node as a seeded game should, and applies it; returns the stream that it drew from."""
    state, weights = game.state, game.outcome_weights()
    stream = int(OWN_STREAM[game.family.name].get(int(state["phase"]), 0))
    key_a, key_b = state["keys"][stream].tolist()
    bits = mixed(key_a ^ mixed(key_b + int(state["draws"][stream]) * 0x1E3779B9))
    left = bits * sum(weights.values()) >> 32
    outcome = next(k for k in weights if (left := left - weights[k]) < 0)
    state["draws"][stream] += 1
    game.apply_outcome(outcome)
    return stream


def differing(one: Any, two: Any) -> list[str]:
    """The fields that differ."""
    return [name for name in one.dtype.names if not np.array_equal(one[name], two[name])]


def play_both(seeded: SingleGame, drawn: SingleGame, deal: dict[str, Any], seed: int) -> set[int]:
    """Plays a game in which the first draws its own chance, and in which the test draws it for the second.

    After every decision the whole states are equal; masks hold zeros and ones, and are counted right. Returns the
    streams from which chance was drawn.
    """
    driver, rng, streams = seeded.family.driver, random.Random(seed), set()
    seeded.start(seeded.dealt(deal), seed)
    dealt = drawn.dealt(deal)
    driver.start_one(dealt, 0, seed)
    drawn.begin(dealt)
    for _ in range(DECISIONS):
        while drawn.at_chance:
            streams.add(draw_chance(drawn))
        assert differing(drawn.state, seeded.state) == []
        if seeded.is_over:
            break
        assert set(seeded.mask.tolist()) == {0, 1} and (drawn.mask == seeded.mask).all()
        mask = np.empty_like(seeded.mask)
        assert driver.mask_one(seeded.states, seeded.rule_rows, 0, mask) == mask.sum() == seeded.mask.sum()
        action = rng.choice(np.flatnonzero(seeded.mask).tolist())
        seeded.step(action)
        drawn.apply_action(action)
    return streams


def two_games(variant: str, num_players: int, house_rules: dict[str, Any]) -> tuple[SingleGame, SingleGame]:
    """Two games of the same rules."""
    family = family_of(variant)
    rules = family.variants.make_rules(variant, **house_rules).resolve(num_players)
    return SingleGame(family, rules, num_players), SingleGame(family, rules, num_players)


@pytest.mark.parametrize(("variant", "num_players", "house_rules", "streams"), GAMES)
def test_seeded_games_draw_by_the_weights(
    variant: str, num_players: int, house_rules: dict[str, Any], streams: set[int]
) -> None:
    games = two_games(variant, num_players, house_rules)
    assert set().union(*(play_both(*games, {}, seed) for seed in range(3))) == streams


def test_a_discard_that_replaces_a_card_is_drawn_by_the_weights() -> None:
    """In Bluff the Bullet, once the deck is empty."""
    games, drawn = two_games("bluff-the-bullet", 2, {}), set()
    for seed in range(SHORT_DECKS):
        deck = full_deck(2)
        random.Random(seed).shuffle(deck)
        drawn |= play_both(*games, {"deck": deck[:13], "dealer": seed % 2}, seed)
    assert BulletStream.REPLACE in drawn


def test_all_families_are_here() -> None:
    """A new family needs its games."""
    assert set(OWN_STREAM) == {family_of(variant).name for variant, *_ in GAMES} == set(FAMILIES)
