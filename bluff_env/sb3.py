"""The Stable-Baselines3 view: a native vector environment over one engine, and trained models as opponents.

vec = bluff_env.sb3.BatchedVecEnv("cheat/pagat", num_envs=256, num_players=4, opponents="scripted/counter")
model = sb3_contrib.MaskablePPO("MlpPolicy", vec, gamma=1.0)
model.learn(1_000_000)
bluff_env.sb3.export_policy(model, "checkpoints/mine")
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn
from stable_baselines3.dqn.policies import DQNPolicy
from torch import nn

from bluff_env.core.registry import DEFAULT_VARIANT, check_house_rules
from bluff_env.core.view import MASKS
from bluff_env.envs.learner import LearnerGames, check_options
from bluff_env.envs.spaces import observation_space
from bluff_env.policies.export import save_mlp
from bluff_env.policies.sb3_model import model_policy
from bluff_env.utils.arguments import one_of, seed_number, whole_number
from bluff_env.utils.errors import quoted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules


class BatchedVecEnv(VecEnv):
    """Many games in one engine, each with one learner against loaded opponents; no processes.

    Observations, rewards and ends are those of :class:`bluff_env.gym.LearnerEnv`; a game that ends is followed by
    another in the same step. An ``info`` has the ``action_mask``; where a game has ended, also the result as the other
    environment tells it, with ``illegal_action`` only if there was one, the last observation as
    ``terminal_observation``, and the statistics of the episode as ``episode``, as ``VecMonitor`` writes them: it is not
    needed.

    Args:
        variant: a preset of any family, or rules.
        num_envs: games played at once.
        num_players: as for :class:`bluff_env.gym.LearnerEnv`; so are ``opponents``, ``encoding``, ``learner_seat``,
            ``trim``, ``mask``, ``deals``, ``events`` and the house rules.
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
        mask: str = "info",
        deals: int | None = None,
        events: bool = True,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        check_house_rules(house_rules, variant)
        whole_number("num_envs", num_envs, 1)
        one_of("mask", mask, MASKS)
        rng = np.random.default_rng(seed_number("seed", seed))
        self.games = LearnerGames(
            variant, num_envs, num_players, opponents, rng, learner_seat=learner_seat,
            encoding=encoding, trim=trim, autoreset=True, num_threads=num_threads, deals=deals,
            events=events, **house_rules,
        )  # fmt: skip
        self.render_mode = None
        self.action_names = self.games.view.action_names
        self._chosen = np.zeros(num_envs, np.int64)
        self._mask_in_observation = mask == "dict"
        self._began = time.time()
        self._lengths = np.zeros(num_envs, np.int64)  # the learners' decisions in the games under way
        self._returns = np.zeros(num_envs, np.float32)  # what those games have paid
        super().__init__(num_envs, observation_space(self.games.view, mask), spaces.Discrete(len(self.action_names)))

    def __repr__(self) -> str:
        return f"<BatchedVecEnv: {self.num_envs} games of {self.games}>"

    @property
    def rounds(self) -> int:
        """Number of batches of opponents' decisions so far."""
        return self.games.rounds

    @property
    def mean_fill(self) -> float:
        """Mean share of the environments that had a decision to make."""
        return self.games.decisions / max(1, self.games.rounds * self.num_envs)

    @property
    def variant(self) -> str | None:
        """The preset that it was made from, house rules aside, as ``cheat/bullshit``; None: rules that were given."""
        return self.games.variant

    @property
    def rules(self) -> Any:
        """The rules, resolved for the number of players."""
        return self.games.rules

    @property
    def num_players(self) -> int:
        """The number of players, the learner included."""
        return self.games.num_players

    def reset(self) -> Any:
        """Starts new games in all rows. After :meth:`seed` they are reproducible."""
        if self._seeds[0] is not None:
            self.games.use_chance(np.random.default_rng(self._seeds[0]))
        self._reset_seeds()
        self._reset_options()
        self.games.reset()
        self._lengths[:] = 0
        self._returns[:] = 0
        masks = self.games.action_masks()
        self.reset_infos = [{"action_mask": mask} for mask in masks]
        return self._shown(self.games.observations(), masks)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seed of all chance from the next :meth:`reset` on; a random one by default.

        Raises:
            ValueError: for an impossible seed.
        """
        return super().seed(None if seed is None else seed_number("seed", seed))

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Raises ValueError for options of :meth:`reset`; there are none."""
        for each in options if isinstance(options, list) else [options]:
            check_options(each, ())
        super().set_options(options)

    def step_async(self, actions: np.ndarray) -> None:
        """Takes the learners' actions, int (num_envs,); :meth:`step_wait` plays them."""
        self._chosen = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays until every learner is to act again. An illegal action costs its learner 1 and ends the game.

        Raises:
            ValueError: for numbers that are no actions, and before :meth:`reset`; no game is changed.
        """
        games = self.games
        games.step(self._chosen)
        masks = games.action_masks()
        infos: list[dict[str, Any]] = [{"action_mask": mask} for mask in masks]
        self._lengths += 1
        self._returns += games.rewards
        for row, result, observation in games.endings:
            last = self._shown(observation, np.zeros_like(masks[row]))
            infos[row] |= result | {"terminal_observation": last, "TimeLimit.truncated": False}
            infos[row]["episode"] = self._episode(row)
        self._lengths[games.dones] = 0
        self._returns[games.dones] = 0
        return self._shown(games.observations(), masks), games.rewards.copy(), games.dones.copy(), infos

    def _shown(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        """Observations in the form of the space."""
        return {"observation": observations, "action_mask": masks} if self._mask_in_observation else observations

    def _episode(self, row: int) -> dict[str, float]:
        """The statistics of the game that ended in a row: reward, decisions of the learner, seconds since the start."""
        seconds = round(time.time() - self._began, 6)
        return {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": seconds}

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
        """True for ``Monitor``, whose statistics are here without it, else False."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _mask(self, row: int) -> np.ndarray:
        return self.action_masks()[row]


