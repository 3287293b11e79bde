"""Another world of Bluff the Bullet that one player cannot tell from the real one, from which the game can go on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import NO_CARD, NUM_OUTCOMES, Answer, Phase
from bluff_env.bullet.rules import BOTTOM, FIN, HAND_SIZE, Responses
from bluff_env.bullet.states.hidden import OWN_PLAY
from bluff_env.core.worlds import answer_again


def redeal(game: Any, me: int, rng: random.Random) -> None:
    """Draw anew in a game all that seat ``me`` does not know.

    All orders of the unseen cards are equally likely; Fin is among the last cards of the deck. Others who have answered
    unseen take random legal answers. A lot that is being drawn keeps the players who take part.
    """
    g, r = game.state, game.rule_row
    _cards(g, int(r["num_players"]), me, rng)
    g["asked"] = 0
    if g["turn"] != me and g["phase"] in OWN_PLAY:
        g["phase"], g["own_card"], g["own_ability"], g["own_slot"] = Phase.TURN, NO_CARD, 0, NO_CARD
    if g["phase"] == Phase.RESPOND and r["responses"] == Responses.RACE:
        _answers(game, me, rng)


def _cards(g: np.void, n: int, me: int, rng: random.Random) -> None:
    """Shuffle the cards that the player has not seen, those not yet laid into the deck included."""
    slots: list[tuple[Any, ...]] = [
        ("hand", p, s)
        for p in range(n)
        for s in range(HAND_SIZE)
        if g["hand"][p, s] != NO_CARD and not (int(g["knowers"][p, s]) >> me) & 1
    ]
    slots += [("action_cards", p, i) for p in range(n) if p != me for i in range(int(g["num_action_cards"][p]))]
    slots += [("stack_card", i) for i in range(int(g["stack_size"])) if g["stack_player"][i] != me]
    deck = range(int(g["top"]), int(g["deck_size"]))
    slots += [("deck", i) for i in deck]
    unlaid = np.repeat(np.arange(NUM_OUTCOMES), g["unlaid"]).tolist()
    cards = sorted([int(g[name][tuple(at)]) for name, *at in slots] + unlaid)
    end = int(g["deck_size"]) + len(unlaid)
    if FIN in cards:
        cards.remove(FIN)
        place = rng.randrange(max(int(g["top"]), end - BOTTOM), end)
        if place in deck:
            g["deck"][place] = FIN
            slots.remove(("deck", place))
    else:
        place = -1
    rng.shuffle(cards)
    for name, *at in slots:
        g[name][tuple(at)] = cards.pop()
    g["unlaid"] = np.bincount(cards, minlength=NUM_OUTCOMES)
    g["unlaid"][FIN] = place >= int(g["deck_size"])


def _answers(game: Any, me: int, rng: random.Random) -> None:
    """Let all others who have answered in this round answer anew; that player's own answer stays."""
    g, own, to_act = game.state, int(game.state["answers"][me]), int(game.state["to_act"])
    g["answers"] = Answer.LET
    g["to_act"] = (int(g["stack_player"][int(g["stack_size"]) - 1]) + 1) % game.num_players
    answer_again(game, rng, lambda: game.to_act == to_act)
    g["answers"][me] = own
    g["asked"] = 0
