"""Deals that are given instead of drawn."""

import numpy as np

from bluff_env.cheat.game.state import NOBODY, kind_of
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, Surplus
from bluff_env.utils.errors import RulesError, quoted


def force_deal(g, r, hands=None, starter=None, dealer=None) -> int:
    """Put a given deal into a prepared state; return the dealer to choose, or NOBODY if chance chooses.

    Args:
        g: a state after ``start_game``.
        r: its row of the rule table.
        hands: a list of card names for each seat, or None to deal at random. Cards left out are out of the game, or are
            the first pile or the stock where the rules have one; no card is burnt.
        starter: the seat that starts, or None. (The holder of the starting card that a rule names goes first.)
        dealer: the seat that deals, or None.

    Raises:
        RulesError: if the deal is impossible; the state is unchanged then.
    """
    n = int(r["num_players"])
    for name, seat in (("starter", starter), ("dealer", dealer)):
        if seat is None:
            continue
        if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < n:
            raise RulesError(f"{name}={quoted(seat)} is not a seat from 0 to {n - 1}")
    kinds = None if hands is None else _check_hands(hands, n, r)
    if starter is not None:
        g["starter"] = starter
    if kinds is not None:
        g["deal_settled"] = 1
        for seat, hand in enumerate(kinds):
            for kind in hand:
                g["hand"][seat, kind] += 1
                g["hand_ranks"][seat, kind // NUM_SUITS] += 1
            g["hand_size"][seat] = len(hand)
        rest = r["deck"] - g["hand"].sum(axis=0)
        stock = rest if r["surplus"] == Surplus.STOCK else 0 * rest
        g["deck"] = stock
        g["deck_ranks"] = np.add.reduceat(stock, np.arange(NUM_RANKS + 1) * NUM_SUITS)
        g["deck_size"] = stock.sum()
        if r["surplus"] == Surplus.PILE:
            pile = np.repeat(np.arange(len(rest)), rest)
            g["pile_cards"][: len(pile)] = pile
            g["pile_size"] = g["apparent_pile"] = len(pile)
        elif r["surplus"] != Surplus.STOCK:
            g["removed"] = rest
    return NOBODY if dealer is None else int(dealer)


def _check_hands(hands, n: int, r) -> list[list[int]]:
    """Return the kinds of each hand's cards. Raise RulesError if they cannot be dealt."""
    if not isinstance(hands, (list, tuple)) or len(hands) != n:
        raise RulesError(f"hands must be a list of {n} lists of card names, one for each player")
    left = r["deck"].copy()
    kinds = []
    for seat, hand in enumerate(hands):
        if not isinstance(hand, (list, tuple)) or not hand:
            raise RulesError(f"the forced hand of player_{seat} must be a list of at least one card name")
        kinds.append([kind_of(name) for name in hand])
        for name, kind in zip(hand, kinds[-1], strict=True):
            if r["deck"][kind] == 0:
                raise RulesError(f"the forced hand of player_{seat} has {name}, which is not in the deck")
            if left[kind] == 0:
                raise RulesError(f"the forced deal has {name} more often than the deck ({r['deck'][kind]})")
            left[kind] -= 1
    return kinds
