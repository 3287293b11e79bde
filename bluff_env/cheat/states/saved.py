"""Contradictions in the state of a saved game: a text that no game wrote is refused, since kernels trust a state."""

from __future__ import annotations

import numpy as np

from bluff_env.cheat.game.state import FELL, NOBODY, NUM_KINDS, WENT_OUT, Phase, Sleight
from bluff_env.cheat.rules import MAX_CARDS, MAX_PLAYERS, NUM_RANKS, NUM_SUITS, Callers, End, Surplus
from bluff_env.cheat.states.snapshot import first_pile


def fault_of_state(g: np.void, r: np.void) -> str:
    """Return a sentence about how a state contradicts itself or these rules, or an empty string."""
    return _fault_of_cards(g, r) or _fault_of_phase(g, r)


def _fault_of_cards(g: np.void, r: np.void) -> str:
    """Return a sentence about the first contradiction among cards, plays and places, or an empty string."""
    n = int(r["num_players"])
    lying = int(g["pile_size"] + g["placed"])
    sizes = g["play_size"][: g["num_plays"]]
    below = g["pile_size"] - sizes.sum()
    if lying > MAX_CARDS or below < 0 or (below > 0 and r["surplus"] != Surplus.PILE) or np.any(sizes < 1):
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
    if np.any(by_rank != g["hand_ranks"]) or np.any(in_hand != g["hand_size"]):
        return "the sizes of the hands are not those of their cards"
    out = g["out"]
    if (out == WENT_OUT).sum() != g["num_finished"] or (out == FELL).sum() != g["num_fallen"]:
        return "the players who are out are not those with places"
    if np.any(g["hand_size"][out != 0]):
        return "a player who is out has cards"
    if r["revolver"] and g["phase"] != Phase.OVER and g["num_fallen"] > n - 2:
        return "fewer than two players are alive"
    if g["deck"].sum() != g["deck_size"] or np.any(
        np.add.reduceat(g["deck"], np.arange(NUM_RANKS + 1) * NUM_SUITS) != g["deck_ranks"]
    ):
        return "the deck is not made of its cards"
    return ""


def _fault_of_phase(g: np.void, r: np.void) -> str:
    """Return a sentence about why no player can make the decision that is due, or an empty string."""
    phase, to_act, claimant = int(g["phase"]), int(g["to_act"]), int(g["claimant"])
    if phase == Phase.OVER:
        return "" if to_act == NOBODY else "somebody is to act after the end"
    if to_act == NOBODY:
        return "nobody is to act"
    last = g["play_player"][g["num_plays"] - 1] if g["num_plays"] else NOBODY
    can_be_called = last != NOBODY and last == claimant and not g["out"][claimant]
    if r["end"] == End.FIRST_CALL and (g["hand_size"] > 0).sum() == 1 and not _has_to_call(g, can_be_called):
        return "the last player with cards has no play to call"
    if phase == Phase.WINDOW:
        decided = [p for p in range(MAX_PLAYERS) if (int(g["callers"]) >> p) & 1]
        called, in_pile = g["called_seat"], g["play_player"][: g["num_plays"]]
        if any(p == called[p] or called[p] not in in_pile for p in decided):
            return "a play is called that is not in the pile"
        older_plays = r["callers"] == Callers.PILE
        return "" if can_be_called and (to_act != claimant or older_plays) else "there is no play to call"
    if phase == Phase.TICK:
        if to_act == g["rightful_seat"]:
            return "the player to act cannot jump in"
        return "" if can_be_called or not g["open_play"] else "there is no play to call"
    if phase == Phase.BID and ((g["bid"] > 0) != (g["bidder"] != NOBODY) or g["bidder"] == to_act):
        return "nobody has made the bid"
    if phase > Phase.SLIP_TO:
        return _fault_of_sleight(g)
    if to_act != g["turn"] or g["hand_size"][to_act] == 0:
        return "it is not the turn of the player to act"
    if phase == Phase.TURN and g["open_play"] and claimant != to_act and not can_be_called:
        return "there is no play to call"
    if phase == Phase.SLIP_TO:
        return "" if g["slipped"] != NOBODY else "no card is slipped away"
    if phase in (Phase.PLACE, Phase.COUNT) and g["own_claim"] == NOBODY:
        return "a play has no claim"
    return ""


def _has_to_call(g: np.void, can_be_called: bool) -> bool:
    """Return whether the last player with cards is asked about a play of another, which they have not seen."""
    if g["hand_size"][g["to_act"]] == 0:  # the player of the last play is asked too
        return True
    if g["phase"] not in (Phase.TURN, Phase.WINDOW, Phase.TICK) or not can_be_called:
        return g["phase"] > Phase.OVER and g["phase"] != Phase.TICK
    unseen = not (int(g["play_known"][g["num_plays"] - 1]) >> int(g["to_act"])) & 1
    return bool(unseen and (g["open_play"] or g["phase"] == Phase.WINDOW))


def _fault_of_sleight(g: np.void) -> str:
    """Return the same for the phases of sleights outside a turn."""
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
        return "" if to_act == accused and g["hand_size"][accused] > 0 else "the player to act has no card to give"
    if phase == Phase.FORCED:
        asked = to_act == accused == g["claimant"] and g["hand_size"][accused] > 0
        return "" if asked else "the player to act is not forced"
    if of_the_deal or g["hand_size"][accused] == 0:
        return "there is no play to switch cards of"
    start = first_pile(g) + int(g["play_size"][:called].sum())
    play = g["pile_cards"][start : start + int(g["play_size"][called])]
    if phase == Phase.SWITCH_WITH and g["switched"] not in play:
        return "the card to switch is not in the play"
    of_challenger = phase in (Phase.REVEAL, Phase.ANSWER)
    switched = of_challenger and g["last_sleights"] & Sleight.SWITCH
    if switched and (g["switched_for"] not in play or g["hand"][accused, g["switched"]] == 0):
        return "the cards that were switched are not where they went"
    return "" if to_act == (challenger if of_challenger else accused) else "the player to act is not asked"
