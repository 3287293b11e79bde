"""What the rule sets and presets of every family share: names, words, limits and the bound of the payoffs."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from itertools import permutations

import numpy as np
import pytest

from bluff_env.core.family import Family
from bluff_env.core.registry import FAMILIES, make_rules, most_players
from bluff_env.core.rules import RuleSet, Variant
from bluff_env.utils.errors import KeywordError, RulesError

EVERY = [FAMILIES[name] for name in FAMILIES]
PRESETS = [(family, preset) for family in EVERY for preset in family.variants.values()]


@pytest.mark.parametrize(("family", "preset"), PRESETS, ids=lambda part: part.name)
def test_a_preset_says_for_how_many_it_is(family: Family, preset: Variant) -> None:
    """The words name the least, the usual and the greatest number, and that others may play only if they may."""
    least, usual, greatest = preset.players
    most = most_players(preset.name)
    words = preset.players_in_words(most)
    assert f"{least} to {greatest} players, usually {usual}" in words
    assert ("any number from" in words) is ((least, greatest) != (2, most))
    for players in range(2, family.most_players + 1):
        allowed = players <= most
        with nullcontext() if allowed else pytest.raises(RulesError):
            make_rules(preset.name).resolve(players)


@pytest.mark.parametrize("family", EVERY, ids=lambda family: family.name)
def test_a_payoff_is_bounded_by_one_unless_a_ledger_enters_it(family: Family) -> None:
    """Both families pay at most 1; drinks and slaps that count are what no bound holds for."""
    rules = family.variants.make_rules()
    assert rules.payoff_limit == 1.0
    if family.name == "cheat":
        assert math.isinf(rules.replace(drinks_weight=0.5).payoff_limit)


@pytest.mark.parametrize("family", EVERY, ids=lambda family: family.name)
@pytest.mark.parametrize("players", [True, 1, 0, -3, 2.5, "4", None, 10**9])
def test_a_number_of_players_that_cannot_be_is_refused_with_the_bounds(family: Family, players: object) -> None:
    """The sentence quotes the number and names the least and the greatest."""
    with pytest.raises(RulesError, match=f"num_players=.* from 2 to {family.variants.rules.most_players}"):
        family.variants.rules().resolve(players)


@pytest.mark.parametrize("family", EVERY, ids=lambda family: family.name)
def test_an_unknown_field_is_refused_with_the_nearest_names(family: Family) -> None:
    """``replace`` takes the fields of the rules, and nothing else."""
    rules: RuleSet = family.variants.rules()
    known = rules.field_names()[-1]
    with pytest.raises(KeywordError, match=known):
        rules.replace(**{known + "x": 1})
    assert rules.replace(**{known: getattr(rules, known)}) == rules


LISTS = {
    "ranks": ("A", "7", "T", "K"), "suits": ("C", "H"), "claimable": ("A", "2", "7"), "steps": (-1, 0, 1),
    "wild_ranks": ("2", "J"), "sleights": ("hide", "switch"), "missing": ("2C", "2H"),
}  # fmt: skip


@pytest.mark.parametrize("rule", LISTS)
def test_rules_are_equal_if_their_games_are(rule: str) -> None:
    """In whatever order the names of a list come: a set has another one in each process."""
    rules = make_rules("pagat", **{rule: LISTS[rule]})
    for order in permutations(LISTS[rule]):
        assert make_rules("pagat", **{rule: order}) == rules
    assert make_rules("pagat", **{rule: set(LISTS[rule])}) == rules
    assert make_rules("pagat", **{rule: np.array(LISTS[rule])}) == rules


@pytest.mark.parametrize("rule", LISTS)
def test_a_list_that_names_something_twice_is_refused_or_means_it_once(rule: str) -> None:
    twice = (*LISTS[rule], LISTS[rule][0])
    if rule == "steps":
        assert make_rules("pagat", steps=twice) == make_rules("pagat", steps=LISTS[rule])
    else:
        with pytest.raises(RulesError, match=rule):
            make_rules("pagat", **{rule: twice})


def test_numbers_of_numpy_are_rules_as_pythons_are() -> None:
    drawn = {
        "jokers": np.int64(2),
        "passing": np.True_,
        "false_notice_prob": np.float64(0.25),
        "first_claim": np.array("A"),
    }
    rules = make_rules("pagat", sleights=["hide"], **drawn)
    assert rules == make_rules(
        "pagat", sleights=["hide"], jokers=2, passing=True, false_notice_prob=0.25, first_claim="A"
    )
    assert json.loads(json.dumps(rules.to_dict())) == rules.to_dict() and hash(rules)
    assert make_rules("bluff-the-bullet", straights=np.False_) == make_rules("bluff-the-bullet", straights=False)
    with pytest.raises(RulesError, match="packs="):
        make_rules("pagat", packs=np.array([1, 2]))
