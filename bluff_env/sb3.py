"""The Stable-Baselines3 view: a native vector environment over one engine, and trained models as opponents.

vec = bluff_env.sb3.BatchedVecEnv("cheat/pagat", num_envs=256, num_players=4, opponents="scripted/counter")
model = sb3_contrib.MaskablePPO("MlpPolicy", vec, gamma=1.0)
model.learn(1_000_000)
bluff_env.sb3.export_policy(model, "checkpoints/mine")
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn
from torch import nn

from bluff_env.family import DEFAULT_VARIANT
from bluff_env.gym import LearnerEnv
from bluff_env.learner import LearnerGames
from bluff_env.policies.checkpoint import MAX_LAYERS, MAX_WIDTH, save_checkpoint
from bluff_env.policies.network import ACTIVATIONS, ActorCritic, NetworkPolicy


class BatchedVecEnv(VecEnv):
    """Many games in one engine, each with one learner against loaded opponents; no processes.

    Observations, rewards, ends and ``infos`` are those of :class:`bluff_env.gym.LearnerEnv`; a game that ends is
    followed by another in the same step, and its last observation is in ``info["terminal_observation"]``.

    Args:
        variant: a preset of any family, or rules.
        num_envs: games played at once.
        num_players: as for :class:`bluff_env.gym.LearnerEnv`; so are ``opponents``, ``encoding``, ``learner_seat``,
            ``trim`` and the house rules.
        seed: for all chance.
        num_threads: threads of the engine, used for calls with enough decisions.

    Attributes:
        rounds: how many batches of opponents' decisions were made.
        mean_fill: their mean size, as a share of ``num_envs``.
    """

    def __init__(
        self,
        variant: Any = DEFAULT_VARIANT,
        num_envs: int = 64,
        num_players: int | None = None,
        opponents: Any = "scripted/counter",
        seed: int = 0,
        encoding: str = "float",
        learner_seat: int | None = None,
        num_threads: int = 1,
        trim: bool = False,
        **house_rules: Any,
    ) -> None:
        self.games = LearnerGames(
            variant, num_envs, num_players, opponents, np.random.default_rng(seed), learner_seat=learner_seat,
            encoding=encoding, trim=trim, autoreset=True, num_threads=num_threads, **house_rules,
        )  # fmt: skip
        self.render_mode = None
        self.action_names = self.games.view.action_names
        self._chosen = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.games.view.space(), spaces.Discrete(len(self.action_names)))

    def __repr__(self) -> str:
        return f"<BatchedVecEnv: {self.num_envs} games of {self.games}>"

    @property
    def rounds(self) -> int:
        return self.games.rounds

    @property
    def mean_fill(self) -> float:
        return self.games.decisions / max(1, self.games.rounds * self.num_envs)

    def reset(self) -> np.ndarray:
        """Starts new games in all rows. After :meth:`seed` they are reproducible."""
        if self._seeds[0] is not None:
            self.games.use_chance(np.random.default_rng(self._seeds[0]))
        self._reset_seeds()
        self._reset_options()
        self.games.reset()
        return self.games.observations()

    def step_async(self, actions: np.ndarray) -> None:
        """Takes the learners' actions, int (num_envs,); :meth:`step_wait` plays them."""
        self._chosen = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays until every learner is to act again.

        Raises:
            ValueError: for an illegal action; no game is changed.
        """
        games = self.games
        games.step(self._chosen)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row, info, observation in games.endings:
            infos[row] = info | {"terminal_observation": observation, "TimeLimit.truncated": False}
        return games.observations(), games.rewards.copy(), games.dones.copy(), infos

    def action_masks(self) -> np.ndarray:
        """The legal actions of every learner, bool (num_envs, actions)."""
        return self.games.action_masks().astype(np.bool_)

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, also in the games under way; as :class:`bluff_env.gym.LearnerEnv` takes them."""
        self.games.set_opponents(opponents)

    def close(self) -> None:
        """Does nothing: no process or file is open."""

    # --- what SB3 asks of single environments ------------------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute for each environment; ``action_masks`` is a function for each."""
        rows = self._get_indices(indices)
        if attr_name == "action_masks":
            return [partial(self._mask, row) for row in rows]
        value = getattr(self, attr_name)
        return [value for _ in rows]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises AttributeError: the environments share all their attributes."""
        raise AttributeError(f"{attr_name} cannot be set for single environments of a BatchedVecEnv")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks`` of each environment. Raises AttributeError for any other method."""
        if method_name != "action_masks":
            raise AttributeError(f"the environments of a BatchedVecEnv have action_masks, not {method_name!r}")
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """False for each environment."""
        return [False for _ in self._get_indices(indices)]

    def _mask(self, row: int) -> np.ndarray:
        return self.action_masks()[row]


