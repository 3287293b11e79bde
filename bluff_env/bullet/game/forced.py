"""Deals that are given instead of drawn."""

import numpy as np

from bluff_env.bullet.game.state import NOBODY
from bluff_env.bullet.rules import COPIES, FIN, HAND_SIZE, NUM_VALUES, card_name, parse_card
from bluff_env.utils.errors import RulesError, quoted


def force_deal(g, r, deck=None, dealer=None) -> int:
    """Put a given deck into a started game; return the dealer to choose, or NOBODY if chance chooses one.

    Args:
        g: a state after :func:`start_game`.
        r: its row of the rule table.
        deck: card names, top first, in the order of dealing (S31), or None for a random deck. Cards left out are out of
            the game.
        dealer: the seat that deals, or None.

    Raises:
        RulesError: if the deal is impossible; the state is unchanged then.
    """
    n = int(r["num_players"])
    if dealer is not None and (
        isinstance(dealer, bool) or not isinstance(dealer, (int, np.integer)) or not 0 <= dealer < n
    ):
        raise RulesError(f"dealer={quoted(dealer)} is not a seat from 0 to {n - 1}")
    if deck is not None:
        kinds = _check_deck(deck, n, int(r["num_values"]))
        g["unlaid"] = 0
        g["num_unlaid"] = 0
        g["deck"][: len(kinds)] = kinds
        g["deck_size"] = len(kinds)
    return NOBODY if dealer is None else int(dealer)


def _check_deck(deck, n: int, highest: int) -> list[int]:
    """Return the kinds of the cards of a forced deck, if it is possible."""
    if not isinstance(deck, (list, tuple)):
        raise RulesError("deck must be a list of card names, top first")
    kinds = [parse_card(name) for name in deck]
    dealt = n * (HAND_SIZE + 1)
    if len(kinds) < dealt:
        raise RulesError(f"the forced deck has {len(kinds)} cards, but {dealt} are dealt to {n} players")
    if FIN in kinds[:dealt]:
        raise RulesError(f"the forced deck has fin among the {dealt} cards that are dealt")
    for kind in set(kinds):
        most = 1 if kind == FIN else COPIES
        if kind != FIN and kind % NUM_VALUES >= highest:
            raise RulesError(f"the forced deck has {card_name(kind)}, but with {n} players values end at {highest}")
        if kinds.count(kind) > most:
            raise RulesError(f"the forced deck has {card_name(kind)} more often than the deck ({most})")
    return kinds
