"""Tables of Cheat on which properties are tested: every preset and the mixtures of ``helpers.MIXTURES``.

The tests that all families share (``tests/families``) import this as what they need to know of Cheat.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from helpers import MIXTURES, draw, lively, small_deal

from bluff_env.cheat.game.state import Phase
from bluff_env.cheat.states.hidden import OWN_PLAY
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.envs.position import Position

TABLES: dict[str, tuple[str, int, dict[str, Any]]] = {
    **{name: (name, 2 if name.startswith("mini-") else 4, {}) for name in VARIANTS},
    **{f"mixture: {name}": mixture for name, mixture in MIXTURES.items()},
}
WHOLE_DECK = {"count any", "eightshit", "check"}  # the others are mostly dealt few cards, so that more happens
UNSEEN = (Phase.WINDOW, Phase.TICK, Phase.DEMAND)  # decisions that nobody sees until all are made
STEPS = 80  # decisions that a test looks at on each table


def start(name: str, rng: random.Random) -> Position:
    """A game at its first decision."""
    variant, num_players, house_rules = TABLES[name]
    rules = make_rules(variant, **house_rules)
    small = name not in WHOLE_DECK and rng.random() < 0.8 and rules.resolve(num_players).num_cards > 12
    hands = small_deal(rules, num_players, rng) if small else None
    position = Position(rules, num_players, hands=hands)
    while position.is_chance_node():
        draw(position, rng)
    return position


def decisions(name: str, rng: random.Random, steps: int = STEPS) -> Iterator[Position]:
    """Positions of random games: ``steps`` decisions, and the ends of the games between them."""
    while steps > 0:
        position, choose = start(name, rng), lively(rng)
        while steps > 0 and not position.is_terminal():
            if position.is_player_node():
                steps -= 1
                yield position
                position.apply_action(choose(position.legal_actions()))
            while position.is_chance_node():
                draw(position, rng)
        yield position


def seed_of(*parts: Any) -> random.Random:
    """A generator seeded by words and numbers."""
    return random.Random(" ".join(map(str, parts)))


def public_moment(position: Position) -> tuple[Any, ...]:
    """Changes whenever something happens in public; "window" first while decisions are collected unseen."""
    g = position.game.state
    phase = "window" if g["phase"] in UNSEEN else "turn" if g["phase"] in OWN_PLAY else Phase(g["phase"]).name
    phase = "SWITCH" if phase == "SWITCH_WITH" else phase
    chance = position.is_chance_node()
    return phase, chance, int(g["turn"]), int(g["turns"]), int(g["took_pile"]), int(g["num_plays"])


# What a player may not know, and a table where it matters: from the game's state and the player's seat.
SECRETS: dict[str, tuple[str, Callable[[Any, int], Any]]] = {
    "another's cards": ("pagat", lambda g, s: g["hand"][s - 1]),
    "the pile": ("pagat", lambda g, s: g["pile_cards"]),
    "true hand sizes": ("eightshit", lambda g, s: g["hand_size"]),
    "the true size of the pile": ("eightshit", lambda g, s: g["pile_size"]),
    "a pending call": ("pagat", lambda g, s: int(g["callers"]) & ~(1 << s)),
    "a half-composed play": ("pagat", lambda g, s: g["phase"]),
    "another's lap": ("card-sharp", lambda g, s: g["lap"][s - 1]),
    "another's notice": ("card-sharp", lambda g, s: g["noticed"][s - 1]),
    "another's peek": ("british", lambda g, s: g["peeked"][s - 1]),
    "a card under way": ("british", lambda g, s: g["slipped"]),
    "another's sleights": ("card-sharp", lambda g, s: g["last_sleights"]),
    "a pending accusation": ("card-sharp", lambda g, s: int(g["accusers"]) & ~(1 << s)),
    "a pending jump": ("jump-in", lambda g, s: int(g["jumpers"]) & ~(1 << s)),
    "a switch begun": ("card-sharp", lambda g, s: g["phase"]),
    "the stock": ("mixture: a stock", lambda g, s: g["deck"]),
    "the first pile": ("mixture: a first pile, suits", lambda g, s: g["pile_cards"][:4]),
    "burnt cards": ("mixture: burnt cards", lambda g, s: g["removed"]),
    "another's knowledge": ("check", lambda g, s: g["known_pile"][s - 1]),
}
