"""An environment's game by name and in words: agents, actions, the parts of observations, and moves."""

from __future__ import annotations

import numpy as np

from bluff_env.core.parts import Part
from bluff_env.core.single_game import SingleGame
from bluff_env.core.view import View
from bluff_env.core.words import clockwise, read_move
from bluff_env.utils.arguments import whole_number
from bluff_env.utils.errors import InputError, did_you_mean


class GameInWords:
    """A game whose seats are agents with names; the environments of :class:`bluff_env.envs.aec.RawEnv` are such games.

    Attributes:
        game: the game itself.
        view: what is shown of observations and actions.
        possible_agents: the names of the agents, by seat.
        game_seed: of the present game; None before the first.
    """

    game: SingleGame
    view: View
    possible_agents: list[str]
    game_seed: int | None
    _seats: dict[str, int]  # by name of the agent
    _read: list[int]  # how many public events there were before what followed from each seat's last decision
    _heard: list[list[str]]  # what has happened since, in deals of the match that are over

    # --- names -------------------------------------------------------------------------------------------------------

    @property
    def action_names(self) -> tuple[str, ...]:
        """The unique name of every action, by index; the same for all variants of a family unless trimmed."""
        return self.view.action_names

    def action_index(self, name: str) -> int:
        """Return the index of an action. Raise ValueError, with the nearest names, for an unknown name."""
        if name not in self.action_names:
            raise ValueError(f"no action is called {name!r}{did_you_mean(name, self.action_names)}")
        return self.action_names.index(name)

    def describe_action(self, agent: str, action: int) -> str:
        """Return what an action of this agent means at this moment, in a sentence with absolute seats.

        Raises:
            ValueError: for anything but the number of an action.
        """
        number = whole_number("action", action, 0, len(self.view.action_names) - 1)
        return self.game.describe_action(self.action_names[number], self._seat(agent), self.possible_agents)

    def _check_started(self, method: str) -> None:
        """Raise ValueError, which names the method, if there is no game yet."""
        if self.game_seed is None:
            raise ValueError(f"there is no game: call reset() before {method}()")

    # --- in words ----------------------------------------------------------------------------------------------------

    def observe_text(self, agent: str) -> str:
        """Return what an agent knows, in plain words.

        These are its own hand, the table, the claim, and what has happened since its last decision: as in
        :meth:`bluff_env.envs.aec.RawEnv.observe` never another's cards.
        """
        self._check_started("observe_text")
        seat = self._seat(agent)
        told = [*self._heard[seat], *self._told(self.game, self._read[seat])]
        happened = ["since your last decision:", *told] if told else []
        return "\n".join([self.game.seat_text(seat, self.possible_agents), *happened])

    def legal_actions_text(self, agent: str) -> str:
        """Return the legal actions of an agent, one in each line, with their meaning; empty if it is not its turn."""
        self._check_started("legal_actions_text")
        legal = np.flatnonzero(self._mask_of(self._seat(agent))).tolist()
        return "\n".join(f"{self.action_names[action]}: {self.describe_action(agent, action)}" for action in legal)

    def parse_action(self, agent: str, text: str) -> list[int]:
        """Return the actions that a text means, to be taken one after the other.

        The text is the name of an action or a whole move: ``"call"``, ``"7 7 as two sevens"``, ``"call player_2"``.
        ``"bullshit"``, ``"cheat"``, ``"bs"``, ``"doubt"`` and ``"challenge"`` are read as ``"call"``.
        Nothing happens in the game.

        Raises:
            InputError: for a text that cannot be read, and a move that is impossible here; one sentence says why.
        """
        self._check_started("parse_action")
        seat = self._seat(agent)
        legal = [self.action_names[action] for action in np.flatnonzero(self._mask_of(seat))]
        if not legal:
            raise InputError(f"{agent} has nothing to decide now")
        move = read_move(text, self.game.family, self.game.view(seat), legal, clockwise(self.possible_agents, seat))
        return [self.action_names.index(name) for name in self.game.actions_of(move)]

    @property
    def observation_layout(self) -> dict[str, Part]:
        """The parts of the observation vector by name: slice, shape, kind and bounds of each."""
        return dict(self.view.layout)

    def decode_observation(self, vector: np.ndarray) -> dict[str, np.ndarray | int]:
        """Return the parts of an observation by name, as integers, each in its own shape; single values as int."""
        return self.view.decode(vector)

    def _told(self, game: SingleGame, since: int) -> list[str]:
        """Return the public events of a deal after the first ``since``, a line for each."""
        describe = game.family.texts.describe_event
        return [f"  {describe(event, self.possible_agents)}" for event in game.events(since)]

    # --- inside ------------------------------------------------------------------------------------------------------

    def _mask(self) -> np.ndarray:
        """Return the legal actions of the agent to act, int8 (actions,); not to be changed."""
        return self.game.mask[self.view.actions] if self.view.trim else self.game.mask

    def _is_to_act(self, seat: int) -> bool:
        return seat == self.game.to_act

    def _mask_of(self, seat: int) -> np.ndarray:
        """Return a new array of the legal actions of a seat: none unless it is to act."""
        if self._is_to_act(seat):
            return self._mask().copy()
        return np.zeros(len(self.view.action_names), self.game.mask.dtype)

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent. Raise ValueError if there is no agent of this name."""
        seat = self._seats.get(agent) if isinstance(agent, str) else None
        if seat is None:
            raise ValueError(f"there is no agent {agent!r}; the agents are: {', '.join(self.possible_agents)}")
        return seat
