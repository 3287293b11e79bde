"""The golden games of Cheat: one for every preset."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from nodes import draw, seen

from bluff_env.cheat.observe import layout
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.envs.position import Position

NAMES = set(VARIANTS)
MOST_LINES = 200
FIVE = ("A", "2", "3", "4", "5")
# Preset: players, seed, house rules that keep the game short. The seeds give games with calls right and wrong.
GAMES: dict[str, tuple[int, int, dict[str, Any]]] = {
    "pagat": (3, 4, {"ranks": FIVE}),
    "pagat-adjacent": (3, 0, {"ranks": FIVE}),
    "bullshit": (3, 17, {"ranks": FIVE}),
    "kings-cup": (3, 13, {"ranks": ("A", "2", "3", "Q", "K"), "cup_weight": 0.1}),
    "specificity": (3, 0, {"ranks": FIVE}),
    "check": (3, 0, {"ranks": FIVE}),
    "eightshit": (3, 2, {"ranks": ("A", "Q", "K"), "packs": 1, "jokers": 2}),
    "spanish": (3, 14, {"ranks": ("A", "Q", "K"), "packs": 1, "jokers": 2}),
    "canadian": (3, 1, {"ranks": ("A", "J", "Q"), "packs": 1, "jokers": 2}),
    "hawaiian": (3, 6, {"ranks": FIVE}),
    "royals": (3, 2, {"ranks": ("A", "9", "T", "J", "K")}),
    "chinese": (3, 2, {"ranks": FIVE}),
    "i-doubt-it": (3, 6, {"ranks": FIVE}),
    "cheat": (3, 1, {"ranks": FIVE}),
    "pagat-packs": (3, 2, {"ranks": ("A", "2", "3")}),
    "pagat-down": (3, 5, {"ranks": FIVE}),
    "pagat-updown": (3, 1, {"ranks": FIVE}),
    "chuiniu": (3, 82, {"ranks": ("A", "2", "3")}),
    "pagat-extra": (3, 4, {"ranks": FIVE}),
    "same-rank": (3, 4, {"ranks": FIVE}),
    "bullshit-ranking": (3, 20, {"ranks": FIVE}),
    "rank-fork": (3, 5, {"ranks": FIVE}),
    "liar-liar": (3, 8, {"ranks": FIVE}),
    "jokers-wild": (3, 42, {"ranks": FIVE}),
    "flying-solo": (3, 1, {"ranks": ("A", "2", "3", "4")}),
    "free-for-all": (3, 39, {"ranks": ("A", "2", "3")}),
    "jokers-top": (3, 18, {"ranks": FIVE}),
    "fourshit": (3, 0, {"ranks": ("A", "Q", "K")}),
    "egyptian": (3, 2, {"ranks": FIVE}),
    "only-one": (3, 4, {"ranks": FIVE}),
    "silent": (3, 3, {"ranks": FIVE}),
    "sinners": (3, 4, {"ranks": ("A", "2", "3", "4")}),
    "card-sharp": (3, 35, {"ranks": FIVE}),
    "british": (3, 5, {"ranks": FIVE}),
    "jump-in": (3, 3, {"ranks": FIVE}),
    "liars-deck": (3, 3, {}),
    "verish": (3, 1, {"ranks": FIVE}),
    "mogeln": (3, 1, {"ranks": FIVE, "jokers": 1}),
    "dubito": (3, 1, {"ranks": FIVE}),
    "desconfio": (3, 0, {"ranks": ("A", "2", "3")}),
    "indian-bluff": (3, 1, {"ranks": FIVE, "jokers": 1}),
    "hunan": (4, 1, {"ranks": ("A", "2", "J"), "wild_ranks": ("J",), "claimable": ("A", "2")}),
    "menteur": (3, 0, {"ranks": ("A", "2", "3")}),
    "zweifeln": (3, 0, {"ranks": ("A", "2", "3")}),
    "mentiroso": (3, 0, {"ranks": FIVE}),
    "bluffstopp": (3, 0, {"ranks": FIVE, "packs": 1, "hand_size": 4}),
    "idi": (3, 6, {"ranks": FIVE, "suits": ("C", "D", "H"), "hand_size": 4}),
    "doubt": (3, 0, {"ranks": FIVE, "packs": 1}),
    "mini-pairs": (2, 17, {}),
    "mini-single": (2, 4, {}),
    "mini-joker": (2, 32, {}),
}


def choose(names: list[str], rng: random.Random) -> str:
    """A random decision under which games come to an end: small plays, a call now and then."""
    if "commit" in names and rng.random() < 0.6:
        return "commit"
    if ("let" in names or "wait" in names) and rng.random() < 0.7:
        return rng.choice([name for name in names if not name.startswith("call") and name != "accuse"])
    return rng.choice(names)


def state_line(position: Position) -> str:
    """Return what everybody sees, in one line."""
    state = position.snapshot()
    claim = state["claim"]
    parts = [
        state["phase"] if state["phase"] not in ("place", "count") else "turn",
        f"turn {state['turn']}" if state["turn"] is not None else "",
        f"hands {' '.join(map(str, state['apparent_hands']))}",
        f"pile {state['apparent_pile']}/{len(state['pile'])}",
        f"last {state['claimant']}: {claim['count']} {claim.get('rank') or claim['suit']}" if claim else "",
        f"claims {''.join(state['claims'])}",
        f"shown {' '.join(state['shown'])}" if state["shown"] else "",
        f"out {' '.join(map(str, state['finished']))}" if state["finished"] else "",
        f"fallen {' '.join(map(str, state['fallen']))}" if state["fallen"] else "",
        f"pulls {' '.join(map(str, state['pulls']))}" if "pulls" in state else "",
        f"turns {state['turns']}",
    ]
    return ", ".join(part for part in parts if part)


def playthrough(name: str) -> Iterator[str]:
    """The lines of the game of a preset."""
    num_players, seed, house_rules = GAMES[name]
    rng = random.Random(f"{name} {seed}")
    position = Position(make_rules(name, **house_rules), num_players)
    house = ", ".join(f"{field}={value}" for field, value in house_rules.items())
    yield f"{name}, {num_players} players, seed {seed}{', ' if house else ''}{house}"
    while position.snapshot()["phase"] in ("dealer", "jack", "short_deal", "deal"):
        if position.is_chance_node():
            yield f"chance: {draw(position, rng)}"
        else:
            action = choose(position.legal_actions(), rng)
            yield f"player_{position.current_player()}: {action}"
            position.apply_action(action)
    for seat, cards in enumerate(position.snapshot()["hands"]):
        yield f"player_{seat} holds {' '.join(cards)}"
    yield f"  {state_line(position)}, {seen(position)}"
    while not position.is_terminal():
        if position.is_chance_node():
            yield f"chance: {draw(position, rng)}"
        else:
            seat, names = position.current_player(), position.legal_actions()
            action = choose(names, rng)
            position.apply_action(action)
            yield f"player_{seat}: {action}  (of {', '.join(names)})"
        yield f"  {state_line(position)}, {seen(position)}"
    state = position.snapshot()
    for seat, cards in enumerate(state["hands"]):
        yield f"player_{seat} ends with {' '.join(cards) or 'nothing'}, reward {state['rewards'][seat]:+.4f}"
    yield f"drinks {state['ledgers']['drinks']}, at the limit: {state['length_limit']}"


def check_what_it_shows(name: str, text: str) -> None:
    """It is short enough to read; somebody picked up after being caught, and somebody after a wrong call."""
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    assert set(_verdicts(name)) == {"right", "wrong"}
    assert "at the limit: False" in lines[-1] or name.startswith("mini-")


def _verdicts(name: str) -> Iterator[str]:
    """How the calls of a golden game ended, from the public counts of calls."""
    num_players, seed, house_rules = GAMES[name]
    rng = random.Random(f"{name} {seed}")
    position = Position(make_rules(name, **house_rules), num_players)
    while not position.is_terminal():
        if position.is_chance_node():
            draw(position, rng)
        else:
            position.apply_action(choose(position.legal_actions(), rng))
    part = layout(num_players)["record"]
    record = position.observe(0)[part.slice].reshape(part.shape)
    calls, right = record[:, 1].sum(), record[:, 2].sum()
    yield from ["right"] * int(right) + ["wrong"] * int(calls - right)
