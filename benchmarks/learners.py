"""The contenders of training: self-play PPO on the engine, and sb3-contrib's MaskablePPO over vector environments."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.contender import Clock, Measure, rate

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "cheat-main.yaml"
ROLLOUT = 4096  # learner decisions between two updates of MaskablePPO
ENVS = 8  # single-seat environments


def self_play(same_network: bool) -> Callable[[int], Measure]:
    """Rounds of training/selfplay_ppo.py as `make train` configures it.

    With ``same_network`` it has the inputs and outputs of MaskablePPO: the whole observation and all actions of
    the family, and all seats learn.
    """

    def make(cores: int) -> Measure:
        import torch

        from bluff_env.cheat.family import FAMILY
        from bluff_env.cheat.game.actions import NUM_ACTIONS
        from bluff_env.core.encoding import Encoder
        from training.config import load_config
        from training.learner import learner_of, make_learner, prepare_torch
        from training.pool import Pool
        from training.rounds import Collector
        from training.selfplay_ppo import update

        prepare_torch(cores)
        config = replace(load_config(CONFIG), num_threads=cores, kickstart="")  # no round measured here has a teacher
        if same_network:
            config = replace(config, frozen_share=0.0, copies_share=0.0)
            learner = learner_of(config, Encoder(FAMILY, config.num_players), range(NUM_ACTIONS))
        else:
            learner = make_learner(config)
        collector = Collector(config, Pool(config, learner), learner, seed=1)
        generator = torch.Generator().manual_seed(1)

        clock = Clock()
        clock.watch(collector.engine, "step", "engine")
        clock.watch(learner.encoder, "encode", "forward")
        clock.watch(learner.network, "logits", "forward")
        clock.watch(learner.network, "value", "forward")
        for policy in collector.pool.policies:
            clock.watch(policy, "predict", "opponents")
        improve = clock.time("update", update)

        def play() -> int:
            rollout = collector.collect(ask_teacher=False)
            improve(learner, rollout, config, config.ent_coef_start, 0.0, generator)
            return rollout.decisions

        return rate(play, clock)

    return make


def maskable_ppo(kind: str, envs: int, snapshot: bool) -> Callable[[int], Measure]:
    """MaskablePPO with the same layers, minibatches and epochs, in the same game.

    Args:
        kind: ``batched``, this project's native vector environment, or ``subproc``, SB3's over single-seat ones.
        envs: the number of games.
        snapshot: whether a network plays the other seats, as self-play needs; if not, they play at random.
    """

    def make(cores: int) -> Measure:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import SubprocVecEnv

        from bluff_env.gym import CheatEnv
        from bluff_env.sb3 import BatchedVecEnv
        from training.config import load_config
        from training.learner import prepare_torch

        prepare_torch(cores)
        config = load_config(CONFIG)
        opponents = _untrained_checkpoint() if snapshot else "random"
        options = {"num_players": config.num_players, "opponents": opponents, **config.rules}

        def single() -> Any:
            torch.set_num_threads(1)
            return CheatEnv(config.variant, **options)

        env: Any
        if kind == "batched":
            env = BatchedVecEnv(config.variant, envs, num_threads=cores, **options)
        else:
            env = SubprocVecEnv([single] * envs)
        layers = list(config.hidden_sizes)
        model = MaskablePPO(
            "MlpPolicy", env, gamma=1.0, n_steps=ROLLOUT // envs, batch_size=config.minibatch_size,
            n_epochs=config.update_epochs, learning_rate=config.learning_rate, seed=1, device="cpu",
            policy_kwargs={"net_arch": {"pi": layers, "vf": layers}, "activation_fn": torch.nn.ReLU},
        )  # fmt: skip

        clock = Clock()
        for method in ("step", "env_method"):
            clock.watch(env, method, "engine and opponents")
        clock.watch(model.policy, "forward", "forward")
        clock.watch(model, "train", "update")

        def play() -> int:
            model.learn(ROLLOUT, reset_num_timesteps=False)
            return ROLLOUT

        return rate(play, clock)

    return make


def _untrained_checkpoint() -> str:
    """The path of a checkpoint of the network that the configuration trains. Its folder is deleted when the process
    ends."""
    from bluff_env.cheat.family import FAMILY
    from bluff_env.cheat.game.actions import possible_actions
    from bluff_env.cheat.variants import make_rules
    from bluff_env.core.encoding import Encoder, default_parts
    from bluff_env.policies.checkpoint import save_checkpoint
    from bluff_env.policies.network import ActorCritic, NetworkPolicy
    from training.config import load_config

    config = load_config(CONFIG)
    rules = make_rules(config.variant, **config.rules).resolve(config.num_players)
    encoder, actions = Encoder(FAMILY, config.num_players, default_parts(rules)), possible_actions(rules)
    policy = NetworkPolicy(ActorCritic(encoder.size, config.hidden_sizes, len(actions)), encoder, actions)
    global _folder  # noqa: PLW0603
    _folder = tempfile.TemporaryDirectory()
    meta = {"rules": rules.to_dict(), "num_players": config.num_players}
    return str(save_checkpoint(Path(_folder.name) / "snapshot", policy, meta))


_folder: tempfile.TemporaryDirectory[str] | None = None
