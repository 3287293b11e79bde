"""The ranking of hands, against a plain one, over all five-card hands by value."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from bluff_env.bullet.game.hands import hand_score
from bluff_env.bullet.game.rule_table import rule_row
from bluff_env.bullet.game.state import GAME
from bluff_env.bullet.rules import NUM_VALUES, Rules
from bluff_env.core.jit import entry, records

ORDER = {(5,): 7, (4, 1): 6, (3, 2): 5, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
STRAIGHT = 4


@entry
def scores(games, rules, out):
    """The score of the first hand of every game."""
    for i in range(games.shape[0]):
        out[i] = hand_score(games[i], rules[0], 0, 5)


def plain_key(values: tuple[int, ...], straights: bool) -> tuple[int, list[int]]:
    """A key that is greater for the better hand."""
    groups = Counter(values).most_common()
    groups.sort(key=lambda group: (group[1], group[0]), reverse=True)
    rank = ORDER[tuple(count for _, count in groups)]
    if straights and len(groups) == 5 and max(values) - min(values) == 4:
        rank = STRAIGHT
    return rank, [value for value, _ in groups]


@pytest.mark.parametrize("straights", [False, True])
def test_every_pair_of_hands_compares_as_the_rules_say(straights: bool) -> None:
    hands = list(combinations_with_replacement(range(1, NUM_VALUES + 1), 5))
    games = records(len(hands), GAME)
    games["hand"][:, 0] = np.array(hands) - 1 + NUM_VALUES * np.arange(len(hands))[:, None] % 28 // 7 * 7
    table = np.zeros(len(hands), np.int64)
    scores(games, rule_row(Rules(straights=straights), 5), table)
    by_score = np.argsort(table, kind="stable")
    keys = [plain_key(hands[i], straights) for i in by_score]
    assert keys == sorted(keys)
    assert len(set(table.tolist())) == len({str(key) for key in keys}) == len(hands)


def test_the_examples_of_the_original() -> None:
    ranked = [(6, 6, 6, 5, 5), (6, 6, 6, 3, 3), (4, 4, 4, 5, 5), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5)]
    keys = [plain_key(hand, False) for hand in [(3,) * 4 + (1,), (2,) * 4 + (7,), *ranked]]
    assert keys == sorted(keys, reverse=True)
