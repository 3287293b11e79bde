"""A model of Stable-Baselines3 as a policy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm

from bluff_env.core.encoding import check_masks, seats_of
from bluff_env.core.family import Family
from bluff_env.core.parts import RulePart
from bluff_env.core.registry import family_of, full_name, make_rules
from bluff_env.core.view import ENCODINGS, View
from bluff_env.policies.fit import Fitted, misfit, other_family, other_rules, rule_parts, some_legal
from bluff_env.policies.policy import Asked, BasePolicy, State, check_rows
from bluff_env.policies.trained import drawn
from bluff_env.utils.errors import quoted
from bluff_env.utils.numerals import number

NO_GAME = "the model has no environment, which knows its rules: name them with rules= and num_players="


class ModelPolicy(Fitted, BasePolicy):
    """A model of Stable-Baselines3 as a player; :func:`bluff_env.load_policy` makes one of every model.

    It plays as the model is at the moment, also while that learns, and never takes an illegal action: illegal ones are
    masked before it draws, for models without masks too. PPO, A2C and MaskablePPO draw from their distribution, DQN and
    QRDQN take the best action.

    Args:
        model: trained in an environment of this package, whose ``encoding``, ``trim`` and ``events`` are told from its
            spaces.
        rules: a preset or rules; by default those of the model's environment.
        num_players: by default that of the environment; with ``rules``, their usual number.

    Attributes:
        view: what the model reads and chooses from.

    Raises:
        MisfitError: for another game than that of the model's environment.
        ValueError: for a model of another kind, of observations that a wrapper changes, or for another game.
    """

    def __init__(self, model: BaseAlgorithm, rules: Any = None, num_players: int | None = None) -> None:
        super().__init__(type(model).__name__)
        self.model = model
        self._variant, self._rules, self._num_players = game_of_model(model)
        if rules is not None:
            self._play(rules, num_players)
        elif self._rules is None:
            raise ValueError(NO_GAME)
        elif num_players not in (None, self._num_players):
            raise misfit(self, f"was trained with {number(self._num_players, 'player')}, not {quoted(num_players)}")
        self.view = view_of_model(model, self._rules, self._num_players)
        policy: Any = model.policy
        if not any(hasattr(policy, name) for name in _SCORES):
            raise ValueError(f"a {self.name} cannot play here; PPO, A2C, MaskablePPO, RecurrentPPO, DQN and QRDQN can")

    def _play(self, rules: Any, num_players: int | None) -> None:
        """Play a game that is named. Raises MisfitError if the model's environment has another one."""
        family = family_of(rules)
        num_players = family.usual_players(rules) if num_players is None else num_players
        resolved = make_rules(rules).resolve(num_players)
        if self._rules is not None:
            other = other_family(self, rules)
            if not other and num_players != self._num_players:
                other = f"was trained with {number(self._num_players, 'player')}, not {num_players}"
            if other := other or other_rules(self, resolved, num_players):
                raise misfit(self, other)
        self._variant = full_name(rules) if isinstance(rules, str) else self._variant
        self._rules, self._num_players = resolved, num_players

    @property
    def rules(self) -> Any:
        """The rules that it plays, resolved."""
        return self._rules

    @property
    def num_players(self) -> int:
        """The number of players."""
        return self._num_players

    @property
    def variant(self) -> str | None:
        """The preset of its environment, house rules aside, as ``cheat/bullshit``; None: none."""
        return self._variant

    def _family(self) -> Family:
        return family_of(self._rules)

    def _fixed(self) -> list[RulePart]:
        return rule_parts(self._family())

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """As :meth:`bluff_env.policies.BasePolicy.choose`."""
        seen, legal = self._seen(observations, action_masks)
        policy: Any = self.model.policy
        name = next(name for name in _SCORES if hasattr(policy, name))
        with torch.no_grad():
            scores = _SCORES[name](policy, seen).cpu().numpy()
        return self._decided(scores, legal, None if deterministic or name != "get_distribution" else rng)

    def _seen(self, observations: np.ndarray, action_masks: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return what the model reads, as tensors, and its legal actions, bool (rows, actions of the model)."""
        family = self.view.family
        seats_of(family, observations.shape[1])  # refuses another view's observations
        check_masks(family.game.num_actions, action_masks, len(observations))
        self._check_rules(observations, action_masks)
        legal = some_legal(self.name, self.view.masks(action_masks) > 0, action_masks)
        policy: Any = self.model.policy
        seen: Any = self.view.observations(observations)
        if isinstance(policy.observation_space, spaces.Dict):
            seen = {"observation": seen, "action_mask": legal.astype(np.int8)}
        return policy.obs_to_tensor(seen)[0], legal

    def _decided(self, scores: np.ndarray, legal: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        """Return actions drawn by the softmax of the legal scores, (rows,); without ``rng`` the best ones."""
        scores = np.where(legal, scores, -np.inf)
        odds = np.exp(scores - scores.max(1, keepdims=True))
        chosen: np.ndarray = self.view.actions[scores.argmax(1) if rng is None else drawn(odds, rng)]
        return chosen


class RecurrentModelPolicy(ModelPolicy):
    """A ``RecurrentPPO`` of sb3-contrib as a player, which remembers its own decisions of a game.

    There is no recurrent PPO with masks: it is trained without them, and here illegal actions are masked before it
    draws. Its state has two arrays, float32 (rows, layers, units): what its LSTM holds. Args and errors: as for
    :class:`ModelPolicy`.
    """

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`."""
        seen, legal = self._seen(asked.observations, asked.masks)
        policy: Any = self.model.policy
        layers, _, units = policy.lstm_hidden_state_shape
        blank = np.zeros((len(legal), layers, units), np.float32)
        check_rows(self, asked.state, len(legal))
        held = (blank, blank) if asked.state is None else asked.state
        starts = np.zeros(len(legal)) if asked.episode_start is None else np.atleast_1d(asked.episode_start)
        with torch.no_grad():
            distribution, held = policy.get_distribution(
                seen,
                tuple(torch.tensor(np.moveaxis(part, 1, 0).copy(), device=policy.device) for part in held),
                torch.tensor(starts, dtype=torch.float32, device=policy.device),
            )
        scores = distribution.distribution.logits.cpu().numpy()
        actions = self._decided(scores, legal, None if asked.deterministic else asked.rng)
        kept = tuple(np.moveaxis(part.cpu().numpy(), 1, 0) for part in held)
        return actions, kept


def model_policy(model: BaseAlgorithm, rules: Any = None, num_players: int | None = None) -> ModelPolicy:
    """Return a model of Stable-Baselines3 as a policy. Args and errors: as for :class:`ModelPolicy`."""
    kind = RecurrentModelPolicy if hasattr(model.policy, "lstm_actor") else ModelPolicy
    return kind(model, rules, num_players)


# How the kinds of policies score all actions, by the attribute that tells them apart.
_SCORES: dict[str, Any] = {
    "get_distribution": lambda policy, seen: policy.get_distribution(seen).distribution.logits,
    "q_net": lambda policy, seen: policy.q_net(seen),
    "quantile_net": lambda policy, seen: policy.quantile_net(seen).mean(1),
}


def game_of_model(model: BaseAlgorithm) -> tuple[str | None, Any, int]:
    """Return the preset, the rules and the number of players of a model's environment; no rules: it has none.

    Raises:
        ValueError: if it is none of this package.
    """
    env = model.get_env()
    if env is None:
        return None, None, 0
    if not (env.has_attr("rules") and env.has_attr("num_players")):
        raise ValueError("the model was trained in another environment than bluff_env's")
    (rules,), (players,) = env.get_attr("rules", 0), env.get_attr("num_players", 0)
    return env.get_attr("variant", 0)[0] if env.has_attr("variant") else None, rules, players


def view_of_model(model: BaseAlgorithm, rules: Any, num_players: int) -> View:
    """Return the view that a model reads and chooses from. Raise ValueError if this game has no such view."""
    normalised = model.get_vec_normalize_env()
    if normalised is not None and normalised.norm_obs:
        raise ValueError(
            "the model reads observations that VecNormalize changes: train it with norm_obs=False, they are scaled "
            "already"
        )
    for encoding, trim, match, events in product(ENCODINGS, (False, True), (False, True), (True, False)):
        view = View(rules, num_players, encoding, trim, match, events=events)
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
