"""The table in text: it shows what there is, hides what is hidden, and changes nothing."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any

import numpy as np
import pytest

from bluff_env.cheat.game.state import Event
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.texts.table import describe_event, render_game
from bluff_env.cheat.variants import make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.play.session import Session


def small_game() -> Position:
    """Two plays into a forced deal: the first stood, the second waits for its window."""
    game = Position("pagat", 3, hands=[["AS", "KD"], ["2C", "2D", "JH"], ["3C"]], dealer=2, starter=0)
    for action in ("place A", "commit", "let", "let", "place 2", "place J"):
        game.apply_action(action)
    return game


def test_the_picture_of_a_small_game() -> None:
    text = render_game(small_game().snapshot(), ["ann", "bob", "cyd"])
    assert text.splitlines() == [
        "-- 2 turns played: cyd may call bob --",
        "  last claim: 2 twos by bob",
        "  pile: 3 cards",
        "    ann  1 ace      [AS]",
        "    bob  2 twos     [2C JH]",
        "  ann    1 card  KD",
        "  bob    1 card  2D",
        "> cyd    1 card  3C  (dealer)",
        "  out of the game: " + " ".join(small_game().snapshot()["removed"]),
    ]


def test_the_public_picture_of_a_small_game() -> None:
    text = render_game(small_game().snapshot(), reveal=False)
    assert "[" not in text and "KD" not in text and "out of the game" not in text
    assert "player_1  2 twos" in text


def test_the_end_shows_places_and_payoffs() -> None:
    game = small_game()
    for action in ("call", "let"):
        game.apply_action(action)
    text = render_game(game.snapshot())
    assert "turned over last: 2C JH" in text
    while not game.is_terminal():
        game.apply_action(game.legal_actions()[0])
    text = render_game(game.snapshot())
    assert "the game is over" in text and "place 1  payoff +1.00" in text


def test_names_must_fit_the_seats() -> None:
    with pytest.raises(ValueError, match="2 names do not fit 3 players"):
        render_game(small_game().snapshot(), ["ann", "bob"])


def hidden_changes(snapshot: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same table as all see it, with everything else changed."""
    other = copy.deepcopy(snapshot)
    other["hands"] = [["QS"] * rng.randint(0, 9) for _ in snapshot["hands"]]
    other["removed"] = ["KS"]
    other["placed"] = ["QS"]
    for play in other["pile"]:
        play["cards"] = ["QS"] * rng.randint(1, 9)
    if snapshot["phase"] == "window":
        other["window"] = {"callers": [0], "checkers": [1]}
    elif snapshot["phase"] in ("turn", "place", "count"):
        other["phase"] = rng.choice(["turn", "place", "count"])
    return other


@pytest.mark.parametrize("variant", ["check", "eightshit", "chinese", "i-doubt-it", "specificity"])
def test_the_public_picture_shows_only_what_is_public(variant: str) -> None:
    engine = Engine(variant, num_players=4, seed=5)
    rng, choose = random.Random(5), np.random.default_rng(5)
    for _ in range(400):
        snapshot = engine.snapshot(0)
        before = json.dumps(snapshot)
        revealed = render_game(snapshot)
        public = render_game(snapshot, reveal=False)
        assert json.dumps(snapshot) == before
        assert public == render_game(hidden_changes(snapshot, rng), reveal=False)
        assert all(" ".join(hand) in revealed for hand in snapshot["hands"])
        engine.step(np.array([choose.choice(np.flatnonzero(engine.action_masks[0]))]))


COUNTED = {
    "nothing": ({}, ["slaps", "drinks", "cup"], []),
    "drinks that cost something": ({"drinks_weight": 0.1}, ["slaps", "cup"], ["drinks: player_0 2"]),
    "drinks that tell how large a pile was": ({"wrong_call_drinks": 1}, ["slaps", "cup"], []),
    "slaps": ({"slaps": True}, ["drinks", "cup"], ["slaps: player_0 3"]),
}


