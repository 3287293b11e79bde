"""The whole state of one game of Cheat as plain values, for people, game records and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.cheat.game.state import JOKER_FACE, NOBODY, Phase
from bluff_env.cheat.rules import JOKER_NAME, NUM_SUITS, RANK_NAMES, SLEIGHTS, SUIT_NAMES, End, card_name


def cards_of(kinds: np.ndarray) -> list[str]:
    """Return the card names of an array of counts by kind."""
    return [card_name(*divmod(kind, NUM_SUITS)) for kind in np.repeat(np.arange(len(kinds)), kinds).tolist()]


def card_of(kind: int) -> str:
    """Return the name of a kind of card."""
    return card_name(*divmod(int(kind), NUM_SUITS))


def face_name(face: int, suited: bool) -> str:
    """Return the name that a claim of this face uses."""
    if face == JOKER_FACE:
        return JOKER_NAME
    return SUIT_NAMES[face] if suited else RANK_NAMES[face]


def claim_dict(face: int, count: int, suited: bool) -> dict[str, Any]:
    """Return ``{"rank": "A", "count": 2}`` or ``{"suit": "C", "count": 1}``."""
    return {"suit" if suited else "rank": face_name(face, suited), "count": int(count)}


def sleight_names(bits: int) -> list[str]:
    """Return the names of the sleights in a bit mask, extra cards included."""
    return [name for i, name in enumerate((*SLEIGHTS, "extra cards")) if (bits >> i) & 1]


def noticed_names(bits: int) -> list[str]:
    """Return the names of the things that a player noticed."""
    return [name for i, name in enumerate(("hands", "thick stack", "switch")) if (bits >> i) & 1]


def outcome_name(g: np.void, r: np.void, outcome: int) -> str:
    """Return an outcome of the present phase of chance in words: a seat, a card, or a rank if suits have no effect."""
    phase = g["phase"]
    if phase == Phase.JACK:
        return "J" if outcome else "no J"
    if phase == Phase.TRIGGER:
        return "a shot" if outcome else "an empty chamber"
    if phase == Phase.FIRST_CLAIM:
        return face_name(outcome, bool(r["suited"]))
    if phase == Phase.NOTICE:
        seat, of_stack = divmod(int(g["notice_step"]), 2)
        things = (("nothing", "something"), ("no thick stack", "a thick stack"))
        return f"player_{seat} notices {things[of_stack][outcome]}"
    if phase not in (Phase.DEAL, Phase.SHOW_ONE, Phase.PEEK):
        return f"player_{outcome}"
    if r["deal_by_card"] if phase == Phase.DEAL else r["suited"]:
        return card_of(outcome)
    return face_name(outcome, False)


def snapshot(g: np.void, r: np.void) -> dict[str, Any]:
    """Return the state ``g`` under the rule row ``r`` as values that JSON can hold, hidden cards included."""
    n, suited = int(r["num_players"]), bool(r["suited"])
    phase = Phase(int(g["phase"]))
    in_window = phase in (Phase.WINDOW, Phase.TICK, Phase.DEMAND)
    face = int(g["claim_face"])
    return {
        "phase": phase.name.lower(),
        "to_act": int(g["to_act"]) if g["to_act"] != NOBODY else None,
        "turn": int(g["turn"]) if g["turn"] != NOBODY else None,
        "dealer": int(g["dealer"]) if g["dealer"] != NOBODY else None,
        "hands": [cards_of(g["hand"][p]) for p in range(n)],
        "pile": _pile(g, suited),
        "first_pile": [card_of(k) for k in g["pile_cards"][: first_pile(g)]],
        "placed": [card_of(k) for k in g["pile_cards"][g["pile_size"] : g["pile_size"] + g["placed"]]],
        "removed": cards_of(g["removed"]),
        "laps": [cards_of(g["lap"][p]) for p in range(n)],
        "slipped": [card_of(g["slipped"])] if g["slipped"] != NOBODY else [],
        "deck": cards_of(g["deck"]),
        "stock": int(g["deck_size"]) if r["draws"] else None,
        "sleights": sleight_names(int(g["sleights_done"])),
        "last_sleights": sleight_names(int(g["last_sleights"])),
        "noticed": [noticed_names(int(g["noticed"][p])) for p in range(n)],
        "claim": claim_dict(face, g["claim_count"], suited) if face != NOBODY else None,
        "claims": [face_name(f, suited) for f in range(JOKER_FACE + 1) if (int(g["claims"]) >> f) & 1],
        "claimant": int(g["claimant"]) if g["claimant"] != NOBODY else None,
        "window": {
            "callers": [p for p in range(n) if in_window and (int(g["callers"]) >> p) & 1],
            "called": [int(g["called_seat"][p]) for p in range(n) if in_window and (int(g["callers"]) >> p) & 1],
            "checkers": [p for p in range(n) if in_window and (int(g["checkers"]) >> p) & 1],
            "jumpers": [p for p in range(n) if in_window and (int(g["jumpers"]) >> p) & 1],
            "accusers": [p for p in range(n) if in_window and (int(g["accusers"]) >> p) & 1],
        },
        **({"pulls": g["pulls"][:n].tolist()} if r["revolver"] else {}),
        "finished": g["finished"][: g["num_finished"]].tolist(),
        "fallen": g["fallen"][: g["num_fallen"]].tolist(),
        "ledgers": {
            "drinks": g["drinks"][:n].tolist(),
            "cup": int(g["cup"]),
            "cup_drunk": g["cup_drunk"][:n].tolist(),
            "slaps": g["slaps"][:n].tolist(),
        },
        "counted": _counted(r),
        "bid": _bid(g),
        "apparent_hands": g["apparent_hand"][:n].tolist(),
        "apparent_pile": int(g["apparent_pile"]),
        "shown": cards_of(g["shown"]),
        "silent": bool(r["silent"]),
        "safe": bool(r["end"] == End.FIRST_CALL),  # those who are out take no place
        "turns": int(g["turns"]),
        "length_limit": bool(g["ended_at_limit"]),
        "done": phase == Phase.OVER,
        "rewards": g["payoff"][:n].tolist(),
    }


def all_cards(state: Mapping[str, Any]) -> list[str]:
    """Return every card of a snapshot, wherever it is, sorted: the same throughout a game."""
    places = [*state["hands"], *state["laps"], *(play["cards"] for play in state["pile"])]
    places += [state[place] for place in ("first_pile", "placed", "removed", "slipped", "deck")]
    return sorted(card for cards in places for card in cards)


def deck_of(r: np.void) -> list[str]:
    """Return the deck under the rule row ``r``, sorted."""
    return sorted(cards_of(r["deck"]))


def _counted(r: np.void) -> dict[str, bool]:
    """Return the ledgers that count for something under these rules, and whether they are public.

    Drinks and the cup reveal the number of cards, or kings, in a pile: they are public only if they enter the payoffs.
    """
    used = {
        "drinks": r["drinks_weight"] or r["wrong_call_drinks"] >= 0,
        "cup": r["cup"],
        "cup_drunk": r["cup"],
        "slaps": r["slaps"],
    }
    weights = {"drinks": r["drinks_weight"], "cup": r["cup_weight"], "cup_drunk": r["cup_weight"]}
    return {name: bool(weights.get(name, True)) for name, counts in used.items() if counts}


def _bid(g: np.void) -> dict[str, int] | None:
    """Return the last opening bid, and the number that was shown if it was called."""
    if g["bid"] == 0:
        return None
    return {"player": int(g["bidder"]), "count": int(g["bid"]), "shown": int(g["bid_shown"])}


def first_pile(g: np.void) -> int:
    """Return the number of cards at the bottom of the pile that nobody has played: the surplus of the deal."""
    return int(g["pile_size"] - g["play_size"][: g["num_plays"]].sum())


def _pile(g: np.void, suited: bool) -> list[dict[str, Any]]:
    plays, at = [], first_pile(g)
    for i in range(int(g["num_plays"])):
        size = int(g["play_size"][i])
        cards = [card_of(k) for k in g["pile_cards"][at : at + size]]
        claim = claim_dict(int(g["play_face"][i]), g["play_count"][i], suited)
        plays.append({"player": int(g["play_player"][i]), "cards": cards, "claim": claim})
        at += size
    return plays
