"""What a trained policy says of a decision: probabilities, value, and whether it believes the last claim."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bluff_env import bluff_the_bullet_v0, cheat_v0, load_policy
from bluff_env.cheat.game import possible_actions
from bluff_env.core.encoding import Encoder
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import RawEnv
from bluff_env.policies.network import ActorCritic
from bluff_env.policies.trained import Explanation, NetworkPolicy


def network_policy(env: RawEnv, suspects: bool) -> NetworkPolicy:
    """An untrained policy for the game of an environment."""
    encoder, actions = Encoder(family_of(env.rules), len(env.possible_agents)), possible_actions(env.rules)
    return NetworkPolicy(ActorCritic(encoder.size, [8], len(actions), suspects=suspects), encoder, actions)


def play_on(env: RawEnv, *names: str) -> tuple[np.ndarray, np.ndarray]:
    """Takes these actions; the observation and mask of the player to act then."""
    for name in names:
        env.step(env.action_index(name))
    seen = env.observe(env.agent_selection)
    return seen["observation"], seen["action_mask"]


def small_game() -> RawEnv:
    env = cheat_v0.raw_env("bullshit", num_players=2, first_claim="A")
    env.reset(seed=0, options={"hands": [["AS", "KD", "KC"], ["2C", "2D", "JH"]], "starter": 0})
    return env


@pytest.mark.parametrize("module", [cheat_v0, bluff_the_bullet_v0])
def test_a_published_policy_explains_what_it_does(module: object) -> None:
    policy = load_policy("cheat/bullshit" if module is cheat_v0 else "bluff-the-bullet/3p")
    assert isinstance(policy, NetworkPolicy)
    env = module.raw_env(policy.variant, policy.num_players)  # type: ignore[attr-defined]
    env.reset(seed=1)
    for _ in range(30):
        observation, mask = play_on(env)
        explained = policy.explain(observation, mask)
        legal = {env.action_names[action] for action in np.flatnonzero(mask)}
        assert set(explained.probabilities) == legal and sum(explained.probabilities.values()) == pytest.approx(1)
        assert list(explained.probabilities.values()) == sorted(explained.probabilities.values(), reverse=True)
        best = policy.act(observation, mask, deterministic=True)
        assert next(iter(explained.probabilities)) == env.action_names[best]
        assert -1.5 < explained.value < 1.5
        assert explained.lie_prob is None or (module is cheat_v0 and 0 < explained.lie_prob < 1)
        env.step(policy.act(observation, mask, rng=np.random.default_rng(0)))
        if env.is_over:
            break


def test_the_value_is_the_critic_s_and_the_suspicion_a_probability() -> None:
    env = small_game()
    policy = network_policy(env, suspects=True)
    observation, mask = play_on(env, "place A", "commit")
    explained = policy.explain(observation, mask)
    estimates = policy.network.critic(torch.from_numpy(policy.encoder.encode(observation[None])))[0].tolist()
    assert explained.value == pytest.approx(estimates[0])
    assert explained.lie_prob == pytest.approx(1 / (1 + np.exp(-estimates[1])))


def test_there_is_no_suspicion_without_a_claim_of_somebody_else() -> None:
    env = small_game()
    policy = network_policy(env, suspects=True)
    assert policy.explain(*play_on(env)).lie_prob is None  # nobody has claimed anything
    assert policy.explain(*play_on(env, "place A")).lie_prob is None
    assert policy.explain(*play_on(env, "commit")).lie_prob is not None  # the other decides whether to call
    assert network_policy(env, suspects=False).explain(*play_on(env)).lie_prob is None  # it has no such output
    assert policy.explain(*play_on(env, "call")).lie_prob is None  # the pile was taken


def test_an_action_that_the_policy_does_not_know_has_probability_0() -> None:
    env = small_game()
    policy = network_policy(env, suspects=False)
    less = NetworkPolicy(
        ActorCritic(policy.encoder.size, [8], 1), policy.encoder, [env.action_index("place A")], name="less"
    )
    observation, mask = play_on(env)
    assert less.explain(observation, mask).probabilities == {"place A": 1.0, "place K": 0.0}
    with pytest.raises(ValueError, match="'less' knows none of the legal actions"):
        less.explain(*play_on(env, "place A", "commit"))


def test_an_explanation_in_words() -> None:
    words = str(Explanation({"call": 0.62, "let": 0.376, "believe": 0.004}, -0.1, 0.7))
    assert words == "call 62%, let 38%; it expects -0.10; the last claim is 70% likely to be a lie"
    assert str(Explanation({"let": 1.0}, 0.0, None)) == "let 100%; it expects +0.00"
