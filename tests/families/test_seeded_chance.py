"""What chance draws from a seed, worked out a second time from the weights of the outcomes; the masks on the way."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bluff_env.bullet.game.state import Phase as BulletPhase
from bluff_env.bullet.game.state import Stream as BulletStream
from bluff_env.cheat.game.state import Phase, Stream
from bluff_env.family import FAMILIES, family_of
from bluff_env.single_game import SingleGame

OWN_STREAM = {  # every other phase draws from DEAL, the stream 0
    "cheat": {Phase.RACE: Stream.RACE, Phase.SHOW_ONE: Stream.SHOW, Phase.NOTICE: Stream.NOTICE,
              Phase.PEEK: Stream.PEEK},
    "bluff-the-bullet": {BulletPhase.RACE: BulletStream.RACE, BulletPhase.REPLACE: BulletStream.REPLACE},
}  # fmt: skip
SMALL = ("A", "2", "J", "K")
GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("british", 4, {"ranks": SMALL, "reveal": "one"}), ("canadian", 3, {"ranks": SMALL}),
    ("jump-in", 3, {"ranks": SMALL}), ("bluff-the-bullet", 2, {}), ("bluff-the-bullet", 5, {}),
]  # fmt: skip
DECISIONS = 60


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


@pytest.mark.parametrize(("variant", "num_players", "house_rules"), GAMES)
def test_seeded_games_draw_by_the_weights(variant: str, num_players: int, house_rules: dict[str, Any]) -> None:
    """After every decision the whole states are equal; masks hold zeros and ones, and are counted right."""
    family = family_of(variant)
    rules = family.variants.make_rules(variant, **house_rules).resolve(num_players)
    seeded, drawn = (SingleGame(family, rules, num_players) for _ in range(2))
    streams = set()
    for seed in range(3):
        rng = random.Random(seed)
        seeded.start(seeded.dealt({}), seed)
        dealt = drawn.dealt({})
        family.driver.start_one(dealt, 0, seed)
        drawn.begin(dealt)
        for _ in range(DECISIONS):
            while drawn.at_chance:
                streams.add(draw_chance(drawn))
            assert differing(drawn.state, seeded.state) == []
            if seeded.is_over:
                break
            assert set(seeded.mask.tolist()) == {0, 1} and (drawn.mask == seeded.mask).all()
            mask = np.empty_like(seeded.mask)
            assert family.driver.mask_one(seeded.states, seeded.rule_rows, 0, mask) == mask.sum() == seeded.mask.sum()
            action = rng.choice(np.flatnonzero(seeded.mask).tolist())
            seeded.step(action)
            drawn.apply_action(action)
    assert len(streams) > 1


def test_all_families_are_here() -> None:
    """A new family needs its games."""
    assert set(OWN_STREAM) == {family_of(variant).name for variant, _, _ in GAMES} == set(FAMILIES)
