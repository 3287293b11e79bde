"""The PettingZoo (AEC) view: one game in which every seat is an agent. It knows no rule of the game."""

from __future__ import annotations

import copy
import json
import operator
import secrets
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from bluff_env.engine import MAX_SEED
from bluff_env.errors import did_you_mean, nearest, one_line, shown
from bluff_env.family import CHEAT, NOBODY, OBSERVATION_DTYPE, Family
from bluff_env.jit import records

_ROW = np.ones(1, np.bool_)


class RawEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """One game of Cheat without PettingZoo's wrappers; :func:`bluff_env.cheat_v0.env` adds them.

    Every other family has a subclass that names it.

    Agents are ``player_0`` to ``player_{n-1}``, in the order of seats. All have equal spaces: the observation is
    ``{"observation": int16 (observation,), "action_mask": int8 (actions,)}``, the action an index into
    ``action_names``. The mask is zero for every agent but the one to act. All agents end together, with the game.

    Attributes:
        game_seed: of the present game, None before the first.
        deal: what was forced in it: the options of its ``reset``.
        history: its decisions so far, as pairs of seat and action; None if a snapshot was restored. With these three
            :func:`bluff_env.record.of` writes a record of the game.

    Args:
        variant: a preset (``"pagat"``, ``"cheat/pagat"``) or rules.
        num_players: by default the variant's usual number.
        render_mode: ``"human"`` prints, ``"ansi"`` returns text, None draws nothing.
        **house_rules: changes of the variant's rules.

    Raises:
        RulesError: for an unknown variant or rule, a contradiction, or an impossible number of players.
    """

    metadata: dict[str, Any] = {"name": "cheat_v0", "render_modes": ["human", "ansi"], "is_parallelizable": False}
    family: Family = CHEAT
    agent_selection: str

    def __init__(
        self,
        variant: Any = "pagat",
        num_players: int | None = None,
        render_mode: str | None = None,
        **house_rules: Any,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode={render_mode!r} must be one of {self.metadata['render_modes']} or None")
        family = self.family
        n = family.usual_players(variant) if num_players is None else num_players
        self.variant = family.variants.find_variant(variant).name if isinstance(variant, str) else "custom"
        self.rules = family.variants.make_rules(variant, **house_rules).resolve(n)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(n)]
        self.agents: list[str] = []
        self.game_seed: int | None = None
        self.deal: dict[str, Any] = {}
        self.history: list[tuple[int, int]] | None = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._num_players = n
        self._num_actions = family.game.NUM_ACTIONS
        self._rule_table = family.game.rule_row(self.rules, n)
        self._features = family.observe.rule_features(self.rules, n)[None]
        self._template = records(1, family.game.GAME)
        family.kernels.prepare(self._template, self._rule_table, 0)
        self._games = self._template.copy()
        self._mask = np.zeros(self._num_actions, np.int8)
        self._size = family.observe.observation_size(n)
        self._sequence = np.array([secrets.randbits(62)])  # the seed from which those of games without a seed come,
        self._episodes = np.zeros(1, np.int64)  # and how many have come
        high = np.concatenate(
            [np.full(p.stop - p.start, p.high, OBSERVATION_DTYPE) for p in self.observation_layout.values()]
        )
        self.observation_spaces = {agent: _observation_space(high, self._num_actions) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._num_actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, family.critic.critic_high(n), dtype=family.critic.CRITIC_DTYPE)

    # --- PettingZoo --------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of this agent's observations: always the same object for the same agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of this agent's actions: always the same object for the same agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts a game. It may be over before anybody decides: then all agents are terminated at once.

        Args:
            seed: of the game, 0 to 2**62 - 1: the same seed and actions give the same game as in any other view. Games
                without a seed have random ones, reproducible ones after a game with a seed.
            options: a forced deal; without one of them, chance decides on it. In Cheat ``hands`` (a list of card names
                for each player), ``starter`` and ``dealer`` (seats); in Bluff the Bullet ``deck`` (card names, top
                first) and ``dealer``. Cards left out are out of the game.

        Raises:
            ValueError: for an impossible seed or deal; the game goes on unchanged then.
        """
        games = self._template.copy()
        deal = _known_options(options or {}, self.family.deal_options)
        dealer = self.family.game.force_deal(games[0], self._rule_table[0], **deal)
        if dealer != NOBODY:
            self.family.kernels.set_dealer(games, self._rule_table, 0, dealer)
        self.game_seed = self._next_seed() if seed is None else self._begin_sequence(seed)
        self._games = games
        self.deal, self.history = copy.deepcopy(deal), []
        self.family.kernels.start_one(games, 0, self.game_seed)
        self.family.kernels.step_one(games, self._rule_table, 0, self.family.kernels.START, self._mask)
        self._begin()

    def step(self, action: int | None) -> None:
        """One decision of the agent to act (``agent_selection``), None for an agent that has ended.

        Raises:
            ValueError: for an illegal action; it names the legal ones, and the game is unchanged.
        """
        if not self.agents:
            raise ValueError("there is no game: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            index = -1
        if not 0 <= index < self._num_actions or not self._mask[index]:
            raise ValueError(self._refusal(agent, action, index))
        self._cumulative_rewards[agent] = 0.0
        if self.history is not None:
            self.history.append((self._seats[agent], index))
        self.family.kernels.step_one(self._games, self._rule_table, 0, index, self._mask)
        to_act = self._games["to_act"].item()
        if to_act == NOBODY:
            self._end()
        else:
            self.agent_selection = self.possible_agents[to_act]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent knows, from its own point of view; at any time, also of others' turns and after the end."""
        seat = self._seat(agent)
        observation = np.empty(self._size, OBSERVATION_DTYPE)
        n = self._num_players
        self.family.kernels.observe_one(self._games, self._rule_table, self._features, 0, seat, n, observation)
        acts = seat == self._games["to_act"].item()
        mask = self._mask.copy() if acts else np.zeros_like(self._mask)
        return {"observation": observation, "action_mask": mask}

    def render(self) -> str | None:
        """The whole table as a spectator sees it, hidden cards included: returned, or printed in mode ``"human"``."""
        if self.render_mode is None:
            warnings.warn("render() draws nothing: make the environment with a render_mode", stacklevel=2)
            return None
        text: str = self.family.text.render_game(self.snapshot(), self.possible_agents)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def state(self) -> np.ndarray:
        """All there is to know, hidden cards too, as int16: for centralised critics, never part of an observation.

        ``critic_layout`` of the family's ``critic`` module (as :mod:`bluff_env.cheat.critic`) names its parts.
        """
        vector: np.ndarray = self.family.critic.critic_vector(self._games[0], self._num_players)
        return vector

    def close(self) -> None:
        """Nothing is open."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules."""
        return self.game_seed is not None and bool(self._games["to_act"].item() == NOBODY)

    # --- names -------------------------------------------------------------------------------------------------------

    @property
    def action_names(self) -> tuple[str, ...]:
        """One unique name for each action, the same for every variant."""
        names: tuple[str, ...] = self.family.game.ACTION_NAMES
        return names

    def action_index(self, name: str) -> int:
        """The action of that name. Raises ValueError with the nearest names if there is none."""
        if name not in self.family.game.ACTION_INDEX:
            raise ValueError(f"no action is called {name!r}{did_you_mean(name, self.action_names)}")
        return int(self.family.game.ACTION_INDEX[name])

    def describe_action(self, agent: str, action: int) -> str:
        """What an action of that agent means at this moment, in words with absolute seats."""
        if not 0 <= action < self._num_actions:
            raise ValueError(f"action {action} is none of the {self._num_actions} actions")
        describe, name = self.family.words.describe_action, self.action_names[action]
        return str(describe(self._games[0], self._rule_table[0], name, self._seat(agent), self.possible_agents))

    @property
    def observation_layout(self) -> dict[str, Any]:
        """Every part of the observation vector by name: where it lies, its shape, kind and bounds."""
        return dict(_cached_layout(self.family, self._num_players))

    def decode_observation(self, vector: np.ndarray) -> dict[str, np.ndarray | int]:
        """The parts of an observation vector by name, each in its own shape; single values as int."""
        if np.shape(vector) != (self._size,):
            raise ValueError(f"an observation vector has shape ({self._size},), not {np.shape(vector)}")
        parts = _cached_layout(self.family, self._num_players).items()
        return {k: np.reshape(vector[p.slice], p.shape) if p.shape else int(vector[p.start]) for k, p in parts}

    # --- the whole state ---------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The whole state, hidden cards and chance included, as values that JSON can hold; :meth:`restore` reads it."""
        return {
            "variant": self.variant,
            "num_players": self._num_players,
            "rules": self.rules.to_dict(),
            "seed": self.game_seed,
            **self.family.snapshot.snapshot(self._games[0], self._rule_table[0]),
            "sequence": [self._sequence.item(), self._episodes.item()],
            "record": self.family.saved.state_to_text(self._games),
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Goes to the state of a snapshot of an environment with the same rules and players.

        Raises:
            ValueError: for anything else; the game goes on unchanged then.
        """
        if not isinstance(snapshot, Mapping) or not {"rules", "num_players", "sequence", "record"} <= set(snapshot):
            raise ValueError("this is no snapshot of an environment: it needs rules, num_players, sequence and record")
        if snapshot["num_players"] != self._num_players:
            raise ValueError(f"the snapshot has {shown(snapshot['num_players'])} players, the game {self._num_players}")
        own = json.loads(json.dumps(self.rules.to_dict()))
        if snapshot["rules"] != own:
            theirs = snapshot["rules"] if isinstance(snapshot["rules"], Mapping) else {}
            different = [name for name in {**own, **theirs} if theirs.get(name) != own.get(name)]
            raise ValueError(
                f"the snapshot is of other rules; they differ in: {one_line(', '.join(map(str, different)))}"
            )
        try:
            root, episodes = (operator.index(x) for x in snapshot["sequence"])
        except (TypeError, ValueError):
            root = episodes = -1
        if not (0 <= root < MAX_SEED and 0 <= episodes < MAX_SEED):
            raise ValueError("the snapshot's sequence must be a seed and a number of games")
        self._games = self.family.saved.state_from_text(snapshot["record"], self._rule_table)
        self.game_seed = self._games["seed"].item()
        self.deal, self.history = {}, None
        self._sequence[0], self._episodes[0] = root, episodes
        self.family.kernels.mask_one(self._games, self._rule_table, 0, self._mask)
        self._begin()

    def clone(self) -> RawEnv:
        """An independent environment in the same state. It shares only what never changes, and the spaces."""
        other = copy.copy(self)
        for name in ("_games", "_mask", "_sequence", "_episodes", "agents"):
            setattr(other, name, getattr(self, name).copy())
        other.history = None if self.history is None else self.history.copy()
        if self.game_seed is not None:
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                setattr(other, name, getattr(self, name).copy())
            other.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return other

    # --- inside ------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """All agents are in the game; those of a game that is over end with it."""
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        to_act = self._games["to_act"].item()
        if to_act == NOBODY:
            self._end()
        else:
            self.agent_selection = self.possible_agents[to_act]

    def _end(self) -> None:
        """The game is over for all agents, each with its payoff."""
        at_limit = bool(self.family.results.results(self._games)["length_limit"][0])
        for agent, payoff in zip(self.agents, self._games[0]["payoff"].tolist(), strict=False):
            self.rewards[agent] = payoff
            self._cumulative_rewards[agent] += payoff
            self.terminations[agent] = True
            self.infos[agent]["length_limit"] = at_limit
        self.agent_selection = self.agents[0]

    def _next_seed(self) -> int:
        """The next game's seed of the environment's own sequence."""
        seed = np.zeros(1, np.int64)
        self._episodes += 1
        self.family.kernels.next_seeds(_ROW, self._sequence.item(), self._episodes, seed)
        return seed.item()

    def _begin_sequence(self, seed: int) -> int:
        """A game with this seed; the games after it come from it."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < MAX_SEED:
            raise ValueError(f"seed={shown(seed)} must be a whole number from 0 to 2**62 - 1")
        self._sequence[0], self._episodes[0] = seed, 0
        return int(seed)

    def _seat(self, agent: str) -> int:
        seat = self._seats.get(agent)
        if seat is None:
            raise ValueError(f"there is no agent {agent!r}; the agents are: {', '.join(self.possible_agents)}")
        return seat

    def _refusal(self, agent: str, action: Any, index: int) -> str:
        known = 0 <= index < self._num_actions
        name = repr(self.action_names[index]) if known else f"{action!r}, none of the {self._num_actions} actions,"
        legal = ", ".join(f"{self.action_names[a]} ({a})" for a in np.flatnonzero(self._mask))
        return f"{agent} cannot choose {name} here; legal are: {legal}"


def wrapped(game: RawEnv) -> OrderEnforcingWrapper:
    """A game in the wrappers of PettingZoo's own environments: an illegal action ends it and costs its player 1."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(game, illegal_reward=-1)))


@lru_cache
def _cached_layout(family: Family, seats: int) -> dict[str, Any]:
    """Every part of an observation for so many seats."""
    parts: dict[str, Any] = family.observe.layout(seats)
    return parts


def _observation_space(high: np.ndarray, num_actions: int) -> spaces.Dict:
    """One agent's own space object."""
    mask = spaces.Box(0, 1, (num_actions,), np.int8)
    return spaces.Dict(observation=spaces.Box(np.zeros_like(high), high, dtype=OBSERVATION_DTYPE), action_mask=mask)


def _known_options(options: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """The options that force a deal. One that looks misspelt is an error, any other is left out with a warning."""
    for name in set(options) - set(known):
        if nearest(name, known):
            raise ValueError(f"reset knows no option {shown(name)}{did_you_mean(name, known)}")
        warnings.warn(f"reset ignores the option {shown(name)}; it knows {', '.join(known)}", stacklevel=3)
    return {name: options[name] for name in known if name in options}
