"""Promises of policies that are used by hand: observations of another game or of other numbers are refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, load_policy
from bluff_env.core.registry import family_of
from bluff_env.policies.fit import MisfitError
from bluff_env.policies.published import published

GAMES = [
    ("pagat", 4), ("pagat", 3), ("bullshit", 4), ("royals", 4), ("specificity", 4), ("chinese", 3), ("chinese", 4),
    ("british", 4), ("jokers-wild", 4), ("liars-deck", 4), ("bluff-the-bullet", 3),
]  # fmt: skip
PLAYERS = ["random", "scripted/honest", "cheat/pagat", "cheat/specificity"]


def decision(variant: str = "pagat", players: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """The first decision of a game."""
    module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
    env = module.env(variant, num_players=players)
    env.reset(seed=7)
    observation = env.last()[0]
    return observation["observation"], observation["action_mask"]


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_by_hand_a_policy_plays_the_games_that_it_can_be_loaded_for(variant: str, players: int) -> None:
    """And no other: all published ones, where loading names a difference of the rules or of the players."""
    observation, mask = decision(variant, players)
    refused = 0
    for name in published():
        policy = load_policy(name)
        if policy.encoder.family is not family_of(variant):
            continue
        try:
            load_policy(name, rules=variant, num_players=players)
        except MisfitError as error:
            if "other rules" in str(error) or "has room for" in str(error):
                refused += 1
                with pytest.raises(ValueError, match=r"was trained for other rules|has room for"):
                    policy.act(observation, mask)
        else:
            assert mask[policy.act(observation, mask)], name
    assert refused > 0


def test_what_a_policy_of_another_game_says_is_refused_too() -> None:
    observation, mask = decision("royals")
    for policy in (load_policy("cheat/pagat"), load_policy("cheat/specificity")):
        for ask in (policy.explain, policy.act):
            with pytest.raises(MisfitError, match="differs; it plays cheat/"):
                ask(observation, mask)


def test_no_row_of_another_game_is_played_wherever_it_stands() -> None:
    """In a batch of many games, too; rows in which nothing is to be decided may be of any game."""
    policy = load_policy("cheat/bullshit/4p")
    for games in ([("bullshit", 4), ("pagat", 4)], [("pagat", 4), ("bullshit", 4)]):
        engine = Engine(games, num_games=4, seed=0)
        seen, masks = engine.observations, engine.action_masks.copy()
        with pytest.raises(MisfitError, match="differs; it plays cheat/bullshit with 4 players"):
            policy.predict(seen, action_masks=masks)
        masks[games.index(("pagat", 4)) :: 2] = 0
        assert masks.any(1).sum() == 2 and policy.predict(seen, action_masks=masks)[0].shape == (4,)


def test_nothing_is_thought_of_another_game() -> None:
    observation, _ = decision("royals")
    policy: Any = load_policy("cheat/pagat")
    for think in (policy.values, policy.lie_probs):
        with pytest.raises(MisfitError, match="differs; it plays cheat/pagat"):
            think(observation[None])


@pytest.mark.parametrize("player", PLAYERS)
def test_whole_numbers_of_any_size_are_read_and_no_others(player: str) -> None:
    """The same decision, without another compilation; masks may be of any numbers."""
    observation, mask = decision("specificity" if player.endswith("specificity") else "pagat")
    policy = load_policy(player)
    likely: Any = {"deterministic": True, "rng": np.random.default_rng(0)}
    usual = policy.predict(observation, action_masks=mask, **likely)[0] if player != "random" else None
    for form in (np.int64, np.int32, np.uint16, list):
        seen = observation.tolist() if form is list else observation.astype(form)
        for legal in (mask, mask.astype(bool), mask.astype(np.float32), mask.tolist()):
            action = policy.predict(seen, action_masks=legal, **likely)[0]
            assert mask[action] and (usual is None or action == usual)
    for wrong in (observation.astype(np.float32), observation.astype(np.int64) + 2**20, None, "cards"):
        with pytest.raises(ValueError, match=r"observations must be whole numbers, int16, not .*; policies read whole"):
            policy.act(wrong, mask)


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("rng", [3, "seed", np.random.RandomState(0)], ids=["number", "word", "old"])
def test_chance_comes_from_a_generator(player: str, rng: Any) -> None:
    observation, mask = decision("specificity" if player.endswith("specificity") else "pagat")
    with pytest.raises(ValueError, match=r"rng=.* must be a generator, as numpy\.random\.default_rng\(SEED\)"):
        load_policy(player).act(observation, mask, rng=rng)


@pytest.mark.parametrize("player", PLAYERS)
def test_nothing_legal_is_no_decision(player: str) -> None:
    """As in the view of an agent who is not to act; -1 would be the last action."""
    observation, mask = decision("specificity" if player.endswith("specificity") else "pagat")
    with pytest.raises(ValueError, match=r"row 0"):
        load_policy(player).act(observation, np.zeros_like(mask))


def test_estimates_of_a_single_row_without_its_axis_are_refused_in_words() -> None:
    observation, mask = decision()
    policy = load_policy("cheat/pagat")
    for ask in (policy.values, policy.lie_probs, lambda seen: policy.probabilities(seen, mask)):
        with pytest.raises(ValueError, match="not \\(rows, observation\\)"):
            ask(observation)
    with pytest.raises(ValueError, match="needs an action mask"):
        policy.explain(observation, None)  # type: ignore[arg-type]