# --- trained models --------------------------------------------------------------------------------------------------


def export_policy(
    model: BaseAlgorithm, path: str | os.PathLike[str], rules: Any = None, num_players: int | None = None
) -> Path:
    """Saves a trained model as a checkpoint that :func:`bluff_env.load_policy` reads.

    The probabilities of the actions are the model's own; a DQN takes the best action.

    Args:
        model: a ``MaskablePPO``, ``PPO``, ``A2C`` or ``DQN`` with an ``MlpPolicy`` and ReLU or tanh layers, trained in
            environments of this package with ``encoding="float"``, in any vector environment.
        path: of the checkpoint, with or without ``.safetensors``; a checkpoint there is replaced.
        rules: what it was trained for, a preset or rules; by default what its environment says. A loaded model has
            none.
        num_players: by default that of the environment; with ``rules``, their usual number.

    Returns:
        The path of the file.

    Raises:
        MisfitError: for another game than that of its environment.
        ValueError: for a model that cannot be exported; it says why.
    """
    if not isinstance(model, BaseAlgorithm):
        raise ValueError(f"a model of Stable-Baselines3 is exported, not {quoted(model)}")
    played = model_policy(model, rules, num_players)
    if played.view.encoder is None:
        raise ValueError("the model was trained with encoding='raw'; checkpoints read encoding='float'")
    policy: Any = model.policy
    greedy = type(policy) is DQNPolicy
    if greedy and type(policy.q_net.features_extractor) is FlattenExtractor:
        actor, critic = policy.q_net.q_net, None
    elif _is_mlp(policy):
        actor = nn.Sequential(*policy.mlp_extractor.policy_net, policy.action_net)
        critic = nn.Sequential(*policy.mlp_extractor.value_net, policy.value_net)
    else:
        raise ValueError(f"the model's policy is a {type(policy).__name__}; only an MlpPolicy can be exported")
    about = {"algorithm": type(model).__name__, "timesteps": model.num_timesteps}
    about |= {} if played.variant is None else {"variant": played.variant}
    return save_mlp(actor, path, played.rules, played.num_players, critic, greedy, about)


def _is_mlp(policy: Any) -> bool:
    """Return whether a policy is the plain MlpPolicy of SB3 or sb3-contrib on flat observations."""
    kinds: tuple[type, ...] = (ActorCriticPolicy,)
    try:
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        kinds += (MaskableActorCriticPolicy,)
    except ImportError:
        pass
    return type(policy) in kinds and type(policy.features_extractor) is FlattenExtractor
