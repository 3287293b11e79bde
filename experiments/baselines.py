"""A baseline of the benchmark: an algorithm with its own settings, one run for a game and a seed.

    python -m experiments.baselines self-play-ppo bullshit --seed 1 \
        --out benchmarks/policies/self-play-ppo-1/bullshit.safetensors
    python -m experiments.baselines dqn bullshit --timesteps 1000000 --seed 1 \
        --out benchmarks/policies/dqn-1/bullshit.safetensors

* ``self-play-ppo`` is the trainer of this package left alone with the game: no teacher, and no opponents but earlier
  snapshots of itself.
* ``maskable-ppo`` is MaskablePPO of Stable-Baselines3. It learns in ``BatchedVecEnv`` against the scripted players of
  the game's train half, drawn anew for each game. Like this package's trainer by default, it does not see the log of
  events: that is four fifths of an observation, and an update of all weights takes most of the time.
* ``dqn`` is DQN of Stable-Baselines3 in the same environments. It has no masks to learn with: an illegal action loses
  the game. When it plays, it takes the best legal action.
* ``rllib-ppo`` is RLlib's PPO with masks, by :class:`bluff_env.rllib.MaskedModule`, against the same scripted players
  in Gymnasium's environments of many games.
* ``recurrent-ppo`` is the same with a network that remembers, :class:`bluff_env.rllib.RecurrentModule`.
* ``adapting`` is for the track `matches`: the trainer of this package goes on with the published policy in one seat of
  matches of twenty deals, whose other seats draw members of the train half, and reads what the earlier deals have shown
  of each.

What differs from the libraries' defaults stands in the calls below; games have an end, so that nothing is
discounted.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.base_class import BaseAlgorithm

from bluff_env.benchmark.tracks import DEALS_OF_A_MATCH
from bluff_env.benchmark.version import TRAIN, Game, load_version
from bluff_env.core.names import environment_id
from bluff_env.core.registry import family_of
from bluff_env.policies import load_policy, save_checkpoint
from bluff_env.policies.mixture import without_critic
from bluff_env.sb3 import BatchedVecEnv, export_policy
from bluff_env.utils.jobs import start_ray
from training import selfplay_ppo
from training.config import config_from
from training.responses import ONE_LEARNER

ENVIRONMENTS = 64


def own_rules(game: Game) -> dict[str, Any]:
    """Return the rules in which a game differs from its preset, or all of them if it is none."""
    return {} if game.spec.is_preset else dict(game.rules)


def scripted(game: Game) -> list[str]:
    """Return the scripted players of a game's train half."""
    return [str(member.policy) for member in game.half(TRAIN) if member.digest is None]


def opponents(game: Game) -> dict[str, float]:
    """Return the scripted players of a game's train half, as a pool from which each seat draws in each game."""
    return dict.fromkeys(scripted(game), 1.0)


def write(trained: Path, out: Path) -> None:
    """Writes what plays of a checkpoint: half of the weights are of the critic, if it has one."""
    policy: Any = load_policy(trained)
    save_checkpoint(out, without_critic(policy) if policy.explains else policy, policy.meta)


def self_play_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains a policy against itself."""
    train(game, {"kickstart": "", "scripted": (), "scripted_share": 0.0}, timesteps, seed, out)


def train(game: Game, keys: dict[str, Any], timesteps: int, seed: int, out: Path) -> None:
    """Trains a policy with the trainer of this package, and with these keys of its configuration."""
    own = {"variant": game.variant, "num_players": game.num_players, "rules": own_rules(game)}
    # with what differs in its family
    config = config_from({**own, "seed": seed, "total_timesteps": timesteps, **keys}, game.name)
    with tempfile.TemporaryDirectory() as folder:
        write(selfplay_ppo.train(config, Path(folder), quiet=True), out)


def maskable_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains a MaskablePPO against scripted players."""
    env = environments(game, seed)
    model = MaskablePPO(
        "MlpPolicy", env, gamma=1.0, n_steps=128, batch_size=1024, ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU}, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(timesteps)
    save(model, out)


