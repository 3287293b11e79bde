"""Opponents for people: levels in words, behind which stand policies that were measured, and how long a game takes.

``levels.json`` is measured by ``python -m experiments.levels``: for each game the policies that could sit opposite a
person, what a person who plays like ``honest`` or ``counter`` wins against copies of each, and the length of the games.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from bluff_env.core.registry import full_name
from bluff_env.evaluation.games import DEFAULT_POLICY, GameSpec
from bluff_env.utils.numerals import number

PATH = Path(__file__).parent / "levels.json"
LEVELS = ("beginner", "regular", "strong")
DEFAULT_LEVEL = "regular"
MOST_PLAYERS = 6  # of the games that are measured
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hugo", "Ida", "Jon")  # of opponents, one a seat
BEGINNER, REGULAR = 1.8, 1.1  # what a person should win against them, in fair shares 1/N
ENDS = 0.05  # at most this share of a game's tables may run into the length limit
SECONDS_A_DECISION = 3.0  # of a person: a card or an answer
SECONDS_A_TURN = 1.5  # of the others, with the pauses between events


@dataclass(frozen=True)
class Length:
    """The length of a game at the level that was measured.

    Attributes:
        turns: the median number of turns.
        minutes: about how long a person sits at it.
        at_limit: the share of games that end by the length limit.
    """

    turns: int
    minutes: int
    at_limit: float

    @property
    def ends(self) -> bool:
        """Return whether the game nearly always ends by itself."""
        return self.at_limit <= ENDS

    def __str__(self) -> str:
        """``about 40 turns, 3 minutes``, and how often time runs out, where that is not rare."""
        often = "" if self.ends else f"; {self.at_limit:.0%} of games end by the length limit"
        return f"about {number(self.turns, 'turn')}, {number(self.minutes, 'minute')}{often}"


@functools.cache
def _measured() -> dict[str, dict[str, dict[str, Any]]]:
    return dict(json.loads(PATH.read_text(encoding="utf-8")))


def _rows(game: GameSpec) -> dict[str, dict[str, Any]]:
    """Return what was measured in a game, by policy; nothing under house rules and for more players."""
    return _measured().get(f"{full_name(game.variant)}/{game.num_players}p", {}) if game.is_preset else {}


def opponent(game: GameSpec, level: str = DEFAULT_LEVEL) -> str:
    """Return the name of the policy that plays at a level (one of :data:`LEVELS`).

    The strong one is that against which a person wins least. Against a regular one they win about their fair share,
    against a beginner nearly twice that. Policies whose games run into the length limit are left out, as long as three
    are left. A game that was not measured has one opponent for all levels, the default policy.
    """
    rows = _rows(game)
    if not rows:
        return DEFAULT_POLICY
    latest = max(ENDS, sorted(row["at_limit"] for row in rows.values())[:3][-1])  # three levels need three policies
    wins = {name: row["person_wins"] for name, row in rows.items() if row["at_limit"] <= latest}
    *easier, strong = sorted(wins, key=lambda name: -wins[name])
    fair = 1 / game.num_players
    if len(easier) < 2:
        return strong
    pairs = combinations(easier, 2)
    beginner, regular = min(
        pairs, key=lambda pair: abs(wins[pair[0]] - BEGINNER * fair) + abs(wins[pair[1]] - REGULAR * fair)
    )
    return {"beginner": beginner, "regular": regular, "strong": strong}[level]


def person_wins(game: GameSpec, level: str) -> float | None:
    """Return the win share of a person who plays like ``honest`` or ``counter`` at this level; None if unmeasured."""
    row = _rows(game).get(opponent(game, level))
    return None if row is None else float(row["person_wins"])


def length_of(game: GameSpec, level: str = DEFAULT_LEVEL) -> Length | None:
    """Return how long a game takes against a level; None if that was not measured."""
    row = _rows(game).get(opponent(game, level))
    if row is None:
        return None
    seconds = SECONDS_A_DECISION * row["decisions"] + SECONDS_A_TURN * row["turns"]
    return Length(round(row["turns"]), max(1, round(seconds / 60)), row["at_limit"])
