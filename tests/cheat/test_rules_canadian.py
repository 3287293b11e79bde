"""`canadian`: the first player dealt a jack face up starts, and the cards are dealt again (S19)."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from helpers import draw, phase

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError


def turned_up(position: Position, *names: str) -> Position:
    """Cards of the face-up deal."""
    for name in names:
        position.apply_action(name)
    return position


def test_the_face_up_deal_comes_after_the_dealer_and_before_the_deal() -> None:
    position = Position("canadian", 3)
    assert phase(position) == "dealer"
    position.apply_action("player_1")
    assert phase(position) == "jack"
    assert phase(turned_up(position, "no J", "J")) == "deal"


@pytest.mark.parametrize(("others", "starter"), [(0, 2), (1, 0), (2, 1), (3, 2), (7, 0)])
def test_who_is_dealt_the_first_jack_starts(others: int, starter: int) -> None:
    """From the dealer's left, one card each."""
    position = turned_up(Position("canadian", 3, dealer=1), *["no J"] * others, "J")
    rng = random.Random(others)
    while position.is_chance_node():
        draw(position, rng)
    assert position.current_player() == starter and position.snapshot()["dealer"] == 1


def test_the_face_up_deal_follows_the_direction() -> None:
    rules = make_rules("canadian", direction="anticlockwise")
    position = turned_up(Position(rules, 3, dealer=1), "no J", "J")
    while position.is_chance_node():
        position.apply_action(next(iter(position.chance_weights())))
    assert position.current_player() == 2


def test_s19_the_same_dealer_deals_again_the_whole_deck() -> None:
    """The cards turned up go back: all are dealt, from the dealer's left."""
    position = turned_up(Position("canadian", 3, dealer=0), "no J", "no J", "J")
    assert sum(position.chance_weights().values()) == position.rules.num_cards
    position.apply_action("J")
    assert [len(hand) for hand in position.snapshot()["hands"]] == [0, 1, 0]


def test_s19_jokers_are_ignored_in_the_face_up_deal() -> None:
    """Two packs of five ranks and four jokers: eight jacks among forty natural cards."""
    position = Position(make_rules("canadian", ranks=("9", "T", "J", "Q", "K")), 3, dealer=0)
    assert position.chance_weights() == {"no J": 32, "J": 8}
    assert turned_up(position, "no J", "no J").chance_weights() == {"no J": 30, "J": 8}


def test_the_last_natural_cards_are_jacks_if_no_other_was() -> None:
    rules = Rules(starter="jack", ranks=("J", "Q"), suits=("C", "D"), first_claim="free", jokers=3)
    position = turned_up(Position(rules, 2, dealer=0), "no J", "no J")
    assert position.chance_weights() == {"J": 2}


def test_how_likely_each_player_is_to_start() -> None:
    """By the rule of the first jack among natural cards: exact, and as the engine draws it."""
    rules = Rules(starter="jack", ranks=("J", "Q", "K"), suits=("C",), first_claim="free", jokers=2)
    exact = {0: Fraction(1, 3), 1: Fraction(2, 3)}  # three cards: the first and the third go to player 1
    likely: Counter[int] = Counter()
    position = Position(rules, 2, dealer=0)
    chance = Fraction(1)
    for seat in (1, 0, 1):
        weights = position.chance_weights()
        likely[seat] += chance * Fraction(weights["J"], sum(weights.values()))
        chance *= 1 - Fraction(weights["J"], sum(weights.values()))
        position = turned_up(position, "no J") if "no J" in weights else position
    assert likely == exact
    engine = Engine(rules, num_games=600, num_players=2, seed=3)
    first = Counter((engine._games["starter"] - engine._games["dealer"]) % 2)
    assert 0.6 < first[1] / 600 < 0.73


def test_a_forced_starter_needs_no_jack() -> None:
    assert phase(Position("canadian", 3, dealer=0, starter=2)) == "deal"


def test_a_forced_deal_is_dealt_after_the_jack() -> None:
    position = Position("canadian", 2, hands=[["AC"], ["KC"]], dealer=0)
    assert phase(position) == "jack"
    turned_up(position, "no J", "J")
    assert position.current_player() == 0 and position.snapshot()["hands"] == [["AC"], ["KC"]]


def test_sets_that_go_aside_by_themselves_do_so_after_the_deal() -> None:
    rules = make_rules("canadian", packs=1, full_set="automatic")
    position = Position(rules, 2, hands=[["JC", "JD", "JH", "JS", "AC"], ["KC"]], dealer=0)
    turned_up(position, "J")
    assert position.snapshot()["hands"][0] == ["AC"] and position.current_player() == 1


@pytest.mark.parametrize("ranks", [("A", "2"), ("9", "T", "Q")])
def test_without_jacks_it_is_refused(ranks: tuple[str, ...]) -> None:
    with pytest.raises(RulesError, match=r"starter='jack'.*rank J"):
        make_rules("canadian", ranks=ranks)


@pytest.mark.parametrize("num_players", range(2, 11))
def test_the_highest_ranks_always_hold_a_jack(num_players: int) -> None:
    assert "J" in make_rules("canadian").resolve(num_players).ranks


def test_the_preset_is_eightshit_with_a_jack() -> None:
    assert make_rules("canadian") == make_rules("eightshit", starter="jack")
