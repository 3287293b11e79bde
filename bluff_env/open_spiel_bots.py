"""Bots of OpenSpiel at the tables of this package.

game = bluff_env.open_spiel.load_game("mini-pairs", num_players=3)
policy = bluff_env.open_spiel_bots.BotPolicy(game, bot)  # for evaluate, tournaments, environments
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from bluff_env.arguments import whole_number
from bluff_env.errors import InputError
from bluff_env.open_spiel import BluffGame, decision_of
from bluff_env.policies.policy import MemoryPolicy


class SeatState(pyspiel.State):
    """What a bot is shown of a game: what its seat knows, what may be done now, and nothing else.

    It has the legal actions, and information states and observations as texts and tensors. It has no history, no
    payoffs and no children, so a bot that searches the game cannot play.

    Args:
        game: what is played.
        player: whose seat it is.
        observation: of that player, int16.
        mask: of the legal actions.
        memory: what the player remembers of their earlier decisions, as texts and as rows.
    """

    def __init__(
        self,
        game: BluffGame,
        player: int,
        observation: np.ndarray,
        mask: np.ndarray,
        memory: tuple[tuple[str, ...], tuple[np.ndarray, ...]] = ((), ()),
    ) -> None:
        super().__init__(game)
        self._player, self._observation, self._mask = player, observation, mask
        self.position = self  # observers ask it for what the player sees
        self.recall, self.remembered = {player: memory[0]}, {player: memory[1]}

    def observe(self, player: int) -> np.ndarray:
        """What the player of this seat sees. Raises InputError for another player."""
        if player != self._player:
            raise InputError(f"player {self._player} does not know what player {player} sees")
        return self._observation

    def current_player(self) -> int:
        """The player of this seat."""
        return self._player

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self._mask).tolist() if player == self._player else []

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.get_game().root.game.family.game.ACTION_NAMES[action])

    def _apply_action(self, action: int) -> None:
        raise InputError("a bot cannot play on here: it would have to know the hidden cards")

    def is_terminal(self) -> bool:
        """False: the player has to decide."""
        return False

    def returns(self) -> list[float]:
        """Zeros: the game is not over."""
        return [0.0] * self.get_game().num_players()

    def __str__(self) -> str:
        return self.information_state_string(self._player)


class BotPolicy(MemoryPolicy):
    """A bot of OpenSpiel as a policy of this package: at every table, and in evaluations and tournaments.

    Args:
        game: as :func:`load_game` or ``pyspiel.load_game`` made it; the policy plays its rules alone.
        bot: anything with ``step(state)``, a ``pyspiel.Bot`` or one in Python. It sees :class:`SeatState`.
        player: the number that the bot has in OpenSpiel; in every seat it is told that it has this one.
        name: for tables and logs.
    """

    variant: str | None = None

    def __init__(self, game: BluffGame, bot: Any, player: int = 0, name: str | None = None) -> None:
        self.game, self.bot, self.player = game, bot, whole_number("player", player, 0, game.num_players() - 1)
        self.name = type(bot).__name__ if name is None else name

    @property
    def rules(self) -> Any:
        """Those of the game."""
        return self.game.rules

    @property
    def num_players(self) -> int | None:
        """That of the game."""
        return int(self.game.num_players())

    def blank(self, rows: int) -> np.ndarray:
        """No decisions, object (rows,)."""
        return np.full(rows, None, np.object_)

    def decide(
        self, observation: np.ndarray, mask: np.ndarray, memory: Any, deterministic: bool, rng: np.random.Generator
    ) -> tuple[int, Any]:
        """What the bot chooses, with its own chance; it is told its earlier decisions of the game.

        Raises:
            ValueError: if that is no legal action.
        """
        past = memory or ((), ())
        action = int(self.bot.step(SeatState(self.game, self.player, observation, mask, past)))
        if not 0 <= action < len(mask) or not mask[action]:
            raise ValueError(f"{self.name} chose {action}, which is no legal action here")
        texts, numbers = decision_of(self.game, observation, action)
        return action, (past[0] + texts, past[1] + numbers)