@pytest.mark.parametrize(("rules", "missing", "public"), COUNTED.values(), ids=COUNTED)
def test_a_ledger_is_shown_where_it_counts(rules: dict[str, Any], missing: list[str], public: list[str]) -> None:
    """And to everybody only if everybody may know it."""
    engine = Engine("bullshit", num_games=1, num_players=4, **rules)
    snapshot = engine.snapshot(0)
    snapshot["ledgers"] |= {"drinks": [2, 0, 0, 0], "slaps": [3, 0, 0, 0], "cup": 4, "cup_drunk": [1, 0, 0, 0]}
    revealed, hidden = render_game(snapshot), render_game(snapshot, reveal=False)
    assert not [name for name in missing if name in revealed]
    assert ("drinks: player_0 2" in revealed) == ("drinks" not in missing)
    assert [line.strip() for line in hidden.splitlines() if "player_0 2" in line or "player_0 3" in line] == public


def test_the_cup_is_shown_where_there_is_one() -> None:
    snapshot = Engine("kings-cup", num_games=1, num_players=3).snapshot(0)
    snapshot["ledgers"] |= {"cup": 4, "cup_drunk": [1, 0, 0]}
    assert "cup: 4" in render_game(snapshot) and "cup drunk: player_0 1" in render_game(snapshot)
    assert "cup" not in render_game(snapshot, reveal=False).replace("kings-cup", "")


@pytest.mark.parametrize("variant", ["check", "eightshit", "chinese", "i-doubt-it", "specificity", "kings"])
def test_every_event_is_told_once_and_in_order(variant: str) -> None:
    house = {"passing": True, "full_set": "offer", "packs": 1, "jokers": 0} if variant == "kings" else {}
    engine = Engine("bullshit" if variant == "kings" else variant, num_players=3, autoreset=False, **house)
    names = ["ann", "bob", "cyd"]
    choose = np.random.default_rng(2)
    told: list[str] = []
    seen = 0
    while engine.to_act[0] >= 0:
        engine.step(np.array([choose.choice(np.flatnonzero(engine.action_masks[0]))]))
        new = public_events(engine._games[0], engine._rules[0], seen)
        seen += len(new)
        assert seen == engine._games[0]["num_events"]
        told += [describe_event(event, names) for event in new]
        if new:
            assert describe_event(new[-1], names) == told[-1]
    plays = engine.results()["plays"][0].sum()
    assert sum(" plays " in sentence for sentence in told) == plays > 0


WITHOUT_PLAYER = (Event.PILE_REMOVED, Event.ALL_WAITED, Event.RIGHT_DEMAND, Event.CLAIM_DRAWN)


def test_there_is_a_sentence_for_every_event() -> None:
    for event in Event:
        if event == Event.NONE:
            continue
        plain = {"event": event.name.lower(), "player": 0, "face": "6", "count": 2, "other": 1}
        plain |= dict.fromkeys(("apparent", "silent", "safe"), False)
        text = describe_event(plain, ["ann", "bob"])
        assert "None" not in text and ("ann" in text or event in WITHOUT_PLAYER)
    assert describe_event({**plain, "event": "play"}, ["ann", "bob"]) == "ann plays 2 sixes"


@pytest.mark.parametrize("variant", ["bullshit", "pagat"])
def test_whatever_there_is_one_of_is_told_so(variant: str) -> None:
    """It said `1 drinks` and `1 slaps`."""
    texts: set[str] = set()
    rules = make_rules(variant, slaps=True, drinks_weight=0.01, wrong_call_drinks=1)
    for seed in range(3):
        session, rng = Session(rules, 2, seed), random.Random(seed)
        while not session.is_over and len(session.steps) < 200:
            texts |= {event.text for event in session.step(rng.choice(session.legal))}
            texts |= {session.seen_by(seat) for seat in range(2)}
    told = "\n".join(texts)
    assert re.search(r"\b1 drink\b", told) and re.search(r"\b1 slap\b", told)
    assert not re.findall(r"(?<![\d.])\b1 [a-z]+s\b", told)
