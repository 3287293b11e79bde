"""Views of the decisions to make or call a claim in Cheat, for :mod:`bluff_env.evaluation.studies`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.cheat.game.state import JOKER_FACE
from bluff_env.cheat.observe import NUM_CARDS, ObservedPhase
from bluff_env.cheat.rules import JOKER_NAME, NUM_SUITS, RANK_NAMES, SUIT_NAMES, Callers, ClaimKind, JokerRole, Rules
from bluff_env.cheat.texts.table import hidden_play
from bluff_env.core.family import HiddenPlay, StudyViews

PARTS: tuple[str, ...] = (
    "phase", "clock", "hand", "hand_cards", "hand_sizes", "pile_size", "claims", "last_claim", "last_count", "claimant",
    "latest_faces", "latest_counts",
)  # fmt: skip
_COMPOSING = (ObservedPhase.TURN, ObservedPhase.PLACE, ObservedPhase.COUNT)


def claim_names(rules: Rules) -> tuple[str, ...]:
    """Return the names that a claim can use, by face."""
    names = SUIT_NAMES if rules.claim_kind == ClaimKind.SUIT else RANK_NAMES
    return (*names, *[""] * (JOKER_FACE - len(names)), JOKER_NAME)


def plays_so_far(results: Mapping[str, np.ndarray], view: Mapping[str, np.ndarray], to_act: np.ndarray) -> np.ndarray:
    """Return the number of plays that each seat has made, (games, seats)."""
    return results["plays"]


def claimant_called(view: Mapping[str, np.ndarray], action: str) -> np.ndarray:
    """Return the player whose play a call would turn over, as a relative seat (rows,); 0 if the action is no call."""
    if action != "call":
        return np.full(len(view["phase"]), int(action.removeprefix("call +")))
    is_bid = view["phase"] == ObservedPhase.BID
    return np.where(is_bid, 0, view["claimant"] - 1).clip(0)


def last_play(
    snapshot: Mapping[str, Any], seat: int, rules: Rules, before: Mapping[str, np.ndarray] | None
) -> HiddenPlay | None:
    """Return what the play that a seat has just made hides; None if the next deal of a match has begun already.

    Args:
        snapshot: of the game with the play on the table.
        seat: the seat that made it.
        rules: the rules of the game.
        before: that player's view at the decision; None if the play was made without one.
    """
    play = next((play for play in reversed(snapshot["pile"]) if play["player"] == seat), None)
    if play is None:
        return None
    claim, names = play["claim"], claim_names(rules)
    event = {"event": "play", "player": seat, "face": claim.get("rank") or claim["suit"], "count": claim["count"]}
    earlier: dict[str, Any] = {"turn": None, "phase": None}
    if before is not None and int(before["phase"]) in _COMPOSING:
        allowed = [names[face] for face in np.flatnonzero(before["claims"])]
        earlier = {"turn": seat, "phase": "place", "claims": allowed}
    return hidden_play(event, earlier, snapshot, rules)


def situation(view: Mapping[str, np.ndarray], rules: Rules, claimant: np.ndarray) -> dict[str, np.ndarray]:
    """Return the public situation that players see in these rows while a play is on the table.

    Args:
        view: the parts of their observations, each with the row on its first axis.
        rules: the rules of the games.
        claimant: the player who made it, as a relative seat (rows,); 0 is oneself.
    """
    rows, others = np.arange(len(claimant)), view["hand_sizes"][:, 1:]
    face, count = view["last_claim"] - 1, view["last_count"]
    if rules.callers == Callers.PILE:
        older = claimant > 0
        face = np.where(older, view["latest_faces"][rows, claimant] - 1, face)
        count = np.where(older, view["latest_counts"][rows, claimant], count)
    fewest = np.where(others > 0, others, np.iinfo(others.dtype).max).min(1)
    return {
        "turn": rules.turns_allowed - view["clock"],
        "claim": face,
        "announced": count,
        "hand": view["hand_sizes"][:, 0],
        "fitting": _fitting(view, rules, face),
        "pile": view["pile_size"],
        "opponent_hand": np.where(claimant > 0, view["hand_sizes"][rows, claimant], fewest),
    }


def before_play(situation: dict[str, np.ndarray], cards: np.ndarray) -> None:
    """Change in place a player's view after their own play of these cards into the view before it."""
    situation["hand"] = situation["hand"] + cards
    situation["pile"] = situation["pile"] - situation["announced"]


def _fitting(view: Mapping[str, np.ndarray], rules: Rules, face: np.ndarray) -> np.ndarray:
    """Return the number of cards in the own hand that match the claim."""
    rows, held = np.arange(len(face)), view["hand"]
    if rules.claim_kind == ClaimKind.SUIT:
        of_suits = view["hand_cards"].reshape(-1, NUM_CARDS // NUM_SUITS, NUM_SUITS).sum(1)
        held = np.zeros_like(held)
        held[:, :NUM_SUITS] = of_suits
        held[:, JOKER_FACE] = view["hand"][:, JOKER_FACE]
    wild = held[:, JOKER_FACE] * (face != JOKER_FACE) if rules.joker_role == JokerRole.WILD else 0
    for rank in map(RANK_NAMES.index, rules.wild_ranks):  # those of the claimed suit fit anyway
        own = view["hand_cards"].reshape(len(face), -1, NUM_SUITS)[rows, rank, face.clip(0, NUM_SUITS - 1)]
        fits = own if rules.claim_kind == ClaimKind.SUIT else np.where(face == rank, view["hand"][:, rank], 0)
        wild = wild + view["hand"][:, rank] - fits
    return held[rows, face] + wild


DECISIONS = StudyViews(
    parts=PARTS,
    lies_count_at_once=True,
    claim_names=claim_names,
    plays_so_far=plays_so_far,
    claimant_called=claimant_called,
    last_play=last_play,
    situation=situation,
    before_play=before_play,
)