def dqn(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains a DQN against scripted players, with a minibatch for each step of all games."""
    env = environments(game, seed)
    model = DQN(
        "MlpPolicy", env, gamma=1.0, batch_size=256, train_freq=1, buffer_size=400_000,
        learning_starts=10_000, exploration_fraction=0.3, target_update_interval=1000,
        policy_kwargs={"net_arch": [128, 128]}, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(timesteps)
    save(model, out)


def rllib_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains RLlib's PPO against scripted players."""
    from bluff_env.rllib import MaskedModule

    by_rllib(game, timesteps, seed, out, MaskedModule)


def recurrent_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains RLlib's PPO with a recurrent network against scripted players."""
    from bluff_env.rllib import RecurrentModule

    by_rllib(game, timesteps, seed, out, RecurrentModule)


def by_rllib(game: Game, timesteps: int, seed: int, out: Path, module: type) -> None:
    """Trains RLlib's PPO with a module."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from bluff_env import rllib

    played = {"variant": game.spec.rules, "num_players": game.num_players, "opponents": opponents(game)}
    seen = {"mask": "dict", "trim": True, "events": False}
    config = PPOConfig().environment(environment_id(family_of(game.spec.rules).name), env_config=played | seen)
    config.env_runners(
        num_env_runners=0, num_envs_per_env_runner=ENVIRONMENTS, gym_env_vectorize_mode="vector_entry_point"
    )
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=module, model_config={"max_seq_len": 20}))
    config.training(
        gamma=1.0, lambda_=0.95, lr=3e-4, entropy_coeff=0.01, train_batch_size_per_learner=128 * ENVIRONMENTS,
        minibatch_size=1024, num_epochs=4,
    )  # fmt: skip
    config.debugging(seed=seed, log_level="ERROR")
    start_ray()
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    algorithm = config.build_algo()
    while algorithm.train()["num_env_steps_sampled_lifetime"] < timesteps:
        pass
    with tempfile.TemporaryDirectory() as folder:
        write(rllib.export_policy(algorithm, Path(folder) / "policy"), out)
    algorithm.stop()
    ray.shutdown()


def adapting(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains the published policy to adapt to members of the train half within a match."""
    members = {member.name: str(member.policy) for member in game.half(TRAIN)}
    keys = {
        **ONE_LEARNER,
        "deals": DEALS_OF_A_MATCH,
        "start_from": members["published"],
        "scripted": list(members.values()),
        "priority": 0.0,  # all alike, as in the track
        "copies_share": 0.0,
        "num_envs": 128,  # few games in long rounds, so that each has whole matches
        "num_steps": 512,
        "learning_rate": 5e-4,
        "ent_coef_start": 0.01,
        "ent_coef_end": 0.001,
        "ema_decay": 0.9,
    }
    train(game, keys, timesteps, seed, out)


def environments(game: Game, seed: int) -> BatchedVecEnv:
    """Return games against scripted players, drawn anew for each game."""
    return BatchedVecEnv(
        game.spec.rules,
        num_envs=ENVIRONMENTS,
        num_players=game.num_players,
        opponents=opponents(game),
        trim=True,
        events=False,
        seed=seed,
    )


def save(model: BaseAlgorithm, out: Path) -> None:
    """Writes what plays of a model of Stable-Baselines3."""
    with tempfile.TemporaryDirectory() as folder:
        write(export_policy(model, Path(folder) / "policy"), out)


ALGORITHMS = {
    "self-play-ppo": self_play_ppo, "maskable-ppo": maskable_ppo, "dqn": dqn, "rllib-ppo": rllib_ppo,
    "recurrent-ppo": recurrent_ppo, "adapting": adapting,
}  # fmt: skip


def main() -> int:
    """Train one policy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("algorithm", choices=ALGORITHMS)
    parser.add_argument("game", help="of the track tables: bullshit")
    parser.add_argument("--timesteps", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    (game,) = load_version().games("tables", (args.game,))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    ALGORITHMS[args.algorithm](game, args.timesteps, args.seed, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
