"""A model of Stable-Baselines3 as a policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm

from bluff_env.core.registry import family_of, make_rules
from bluff_env.core.view import ENCODINGS, View
from bluff_env.policies.policy import BasePolicy
from bluff_env.policies.trained import drawn


class ModelPolicy(BasePolicy):
    """A model of Stable-Baselines3 as a player; :func:`bluff_env.load_policy` makes one of every model.

    It plays as the model is at the moment, also while that learns, and never takes an illegal action: illegal ones are
    masked, for models without masks too. PPO, A2C and MaskablePPO draw from their distribution, DQN and QRDQN take the
    best action.

    Args:
        model: trained in an environment of this package, whose ``encoding`` and ``trim`` are told from its spaces.
        rules: a preset or rules; by default those of the model's environment.
        num_players: by default that of the environment; with ``rules``, their usual number.

    Raises:
        ValueError: for a model of another kind, of observations that a wrapper changes, or for another game.
    """

    def __init__(self, model: BaseAlgorithm, rules: Any = None, num_players: int | None = None) -> None:
        super().__init__(type(model).__name__)
        self.model = model
        self._rules, self._num_players = _game_of(model, rules, num_players)
        self._view = _view_of(model, self._rules, self._num_players)
        policy: Any = model.policy
        if hasattr(policy, "lstm_actor") or not any(hasattr(policy, name) for name in _SCORES):
            raise ValueError(f"a {self.name} cannot play here; PPO, A2C, MaskablePPO, DQN and QRDQN can")

    @property
    def rules(self) -> Any:
        """The rules that it plays, resolved."""
        return self._rules

    @property
    def num_players(self) -> int:
        """The number of players."""
        return self._num_players

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """As :meth:`bluff_env.policies.BasePolicy.choose`."""
        legal = self._view.masks(action_masks) > 0
        policy: Any = self.model.policy
        seen: Any = self._view.observations(observations)
        if isinstance(policy.observation_space, spaces.Dict):
            seen = {"observation": seen, "action_mask": legal.astype(np.int8)}
        with torch.no_grad():
            name = next(name for name in _SCORES if hasattr(policy, name))
            scores = _SCORES[name](policy, policy.obs_to_tensor(seen)[0]).cpu().numpy()
        scores = np.where(legal, scores, -np.inf)
        if deterministic or name != "get_distribution":
            return self._view.actions[scores.argmax(1)]
        odds = np.exp(scores - scores.max(1, keepdims=True))
        return self._view.actions[drawn(odds, rng)]


# How the kinds of policies score all actions, by the attribute that tells them apart.
_SCORES: dict[str, Any] = {
    "get_distribution": lambda policy, seen: policy.get_distribution(seen).distribution.logits,
    "q_net": lambda policy, seen: policy.q_net(seen),
    "quantile_net": lambda policy, seen: policy.quantile_net(seen).mean(1),
}


def _game_of(model: BaseAlgorithm, rules: Any, num_players: int | None) -> tuple[Any, int]:
    """The rules, resolved, and the number of players. Raises ValueError if nothing tells them."""
    if rules is not None:
        num_players = family_of(rules).usual_players(rules) if num_players is None else num_players
        return make_rules(rules).resolve(num_players), num_players
    env = model.get_env()
    if env is None:
        raise ValueError("the model has no environment, which knows its rules: name them with rules= and num_players=")
    if not (env.has_attr("rules") and env.has_attr("num_players")):
        raise ValueError("the model was trained in another environment than bluff_env's")
    (rules,), (players,) = env.get_attr("rules", 0), env.get_attr("num_players", 0)
    return rules, players


def _view_of(model: BaseAlgorithm, rules: Any, num_players: int) -> View:
    """Return the view that a model reads and chooses from. Raise ValueError if this game has no such view."""
    normalised = model.get_vec_normalize_env()
    if normalised is not None and normalised.norm_obs:
        raise ValueError(
            "the model reads observations that VecNormalize changes: train it with norm_obs=False, they are scaled "
            "already"
        )
    for encoding in ENCODINGS:
        for trim in (False, True):
            view = View(rules, num_players, encoding, trim)
            if _shows(view, model.observation_space) and model.action_space == spaces.Discrete(len(view.actions)):
                return view
    raise ValueError(
        f"the model's spaces are not the spaces of these rules of {family_of(rules).title} with {num_players} players: "
        "it was trained for another game, which has to be named by its rules and number of players, or through a "
        "wrapper that changes observations"
    )


def _shows(view: View, space: spaces.Space[Any]) -> bool:
    """Return whether a space is that of a view's observations, alone or in a dict with the mask of the actions."""
    if isinstance(space, spaces.Dict):
        masks = spaces.Box(0, 1, (len(view.actions),), np.int8)
        if set(space) != {"observation", "action_mask"} or space["action_mask"] != masks:
            return False
        space = space["observation"]
    low, high = view.bounds()
    if not isinstance(space, spaces.Box) or (space.dtype, space.shape) != (low.dtype, low.shape):
        return False
    return np.allclose(space.low, low) and np.allclose(space.high, high)
