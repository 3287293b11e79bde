"""Best responses to a policy: the configurations with which the learner of self-play trains them.

`exploit.py` trains them to say how far a policy can be exploited. A run with `exploit_every` trains them against its
own policy, as opponents.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bluff_env.evaluation.games import choose_game, own_game
from bluff_env.evaluation.lineup import load_policies
from bluff_env.policies import Policy
from bluff_env.policies.fit import Described
from bluff_env.policies.source import source_of

from .config import MAX_ROUND, Config, config_from
from .games import BOTH_HALVES
from .learner import with_shape_of

LEARNING = (
    "num_envs", "num_steps", "hidden_sizes", "skip_parts", "learning_rate", "minibatch_size", "clip_coef",
    "gae_lambda", "kl_coef", "max_grad_norm", "critic", "potential",
    "total_timesteps",
)  # fmt: skip
"""Keys that a response takes over from the configuration in the policy's checkpoint."""
ONE_LEARNER = {
    "frozen_share": 1.0, "scripted_share": 1.0, "kickstart": "", "snapshot_every": 10**9, "anchors": [],
    "ent_coef_start": 0.005, "ent_coef_end": 0.0, "ema_decay": 0.0, "update_epochs": 4, "num_threads": 1,
    "kickstart_share": 0.1, "kickstart_smoothing": 0.1,
}  # fmt: skip
"""One seat of a game learns, the pool plays all others, and no snapshot is taken. What a response plays against stays
as it is, so it needs to hide nothing in the end, and averaged weights, which help where all seats learn, would only lag
behind. As fewer seats learn, more is learnt from each decision, and rounds are longer (:func:`response_configs`). How
much it explores at first, and how long it has a teacher, does not depend on the policy, so that policies can be
compared."""
LEAST_AFTER = 16_000_000
"""Timesteps of a response, by default, to a policy that went on from another one: its own say nothing of what that one
had. In one game such a response won what is fair until it had 9 million, and three times that after 16 million."""
STARTS = ("taught", "warm")
"""The starts of the two that are trained: random weights and a teacher, and the weights of the policy itself."""


def game_of(
    name: str, variant: str | None, players: int | None, changes: dict[str, Any]
) -> tuple[Policy, dict[str, Any]]:
    """A policy, and the game in which it is exploited: the one that it was trained for, unless another is named.

    Args:
        name: a policy, as :func:`bluff_env.load_policy` reads it.
        variant: a preset; by default that of the policy.
        players: their number; by default that of the policy, or the preset's usual number.
        changes: house rules on top.

    Returns:
        The policy; and `variant`, `rules` and `num_players` as a configuration has them.

    Raises:
        ValueError: for an unknown policy, or one that does not play these rules; it says what to name.
    """
    game = own_game(name, players, changes) if variant is None else choose_game(variant, players, changes, [name])
    (policy,) = load_policies([source_of(name)], game, "exploit")
    return policy, game.settings()


def response_configs(
    name: str,
    variant: str | None = None,
    players: int | None = None,
    changes: dict[str, Any] | None = None,
    timesteps: int | None = None,
    seed: int = 0,
) -> dict[str, Config]:
    """The configurations of the responses to a policy, by their start: see :data:`STARTS`.

    A round has as many times the timesteps of self-play as there are players, so that the learner decides as often in
    it. In shorter ones a response unlearns what it begins with before it learns anything. Who teaches the one that
    begins with random weights is still to be found.

    Args:
        name, variant, players, changes: as for :func:`game_of`.
        timesteps: of each response, decisions of any seat; by default as many as the policy was trained with, and
            at least :data:`LEAST_AFTER` where it went on from another one.
        seed: of all chance.

    Raises:
        ValueError: for an unknown policy, or what cannot be run.
    """
    policy, game = game_of(name, variant, players, changes or {})
    document = policy.meta if isinstance(policy, Described) else {}
    own = document.get("config")
    keys = {key: value for key, value in own.items() if key in LEARNING} if isinstance(own, dict) else {}
    if document.get("timesteps"):  # mixtures of networks that do not say theirs had a 0
        keys["total_timesteps"] = document["timesteps"]
    if timesteps is not None:
        keys["total_timesteps"] = timesteps
    # a policy may have learnt in small steps and long rounds, as those do that go on from another one; its response
    # learns like a beginner
    learnt, usual = config_from({**keys, **game}, name), config_from({"variant": game["variant"]}, name)
    keys["learning_rate"] = max(usual.learning_rate, learnt.learning_rate)
    keys["num_steps"] = min(usual.num_steps, learnt.num_steps)
    if timesteps is None and isinstance(own, dict) and own.get("start_from"):
        keys["total_timesteps"] = max(learnt.total_timesteps, LEAST_AFTER)
    # the response measures this policy and gets no score, so it may meet the test half of a benchmark
    config = response_to(name, {**keys, **game, "seed": seed, "benchmark_halves": BOTH_HALVES})
    config = with_shape_of(policy, config)
    has_critic = getattr(policy, "explains", False)  # without one a network cannot go on
    warm = replace(config, start_from=name) if has_critic else replace(config, kickstart=name)
    return {"taught": config, "warm": warm}


def response_to(name: str, keys: dict[str, Any]) -> Config:
    """The configuration of a response to a policy, which begins with random weights and has no teacher yet.

    Args:
        name: of the policy, which may lie anywhere.
        keys: the game, the length, and how the response learns.

    Raises:
        ConfigError: for what cannot be run.
    """
    config = config_from({**keys, **ONE_LEARNER}, name)
    # a round as long as N seats need, within the bound of what is held in memory
    num_steps = min(config.num_steps * config.num_players, MAX_ROUND // config.num_envs)
    return replace(config, num_steps=num_steps, scripted=(name,))
