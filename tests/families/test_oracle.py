"""Every family's games in the engine and in its oracle, a slow second implementation, side by side.

Which games are played, and what of them is compared, is in ``tests/cheat/cheat_side_by_side.py`` and
``tests/bullet/bullet_side_by_side.py``.
"""

from __future__ import annotations

import re
from types import ModuleType

import bullet_side_by_side
import cheat_side_by_side
import pytest
from side_by_side import compare

MATERIAL: dict[str, ModuleType] = {"cheat": cheat_side_by_side, "bullet": bullet_side_by_side}
GAMES = [(family, games) for family, material in MATERIAL.items() for games in material.GAMES]


@pytest.mark.parametrize(("family", "games"), GAMES)
@pytest.mark.sample(15)
def test_engine_and_oracle_agree(family: str, games: str) -> None:
    """At every node: what is to be decided or drawn, legal actions, outcomes and their weights, cards, payoffs."""
    material = MATERIAL[family]
    histories = [
        compare(position, oracle, material.view, material.chooser(rng), rng)
        for position, oracle, rng in material.GAMES[games]()
    ]
    assert any(histories)
    for what, pattern in material.HAPPENINGS.items():
        assert any(re.search(pattern, history) for history in histories), f"no game had: {what}"
