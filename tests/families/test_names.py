"""What a player reads names everybody at the table, by the names that they have, whatever happens there."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bluff_env.core.picture import Picture
from bluff_env.core.registry import FAMILIES
from bluff_env.envs.position import Position

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
GAMES = [
    ("bluff-the-bullet", 2), ("bluff-the-bullet", 3), ("bluff-the-bullet", 5), ("pagat", 3), ("pagat", 6),
    ("chinese", 4), ("jump-in", 3), ("hawaiian", 4), ("british", 4), ("spanish", 4), ("eightshit", 4), ("kings-cup", 4),
    ("egyptian", 4), ("free-for-all", 3), ("sinners", 4),
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize(("variant", "num_players"), GAMES)
def test_every_seat_reads_every_players_name_in_every_phase(variant: str, num_players: int) -> None:
    rng, phases = np.random.default_rng(7), Counter[str]()
    for _ in range(4):
        position = Position(variant, num_players)
        texts = position.game.family.texts
        while True:
            names = NAMES[:num_players]
            snapshot = position.snapshot()
            if phases[snapshot["phase"]] < 40:
                phases[snapshot["phase"]] += 1
                for seat in range(num_players):
                    around, view = [*names[seat:], *names[:seat]], _view(position, seat)
                    to_act = position.current_player() == seat
                    _all_named(texts.render_seat(view, around, to_act), names, f"seat {seat} in {snapshot['phase']}")
                    _all_placed(texts.draw_seat(view, around, to_act), around)
                _all_named(texts.render_game(snapshot, names), names, snapshot["phase"])
                _all_placed(texts.draw_game(snapshot, names), list(names))
            if position.is_terminal():
                break
            position.apply_action(str(rng.choice(position.legal_actions())))
    assert len(phases) > 3


def test_the_games_are_of_every_family() -> None:
    assert {Position(variant, players).game.family.name for variant, players in GAMES} == set(FAMILIES)


def _view(position: Position, seat: int) -> dict[str, Any]:
    parts, vector = position.game.family.parts.layout(position.num_players).items(), position.observe(seat)
    return {name: vector[p.slice].reshape(p.shape) if p.shape else int(vector[p.start]) for name, p in parts}


def _all_named(text: str, names: tuple[str, ...], where: str) -> None:
    missing = [name for name in names if not re.search(rf"^>? *{name}\b", text, re.MULTILINE)]
    assert not missing, f"{where} has no line of {missing}:\n{text}"


def _all_placed(picture: Picture, names: list[str]) -> None:
    assert [place.name for place in picture.players] == names
