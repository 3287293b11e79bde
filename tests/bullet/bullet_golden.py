"""The golden games of Bluff the Bullet, named by what they show."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise

from nodes import draw, seen

from bluff_env.bullet.rules import COPIES, SUIT_NAMES
from bluff_env.bullet.states.events import public_events
from bluff_env.bullet.texts.table import describe_event, render_game
from bluff_env.bullet.variants import make_rules
from bluff_env.envs.position import Position

# Name: players, seed, cards left in the deck after the deal (Fin is the last but one), house rules.
GAMES = {
    "bullet-on-a-bullet": (4, 80, 5, {}),
    "fin-as-replacement": (3, 40, 3, {}),
    "tie": (2, 198, 4, {}),
    "straight": (3, 219, 3, {"straights": True}),
    "race": (5, 100, 4, {}),
    "announced-bullet": (3, 3, 3, {}),
    "in-turn": (4, 53, 4, {"responses": "in_turn"}),
}
NAMES = set(GAMES)


def start(name: str, rng: random.Random) -> Position:
    """The game before its first decision."""
    num_players, _, left, house_rules = GAMES[name]
    deck = [f"{suit}{value}" for suit in SUIT_NAMES for value in range(1, num_players + 3)] * COPIES
    rng.shuffle(deck)
    deck = deck[: 6 * num_players + left]
    deck.insert(len(deck) - 1, "fin")
    rules = make_rules("bluff-the-bullet", **house_rules)
    return Position(rules, num_players, deck=deck, dealer=rng.randrange(num_players))


def playthrough(name: str) -> Iterator[str]:
    """The lines of a game."""
    num_players, seed, _, house_rules = GAMES[name]
    rng = random.Random(f"{name} {seed}")
    position = start(name, rng)
    changes = "".join(f", {rule}={value}" for rule, value in house_rules.items())
    yield f"{name}: {num_players} players, seed {seed}{changes}"
    players = [f"player_{seat}" for seat in range(num_players)]
    told = 0
    yield from table(position)
    while not position.is_terminal():
        if position.is_chance_node():
            yield f"chance: {draw(position, rng)}; {seen(position)}"
        else:
            seat, names = position.current_player(), position.legal_actions()
            action = rng.choice(names) if "let" not in names or rng.random() < 0.6 else "let"
            position.apply_action(action)
            yield f"player_{seat}: {action}  (of {', '.join(names)}); {seen(position)}"
        game = position.game.state
        for event in public_events(game, position.game.rule_row, told):
            yield f"  {describe_event(event, players)}"
        told = int(game["num_events"])
        if position.snapshot()["phase"] in ("turn", "over"):
            yield from table(position)


def table(position: Position) -> Iterator[str]:
    """The whole table and what the others know of it."""
    state = position.snapshot()
    yield from render_game(state).splitlines()
    for seat, hand in enumerate(state["hands"]):
        known = [f"s{i + 1} to {card['known_to']}" for i, card in enumerate(hand) if not card["face_up"]]
        yield f"  player_{seat}'s face-down cards are known: {', '.join(known) or 'none'}"


def check_what_it_shows(name: str, text: str) -> None:
    """It has what its name promises."""
    assert _shows(name, text)


def _shows(name: str, text: str) -> bool:
    """Return whether a game has what its name promises."""
    lines = text.splitlines()
    bullets = [i for i, line in enumerate(lines) if "lays a bullet" in line]
    if name == "race":  # one of several is drawn and lays a bullet, and one of several again in the race about it
        answers = r".*lays a bullet.*\n(player_\d: (let|call|bullet).*\n)+"
        return re.search(_SEVERAL + answers + _SEVERAL, text) is not None
    if name == "announced-bullet":  # a true one, which is called
        return re.search(r"announces a bullet\n(player.*\n|chance.*\n)+  .*: bullet\d, no bluff", text) is not None
    if name == "in-turn":
        return "lays a bullet" in text and ", a bluff" in text and "chance: player_" not in text
    if name == "bullet-on-a-bullet":
        shown = [i for i, line in enumerate(lines) if " shows " in line]
        return any(not any(i < k < j for k in shown) for i, j in pairwise(bullets))
    if name == "fin-as-replacement":
        return any("loses" in a and "Fin comes up" in b for a, b in pairwise(lines))
    if name == "tie":
        return "player_0 and player_1 had the best hand" in text
    return _wins_with_a_straight(lines)


_SEVERAL = r"chance: player_\d of \d+ x player_\d, .*\n"


def _wins_with_a_straight(lines: list[str]) -> bool:
    over = next(i for i, line in enumerate(lines) if "the game is over" in line)
    winners = [line for line in lines[over:] if "payoff +" in line]
    values = [sorted(int(word.strip("()")[-1]) for word in line.split()[1:6]) for line in winners]
    return any(row == list(range(row[0], row[0] + 5)) for row in values)
