"""The record of one game as text and back. A text that no game wrote is refused: kernels trust the records they get."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.bullet.game.state import (
    GAME,
    LAST_CHANCE_PHASE,
    MAX_ACTION_CARDS,
    MAX_EVENTS,
    MAX_STACK,
    NO_CARD,
    NOBODY,
    NUM_OUTCOMES,
    Ability,
    Event,
    Phase,
)
from bluff_env.bullet.rules import COPIES, FIN, HAND_SIZE, MAX_DECK, NUM_KINDS, NUM_VALUES
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
    last_place = HAND_SIZE * n - 1
    bounds = {
        "rule": (0, 0),
        "phase": (LAST_CHANCE_PHASE + 1, Phase.OVER),
        **dict.fromkeys(("turn", "dealer", "starter"), (0, n - 1)),
        **dict.fromkeys(("to_act", "target_player", "chooser", "victim"), (NOBODY, n - 1)),
        **dict.fromkeys(("own_slot", "targets"), (NOBODY, last_place)),
        "turns": (0, MAX_DECK),
        "num_unlaid": (0, 0),
        "deck_size": (0, MAX_DECK),
        "top": (0, int(g["deck_size"])),
        "deck": (0, FIN),
        "hand": (NO_CARD, NUM_KINDS - 1),
        "knowers": (0, (1 << n) - 1),
        "face_up": (0, 1),
        "action_cards": (NO_CARD, NUM_KINDS - 1),
        "num_action_cards": (0, MAX_ACTION_CARDS),
        "discards": (0, COPIES),
        "own_card": (NO_CARD, MAX_ACTION_CARDS - 1),
        **dict.fromkeys(("own_ability", "ability"), (Ability.NONE, Ability.KEY)),
        "stack_card": (0, NUM_KINDS - 1),
        "stack_player": (0, n - 1),
        "stack_size": (0, MAX_STACK),
        "penalty_slot": (NOBODY, HAND_SIZE - 1),
        "winners": (0, (1 << n) - 1),
        "num_events": (0, 32767),
        "latest_event": (0, MAX_EVENTS - 1),
    }
    for field, (low, high) in bounds.items():
        if np.min(g[field]) < low or np.max(g[field]) > high:
            return f"{field} is out of bounds"
    tops = (len(Event) - 1, n, n, Ability.BULLET, NUM_KINDS, last_place + 1, last_place + 1)
    if any(g["events"][i].min() < 0 or g["events"][i].max() > top for i, top in enumerate(tops)):
        return "its events are out of bounds"
    return _fault_of_cards(g, r) or _fault_of_phase(g, n)


def _fault_of_cards(g: np.void, r: np.void) -> str:
    """Whether there is a card twice too often, or one missing."""
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


def _fault_of_phase(g: np.void, n: int) -> str:
    """Whether the decision that the game waits for can be made."""
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
        return _fault_of_stack(g, n)
    if to_act != g["turn"] or g["num_action_cards"][to_act] != MAX_ACTION_CARDS or g["stack_size"]:
        return "who is to act has no turn"
    if phase > Phase.TURN and g["own_card"] == NO_CARD:
        return "no card is chosen"
    if phase >= Phase.TARGET and g["own_ability"] == Ability.NONE:
        return "no ability is chosen"
    if phase == Phase.SECOND_TARGET and (g["own_ability"] != Ability.CUP or g["own_slot"] == NOBODY):
        return "no first target is chosen"
    return ""


def _fault_of_stack(g: np.void, n: int) -> str:
    """Whether there is an announcement that somebody else can respond to."""
    size = int(g["stack_size"])
    if not size or g["to_act"] == g["stack_player"][size - 1]:
        return "there is nothing to respond to"
    if size == MAX_STACK and g["num_action_cards"].any():
        return "there are too many bullets"
    aims = int(g["target_player"]) != NOBODY, *(int(place) != NOBODY for place in g["targets"])
    wanted = {Ability.CROW: (False, True, False), Ability.CUP: (False, True, True), Ability.KEY: (True, False, False)}
    if wanted.get(Ability(int(g["ability"]))) != aims or g["stack_player"][0] != g["turn"]:
        return "the announcement has not the targets of its ability"
    return ""
