"""What a scripted player is shown may come from a file or from another program: nothing in it makes them read amiss."""

from __future__ import annotations

import fuzz_engine
import numpy as np
import pytest

from bluff_env import Engine
from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.policies import load_policy


@pytest.fixture
def engine() -> Engine:
    return Engine("pagat", 2, 3, seed=1)


@pytest.mark.parametrize(("part", "value"), [("hand", -1), ("hand", 225), ("claimant", 4), ("rules.num_players", 4),
                                             ("rules.num_players", 1), ("own_claim", 32767)])  # fmt: skip
@pytest.mark.parametrize("player", ["counter", "honest", "watcher"])
def test_a_number_that_does_not_occur_is_refused(engine: Engine, player: str, part: str, value: int) -> None:
    """The sentence names the part and its bounds. A table for 3 seats has 2 to 3 players."""
    rows = engine.observations.copy()
    rows[1, CHEAT.parts.layout(3)[part].start] = value
    with pytest.raises(
        ValueError, match=rf"^row 1 is not an observation: `{part}` has {value}, not \d to \d+; policies"
    ):
        load_policy(player).predict(rows, action_masks=engine.action_masks)


def test_masks_of_another_shape_are_refused(engine: Engine) -> None:
    with pytest.raises(ValueError, match=r"action_masks has shape \(2, 5\), not \(2, \d+\)"):
        load_policy("counter").predict(engine.observations, action_masks=engine.action_masks[:, :5])


@pytest.mark.long
def test_forged_rows_are_refused_or_answered_by_a_legal_action() -> None:
    """The short version of tools/fuzz_engine.py, which `make fuzz` runs with the bounds of all arrays checked."""
    counts = fuzz_engine.fuzz_players(np.random.default_rng(4), rows=3000)
    assert counts["answered"] > 2000 and counts["refused"] > 100
