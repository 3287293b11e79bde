"""Resampling of all that a player does not know in a state of Bluff the Bullet, for leak tests.

Most fields follow from their declaration (:data:`bluff_env.bullet.states.fields`). By hand come those that are only
PARTLY hidden: cards that the player has not seen change places in hands, among Action Cards, on the stack and in the
deck.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import FIELDS, Phase
from bluff_env.bullet.rules import FIN, HAND_SIZE
from bluff_env.core.fields import redraw

OWN_PLAY = (Phase.TURN, Phase.ABILITY, Phase.TARGET, Phase.SECOND_TARGET)
"""Decisions of a player composing their own turn, which no other player sees."""


def resample_hidden(g: np.void, r: np.void, me: int, rng: random.Random) -> None:
    """Resample everything in the state ``g`` that seat ``me`` cannot see under the rule row ``r``.

    That player's observation stays the same. Use the state for ``observe`` and ``legal_actions`` only: the game cannot
    be continued from it.
    """
    _cards(g, int(r["num_players"]), me, rng)
    if g["turn"] != me and g["phase"] in OWN_PLAY:
        g["phase"] = rng.choice(OWN_PLAY)
    numbers = np.random.default_rng(rng.getrandbits(64))
    for field in FIELDS:
        redraw(field, g, r, me, numbers)


def _cards(g: np.void, n: int, me: int, rng: random.Random) -> None:
    """Exchange the cards that the player has not seen; Fin stays in the deck."""
    slots: list[tuple[Any, ...]] = [
        ("hand", p, s) for p in range(n) for s in range(HAND_SIZE) if not (int(g["knowers"][p, s]) >> me) & 1
    ]
    slots += [("action_cards", p, i) for p in range(n) if p != me for i in range(int(g["num_action_cards"][p]))]
    slots += [("stack_card", i) for i in range(int(g["stack_size"])) if g["stack_player"][i] != me]
    slots += [("deck", i) for i in range(int(g["top"]), int(g["deck_size"]))]
    cards = [int(g[name][tuple(at)]) for name, *at in slots]
    rng.shuffle(cards)
    for (name, *at), card in zip(slots, cards, strict=True):
        g[name][tuple(at)] = card
    for k, (name, *at) in enumerate(slots):
        if name != "deck" and cards[k] == FIN:
            last_name, *last = slots[-1]
            g[name][tuple(at)], g[last_name][tuple(last)] = g[last_name][tuple(last)], FIN
