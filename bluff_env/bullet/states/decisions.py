"""Views of the decisions to lay or call a card in Bluff the Bullet, for :mod:`bluff_env.evaluation.studies`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import Ability
from bluff_env.bullet.rules import SUIT_NAMES, Rules
from bluff_env.bullet.texts.table import hidden_play
from bluff_env.core.family import HiddenPlay, StudyViews
from bluff_env.core.parts import NOBODY

PARTS: tuple[str, ...] = ("turns", "action_counts", "action_suits", "ability", "stack")


def claim_names(rules: Rules) -> tuple[str, ...]:
    """Return the names that an announcement can use."""
    return SUIT_NAMES


def plays_so_far(results: Mapping[str, np.ndarray], view: Mapping[str, np.ndarray], to_act: np.ndarray) -> np.ndarray:
    """Return the number of cards that each seat has laid down, (games, seats): shown ones and those on the stack."""
    plays, players = results["plays"].copy(), (to_act != NOBODY).nonzero()[0]
    stack = view["stack"]
    for place in range(stack.shape[1]):
        rows = players[stack[players, place] > 0]
        seats = (to_act[rows] + stack[rows, place] - 1) % view["action_counts"].shape[1]
        plays[rows, seats] += 1
    return plays


def claimant_called(view: Mapping[str, np.ndarray], action: str) -> np.ndarray:
    """Return the player whose card a call would turn over (the top of the stack), as a relative seat (rows,)."""
    stack = view["stack"]
    return stack[np.arange(len(stack)), (stack > 0).sum(1) - 1] - 1


def last_play(
    snapshot: Mapping[str, Any], seat: int, rules: Rules, before: Mapping[str, np.ndarray] | None
) -> HiddenPlay | None:
    """Return what the card hides that a seat has just laid down, from a snapshot with the card on the stack."""
    kind, ability = ("bullet", "bullet") if snapshot["bullets"] else ("announce", snapshot["announcement"]["ability"])
    return hidden_play({"event": kind, "ability": ability}, {}, snapshot, rules)


def situation(view: Mapping[str, np.ndarray], rules: Rules, claimant: np.ndarray) -> dict[str, np.ndarray]:
    """Return the situation that players see in these rows with a card on the table; the pile is its whole stack.

    Args:
        view: the parts of their observations, each with the row on its first axis.
        rules: the rules of the games.
        claimant: the player who laid it, as a relative seat (rows,); 0 is oneself.
    """
    rows, others = np.arange(len(claimant)), view["action_counts"][:, 1:]
    depth = (view["stack"] > 0).sum(1)
    bullet = (depth > 1) | (view["ability"] == Ability.NONE)  # in observations 0 is also the bullet
    ability = np.where(bullet, int(Ability.BULLET), view["ability"])
    return {
        "turn": view["turns"],
        "claim": ability - 1,
        "announced": np.ones_like(depth),
        "hand": view["action_counts"][:, 0],
        "fitting": (view["action_suits"] == ability[:, None]).sum(1),
        "pile": depth,
        "opponent_hand": np.where(claimant > 0, view["action_counts"][rows, claimant], others.min(1)),
    }


def before_play(situation: dict[str, np.ndarray], cards: np.ndarray) -> None:
    """Change in place a player's view after they laid a card into the view before it."""
    situation["hand"] = situation["hand"] + 1
    situation["pile"] = situation["pile"] - 1


DECISIONS = StudyViews(
    parts=PARTS,
    lies_count_at_once=False,
    claim_names=claim_names,
    plays_so_far=plays_so_far,
    claimant_called=claimant_called,
    last_play=last_play,
    situation=situation,
    before_play=before_play,
)
