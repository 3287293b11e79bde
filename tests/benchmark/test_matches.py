"""The track matches: what a policy gains in the second half of a match is its adaptation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from small_versions import SMALL, frozen, game, player

from bluff_env import benchmark
from bluff_env.benchmark.version import TEST, TRAIN
from bluff_env.core.registry import FAMILIES

CHEAT = FAMILIES["cheat"]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A version with short matches."""
    tracks = {"matches": [game("pairs", "mini-pairs", 2, [player("reckless", TRAIN), player("random", TEST)], 12)]}
    for _ in frozen(tracks, tmp_path, monkeypatch):
        yield


def late(observation: np.ndarray, mask: np.ndarray) -> int:
    """Calls nothing in the first ten deals of a match, and then everything, as a reckless opponent deserves."""
    layout = CHEAT.parts.layout(2, True)
    legal = np.flatnonzero(mask)
    calling = CHEAT.game.action_index["call"]
    if calling in legal:
        return calling if observation[layout["match.deal"].start] > 10 else int(legal[legal != calling][0])
    return int(legal[0])


def test_adaptation_is_what_the_second_half_of_a_match_pays_more(small: None) -> None:
    """Of one who plays otherwise from the eleventh deal on; of one who does not, chance alone is left."""
    cells = {name: benchmark.run(policy, "matches", version=SMALL) for name, policy in (("a", late), ("b", "random"))}
    changed, same = (result.halves[TRAIN] for result in (cells["a"], cells["b"]))
    assert changed["adaptation"].low > 0 and same["adaptation"].low < 0 < same["adaptation"].high
    first, second = (changed["score"].value + sign * changed["adaptation"].value / 2 for sign in (-1, 1))
    assert -1 <= first < second <= 1
