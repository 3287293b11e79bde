"""Bluff the Bullet against the slow second implementation, step by step; and all cards are there at every moment."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from bullet_helpers import decode
from oracle_bullet import BulletOracle

from bluff_env.bullet.rules import COPIES, SUIT_NAMES
from bluff_env.bullet.variants import make_rules
from bluff_env.position import Position

GAMES = 40


def full_deck(num_players: int) -> list[str]:
    """All cards but Fin."""
    return [f"{suit}{value}" for suit in SUIT_NAMES for value in range(1, num_players + 3)] * COPIES


def random_deck(num_players: int, rng: random.Random) -> list[str]:
    """A shuffled deck with Fin near the end, or a short one with Fin anywhere after the deal, or none."""
    deck = full_deck(num_players)
    rng.shuffle(deck)
    dealt = 6 * num_players
    if rng.random() < 0.5:
        deck = deck[: rng.randrange(dealt, dealt + 8)]
    if rng.random() < 0.8:
        deck.insert(rng.randrange(max(dealt, len(deck) - 10), len(deck) + 1), "fin")
    return deck


def choose(names: list[str], rng: random.Random) -> str:
    """Random play with enough lets, calls and bullets of each kind."""
    if "let" in names and rng.random() < 0.45:
        return "let"
    return rng.choice(names)


def cards_of(state: dict[str, Any]) -> Counter[str]:
    """All cards of a snapshot."""
    laid = [state["announcement"], *state["bullets"]] if state["announcement"] else []
    found = Counter(state["deck"] + state["discards"] + [card["card"] for card in laid])
    for hand in [[slot["card"] for slot in hand] for hand in state["hands"]] + state["action_cards"]:
        found.update(name for name in hand if name is not None)
    return found


def name_of(value: int, suit: int) -> str | None:
    return f"{SUIT_NAMES[suit - 1]}{value}" if value else None


def check_view(position: Position, oracle: BulletOracle, me: int) -> None:
    """What a player sees is what the other implementation says he knows."""
    n, view = position.num_players, decode(position, me)
    knows = oracle.knows(me)
    for k in range(n):
        p = (me + k) % n
        seen = [name_of(*pair) for pair in zip(view["values"][k], view["suits"][k], strict=True)]
        assert seen == knows[p]
        assert view["face_up"][k] == [card.up for card in oracle.hands[p]]
        known_to = [[int((me + o) % n in card.seen_by) for o in range(n)] for card in oracle.hands[p]]
        assert view["known_to"][k] == known_to
    own = [name_of(*pair) for pair in zip(view["action_values"], view["action_suits"], strict=True)]
    state = position.snapshot()
    assert [name for name in own if name] == state["action_cards"][me]
    assert view["deck_size"] == len(oracle.deck)


def compare(num_players: int, rng: random.Random, straights: bool) -> Counter[str]:
    """Plays one game in both; returns what happened."""
    deck, dealer = random_deck(num_players, rng), rng.randrange(num_players)
    rules = make_rules("bluff-the-bullet", straights=straights)
    position = Position(rules, num_players, deck=deck, dealer=dealer)
    oracle = BulletOracle(deck, num_players, dealer, straights)
    game, answer = oracle.play(), None
    happened: Counter[str] = Counter()
    while True:
        assert cards_of(position.snapshot()) == Counter(deck)
        if position.is_chance_node():
            happened["replaced out of the discards"] += 1
            oracle.replacement = rng.choice(list(position.chance_weights()))
            position.apply_action(oracle.replacement)
        try:
            seat, names = game.send(answer)  # type: ignore[arg-type]
        except StopIteration:
            break
        assert (position.current_player(), position.legal_actions()) == (seat, names)
        answer = choose(names, rng)
        if answer in ("let", "call") or answer.startswith(("bullet", "use")):
            state = position.snapshot()
            happened[answer.split()[0]] += 1
            happened["bullet on a bullet"] += answer.startswith("bullet") and len(state["bullets"]) > 0
            assert [[c["card"] for c in hand] for hand in state["hands"]] == [
                [c.name for c in hand] for hand in oracle.hands
            ]
            for me in range(num_players):
                check_view(position, oracle, me)
        position.apply_action(answer)
    assert position.is_terminal() and position.returns() == pytest.approx(oracle.rewards)
    assert position.snapshot()["winners"] == oracle.winners
    happened["shared"] += 1 < len(oracle.winners) < num_players
    assert oracle.cards() == cards_of(position.snapshot()) == Counter(deck)
    return happened


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_both_implementations_agree(num_players: int) -> None:
    happened: Counter[str] = Counter()
    for game in range(GAMES):
        happened += compare(num_players, random.Random(f"{num_players} {game}"), straights=game % 2 == 1)
    for what in ("let", "call", "bullet", "use", "bullet on a bullet", "replaced out of the discards"):
        assert happened[what], f"no game had: {what}"
