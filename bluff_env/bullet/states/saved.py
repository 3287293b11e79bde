"""Contradictions in the state of a saved game: a text that no game wrote is refused, since kernels trust a state."""

from __future__ import annotations

import numpy as np

from bluff_env.bullet.game.state import (
    MAX_ACTION_CARDS,
    MAX_STACK,
    NO_CARD,
    NOBODY,
    NUM_OUTCOMES,
    Ability,
    Answer,
    Phase,
)
from bluff_env.bullet.rules import COPIES, FIN, NUM_VALUES, Responses


def fault_of_state(g: np.void, r: np.void) -> str:
    """Return a sentence about how a state contradicts itself or these rules, or an empty string."""
    return _fault_of_cards(g, r) or _fault_of_phase(g) or _fault_of_answers(g, r)


def _fault_of_cards(g: np.void, r: np.void) -> str:
    """Return a sentence if a card is missing or there too often, otherwise an empty string."""
    n = int(r["num_players"])
    if np.any(g["hand"][:n] == NO_CARD) or np.any(g["hand"][n:] != NO_CARD):
        return "its hands are not of five cards"
    held = g["action_cards"] != NO_CARD
    if np.any(held.sum(axis=1) != g["num_action_cards"]) or np.any(held[:, 1] > held[:, 0]) or np.any(held[n:]):
        return "the numbers of Action Cards are not those of the cards"
    lying = [
        g["hand"][:n].ravel(), g["action_cards"][held], g["stack_card"][: g["stack_size"]],
        g["deck"][g["top"] : g["deck_size"]],
    ]  # fmt: skip
    cards = np.bincount(np.concatenate(lying).astype(np.int64), minlength=NUM_OUTCOMES) + g["discards"]
    most = np.where(np.arange(NUM_OUTCOMES) % NUM_VALUES < r["num_values"], COPIES, 0)
    most[FIN] = 1
    if np.any(cards > most):
        return "it has a card more often than the deck"
    return ""


def _fault_of_phase(g: np.void) -> str:
    """Return a sentence about why no player can make the decision that is due, or an empty string."""
    phase, to_act = int(g["phase"]), int(g["to_act"])
    if phase == Phase.OVER:
        return "" if to_act == NOBODY else "somebody is to act after the end"
    if to_act == NOBODY:
        return "nobody is to act"
    if phase == Phase.PENALTY:
        return "" if to_act == g["chooser"] and g["victim"] not in (NOBODY, to_act) else "no penalty is due"
    if g["victim"] != NOBODY:
        return "a penalty is due"
    if phase == Phase.RESPOND:
        return _fault_of_stack(g)
    if to_act != g["turn"] or g["num_action_cards"][to_act] != MAX_ACTION_CARDS or g["stack_size"]:
        return "it is not the turn of the player to act"
    if phase > Phase.TURN and g["own_card"] == NO_CARD:
        return "no card is chosen"
    if phase >= Phase.TARGET and g["own_ability"] == Ability.NONE:
        return "no ability is chosen"
    if phase == Phase.SECOND_TARGET and (g["own_ability"] != Ability.CUP or g["own_slot"] == NOBODY):
        return "no first target is chosen"
    return ""


def _fault_of_stack(g: np.void) -> str:
    """Return a sentence about why no player can respond to the announcement, or an empty string."""
    size = int(g["stack_size"])
    if not size or g["to_act"] == g["stack_player"][size - 1]:
        return "there is nothing to respond to"
    if size == MAX_STACK and g["num_action_cards"].any():
        return "there are too many bullets"
    aims = int(g["target_player"]) != NOBODY, *(int(place) != NOBODY for place in g["targets"])
    wanted = {
        Ability.CROW: (False, True, False),
        Ability.CUP: (False, True, True),
        Ability.KEY: (True, False, False),
        Ability.BULLET: (False, False, False),
    }
    if wanted.get(Ability(int(g["ability"]))) != aims or g["stack_player"][0] != g["turn"]:
        return "the targets of the announcement are not those of its ability"
    return ""


def _fault_of_answers(g: np.void, r: np.void) -> str:
    """Return a sentence about the first impossible answer, by its player or its card, or an empty string."""
    answers, n = g["answers"].tolist(), int(r["num_players"])
    asked: list[int] = []  # players whose answer is kept
    if g["phase"] == Phase.RESPOND and r["responses"] == Responses.RACE:
        first = int(g["stack_player"][int(g["stack_size"]) - 1]) + 1
        asked = [(first + k) % n for k in range((int(g["to_act"]) - first) % n)]
    if any(given != Answer.LET and seat not in asked for seat, given in enumerate(answers)):
        return "somebody has answered who was not asked"
    if any(answers[seat] - Answer.BULLET >= g["num_action_cards"][seat] for seat in asked):
        return "somebody lays a card that they do not hold"
    return ""
