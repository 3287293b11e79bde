"""``teams``: members receive the mean of their payoffs, and otherwise play as ever (S29)."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers import decode, hand, play_on, small_deal, table, window

from bluff_env import cheat_v0
from bluff_env.cheat.variants import make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError


def ended(*teams: int, end: str = "first_out", **house_rules: object) -> list[float]:
    """Payoffs after player 0 has shed his last card truthfully."""
    hands = ["AC", "2C 2D", "3C 3D", "4C 4D", "5C 5D"][: len(teams)]
    position = table("pagat", *hands, teams=teams, end=end, **house_rules)
    window(position)
    return position.returns()


def test_s29_members_receive_the_mean_of_their_payoffs() -> None:
    """Alone: 1 and three times -1/3."""
    assert ended(0, 1, 0, 1) == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])


def test_teams_may_be_of_different_sizes() -> None:
    """The sum stays nought."""
    assert ended(0, 0, 0, 1) == pytest.approx([1 / 9, 1 / 9, 1 / 9, -1 / 3])
    assert ended(0, 1, 1, 1) == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert ended(5, 2, 5, 2, 9) == pytest.approx([3 / 8, -1 / 4, 3 / 8, -1 / 4, -1 / 4])


def test_the_numbers_of_the_teams_are_only_names() -> None:
    assert ended(7, 3, 7, 3) == ended(0, 1, 0, 1)


def test_a_loser_is_shared_too() -> None:
    position = table("pagat", "AC", "2C 2D", "4C", "3C", teams=(0, 1, 0, 1), end="last_loses", length_limit=50)
    rng = random.Random(3)
    for _ in play_on(position, rng, lambda names: "let" if "let" in names else names[0]):
        pass
    assert not position.snapshot()["length_limit"]
    assert sorted(position.returns()) == pytest.approx([-1 / 3, -1 / 3, 1 / 3, 1 / 3])
    assert position.returns()[0] == position.returns()[2]


def test_ledgers_are_shared_with_the_payoffs() -> None:
    """Player 1 calls wrongly and drinks one: it costs his team as much."""
    position = table("pagat", "AC", "2C 2D", "3C 3D", "4C 4D", teams=(0, 1, 0, 1), drinks_weight=0.4)
    window(position, call=[1])
    assert position.snapshot()["ledgers"]["drinks"] == [0, 1, 0, 0]
    assert position.returns() == pytest.approx([1 / 3 + 0.1, -1 / 3 - 0.1, 1 / 3 + 0.1, -1 / 3 - 0.1])


def test_at_the_length_limit_places_are_shared() -> None:
    """In `ranking` player 0 is out first and the others have the mean of the places left."""
    rewards = ended(0, 1, 0, 1, end="ranking", length_limit=1)
    assert rewards == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])


def test_s29_allies_may_call_one_another() -> None:
    position = table("pagat", "5C 6C", "2C 2D", "3C 3D", "4C 4D", teams=(0, 1, 0, 1))
    position.apply_action("place 5")
    position.apply_action("commit")
    assert window(position, call=[2]) == [1, 2, 3]
    assert hand(position, 0) == "5C 6C"


def test_s29_allies_see_no_hidden_cards() -> None:
    """What a player sees with a partner is what he sees without one, but who the partner is."""
    deal = ["AC 5C", "2C 2D", "3C 3D", "4C 4D"]
    alone, teams = table("pagat", *deal), table("pagat", *deal, teams=(0, 1, 0, 1))
    for position in (alone, teams):
        position.apply_action("place 5")
    for seat in range(4):
        one, two = decode(alone, seat), decode(teams, seat)
        differ = {name for name in one if one[name] != two[name]}
        assert differ == {"allies", "rules.teams"}


@pytest.mark.parametrize(
    ("seat", "allies"), [(0, [0, 0, 1, 0, 0]), (1, [0, 0, 1, 1, 0]), (3, [0, 1, 0, 1, 0]), (4, [0, 0, 1, 0, 1])]
)
def test_everybody_sees_who_his_allies_are(seat: int, allies: list[int]) -> None:
    position = table("pagat", "AC", "2C", "3C", "4C", "5C", teams=(0, 1, 0, 1, 1))
    assert decode(position, seat)["allies"] == allies and decode(position, seat)["rules.teams"] == 2


def test_without_teams_nobody_has_allies() -> None:
    position = table("pagat", "AC", "2C", "3C")
    assert not np.any(decode(position, 0)["allies"]) and decode(position, 0)["rules.teams"] == 0


def test_the_seats_of_the_teams_are_the_players() -> None:
    with pytest.raises(RulesError, match=r"teams has 4 entries, but num_players=3: give one for each seat"):
        Position(make_rules("pagat", teams=(0, 1, 0, 1)), 3)


def test_payoffs_are_equal_within_teams_and_sum_to_nought_in_random_games() -> None:
    rules = make_rules("bullshit", teams=(0, 1, 1, 0), end="ranking", slaps=True, slaps_weight=0.1, length_limit=60)
    for seed in range(5):
        rng = random.Random(seed)
        position = Position(rules, 4, hands=small_deal(rules, 4, rng, 4))
        for _ in play_on(position, rng):
            pass
        assert position.returns()[0] == position.returns()[3] and position.returns()[1] == position.returns()[2]
        assert sum(position.returns()) == pytest.approx(0)


def test_engine_and_environment_play_in_teams() -> None:
    engine = Engine(make_rules("mini-pairs", teams=(0, 1, 0, 1)), num_games=8, num_players=4, seed=1)
    env = cheat_v0.raw_env("mini-pairs", 4, teams=[0, 1, 0, 1])
    env.reset(seed=int(engine.game_seeds[0]))
    while not engine.dones[0]:
        action = int(np.flatnonzero(engine.action_masks[0])[-1])
        env.step(action)
        engine.step(np.array([np.flatnonzero(mask)[-1] for mask in engine.action_masks]))
    rewards = engine.rewards[0, :4]
    assert rewards.tolist() == pytest.approx(list(env.rewards.values()), abs=1e-6)
    assert rewards[0] == rewards[2] != rewards[1] == rewards[3]
