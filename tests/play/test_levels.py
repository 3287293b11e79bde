"""The levels that people choose: measured in every game that the lobby offers, and in order of strength."""

from __future__ import annotations

import pytest

from bluff_env.core.registry import FAMILIES, family_of, find_variant, make_rules
from bluff_env.evaluation.games import DEFAULT_POLICY, GameSpec, choose_game
from bluff_env.play import levels
from bluff_env.utils.errors import RulesError

VARIANTS = [name for family in FAMILIES.values() for name in family.variants]


def _games(variant: str) -> list[GameSpec]:
    least, _, most = find_variant(variant).players
    games = []
    for players in range(least, min(most, levels.MOST_PLAYERS) + 1):
        try:
            games.append(choose_game(variant, players, {}, []))
        except RulesError:
            continue
    return games


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_game_has_three_levels_in_order_and_a_length(variant: str) -> None:
    for game in _games(variant):
        wins = [levels.person_wins(game, level) for level in levels.LEVELS]
        assert None not in wins and wins == sorted(wins, reverse=True), (variant, game.num_players, wins)
        assert len({levels.opponent(game, level) for level in levels.LEVELS}) == 3, (variant, game.num_players)
        length = levels.length_of(game)
        assert length is not None and length.turns > 0 and length.minutes > 0


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sample(8)
def test_the_players_of_each_level_can_sit_down(variant: str) -> None:
    for game in _games(variant):
        for level in levels.LEVELS:
            assert levels.opponent(game, level) != "scripted/always-call"
            game.load(levels.opponent(game, level))


def test_the_game_that_people_meet_first_ends() -> None:
    for family in FAMILIES.values():
        game = choose_game(family.default, None, {}, [])
        for level in levels.LEVELS:
            length = levels.length_of(game, level)
            assert length is not None and length.ends and length.minutes <= 5


def test_a_length_says_one_turn_and_two_turns() -> None:
    assert str(levels.Length(1, 1, 0.0)) == "about 1 turn, 1 minute"
    assert str(levels.Length(2, 2, 0.5)) == "about 2 turns, 2 minutes; 50% of games end by the length limit"


def test_a_game_that_was_not_measured_has_the_default_policy() -> None:
    rules = make_rules("pagat", jokers=2).resolve(4)
    game = GameSpec("pagat", rules, 4, is_preset=False)
    assert {levels.opponent(game, level) for level in levels.LEVELS} == {DEFAULT_POLICY}
    assert levels.length_of(game) is None and levels.person_wins(game, "strong") is None
    assert family_of(rules).name == "cheat"
