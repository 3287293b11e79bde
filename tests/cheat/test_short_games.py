"""Short games of random rule sets, each of them chosen because it shows a small mistake in the rules.

Mutation testing (``tools/mutants.py``) found wrong rules that the tests of single rules let pass, most of them where
two rare rules meet. Of thousands of short games these were kept: in one of them at least, each such mistake makes a
difference. (After a change of ``random_rules`` or of the random players the seeds are those of other games.)
``python -m pytest tests/cheat/test_short_games.py --write-golden`` writes their observations anew.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cheat_side_by_side import chooser, random_deal, random_rules
from cheat_whole_games import Comparison, Teller
from oracle_cheat import Oracle

from bluff_env.cheat.driver import DRIVER
from bluff_env.cheat.game import possible_actions
from bluff_env.cheat.observe import PARTS
from bluff_env.cheat.rules import MAX_PLAYERS, Rules
from bluff_env.core.parts import NOBODY, OBSERVATION_DTYPE
from bluff_env.core.single_game import SingleGame
from bluff_env.envs.position import Position

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "cheat_short_games.txt"
SEEDS = (
    4, 18, 98, 145, 159, 178, 199, 268, 340, 401, 451, 566, 655, 718, 720, 844, 1011, 1040, 1212, 1290, 1396,
    1469, 1519, 1607, 1677, 1684, 1710, 1823, 1916, 1961, 2088, 2137, 2355, 2367, 2420, 2437, 2462, 2495, 2559,
    2639, 2681, 2827, 2852, 2910, 2956, 3010, 3021, 3034, 3042, 3065, 3079, 3081, 3099, 3103, 3162, 3187, 3201,
    3203, 3301, 3438, 3469, 3489, 3725, 3744, 4336, 4851, 5011,
)  # fmt: skip


def table(seed: int) -> tuple[Rules, int, dict[str, Any], random.Random]:
    """Rules, number of players, options of a forced deal, and the source of all that is random in the game."""
    rng = random.Random(f"short {seed}")
    rules, num_players = random_rules(rng)
    return rules, num_players, random_deal(rules, num_players, rng), rng


@pytest.mark.parametrize("seed", SEEDS)
def test_engine_and_oracle_play_the_same_short_game(seed: int) -> None:
    """At every node: what is to be decided or drawn, legal actions, outcomes and their weights, cards, payoffs."""
    rules, num_players, deal, rng = table(seed)
    assert Comparison(rules, num_players, **deal).game(rng) > 1


@cache
def moves(seed: int) -> tuple[Any, ...]:
    """The actions and outcomes of the game, which the oracle plays."""
    rules, num_players, deal, rng = table(seed)
    teller = Teller(Oracle(rules, num_players, **deal))
    teller.play(chooser(rng), rng)
    return tuple(teller.moves)


def nodes(seed: int) -> Iterator[SingleGame]:
    """The game in the engine at every node. Now and then it is saved, and goes on from there."""
    rules, num_players, deal, _ = table(seed)
    game = Position(rules, num_players, **deal).game
    for number, move in enumerate((*moves(seed), None)):
        if number % 8 == 0 and not (game.at_chance or game.is_over):
            game.restore(game.save())
        yield game
        if move is not None:
            (game.apply_outcome if game.at_chance else game.apply_action)(move)


def view(game: SingleGame, seat: int, seats: int) -> np.ndarray:
    """Return what a seat sees with room for ``seats`` players, written over other numbers: none may be left."""
    seen = np.full(PARTS.observation_size(seats, wide=PARTS.is_wide(game.rules)), -1, OBSERVATION_DTYPE)
    DRIVER.observe_one(game.states, game.rule_rows, game.features, PARTS.offsets(seats), 0, seat, seen)
    return seen


def digest_of_observations(seed: int) -> str:
    """Return a SHA-256 of what everybody sees at every node, now at their own table and now in a larger one."""
    digest = hashlib.sha256()
    for number, game in enumerate(nodes(seed)):
        for seat in range(game.num_players):
            seats = min(MAX_PLAYERS, game.num_players + 2 * ((seat + number) % 2))
            digest.update(view(game, seat, seats).astype("<i2").tobytes())
    return digest.hexdigest()[:12]


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> dict[int, str]:
    """The digest of each game, as the file has it."""
    if request.config.getoption("--write-golden", default=False):
        lines = [f"{seed} {digest_of_observations(seed)}" for seed in SEEDS]
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = (line.split() for line in GOLDEN.read_text(encoding="utf-8").splitlines())
    return {int(seed): digest for seed, digest in rows}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_seen_in_a_short_game_stays_the_same(seed: int, kept: dict[int, str]) -> None:
    """A change that is meant is written to the file; the golden games tell in words what has changed."""
    assert digest_of_observations(seed) == kept[seed]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_holds_at_every_node_of_a_short_game(seed: int) -> None:
    """Somebody is to act unless chance is or the game is over; parts that do not vary under these rules stay the same;
    and every action that is legal is known to be possible under these rules."""
    first, possible = None, None
    for game in nodes(seed):
        if first is None:
            parts = PARTS.layout(game.num_players, wide=PARTS.is_wide(game.rules)).values()
            fixed = np.concatenate([np.full(part.size, not part.varies(game.rules)) for part in parts])
            first, possible = view(game, 0, game.num_players), set(possible_actions(game.rules))
        assert (game.to_act == NOBODY) == (game.at_chance or game.is_over)
        assert set(np.flatnonzero(game.mask)) <= possible or game.at_chance or game.is_over
        for seat in range(game.num_players):
            assert (view(game, seat, game.num_players) == first)[fixed].all()


def test_no_game_is_left_over(kept: dict[int, str]) -> None:
    assert tuple(kept) == SEEDS
