"""Random games of Bluff the Bullet, and what of a game is compared with the oracle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from bullet_helpers import decode
from bullet_tables import PLAYERS, choose, random_deck
from oracle_bullet import BulletOracle

from bluff_env.bullet.rules import SUIT_NAMES
from bluff_env.bullet.variants import make_rules
from bluff_env.envs.position import Position

GAMES_PER_TABLE = 60
Games = Iterator[tuple[Position, BulletOracle, random.Random]]


def both(deck: list[str], num_players: int, dealer: int, **house_rules: Any) -> tuple[Position, BulletOracle]:
    """A game in the engine and the same game in the oracle."""
    rules = make_rules("bluff-the-bullet", **house_rules)
    oracle = BulletOracle(deck, num_players, dealer, **house_rules)
    return Position(rules, num_players, deck=deck, dealer=dealer), oracle


def games_of(num_players: int) -> Games:
    """Games with random decks, every other one with straights, two of three with races."""
    for game in range(GAMES_PER_TABLE):
        rng = random.Random(f"{num_players} {game}")
        deck, dealer = random_deck(num_players, rng), rng.randrange(num_players)
        responses = "race" if game % 3 else "in_turn"
        yield *both(deck, num_players, dealer, straights=game % 2 == 1, responses=responses), rng


GAMES: dict[str, Callable[[], Games]] = {f"{n} players": lambda n=n: games_of(n) for n in PLAYERS}
# What has to happen in some game of each table, as it shows in the history.
HAPPENINGS = {
    "let": ": let",
    "call": ": call",
    "bullet": ": bullet",
    "use": ": use",
    "bullet on a bullet": r": bullet \d( \| \d: let)* \| \d: bullet",
    "ability bullet": ": ability bullet",
    "a race": r"\[player_\d\]",
    "a race about a bullet": r"\[player_\d\]( \| \d: (let|call|bullet \d))+ \| \[player_\d\]",
    "replaced out of the discards": r"\[(crow|cup|key|bullet)\d\]",
}


def chooser(rng: random.Random) -> Callable[[BulletOracle], str]:
    """Random players."""
    return lambda oracle: choose(oracle.legal_actions(), rng)


def view(game: Any, oracle: BulletOracle) -> dict[str, Any]:
    """All that is compared at a node; the table while a player begins a turn or responds, and at the end."""
    out: dict[str, Any] = {"current_player": game.current_player(), "rewards": game.returns()}
    names = game.legal_actions() if game.is_player_node() else []
    out["legal_actions"] = names
    if game.is_chance_node():
        outcomes = game.chance_weights()
        out["outcomes"] = {name: Fraction(weight, sum(outcomes.values())) for name, weight in outcomes.items()}
    if game.is_terminal() or (names and names[0].startswith(("use", "let"))):
        out |= _table_of_oracle(game) if isinstance(game, BulletOracle) else _table_of_engine(game)
    if game.is_terminal():  # all cards are shown now
        del out["known"], out["known_to"], out["face_up"]
    if isinstance(game, Position):
        out["cards"] = cards_of(game.snapshot())
    else:
        out["cards"] = Counter(oracle.dealt)
        assert not game.is_terminal() or oracle.cards() == out["cards"]
    return out


def _table_of_oracle(oracle: BulletOracle) -> dict[str, Any]:
    """The table as the oracle has it, and what each player knows of it, by seat."""
    return {
        "hands": [[card.name for card in hand] for hand in oracle.hands],
        "known": [oracle.knows(me) for me in range(oracle.n)],
        "face_up": [[[card.up for card in hand] for hand in oracle.hands]] * oracle.n,
        "known_to": [[[sorted(card.seen_by) for card in hand] for hand in oracle.hands]] * oracle.n,
        "own_action_cards": [[card.name for card in cards] for cards in oracle.in_hand],
        "action_cards": [[card.name for card in cards] for cards in oracle.in_hand],
        "deck_size": [len(oracle.deck)] * oracle.n,
        "winners": oracle.winners,
    }


def _table_of_engine(position: Position) -> dict[str, Any]:
    """The same from the snapshot and from every player's observation."""
    state, n = position.snapshot(), position.num_players
    out: dict[str, Any] = {
        "hands": [[card["card"] for card in hand] for hand in state["hands"]],
        "action_cards": state["action_cards"],
        "winners": state["winners"],
        **{name: [] for name in ("known", "face_up", "known_to", "own_action_cards", "deck_size")},
    }
    for me in range(n):
        seen = decode(position, me)
        places = [(p - me) % n for p in range(n)]  # where the observation has each seat
        pairs = [zip(seen["values"][k], seen["suits"][k], strict=True) for k in places]
        out["known"].append([[_name(*pair) for pair in hand] for hand in pairs])
        out["face_up"].append([seen["face_up"][k] for k in places])
        known_to = [[sorted((me + o) % n for o in range(n) if bits[o]) for bits in seen["known_to"][k]] for k in places]
        out["known_to"].append(known_to)
        own = zip(seen["action_values"], seen["action_suits"], strict=True)
        out["own_action_cards"].append([name for name in (_name(*pair) for pair in own) if name])
        out["deck_size"].append(seen["deck_size"])
    return out


def _name(value: int, suit: int) -> str | None:
    return f"{SUIT_NAMES[suit - 1]}{value}" if value else None


def cards_of(state: dict[str, Any]) -> Counter[str]:
    """All cards of a snapshot."""
    laid = [state["announcement"], *state["bullets"]] if state["announcement"] else []
    found = Counter(state["deck"] + state["discards"] + [card["card"] for card in laid])
    for hand in [[slot["card"] for slot in hand] for hand in state["hands"]] + state["action_cards"]:
        found.update(name for name in hand if name is not None)
    return found
