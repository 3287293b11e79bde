"""The record of one game as text and back. A text that no game wrote is refused: kernels trust the records they get."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.cheat.game.state import (
    FELL,
    GAME,
    JOKER_FACE,
    LAST_CHANCE_PHASE,
    MAX_EVENTS,
    NOBODY,
    NUM_FACES,
    NUM_KINDS,
    WENT_OUT,
    Phase,
    Sleight,
)
from bluff_env.cheat.rules import MAX_CARDS, MAX_PLAYERS, NUM_RANKS, NUM_SUITS, SLEIGHTS, Callers
from bluff_env.saved import record_of_text, record_to_text

__all__ = ["record_from_text", "record_to_text"]


def record_from_text(text: Any, rule_row: np.ndarray) -> np.ndarray:
    """An array of one GAME record under these rules.

    Raises:
        ValueError: for a text that is damaged, from another version, or no game of these rules.
    """
    game = record_of_text(text, GAME)
    fault = _fault(game[0], rule_row[0])
    if fault:
        raise ValueError(f"the snapshot's record is no game of these rules: {fault}")
    return game


def _fault(g: np.void, r: np.void) -> str:
    """What makes a record impossible, or nothing. Every field that kernels use as an index or a bound is checked."""
    n = int(r["num_players"])
    bounds = {
        "rule": (0, 0),
        "step": (0, 0),
        "next_seat": (0, n - 1),
        "phase": (LAST_CHANCE_PHASE + 1, max(Phase)),
        **dict.fromkeys(("turn", "dealer", "starter", "to_act", "claimant", "challenger", "caught"), (NOBODY, n - 1)),
        **dict.fromkeys(("own_claim", "claim_face"), (NOBODY, JOKER_FACE)),
        "deal_seat": (0, n - 1),
        "deck_size": (0, MAX_CARDS if g["phase"] == Phase.SHORT_DEAL else 0),
        "turns": (0, int(r["length_limit"]) + MAX_PLAYERS),  # one turn may add several
        **dict.fromkeys(("pile_size", "num_plays", "placed", "apparent_pile", "claim_count"), (0, MAX_CARDS)),
        "claims": (0, (1 << NUM_FACES) - 1),
        **dict.fromkeys(("passed", "callers", "checkers", "jumpers", "accusers"), (0, (1 << n) - 1)),
        **dict.fromkeys(("num_finished", "num_fallen"), (0, n)),
        **dict.fromkeys(("finished", "fallen", "play_player", "decisions"), (0, n - 1)),
        "latest_event": (0, MAX_EVENTS - 1),
        "pile_cards": (0, NUM_KINDS - 1),
        "play_face": (0, JOKER_FACE),
        **dict.fromkeys(("hand", "held", "hand_size", "removed", "play_size", "play_count"), (0, MAX_CARDS)),
        "deck": (0, MAX_CARDS if g["phase"] == Phase.SHORT_DEAL else 0),
        **dict.fromkeys(("checked_player", "bidder"), (NOBODY, n - 1)),
        **dict.fromkeys(("bid", "bid_shown"), (0, int(r["set_size"]))),
        "watched": (NOBODY, n - 1),
        "left_to_ask": (0, n),
        "idle_ticks": (0, n),
        **dict.fromkeys(("done", "sins"), (0, (1 << len(SLEIGHTS)) - 1)),
        "lap": (0, MAX_CARDS),
        **dict.fromkeys(("hidden", "switched", "switched_for"), (0, NUM_KINDS - 1)),
        "slipped": (NOBODY, NUM_KINDS - 1),
        **dict.fromkeys(("slip_from", "slip_to", "peek_at", "peeked_player"), (0, n - 1)),
        **dict.fromkeys(("received", "peeked"), (0, NUM_FACES)),
        "notice_step": (0, 2 * n),
        "noticed": (0, 7),
        "short": (0, 3),
        "due": (NOBODY, n - 1),
        "due_claims": (0, (1 << NUM_FACES) - 1),
        "due_face": (NOBODY, JOKER_FACE),
        "due_count": (0, MAX_CARDS),
        "called_play": (0, MAX_CARDS - 1),
        "due_claimant": (NOBODY, n - 1),
    }
    for field, (low, high) in bounds.items():
        if np.min(g[field]) < low or np.max(g[field]) > high:
            return f"{field} is out of bounds"
    lying = int(g["pile_size"] + g["placed"])
    sizes = g["play_size"][: g["num_plays"]]
    if lying > MAX_CARDS or sizes.sum() != g["pile_size"] or np.any(sizes < 1):
        return "the pile is not made of its plays"
    cards = g["hand"].sum(axis=0) + g["removed"] + np.bincount(g["pile_cards"][:lying], minlength=NUM_KINDS)
    cards += g["lap"].sum(axis=0) + g["deck"]
    if g["slipped"] != NOBODY:
        cards[g["slipped"]] += 1
    if np.any(cards != r["deck"]) or np.any(g["hand"][n:]):
        return "its cards are not those of the deck"
    by_rank = np.add.reduceat(g["hand"], np.arange(NUM_RANKS + 1) * NUM_SUITS, axis=1)
    in_hand = by_rank.sum(axis=1)
    if g["turn"] != NOBODY:
        in_hand[g["turn"]] += g["placed"]
    if np.any(by_rank != g["held"]) or np.any(in_hand != g["hand_size"]):
        return "the sizes of the hands are not those of their cards"
    out = g["out"]
    if (out == WENT_OUT).sum() != g["num_finished"] or (out == FELL).sum() != g["num_fallen"]:
        return "who is out has no place"
    if np.any(g["hand_size"][out != 0]):
        return "who is out has cards"
    if g["deck"].sum() != g["deck_size"] or np.any(
        np.add.reduceat(g["deck"], np.arange(NUM_RANKS + 1) * NUM_SUITS) != g["deck_ranks"]
    ):
        return "the deck is not made of its cards"
    return _fault_of_phase(g, r)


def _fault_of_phase(g: np.void, r: np.void) -> str:
    """Whether the decision that the game waits for can be made."""
    phase, to_act, claimant = int(g["phase"]), int(g["to_act"]), int(g["claimant"])
    if phase == Phase.OVER:
        return "" if to_act == NOBODY else "somebody is to act after the end"
    if to_act == NOBODY:
        return "nobody is to act"
    last = g["play_player"][g["num_plays"] - 1] if g["num_plays"] else NOBODY
    can_be_called = last != NOBODY and last == claimant and not g["out"][claimant]
    if phase == Phase.WINDOW:
        decided = [p for p in range(MAX_PLAYERS) if (int(g["callers"]) >> p) & 1]
        if any(p == g["decisions"][p] or g["decisions"][p] not in g["play_player"][: g["num_plays"]] for p in decided):
            return "a play is called that is not in the pile"
        older_plays = r["callers"] == Callers.PILE
        return "" if can_be_called and (to_act != claimant or older_plays) else "there is no play to call"
    if phase == Phase.TICK:
        if to_act == (claimant if g["due"] == NOBODY else g["due"]):
            return "who is to act cannot jump in"
        return "" if can_be_called or not g["open_play"] else "there is no play to call"
    if phase == Phase.BID and ((g["bid"] > 0) != (g["bidder"] != NOBODY) or g["bidder"] == to_act):
        return "nobody has made the bid"
    if phase > Phase.SLIP_TO:
        return _fault_of_sleight(g)
    if to_act != g["turn"] or g["hand_size"][to_act] == 0:
        return "who is to act has no turn"
    if phase == Phase.TURN and g["open_play"] and claimant != to_act and not can_be_called:
        return "there is no play to call"
    if phase == Phase.SLIP_TO:
        return "" if g["slipped"] != NOBODY else "no card is slipped away"
    if phase in (Phase.PLACE, Phase.COUNT) and g["own_claim"] == NOBODY:
        return "a play has no claim"
    return ""


def _fault_of_sleight(g: np.void) -> str:
    """The same for the phases of sleights outside a turn."""
    phase, to_act, challenger, called = int(g["phase"]), int(g["to_act"]), int(g["challenger"]), int(g["called_play"])
    of_the_deal = g["claimant"] == NOBODY
    if phase in (Phase.SHORT_DEAL, Phase.DEMAND):
        right = of_the_deal and (to_act == g["dealer"]) == (phase == Phase.SHORT_DEAL)
        return "" if right else "the deal is over"
    if not of_the_deal and called >= g["num_plays"]:
        return "there is no play that is called"
    accused = int(g["dealer"] if of_the_deal else g["play_player"][called])
    if challenger in (NOBODY, accused):
        return "nobody has called or accused"
    if phase == Phase.GIVE:
        return "" if to_act == accused and g["hand_size"][accused] > 0 else "who is to act has no card to give"
    if of_the_deal or g["hand_size"][accused] == 0:
        return "there is no play to switch cards of"
    start = int(g["play_size"][:called].sum())
    play = g["pile_cards"][start : start + int(g["play_size"][called])]
    if phase == Phase.SWITCH_WITH and g["switched"] not in play:
        return "the card to switch is not in the play"
    switched = phase == Phase.ANSWER and g["sins"] & Sleight.SWITCH
    if switched and (g["switched_for"] not in play or g["hand"][accused, g["switched"]] == 0):
        return "the cards that were switched are not where they went"
    return "" if to_act == (challenger if phase == Phase.ANSWER else accused) else "who is to act is not asked"
