"""All that one player does not know, drawn anew in the record of a game of Bluff the Bullet: for the leak test.

The cards he has not seen change places (in hands, among Action Cards, on the stack and in the deck), what another
composes, the generator of chance. What the player sees must stay what it was.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import NO_CARD, NOBODY, Phase
from bluff_env.bullet.rules import FIN, HAND_SIZE

OWN_PLAY = (Phase.TURN, Phase.ABILITY, Phase.TARGET, Phase.SECOND_TARGET)
"""Decisions of a player composing his own turn, of which nobody else sees anything."""


def redeal(g: np.void, r: np.void, me: int, rng: random.Random) -> None:
    """Changes the record ``g`` under the rule row ``r`` in everything that the player in seat ``me`` does not know.

    The record is for looking at, with ``observe`` and ``legal_actions``: what else is in it is noise, not to be played.
    """
    n = int(r["num_players"])
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
    for k, (name, *at) in enumerate(slots):  # Fin stays in the deck
        if name != "deck" and cards[k] == FIN:
            last_name, *last = slots[-1]
            g[name][tuple(at)], g[last_name][tuple(last)] = g[last_name][tuple(last)], FIN
    if g["turn"] != me and g["phase"] in OWN_PLAY:
        g["phase"] = rng.choice(OWN_PLAY)
        g["own_card"] = rng.choice([NO_CARD, 0, 1])
        g["own_ability"] = rng.randrange(4)
        g["own_slot"] = rng.randrange(NOBODY, HAND_SIZE * n)
    g["seed"] = rng.randrange(2**62)
    g["keys"] = np.frombuffer(rng.randbytes(32), np.int64).reshape(g["keys"].shape) >> 32
    g["draws"] = rng.randrange(100)
    g["asked"] = rng.randrange(100)
