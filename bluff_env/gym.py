"""The Gymnasium views: one learner against loaded opponents, in one game or in many at once.

import gymnasium, bluff_env

env = gymnasium.make("bluff_env/Cheat-v0", variant="pagat", num_players=4, opponents="scripted/counter")
observation, info = env.reset(seed=7)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

envs = gymnasium.make_vec("bluff_env/Cheat-v0", num_envs=256, vectorization_mode="vector_entry_point", variant="pagat")
observations, infos = envs.reset(seed=7)
actions = infos["action_mask"].argmax(axis=1)  # the first legal action everywhere
observations, rewards, terminations, truncations, infos = envs.step(actions)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bluff_env.core.family import Family
from bluff_env.core.keywords import check_keywords
from bluff_env.core.registry import FAMILIES, family_classes, variant_of
from bluff_env.core.view import MASKS
from bluff_env.drawing import table_svg
from bluff_env.drawing.pixels import PICTURES, RENDER_MODES, check_render_mode, frame
from bluff_env.envs.learner import LearnerGames, check_options
from bluff_env.envs.spaces import observation_box, observation_space
from bluff_env.utils.arguments import is_whole, one_of, seed_number, whole_number
from bluff_env.utils.errors import quoted


class LearnerEnv(gymnasium.Env[Any, np.int64]):
    """A game with one learner. A step is the learner's decision and all the others' until the learner is to act again.

    The observation is a vector, float32 or int16 as ``encoding`` says. The legal actions are in
    ``info["action_mask"]``, an int8 vector, and in :meth:`action_masks`. The reward is the learner's own payoff, given
    when the game ends; that is always a termination, also at the length limit.

    The last ``info`` also tells ``seat``; ``opponents``, a tuple of names, clockwise from the learner's left;
    ``outcome``, which is ``win`` (nobody was paid more), ``draw`` (all were paid the same) or ``loss``; ``length``, in
    turns; ``length_limit``; and ``game_seed``, with which the family's PettingZoo environment replays the game. As in
    that environment, an illegal action costs the learner 1 and ends the game; ``info["illegal_action"]`` names it.
    Every ``info`` has these keys, as collectors of data sets need it. Before the end they say nothing: numbers are -1
    (the length 0), names are empty, ``length_limit`` is False. An empty ``outcome`` tells that the game goes on.

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
            :class:`bluff_env.core.view.View` says.
        mask: where the action mask is: ``"info"``, or ``"dict"``. Then the observation is ``{"observation": vector,
            "action_mask": int8 (actions,)}``, and the mask is in ``info`` as well.
        learner_seat: the learner's seat; None: drawn for every game.
        render_mode: ``"human"`` prints the table at every step, ``"ansi"`` returns it as text, ``"rgb_array"`` as a
            picture (it takes ``bluff-env[render]``), None draws nothing.
        deals: 1, or the number of deals of a match with the same players in the same seats. Then an episode is a
            match: its rewards are paid as each deal ends, ``length`` is in turns of all deals, and observations have
            the parts ``match.*``. None: what the rules say, one deal or a match with revolvers.
        events: whether observations have the log of events, as :class:`bluff_env.core.view.View` says.
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
        deals: int | None = None,
        events: bool = True,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        self.family: Family = FAMILIES[self.family_name]
        check_keywords(house_rules, self.family.rules.field_names())
        one_of("mask", mask, MASKS)
        check_render_mode(render_mode)
        variant = variant_of(self.family, variant)
        self.render_mode = render_mode
        self.games = LearnerGames(
            variant, 1, num_players, opponents, self.np_random, learner_seat=learner_seat, encoding=encoding,
            trim=trim, deals=deals, events=events, **house_rules,
        )  # fmt: skip
        self.action_names = self.games.view.action_names
        self.action_space = spaces.Discrete(len(self.action_names))
        self._mask_in_observation = mask == "dict"
        self.observation_space = observation_space(self.games.view, mask)
        self._over, self._begun = True, False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.games}>"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a game, played on until the learner is to act; with a seed, it and the next ones are reproducible.

        Copies of an environment (in forked processes, by pickle) have the same games ahead: give each a seed.

        Raises:
            ValueError: for options; there are none.
        """
        check_options(options, ())
        super().reset(seed=seed)
        if self.games.rng is not self.np_random:
            self.games.use_chance(self.np_random)
        self.games.reset()
        self._over, self._begun = False, True
        self._show()
        return self._seen(), self._info()

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
        for _, ending, observation in self.games.endings:
            return self._shown(observation), float(self.games.rewards[0]), True, False, self._info() | ending
        return self._seen(), float(self.games.rewards[0]), False, False, self._info()

    def _info(self) -> dict[str, Any]:
        """The info of a step after which the game goes on."""
        return {"action_mask": self.action_masks(), **self.games.untold()}

    def _seen(self) -> Any:
        """Return what the learner, who is to act, sees."""
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

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, also in the game under way. Forms and errors as for the class."""
        self.games.set_opponents(opponents)

    def render(self) -> Any:
        """The whole table as a spectator sees it; mode ``"human"`` prints it at every step instead.

        Returns:
            A text in mode ``"ansi"``, uint8 (height, width, 3) in mode ``"rgb_array"``, else None.

        Raises:
            ValueError: before :meth:`reset`, and in mode ``"rgb_array"`` without the libraries that it takes.
        """
        if not self._begun:
            raise ValueError("there is no game: call reset() before render()")
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


