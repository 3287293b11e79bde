"""The adapting reference: it learns from the tallies who sits there, and from nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bluff_env import Engine, load_policy
from bluff_env.benchmark.version import TEST, load_version
from bluff_env.core.match import NUM_TALLIES, Tally
from bluff_env.core.registry import FAMILIES, make_rules
from bluff_env.policies.adapting import NAME, AdaptingPolicy
from bluff_env.policies.policy import CallablePolicy
from bluff_env.utils.errors import InputError

CHEAT = FAMILIES["cheat"]


def reference() -> AdaptingPolicy:
    """It knows a player who is shown to lie twice a deal, and one who never is; each has a reply of its own.

    Beside an unknown player the second reply gains more.
    """
    rates = np.full((2, NUM_TALLIES), 1.0)
    rates[:, Tally.LIES] = (2.0, 0.0)
    gains = np.array([[0.3, -0.3], [0.0, 0.1]])
    replies = [CallablePolicy(lambda o, mask: int(mask.argmax())), load_policy("scripted/honest")]
    return AdaptingPolicy(CHEAT, replies, gains, rates, np.ones(NUM_TALLIES))


def observation(deal: int, lies: tuple[int, int]) -> np.ndarray:
    """An observation in a match of three players, in which the two others have been shown to lie so often."""
    engine = Engine("cheat/royals", 1, 3, seed=1, deals=20)
    seen = engine.observations.copy()
    layout = CHEAT.parts.layout(3, True)
    seen[0, layout["match.deal"].start] = deal
    for tally in Tally:
        seen[0, layout[f"match.{tally.name.lower()}"].slice] = deal - 1
    seen[0, layout["match.lies"].slice] = (0, *lies)
    return seen


@pytest.mark.parametrize(
    ("deal", "lies", "reply"),
    [(1, (0, 0), 1), (6, (10, 9), 0), (6, (0, 0), 1), (6, (10, 0), 1), (20, (40, 36), 0)],
    ids=["nothing is known", "both lie", "neither lies", "one lies", "late"],
)
def test_it_plays_the_reply_that_gains_most_beside_who_the_tallies_show(
    deal: int, lies: tuple[int, int], reply: int
) -> None:
    assert reference().reply(observation(deal, lies)).tolist() == [reply]


def test_beliefs_follow_bayes_rule_with_poisson_counts() -> None:
    """By hand: three lies in two deals, of rates 2 and (at least) 0.02."""
    tallies = np.zeros((1, 1, NUM_TALLIES))
    tallies[0, 0] = 2.0
    tallies[0, 0, Tally.LIES] = 3.0
    found = reference().beliefs(tallies, np.array([2.0]))[0, 0]
    odds = (2.0 / 0.02) ** 3 * np.exp(-2 * (2.0 - 0.02))
    assert found[0] / found[1] == pytest.approx(odds)


def test_in_a_single_deal_it_knows_nobody() -> None:
    engine = Engine("cheat/royals", 4, 3, seed=1)
    assert reference().reply(engine.observations).tolist() == [1] * 4


def test_its_actions_are_those_of_its_reply() -> None:
    engine = Engine("cheat/royals", 4, 3, seed=1, deals=20)
    policy = reference()
    actions = policy.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(0))[0]
    honest: Any = policy.replies[1]
    same = honest.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(0))[0]
    assert actions.tolist() == same.tolist()


@pytest.mark.parametrize("game", load_version().games("matches"), ids=lambda game: game.name)
def test_it_plays_every_game_of_the_track_and_knows_no_member_of_a_test_half(game: Any) -> None:
    """By its file: the players that it knows, and what it answers with."""
    policy: Any = load_policy(NAME, rules=game.spec.rules, num_players=game.num_players)
    assert policy.gains.shape[0] == len(policy.replies) > 1
    names = {policy.name for policy in policy.replies} | set(policy.players)
    held_out = {name for member in game.half(TEST) for name in (member.name, member.policy.rpartition("/")[2])}
    assert not names & held_out


def test_another_game_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="reference/adapting knows the games of the benchmark alone: bullshit, pagat"):
        load_policy(NAME, rules=make_rules("royals"), num_players=3)
