"""The PettingZoo (AEC) environment of every family: one game in which every seat is an agent."""

from __future__ import annotations

import copy
import secrets
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv

from bluff_env.core.family import Family
from bluff_env.core.fields import CRITIC_DTYPE
from bluff_env.core.keywords import check_keywords
from bluff_env.core.match_game import MatchGame, number_of_deals, rules_for_deals
from bluff_env.core.parts import NOBODY, match_bounds
from bluff_env.core.registry import title_of, variant_of
from bluff_env.core.single_game import SingleGame
from bluff_env.core.view import MASKS, View
from bluff_env.drawing import table_svg
from bluff_env.drawing.pixels import PICTURES, RENDER_MODES, check_render_mode, frame
from bluff_env.envs.padding import PaddedGame
from bluff_env.envs.saving import SavedEnv
from bluff_env.envs.spaces import observation_space
from bluff_env.utils.arguments import action_number, one_of, seed_number, truth_value
from bluff_env.utils.errors import did_you_mean, nearest, quoted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

_ROW = np.ones(1, np.bool_)


class RawEnv(SavedEnv, AECEnv[str, Any, int]):
    """One game without PettingZoo's wrappers; :func:`wrapped` adds them. Every family has a subclass.

    Agents are ``player_0`` to ``player_{n-1}`` in the order of seats. All have equal spaces: the observation is
    ``{"observation": int16 (observation,), "action_mask": int8 (actions,)}``, the action an index into
    ``action_names``. The mask is zero for every agent except the one to act. All agents end together, with the game.
    The policies that :func:`bluff_env.load_policy` returns read raw, whole observations, the default.

    Attributes:
        rules: the resolved rules.
        variant: the name of the preset, or ``"custom"``.
        title: rules and number of players in words.
        deals: the number of deals of a match, 1 for single deals.
        game: the game itself, with its arrays.
        game_seed: the seed of the present game, None before the first.
        deal: what was forced in the present game, as the options of ``reset``.
        history: the decisions of the present game as pairs of seat and index in the family's list of actions; None
            after :meth:`restore`. From these three :func:`bluff_env.record.of` makes a record of the game.
        view: what is shown of observations and actions.

    Args:
        variant: a preset of the family (``"pagat"``, ``"cheat/pagat"``) or rules; by default its plainest preset.
        num_players: number of players, by default the variant's usual number.
        render_mode: ``"human"`` prints after every step, ``"ansi"`` makes :meth:`render` return text, ``"rgb_array"``
            a picture (it takes ``bluff-env[render]``), None nothing.
        pad_turns: whether every turn takes an agent as many steps as the longest possible one. Otherwise an agent that
            counts the steps of another's turn knows how many cards were placed, which the announced number may hide,
            and whether there was a sleight of hand. An agent that is done is asked again, with only its last decision
            legal, until the number is reached; then the decision is made. It is part of snapshots and copies.
        encoding: ``"raw"`` or ``"float"``, as :class:`bluff_env.core.view.View` says: integers, or scaled for networks.
        trim: whether parts of the observation and actions that these rules cannot use are left out.
        mask: where the action mask is: ``"dict"``, in the observation, or ``"info"``. Then the observation is a plain
            vector, and the mask is in ``infos[agent]["action_mask"]``.
        deals: 1, or the number of deals of a match, 2 to 1000. Deals with the same players in the same seats follow one
            another, and the dealer moves on. Rewards are paid as each deal ends; all agents terminate after the last
            one. Observations have the parts ``match.*`` besides; seed and forced deal are those of the first deal,
            from which the seeds of the later ones follow. It cannot be had with ``pad_turns``. None: what the rules
            say, one deal or a match with revolvers.
        events: whether observations have the log of events, as :class:`bluff_env.core.view.View` says.
        **house_rules: changes of the variant's rules.

    Raises:
        RulesError: for an unknown variant or rule, a contradiction, or an impossible number of players.
        ValueError: for any other argument that is impossible.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "is_parallelizable": False}
    family: ClassVar[Family]
    agent_selection: str

    def __init__(
        self,
        variant: Any = None,
        num_players: int | None = None,
        render_mode: str | None = None,
        pad_turns: bool = False,
        encoding: str = "raw",
        trim: bool = False,
        mask: str = "dict",
        deals: int | None = None,
        events: bool = True,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        check_keywords(house_rules, self.family.rules.field_names())
        super().__init__()
        check_render_mode(render_mode)
        one_of("mask", mask, MASKS)
        self.deals = number_of_deals(deals)
        if truth_value("pad_turns", pad_turns) and self.deals > 1:
            raise ValueError("pad_turns is for single deals: leave it out, or play deals=1")
        family = self.family
        variant = variant_of(family, variant)
        players = family.usual_players(variant) if num_players is None else num_players
        self.variant = family.variants.find_variant(variant).name if isinstance(variant, str) else "custom"
        self.rules = rules_for_deals(family.variants.make_rules(variant, **house_rules).resolve(players), deals)
        n = int(players)
        self.title = title_of(variant, n, house_rules)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(n)]
        self.agents: list[str] = []
        self.game_seed: int | None = None
        self.deal: dict[str, Any] = {}
        self.history: list[tuple[int, int]] | None = []
        if self.deals > 1:
            self.game: SingleGame = MatchGame(family, self.rules, n, self.deals)
        else:
            self.game = (PaddedGame if pad_turns else SingleGame)(family, self.rules, n)
        self.view = View(self.rules, n, encoding, trim, self.deals > 1, events=events)
        self._mask_in_info, self._plain = mask == "info", self.view.is_plain
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._read = [0] * n
        self._heard: list[list[str]] = [[] for _ in range(n)]
        # Games without a seed of their own get one derived from this seed and the number of such games so far.
        self._sequence = secrets.randbits(62), 0
        self.observation_spaces = {agent: observation_space(self.view, mask) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(len(self.view.action_names)) for agent in self.possible_agents}
        high = family.states.critic_high(n)
        if self.deals > 1:
            high = np.concatenate([high, match_bounds(n).astype(CRITIC_DTYPE)])
        self.state_space = spaces.Box(0, high, dtype=CRITIC_DTYPE)

    def __repr__(self) -> str:
        if self.game_seed is None:
            now = "not started"
        else:
            now = f"{'over' if self.is_over else f'{self.agent_selection} to act'}, seed={self.game_seed}"
            if isinstance(self.game, MatchGame):
                now = f"deal {self.game.deal} of {self.deals}, {now}"
        return f"<{self.metadata['name']}: {self.title}; {now}>"

    def _repr_svg_(self) -> str | None:
        """Return the table for notebooks, hidden cards included; None before the first game."""
        return None if self.game_seed is None else table_svg(self.rules, self.snapshot())

    # --- PettingZoo --------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of this agent's observations: always the same object for the same agent."""
        self._seat(agent)  # refuses an agent that is not there
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of this agent's actions: always the same object for the same agent."""
        self._seat(agent)  # refuses an agent that is not there
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game. If it is over before anybody decides, all agents are terminated at once.

        Args:
            seed: 0 to 2**62 - 1. The same seed and actions give the same game in every view. Without a seed, the game
                follows from the last seed given and the number of games since, or is random if none was given.
                Copies of an environment (in forked processes, by pickle, by :meth:`clone`) have the same games
                ahead: give each a seed of its own.
            options: a forced deal; chance decides what is not given. In Cheat ``hands`` (a list of card names for each
                player), ``starter`` and ``dealer`` (seats); in Bluff the Bullet ``deck`` (card names, top first) and
                ``dealer``. Cards left out are out of the game.

        Raises:
            ValueError: for an impossible seed or deal; the present game is unchanged.
        """
        deal = _known_options({} if options is None else options, self.family.deal_options)
        dealt = self.game.dealt(deal)
        self.game_seed = self._next_seed(seed)
        self.deal, self.history = copy.deepcopy(deal), []
        self.game.start(dealt, self.game_seed)
        self._begin()

    def step(self, action: int | None) -> None:
        """Take one action of the agent to act (``agent_selection``), None for an agent that has terminated.

        Raises:
            ValueError: for an illegal action; it names the legal ones, and the game is unchanged.
        """
        if not self.agents:
            raise ValueError("there is no game: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        index = action_number(action)
        if not 0 <= index < len(self.view.action_names) or not self._mask()[index]:
            raise ValueError(self._refusal(agent, action, index))
        if self.view.trim:
            index = int(self.view.actions[index])
        self._cumulative_rewards[agent] = 0.0
        read, own = self.game.states["num_events"].item(), self.game.is_own_play
        self.game.step(index)
        made = self.game.waiting is None
        if made:
            self._note(self._seats[agent], index, read, own)
        self._tell_masks()
        if made and self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the agent to act.

        Raises:
            ValueError: before :meth:`reset`.
        """
        self._check_started("last")
        return super().last(observe)

    def observe(self, agent: str) -> Any:
        """Return what an agent knows, from its own point of view, at any time: also in others' turns and at the end.

        Returns:
            ``{"observation": (observation,), "action_mask": int8 (actions,)}``; with ``mask="info"`` the vector alone.
        """
        self._check_started("observe")
        seat = self._seat(agent)
        observation = self.game.observe(seat)
        if not self._plain:
            observation = self.view.observation(observation)
        return observation if self._mask_in_info else {"observation": observation, "action_mask": self._mask_of(seat)}

    def render(self) -> Any:
        """Draw the whole table, hidden cards included: for spectators.

        Returns:
            A text in mode ``"ansi"``, uint8 (height, width, 3) in mode ``"rgb_array"``; None in mode ``"human"``, which
            prints the text.

        Raises:
            ValueError: in mode ``"rgb_array"`` without the libraries that it takes.
        """
        if self.render_mode is None:
            warnings.warn("render() draws nothing: the environment was made without a render_mode", stacklevel=2)
            return None
        self._check_started("render")
        if self.render_mode == PICTURES:
            return frame(table_svg(self.rules, self.snapshot(), self.possible_agents))
        text = self.family.texts.render_game(self.snapshot(), self.possible_agents)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def state(self) -> np.ndarray:
        """Return the whole state, hidden cards included, as int16: for centralised critics, not for observations.

        ``family.states.critic_layout(num_players)`` names its parts. In a match the parts ``match.*`` follow, as seat 0
        sees them.
        """
        self._check_started("state")
        vector = self.family.states.critic_vector(self.game.state, self.game.num_players)
        if isinstance(self.game, MatchGame):
            vector = np.concatenate([vector, self.game.shown(0)])
        return vector

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended by its rules."""
        return self.game_seed is not None and self.game.to_act == NOBODY

    # --- inside ------------------------------------------------------------------------------------------------------

    def _is_to_act(self, seat: int) -> bool:
        """Return whether a seat decides now: not once a wrapper has ended the game, as after an illegal action."""
        return super()._is_to_act(seat) and not self.terminations.get(self.possible_agents[seat], True)

    def _begin(self) -> None:
        """List all agents, and terminate them at once if the game is over already."""
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"length_limit": False} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._read = [0] * self.game.num_players
        self._heard = [[] for _ in self.agents]
        if isinstance(self.game, MatchGame):
            self._end_deals(self.game)
        self._select()
        self._tell_masks()

    def _note(self, seat: int, action: int, read: int, own: bool) -> None:
        """Note an action that this seat has made, and go on to the next agent.

        What follows from the action is news to the seat, as the result of its call; its own play alone is not.

        Args:
            seat: of the agent.
            action: that it took.
            read: the number of public events before it.
            own: whether the action was part of the seat's own play.
        """
        if self.history is not None:
            self.history.append((seat, action))
        ended = self.game.ended if isinstance(self.game, MatchGame) else []
        self._read[seat] = read + (own and _begins_with_own_play([*ended, self.game][0], seat, read))
        if isinstance(self.game, MatchGame):
            self._heard[seat] = []
            self._end_deals(self.game)
        self._select()

    def _select(self) -> None:
        """Select the agent to act, or end the game if it is over."""
        to_act = self.game.to_act
        if to_act == NOBODY:
            self._end()
        else:
            self.agent_selection = self.possible_agents[to_act]

    def _end(self) -> None:
        """Terminate all agents, each with its payoff; those of a match have been paid."""
        if self.deals == 1:
            self._pay(self.game.payoffs, bool(self.game.results()["length_limit"]))
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def _pay(self, payoffs: list[float], at_limit: bool) -> None:
        """Pay every agent; ``at_limit`` says whether time was up."""
        for agent, payoff in zip(self.agents, payoffs, strict=True):
            self.rewards[agent] = payoff
            self._cumulative_rewards[agent] += payoff
            self._tell(agent, "length_limit", at_limit)

    def _end_deals(self, game: MatchGame) -> None:
        """Pay what the last step of a match paid, and keep in words what each seat has not heard of the deals it ended.

        The events of the match's last deal are still there.
        """
        self._pay(game.rewards, any(deal.results()["length_limit"] for deal in game.ended))
        for deal in game.ended[:-1] if game.is_over else game.ended:
            for heard, read in zip(self._heard, self._read, strict=True):
                heard += self._told(deal, read)
            self._read = [0] * game.num_players

    def _tell_masks(self) -> None:
        """Put every agent's mask into its info, where it does not stand in the observation."""
        for agent in self.agents if self._mask_in_info else ():
            self._tell(agent, "action_mask", self._mask_of(self._seats[agent]))

    def _tell(self, agent: str, key: str, value: Any) -> None:
        """Put something into a new info of an agent. The one before stays as it was, since a buffer may keep it."""
        self.infos[agent] = {**self.infos[agent], key: value}

    def _next_seed(self, seed: int | None) -> int:
        """Return the seed of the next game: the one that is given, or the next of the sequence of the last one given.

        Raises:
            ValueError: for an impossible seed.
        """
        if seed is not None:
            self._sequence = seed_number("seed", seed), 0
            return self._sequence[0]
        root, games = self._sequence
        self._sequence = root, games + 1
        following = np.zeros(1, np.int64)
        self.family.driver.next_seeds(_ROW, root, np.array([games + 1]), following)
        return following.item()

    def _refusal(self, agent: str, action: Any, index: int) -> str:
        known = 0 <= index < len(self.view.action_names)
        name = (
            repr(self.action_names[index])
            if known
            else f"{action!r}, not one of the {len(self.view.action_names)} actions,"
        )
        legal = ", ".join(f"{self.action_names[a]} ({a})" for a in np.flatnonzero(self._mask()))
        return f"{agent} cannot choose {name} here; legal are: {legal}"


def _begins_with_own_play(deal: SingleGame, seat: int, read: int) -> bool:
    """Return whether the first event of a deal after ``read`` is a play of this seat that names nobody else."""
    if deal.states["num_events"].item() == read:
        return False
    first = deal.events(read)[0]
    return bool(first["player"] == seat and first.get("other") is None)


def environment_of(family: Family) -> type[RawEnv]:
    """Return the PettingZoo environment of a family, without wrappers."""
    environment: type[RawEnv] = import_module(family.environment).raw_env
    return environment


def _known_options(options: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the options that force a deal. Raise ValueError for one that looks misspelt; warn of others."""
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a table such as {{'dealer': 0}}, not {quoted(options)}")
    for name in set(options) - {*known, "options"}:  # PettingZoo's api_test passes that one
        if nearest(name, known):
            raise ValueError(f"reset has no option {quoted(name)}{did_you_mean(name, known)}")
        warnings.warn(f"reset ignores the option {quoted(name)}; it knows {', '.join(known)}", stacklevel=3)
    return {name: options[name] for name in known if name in options}