# --- many games at once -----------------------------------------------------------------------------------------------


class LearnerVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Many games at once, each as :class:`bluff_env.gym.LearnerEnv` plays one.

    Seeded alike, it does step for step what ``gymnasium.vector.SyncVectorEnv`` does with such environments, as long as
    the opponents draw no lots: their chance is one stream here, and one for each environment there. ``infos`` always
    hold the masks of all rows, int8 (num_envs, actions), and all other keys of single environments; rows whose game
    goes on have the values that say nothing.

    Args:
        num_envs: games played at once.
        variant: as for :class:`bluff_env.gym.LearnerEnv`; so are ``num_players``, ``opponents``, ``encoding``,
            ``learner_seat``, ``trim``, ``mask``, ``deals``, ``events`` and the house rules.
        autoreset_mode: what follows the end of a game, as Gymnasium has it. ``NEXT_STEP``: the next step starts a game
            in that row, whatever its action. ``SAME_STEP``: the same step does, and ``infos`` have the last
            observation as ``final_obs`` and the last info as ``final_info``. ``DISABLED``: the caller does, by
            ``reset(options={"reset_mask": rows})``.
        num_threads: threads of the engine, used for calls with enough decisions.

    Raises:
        ValueError: for impossible rules, opponents that cannot play by them, a seat or encoding that does not exist.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
    family_name: ClassVar[str]

    def __init__(
        self,
        num_envs: int = 1,
        variant: Any = None,
        num_players: int | None = None,
        opponents: Any = "scripted/counter",
        encoding: str = "float",
        learner_seat: int | None = None,
        trim: bool = False,
        mask: str = "info",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        deals: int | None = None,
        events: bool = True,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        family: Family = FAMILIES[self.family_name]
        check_keywords(house_rules, family.rules.field_names())
        one_of("mask", mask, MASKS)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(mode.value for mode in AutoresetMode)
            raise ValueError(f"autoreset_mode={quoted(autoreset_mode)} must be one of: {known}") from None
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        # A generator for each game, as single environments have them.
        self._chance = [np_random()[0] for _ in range(whole_number("num_envs", num_envs, 1))]
        self.games = LearnerGames(
            variant_of(family, variant), num_envs, num_players, opponents, self._chance,
            learner_seat=learner_seat, encoding=encoding, trim=trim, num_threads=num_threads, deals=deals,
            events=events, **house_rules,
        )  # fmt: skip
        self.num_envs = self.games.engine.num_games
        self.action_names = self.games.view.action_names
        self._mask_in_observation = mask == "dict"
        self.single_observation_space = observation_space(self.games.view, mask)
        self.single_action_space = spaces.Discrete(len(self.action_names))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over = np.ones(self.num_envs, np.bool_)
        self._untold: dict[str, Any] = {}
        for row in range(self.num_envs):
            self._untold = self._add_info(self._untold, self.games.untold(), row)
        box = observation_box(self.games.view)
        self._observations = np.zeros((self.num_envs, *box.shape), box.dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.num_envs} games of {self.games}>"

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts games, played on until the learner is to act.

        Args:
            seed: one for each row, or the first row's, from which the others count on. Without, a row goes on with its
                chance.
            options: ``reset_mask``, bool (num_envs,): the rows in which a game starts; all by default.

        Raises:
            ValueError: for another number of seeds, an impossible ``reset_mask``, or other options.
        """
        check_options(options, ("reset_mask",))
        rows = self._rows((options or {}).get("reset_mask"))
        seeds = _seeds(seed, self.num_envs)
        seeded = [row for row in np.flatnonzero(rows).tolist() if seeds[row] is not None]
        for row in seeded:
            self._chance[row] = np_random(seeds[row])[0]
        if seeded:
            self.games.use_chance(self._chance, seeded)
        self._start(rows)
        infos = self._infos()
        return self._shown(self._observations.copy(), infos["action_mask"].copy()), infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learner's decision in every game, and the others' until the learner is to act again or the game is over.

        Returns:
            Observations, rewards float64 (num_envs,), terminations and truncations (always False), infos.

        Raises:
            ValueError: for numbers that are no actions, and for a row whose game is over in the mode ``DISABLED``.
        """
        games, starting = self.games, self._over.copy()
        if starting.any() and self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            raise ValueError(f"the game of row {int(starting.argmax())} is over: call reset with a reset_mask")
        games.step(actions, ~starting)
        rewards, ended = games.rewards.astype(np.float64), games.dones.copy()
        endings = {row: (info, observation) for row, info, observation in games.endings}
        for row, (_, observation) in endings.items():
            self._observations[row] = observation
        self._over = ended.copy()
        self._see(~starting & ~ended)
        if starting.any():
            self._start(starting)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and endings:
            final = self._final_infos(endings)
            self._start(ended)
            infos = self._infos() | final
        else:
            infos = self._infos()
            for row, (info, _) in endings.items():
                infos = self._add_info(infos, info, row)
        seen = self._shown(self._observations.copy(), infos["action_mask"].copy())
        return seen, rewards, ended, np.zeros_like(ended), infos

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, also in the games under way; as :class:`bluff_env.gym.LearnerEnv` takes them."""
        self.games.set_opponents(opponents)

    def action_masks(self) -> np.ndarray:
        """The learners' legal actions, int8 (num_envs, actions); all 0 in a row whose game is over."""
        masks = self.games.action_masks()
        masks[self._over] = 0
        return masks

    def _start(self, rows: np.ndarray) -> None:
        """New games in these rows, bool (num_envs,)."""
        self.games.reset(rows)
        self._over = self._over & ~rows
        self._see(rows)

    def _see(self, rows: np.ndarray) -> None:
        """Notes what the learners of these rows, who are to act, see."""
        self._observations[rows] = self.games.observe(np.flatnonzero(rows))

    def _shown(self, observation: np.ndarray, masks: np.ndarray) -> Any:
        """Return observations in the form of the space, with these masks if it has them."""
        return {"observation": observation, "action_mask": masks} if self._mask_in_observation else observation

    def _infos(self) -> dict[str, Any]:
        """The infos of rows whose games go on; new arrays."""
        masks = {"action_mask": self.action_masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}
        return masks | {key: array.copy() for key, array in self._untold.items()}

    def _final_infos(self, endings: dict[int, tuple[dict[str, Any], np.ndarray]]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        no_mask = np.zeros(len(self.action_names), np.int8)
        for row, (info, observation) in sorted(endings.items()):
            told = {"action_mask": no_mask, **self.games.untold(), **info}
            final = {"final_obs": self._shown(observation, no_mask), "final_info": told}
            infos = self._add_info(infos, final, row)
        return infos

    def _rows(self, mask: Any) -> np.ndarray:
        """The rows of a ``reset_mask``. Raises ValueError."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        rows = np.asarray(mask)
        if rows.shape != (self.num_envs,) or rows.dtype != np.bool_ or not rows.any():
            raise ValueError(f"reset_mask must be bool ({self.num_envs},), True in one row at least")
        return rows


def _seeds(seed: Any, num_envs: int) -> list[int | None]:
    """The seed of each row. Raises ValueError for another number of seeds, and for what is no seed."""
    if seed is None:
        return [None] * num_envs
    if not isinstance(seed, (Sequence, np.ndarray)) or isinstance(seed, str):
        seed = seed_number("seed", seed)
    seeds = [seed + row for row in range(num_envs)] if is_whole(seed) else list(seed)
    if len(seeds) != num_envs:
        raise ValueError(f"there are {len(seeds)} seeds for {num_envs} environments")
    return [None if one is None else seed_number("seed", one) for one in seeds]


# --- the families -----------------------------------------------------------------------------------------------------


# ``CheatEnv``, ``CheatVectorEnv`` and so on; among the names of this module, so that Gymnasium and pickle find them.
for _classes in (
    family_classes(LearnerEnv, "Env", __name__),
    family_classes(LearnerVectorEnv, "VectorEnv", __name__),
):
    globals().update({_class.__name__: _class for _class in _classes.values()})

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

    CheatEnv = BluffTheBulletEnv = LearnerEnv
    CheatVectorEnv = BluffTheBulletVectorEnv = LearnerVectorEnv
