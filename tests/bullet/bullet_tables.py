"""Random games of Bluff the Bullet on which properties are tested, one table for each number of players.

The tests that all families share (``tests/families``) import this as what they need to know of Bluff the Bullet.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import Phase
from bluff_env.bullet.rules import COPIES, SUIT_NAMES, Responses
from bluff_env.bullet.states.hidden import OWN_PLAY
from bluff_env.bullet.variants import make_rules
from bluff_env.envs.position import Position

PLAYERS = (2, 3, 4, 5)
TABLES = {
    f"{num_players} players{', in turn' if responses == 'in_turn' else ''}": (num_players, responses)
    for responses in ("race", "in_turn")
    for num_players in PLAYERS
}
STEPS = 400  # decisions that a test looks at on each table


def full_deck(num_players: int) -> list[str]:
    """All cards but Fin."""
    return [f"{suit}{value}" for suit in SUIT_NAMES for value in range(1, num_players + 3)] * COPIES


def random_deck(num_players: int, rng: random.Random) -> list[str]:
    """A shuffled deck with Fin near the end; or a short one with Fin anywhere after the deal; or one without Fin."""
    deck = full_deck(num_players)
    rng.shuffle(deck)
    dealt = 6 * num_players
    if rng.random() < 0.5:
        deck = deck[: rng.randrange(dealt, dealt + 8)]
    if rng.random() < 0.8:
        deck.insert(rng.randrange(max(dealt, len(deck) - 10), len(deck) + 1), "fin")
    return deck


def choose(names: list[str], rng: random.Random) -> str:
    """Random play with enough lets, calls and bullets of each kind, and races in which several act, or nobody."""
    if "let" in names and rng.random() < 0.45:
        return "let"
    return rng.choice(names)


def start(num_players: int, rng: random.Random, responses: str = "race") -> Position:
    """A game with a random deck."""
    deck = random_deck(num_players, rng)
    rules = make_rules("bluff-the-bullet", responses=responses)
    return Position(rules, num_players, deck=deck, dealer=rng.randrange(num_players))


def positions(num_players: int, rng: random.Random, responses: str = "race") -> Iterator[Position]:
    """Every decision of a random game, and its end."""
    position = start(num_players, rng, responses)
    while not position.is_terminal():
        if position.is_chance_node():
            position.apply_action(rng.choice(list(position.chance_weights())))
        else:
            yield position
            position.apply_action(choose(position.legal_actions(), rng))
    yield position


def decisions(name: str, rng: random.Random, steps: int = STEPS) -> Iterator[Position]:
    """Positions of random games: ``steps`` decisions, and the ends of the games between them."""
    while steps > 0:
        num_players, responses = TABLES[name]
        for position in positions(num_players, rng, responses):
            yield position
            steps -= position.is_player_node()
            if steps <= 0:
                break


def public_moment(position: Position) -> tuple[Any, ...]:
    """Changes whenever something happens in public; "window" first while answers are collected unseen."""
    g = position.game.state
    own_play = int(g["phase"]) in OWN_PLAY
    made = int(g["turns"]), int(g["num_events"])
    if g["phase"] == Phase.RESPOND and position.rules.responses == Responses.RACE:
        return "window", *made
    return ("turn", int(g["turn"]), *made) if own_play else ("public", int(g["phase"]), int(g["to_act"]), *made)


# What a player may not know, and a table where it matters: from the game's state and the player's seat.
SECRETS: dict[str, tuple[str, Callable[[Any, int], Any]]] = {
    "all hands": ("3 players", lambda g, s: g["hand"]),
    "another's Action Cards": ("2 players", lambda g, s: g["action_cards"][1 - s]),
    "the announced card": ("3 players", lambda g, s: g["stack_card"]),
    "the deck": ("4 players", lambda g, s: g["deck"]),
    "a half-composed turn": ("3 players", lambda g, s: g["phase"]),
    "a pending answer": ("4 players", lambda g, s: np.delete(g["answers"], s) * (g["phase"] == Phase.RESPOND)),
}
