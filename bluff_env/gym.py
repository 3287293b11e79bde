"""The Gymnasium view: one learner against loaded opponents.

import gymnasium, bluff_env

env = gymnasium.make("bluff_env/Cheat-v0", variant="pagat", num_players=4, opponents="scripted/counter")
observation, info = env.reset(seed=7)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from bluff_env.drawing import table_svg
from bluff_env.drawing.pixels import PICTURES, RENDER_MODES, check_render_mode, frame
from bluff_env.errors import RulesError, shown
from bluff_env.family import FAMILIES, Family, family_of, is_variant
from bluff_env.learner import LearnerGames
from bluff_env.view import MASKS


class LearnerEnv(gymnasium.Env[Any, np.int64]):
    """A game with one learner. A step is the learner's decision and all the others' until the learner is to act again.

    The observation is a vector, float32 or int16 as ``encoding`` says. The legal actions are in
    ``info["action_mask"]``, an int8 vector, and in :meth:`action_masks`. The reward is the learner's own payoff, given
    when the game ends; that is always a termination, also at the length limit.

    The last ``info`` also has ``seat``; ``opponents``, names, clockwise from the learner's left; ``outcome``, which is
    ``win`` (nobody was paid more), ``draw`` (all were paid the same) or ``loss``; ``length``, in turns;
    ``length_limit``; and ``game_seed``, with which the family's PettingZoo environment replays the game. As in that
    environment, an illegal action costs the learner 1 and ends the game; ``info["illegal_action"]`` names it.

    Copies of an environment, by a fork or a pickle, go on with the same chance and so play the same games: reset each
    with a seed of its own.

    Args:
        variant: a preset of the family, or rules; by default its plainest preset.
        num_players: by default the variant's usual number.
        opponents: a policy for all other seats; a list, one for each seat clockwise from the learner's left; or a dict
            ``{policy: weight}``, a pool from which every seat draws in every game. A policy is a name, a path, a policy
            object or a function ``(observation, mask) -> action``.
        encoding: ``"float"``, as networks read it, or ``"raw"``, the engine's integers.
        trim: whether parts of the observation and actions that these rules cannot use are left out, as
            :class:`bluff_env.view.View` says.
        mask: where the action mask is: ``"info"``, or ``"dict"``. Then the observation is ``{"observation": vector,
            "action_mask": int8 (actions,)}``, and the mask is in ``info`` as well.
        learner_seat: the learner's seat; None: drawn for every game.
        render_mode: ``"human"`` prints the table at every step, ``"ansi"`` returns it as text, ``"rgb_array"`` as a
            picture (it takes ``bluff-env[render]``), None draws nothing.
        **house_rules: changes of the variant's rules.

    Raises:
        ValueError: for impossible rules, opponents that cannot play by them, a seat or encoding that does not exist.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}
    family_name: ClassVar[str]

    def __init__(
        self,
        variant: Any = None,
        num_players: int | None = None,
        opponents: Any = "scripted/counter",
        encoding: str = "float",
        learner_seat: int | None = None,
        render_mode: str | None = None,
        trim: bool = False,
        mask: str = "info",
        **house_rules: Any,
    ) -> None:
        if mask not in MASKS:
            raise ValueError(f"mask={shown(mask)} must be one of: {', '.join(MASKS)}")
        check_render_mode(render_mode)
        self.family: Family = FAMILIES[self.family_name]
        variant = variant_of(self.family, variant)
        self.render_mode = render_mode
        self.games = LearnerGames(
            variant, 1, num_players, opponents, self.np_random, learner_seat=learner_seat, encoding=encoding,
            trim=trim, **house_rules,
        )  # fmt: skip
        self.action_names = self.games.view.action_names
        self.action_space = spaces.Discrete(len(self.action_names))
        self._mask_in_observation = mask == "dict"
        self.observation_space = self.games.view.space(mask)
        self._over = True

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.games}>"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a game, played on until the learner is to act; with a seed, it and the next ones are reproducible.

        Copies of an environment (in forked processes, by pickle) have the same games ahead: give each a seed.
        """
        super().reset(seed=seed)
        if self.games.rng is not self.np_random:
            self.games.use_chance(self.np_random)
        self.games.reset()
        self._over = False
        self._show()
        return self._seen(), {"action_mask": self.action_masks()}

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner's decision, and the others' until the learner is to act again or the game is over.

        Raises:
            ValueError: after the end, and for a number that is not an action.
        """
        if self._over or isinstance(action, bool) or not self.action_space.contains(action):
            raise ValueError("the game is over: call reset()" if self._over else f"{action!r} is not an action")
        self.games.step(np.array([action]))
        self._over = bool(self.games.dones[0])
        self._show()
        info = {"action_mask": self.action_masks()}
        for _, ending, observation in self.games.endings:
            if "illegal_action" in ending:
                gymnasium.logger.warn("an illegal action ended the game with a loss: choose within info['action_mask']")
            return self._shown(observation), float(self.games.rewards[0]), True, False, info | ending
        return self._seen(), 0.0, False, False, info

    def _seen(self) -> Any:
        """What the learner, who is to act, sees."""
        return self._shown(self.games.observations()[0])

    def _shown(self, observation: np.ndarray) -> Any:
        """An observation in the form of the space."""
        if self._mask_in_observation:
            return {"observation": observation, "action_mask": self.action_masks()}
        return observation

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, int8 (actions,); all 0 after the end."""
        mask = self.games.action_masks()[0]
        return np.zeros_like(mask) if self._over else mask

    @property
    def rules(self) -> Any:
        """The rules, resolved for the number of players."""
        return self.games.rules

    @property
    def num_players(self) -> int:
        """The number of players, the learner included."""
        return self.games.num_players

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, also in the game under way. Forms and errors as for the class."""
        self.games.set_opponents(opponents)

    def render(self) -> Any:
        """The whole table as a spectator sees it; mode ``"human"`` prints it at every step instead.

        Returns:
            A text in mode ``"ansi"``, uint8 (height, width, 3) in mode ``"rgb_array"``, else None.

        Raises:
            ValueError: in mode ``"rgb_array"`` without the libraries that it takes.
        """
        if self.render_mode == PICTURES:
            return frame(table_svg(self.games.rules, self.games.engine.snapshot(0), self._names()))
        return self._picture() if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._picture())

    def _picture(self) -> str:
        engine = self.games.engine
        return str(engine.family.texts.render_game(engine.snapshot(0), self._names()))

    def _names(self) -> list[str]:
        """The names of the seats."""
        names = [f"player_{seat}" for seat in range(self.games.num_players)]
        names[self.games.seats[0]] = "learner"
        return names


def variant_of(family: Family, variant: Any) -> Any:
    """The variant, by default the family's plainest preset. Raises RulesError for one of another family."""
    if variant is None:
        return family.default
    if is_variant(variant) and family_of(variant) is not family:
        raise RulesError(f"{variant!r} is of {family_of(variant).title}, not of {family.title}")
    return variant


class CheatEnv(LearnerEnv):
    """One learner at a table of Cheat; see :class:`LearnerEnv`."""

    family_name = "cheat"


class BluffTheBulletEnv(LearnerEnv):
    """One learner at a table of Bluff the Bullet; see :class:`LearnerEnv`."""

    family_name = "bluff-the-bullet"
