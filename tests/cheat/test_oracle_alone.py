"""The oracle of Cheat by itself: its games end, keep all cards, and one was worked out by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from cheat_side_by_side import RANDOM_RULE_SETS, Style, draw_outcome, presets, random_deal, random_rules
from oracle_cheat import Oracle

from bluff_env.cheat.variants import make_rules


def cards_of(oracle: Oracle) -> Counter[str]:
    cards = Counter(oracle.placed) + Counter(oracle.removed)
    for hand in (*oracle.hands, *oracle.laps):
        cards += Counter(hand)
    for sleights in (oracle.sleights, oracle.accusable):
        if sleights.slipped is not None:
            cards[sleights.slipped.card] += 1
    if oracle.slipping is not None:
        cards[oracle.slipping] += 1
    for play in oracle.pile:
        cards += Counter(play.cards)
    return cards


def play_alone(oracle: Oracle, rng: random.Random) -> str:
    """A random game with every invariant looked at; how it ended."""
    style = Style.draw(rng)
    deck = Counter(oracle.deck)
    while not oracle.is_terminal():
        if oracle.is_chance_node():
            assert sum(oracle.chance_weights().values()) >= 1
            oracle.apply_action(draw_outcome(oracle, rng))
        else:
            assert oracle.legal_actions()
            with pytest.raises(ValueError, match="no such action"):
                oracle.apply_action("no such action")
            oracle.apply_action(style.choose(oracle, rng))
        if oracle.stock == []:
            assert cards_of(oracle) == deck
        assert all(size >= bool(hand) for size, hand in zip(oracle._apparent_hands(), oracle.hands, strict=True))
    assert abs(sum(oracle.returns())) < 1e-9
    assert oracle.snapshot()["done"]
    limit = oracle.rules.length_limit
    assert limit is not None and oracle.turns <= limit + 3  # a last turn: pile taken, play, call, accusation
    return "limit" if oracle.turns >= limit else "rule"


@pytest.mark.parametrize(("name", "num_players"), presets())
@pytest.mark.sample(15)
def test_presets_finish_and_conserve(name: str, num_players: int) -> None:
    rng = random.Random(f"{name} {num_players}")
    for _ in range(2):
        play_alone(Oracle(make_rules(name), num_players), rng)


@pytest.mark.slow
def test_random_rules_finish_and_conserve() -> None:
    rng = random.Random(1)
    ends: Counter[str] = Counter()
    for _ in range(RANDOM_RULE_SETS):
        rules, num_players = random_rules(rng)
        ends[play_alone(Oracle(rules, num_players, **random_deal(rules, num_players, rng)), rng)] += 1
    assert min(ends["limit"], ends["rule"]) > RANDOM_RULE_SETS // 10


def test_a_short_game_by_hand() -> None:
    """Seat 1 lies with its last card, is caught, and the turn goes on from there."""
    oracle = Oracle(make_rules("pagat"), 2, hands=[["AS", "3D", "5D"], ["KC"]], starter=0, dealer=0)
    assert oracle.legal_actions() == ["place A", "place 3", "place 5"]
    oracle.apply_action("place A")
    assert oracle.legal_actions() == ["place 3", "place 5", "commit"]
    oracle.apply_action("commit")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["let", "call"])
    oracle.apply_action("let")  # seat 1 has one card only: the play is not asked
    assert (oracle.current_player(), oracle.snapshot()["claim"]) == (0, {"rank": "2", "count": 1})
    oracle.apply_action("call")
    assert oracle.snapshot()["hands"] == [["3D", "5D"], ["AS", "KC"]]
    assert oracle.snapshot()["ledgers"]["drinks"] == [0, 2]
    for name in ("place 3", "commit", "let", "place A", "commit", "call"):
        oracle.apply_action(name)
    assert (oracle.current_player(), oracle.snapshot()["hands"]) == (1, [[], ["AS", "3D", "KC"]])
    oracle.apply_action("let")
    assert oracle.snapshot()["rewards"] == [1.0, -1.0]
