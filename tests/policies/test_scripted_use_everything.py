"""Every action of Cheat that some preset can need is chosen by a scripted player in some preset.

``random`` and ``reckless`` do not count: they choose whatever is legal.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers import table
from table_talk import chosen

from bluff_env.cheat.family import FAMILY
from bluff_env.cheat.game.actions import ACTION_INDEX, ACTION_NAMES, Action, possible_actions
from bluff_env.cheat.rules import RANK_NAMES
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.policies.load import load_policy
from bluff_env.policies.scripted import scripted_names
from bluff_env.policies.seats import SeatPolicies
from bluff_env.utils.errors import RulesError

NAMES = [name for name in scripted_names(FAMILY) if name not in ("random", "reckless")]
# More cards of a rank than there are, an obvious lie; free-for-all lets players announce them all the same.
ABSURD = {f"count {n}" for n in range(9, 25)}
# Eight cards of a rank are hardly ever dealt to one player: see test_every_bid.
RARE = {f"bid {n}" for n in (5, 6, 7, 8)}


def possible() -> set[str]:
    """Names of the actions that are possible in some preset with some number of players."""
    found: set[int] = set()
    for variant in VARIANTS:
        for players in range(2, 11):
            try:
                found |= set(possible_actions(make_rules(variant).resolve(players)))
            except RulesError:
                continue  # more players than cards
    return {ACTION_NAMES[action] for action in found}


def used(variant: str, players: int, names: list[str], games: int, **house_rules: float) -> np.ndarray:
    """How often each action is chosen in games between these players, who sit down at random."""
    policies = [load_policy(f"scripted/{name}") for name in names]
    rng, counts = np.random.default_rng(1), np.zeros(len(ACTION_NAMES), np.int64)
    engine = Engine(variant, games, players, seed=5, autoreset=False, **house_rules)
    seats = SeatPolicies(policies, rng.integers(0, len(names), (games, players)))
    actions = np.zeros(games, np.int64)
    while len(rows := np.flatnonzero(engine.to_act >= 0)):
        actions[rows] = seats.act(engine, rows, rng)
        counts += np.bincount(actions[rows], minlength=len(counts))
        engine.step(actions, where=engine.to_act >= 0)
    return counts


@pytest.mark.long
def test_every_action_is_chosen() -> None:
    counts = sum(used(variant, VARIANTS[variant].players[1], NAMES, 40) for variant in VARIANTS)
    # at a large table every seat is a victim; somebody would always notice, so sharp dares only where few do
    counts += used("british", 10, ["sharp"], 60, notice_prob=0.02)
    counts += used("british", 4, ["sharp", "watcher"], 60)
    counts += used("card-sharp", 4, ["sharp"], 100)
    counts += used("hawaiian", 10, NAMES, 20)
    counts += used("free-for-all", 3, ["bluffer"], 40) + used("eightshit", 4, NAMES, 60)
    missing = {name for name in possible() if not counts[ACTION_INDEX[name]]}
    assert missing - RARE <= ABSURD


def test_reckless_makes_the_most_absurd_announcements() -> None:
    counts = used("free-for-all", 4, ["reckless"], 300)
    assert all(counts[ACTION_INDEX[name]] for name in ABSURD)


@pytest.mark.parametrize("number", range(1, 9))
def test_every_bid(number: int) -> None:
    """Two packs have eight aces."""
    aces = ["AC", "AD", "AH", "AS"] * 2
    hands = [" ".join([*aces[:number], "KC"]), " ".join([*aces[number:], "KD"]), "QC QD QH"]
    position = table("spanish", *hands, starter=None)
    while position.current_player() != 0:
        position.apply_action("bid 1" if number > 1 and "bid 1" in position.legal_actions() else "call")
    assert chosen("counter", position) == f"bid {number}"


@pytest.mark.parametrize("rank", RANK_NAMES)
def test_every_full_set_is_set_aside_where_it_is_a_choice(rank: str) -> None:
    """No preset has that choice, a house rule does."""
    other = "A" if rank != "A" else "2"
    hand = " ".join([*(rank + suit for suit in "CDHS"), other + "C"])
    position = table("bullshit", hand, f"{other}D {other}H", f"{other}S", full_set="offer")
    assert chosen("counter", position) == f"set aside {rank}"
    assert ACTION_INDEX[f"set aside {rank}"] == Action.SET_ASIDE + RANK_NAMES.index(rank)