# --- trained models as checkpoints -----------------------------------------------------------------------------------


def export_policy(model: BaseAlgorithm, path: str | os.PathLike[str]) -> Path:
    """Saves a trained model as a checkpoint that :func:`bluff_env.load_policy` reads, with the same probabilities.

    Args:
        model: a ``MaskablePPO`` or ``PPO`` with an ``MlpPolicy`` and ReLU or tanh layers, trained in one of this
            package's environments with ``encoding="float"``.
        path: of the checkpoint, with or without ``.safetensors``; a checkpoint there is replaced.

    Returns:
        The path of the file.

    Raises:
        ValueError: for a model that cannot be exported; it says why.
    """
    games = _games_of(model)
    encoder, actions = games.view.encoder, games.view.actions.tolist()
    if encoder is None:
        raise ValueError("the model was trained with encoding='raw'; checkpoints read encoding='float'")
    policy = NetworkPolicy(_network_of(model.policy, encoder.size, len(actions)), encoder, actions)
    return save_checkpoint(
        path,
        policy,
        {
            "rules": games.rules.to_dict(),
            "num_players": games.num_players,
            "algorithm": type(model).__name__,
            "timesteps": model.num_timesteps,
        },
    )


def _games_of(model: BaseAlgorithm) -> LearnerGames:
    """The games that a model is trained in. Raises ValueError if it sees them changed by a wrapper."""
    env: Any = model.get_env()
    if env is None:
        raise ValueError("the model has no environment, which knows its rules: give it one with model.set_env")
    while isinstance(env, VecMonitor):
        env = env.venv
    if isinstance(env, DummyVecEnv):
        env = env.envs[0].unwrapped
    if not isinstance(env, (BatchedVecEnv, LearnerEnv)):
        raise ValueError(f"the model was trained in a {type(env).__name__}, not in an environment of bluff_env alone")
    if model.observation_space != env.observation_space:
        raise ValueError("the model sees its environment through a wrapper that changes observations")
    return env.games


def _network_of(policy: Any, inputs: int, num_actions: int) -> ActorCritic:
    """The networks of a policy in the form of a checkpoint; a critic shaped unlike the actor is replaced by zeros."""
    if not _is_mlp(policy):
        raise ValueError(f"the model's policy is a {type(policy).__name__}; only an MlpPolicy can be exported")
    actor = [*policy.mlp_extractor.policy_net, policy.action_net]
    critic = [*policy.mlp_extractor.value_net, policy.value_net]
    linear = [layer for layer in actor if isinstance(layer, nn.Linear)]
    hidden = [layer.out_features for layer in linear[:-1]]
    if not 0 < len(hidden) <= MAX_LAYERS or max(hidden) > MAX_WIDTH:
        most = f"1 to {MAX_LAYERS} of at most {MAX_WIDTH}"
        raise ValueError(f"the actor has hidden layers of sizes {hidden}; a checkpoint has {most}")
    names = {kind: name for name, kind in ACTIVATIONS.items()}
    between = {type(layer) for layer in actor} - {nn.Linear}
    if not between <= set(names):
        other = ", ".join(sorted(kind.__name__ for kind in between - set(names)))
        raise ValueError(f"the actor has {other} layers; a checkpoint has {' or '.join(ACTIVATIONS)} ones")
    network = ActorCritic(inputs, hidden, num_actions, names[between.pop()])
    _copy(actor, network.actor)
    _copy(critic, network.critic)
    return network


def _is_mlp(policy: Any) -> bool:
    """Whether a policy is the plain MlpPolicy of SB3 or sb3-contrib on flat observations."""
    kinds: tuple[type, ...] = (ActorCriticPolicy,)
    try:
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        kinds += (MaskableActorCriticPolicy,)
    except ImportError:
        pass
    return type(policy) in kinds and type(policy.features_extractor) is FlattenExtractor


def _copy(source: list[nn.Module], target: nn.Sequential) -> None:
    """Copies the weights of one stack of layers into another; zeros where the shapes differ."""
    weights = [p.detach().cpu() for layer in source for p in layer.parameters()]
    places = list(target.parameters())
    fits = [w.shape for w in weights] == [p.shape for p in places]
    with torch.no_grad():
        for place, weight in zip(places, weights if fits else places, strict=True):
            place.copy_(weight) if fits else place.zero_()
