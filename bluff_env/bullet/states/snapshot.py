"""The whole state of one game of Bluff the Bullet as plain values, for people, game records and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import LAST_CHANCE_PHASE, NO_CARD, NOBODY, Answer, Phase
from bluff_env.bullet.rules import COPIES, FIN_NAME, HAND_SIZE, NUM_KINDS, NUM_VALUES, SUIT_NAMES, card_name


def cards_of(kinds: np.ndarray) -> list[str]:
    """Return the card names of an array of counts by kind."""
    return [card_name(kind) for kind in np.repeat(np.arange(len(kinds)), kinds).tolist()]


def place_of(place: int) -> dict[str, int]:
    """Return ``{"player": 2, "slot": 1}`` for seat * 5 + slot - 1: slots count from 1, as in the names of actions."""
    return {"player": place // HAND_SIZE, "slot": place % HAND_SIZE + 1}


def outcome_name(g: np.void, r: np.void, outcome: int) -> str:
    """Return an outcome of the present phase of chance in words."""
    return f"player_{outcome}" if g["phase"] in (Phase.DEALER, Phase.RACE) else card_name(outcome)


def snapshot(g: np.void, r: np.void) -> dict[str, Any]:
    """Return the state ``g`` under the rule row ``r`` as values that JSON can hold, hidden cards included."""
    n = int(r["num_players"])
    over = bool(g["phase"] == Phase.OVER)
    laid = g["phase"] not in (Phase.DEALER, Phase.DECK)
    return {
        "phase": Phase(int(g["phase"])).name.lower(),
        "to_act": _seat(g["to_act"]),
        "turn": _seat(g["turn"]),
        "dealer": _seat(g["dealer"]),
        "starter": _seat(g["starter"]),
        "hands": [[_slot(g, seat, slot, n) for slot in range(HAND_SIZE)] for seat in range(n)] if laid else [[]] * n,
        "action_cards": [
            [card_name(int(kind)) for kind in g["action_cards"][seat][: g["num_action_cards"][seat]]]
            for seat in range(n)
        ],
        "deck": [card_name(int(kind)) for kind in g["deck"][g["top"] : g["deck_size"]]],
        "discards": cards_of(g["discards"]),
        "choice": _choice(g) if LAST_CHANCE_PHASE < g["phase"] < Phase.RESPOND else None,
        "announcement": _announcement(g) if g["stack_size"] else None,
        "bullets": [_laid(g, i) for i in range(1, int(g["stack_size"]))],
        "answers": [_answer(int(given)) for given in g["answers"][:n]],
        "penalty": {"chooser": int(g["chooser"]), "victim": int(g["victim"])} if g["victim"] != NOBODY else None,
        "turns": int(g["turns"]),
        "length_limit": False,
        "done": over,
        "winners": [seat for seat in range(n) if (int(g["winners"]) >> seat) & 1],
        "rewards": g["payoff"][:n].tolist(),
    }


def all_cards(state: Mapping[str, Any]) -> list[str]:
    """Return every card of a snapshot, wherever it is, sorted: the same throughout a game."""
    laid = [state["announcement"], *state["bullets"]] if state["announcement"] else []
    places = [[slot["card"] for slot in hand] for hand in state["hands"]]
    places += [*state["action_cards"], state["deck"], state["discards"], [card["card"] for card in laid]]
    return sorted(card for cards in places for card in cards)


def deck_of(r: np.void) -> list[str]:
    """Return the deck under the rule row ``r``, sorted."""
    natural = [card_name(kind) for kind in range(NUM_KINDS) if kind % NUM_VALUES < r["num_values"]]
    return sorted([*natural * COPIES, FIN_NAME])


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else int(seat)


def _slot(g: np.void, seat: int, slot: int, n: int) -> dict[str, Any]:
    kind = int(g["hand"][seat, slot])
    return {
        "card": None if kind == NO_CARD else card_name(kind),
        "face_up": bool(g["face_up"][seat, slot]),
        "known_to": [p for p in range(n) if (int(g["knowers"][seat, slot]) >> p) & 1],
    }


def _laid(g: np.void, i: int) -> dict[str, Any]:
    return {"player": int(g["stack_player"][i]), "card": card_name(int(g["stack_card"][i]))}


def _announcement(g: np.void) -> dict[str, Any]:
    """Return the announcement, with the card for which it was made."""
    ability = SUIT_NAMES[int(g["ability"]) - 1]
    target_player = g["target_player"]
    targets: list[dict[str, int]] = [place_of(int(place)) for place in g["targets"] if place != NOBODY]
    if target_player != NOBODY:
        targets = [{"player": int(target_player)}]
    return {**_laid(g, 0), "ability": ability, "targets": targets}


def _answer(given: int) -> str | None:
    """Return a player's answer in a race, ``"call"`` or ``"bullet 1"``; None for `let` and before they answer."""
    if given == Answer.LET:
        return None
    return "call" if given == Answer.CALL else f"bullet {given - Answer.BULLET + 1}"


def _choice(g: np.void) -> dict[str, Any]:
    """Return the choices that the player in turn has made so far."""
    return {
        "card": None if g["own_card"] == NO_CARD else int(g["own_card"]) + 1,
        "ability": SUIT_NAMES[int(g["own_ability"]) - 1] if g["own_ability"] else None,
        "target": place_of(int(g["own_slot"])) if g["own_slot"] != NOBODY else None,
    }
