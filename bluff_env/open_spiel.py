"""The games of this package in OpenSpiel: its algorithms run on them, and our policies play there.

import pyspiel
import bluff_env.open_spiel

bluff_env.open_spiel.register()
game = pyspiel.load_game("bluff_env_cheat(variant=mini-pairs,players=2)")
game = bluff_env.open_spiel.load_game("mini-pairs", num_players=2, length_limit=4)  # with house rules

Chance is explicit. An information state is all that a player saw and did at their own decisions, and what they see now
(perfect recall); an observation is what they see now. OpenSpiel's own C++ search bots crash on any game in Python.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.policy import Policy as OpenSpielPolicy

from bluff_env.arguments import whole_number
from bluff_env.errors import InputError
from bluff_env.exact.probabilities import probabilities_of
from bluff_env.family import FAMILIES, Family, family_of, find_variant
from bluff_env.policies.load import load_policy
from bluff_env.policies.policy import PolicySpec
from bluff_env.position import Position
from bluff_env.view import View

PREFIX = "bluff_env_"
MAX_CHANCE_OUTCOMES = 128
MAX_GAME_LENGTH = 100_000  # more decisions than any game has


def register() -> None:
    """Registers a game for each family with OpenSpiel: ``bluff_env_cheat`` and ``bluff_env_bluff_the_bullet``.

    Both have the parameters ``variant`` and ``players``. Registering twice does no harm.
    """
    # Classes: OpenSpiel gives up what is registered when Python is gone already, which an instance does not survive.
    for name, game in GAMES.items():
        if short_name(name) not in pyspiel.registered_names():
            family = FAMILIES[name]
            preset = find_variant(family.default)
            parameters = {"variant": preset.name, "players": preset.players[1]}
            pyspiel.register_game(_type(family, 2, family.rules.MAX_PLAYERS, parameters), game)


def short_name(family: str) -> str:
    """The name of a family's game in OpenSpiel."""
    return PREFIX + family.replace("-", "_")


def load_game(variant: Any, num_players: int | None = None, **house_rules: Any) -> BluffGame:
    """A game of OpenSpiel with any rules.

    Args:
        variant: a preset of any family, or rules.
        num_players: by default the preset's usual number.
        **house_rules: changes of the variant's rules.

    Raises:
        RulesError: for impossible rules or numbers of players.
    """
    family = family_of(variant)
    players = family.usual_players(variant) if num_players is None else num_players
    return GAMES[family.name](root=Position(family.variants.make_rules(variant, **house_rules), players))


def _type(family: Family, low: int, most: int, parameters: dict[str, Any]) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=short_name(family.name), long_name=family.title, dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC, information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM, reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most, min_num_players=low,
        provides_information_state_string=True, provides_information_state_tensor=False,
        provides_observation_string=True, provides_observation_tensor=True, parameter_specification=parameters,
    )  # fmt: skip


class BluffGame(pyspiel.Game):
    """A game of this package in OpenSpiel. Its actions are the family's, by index.

    Args:
        params: ``variant`` and ``players``, as OpenSpiel hands them over.
        root: the position before the first draw of chance; it follows from ``params`` by default.

    Attributes:
        root: as given.
        rules: resolved.
        view: what observation tensors show: floats, trimmed to what the rules can use.
    """

    family_name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None, root: Position | None = None) -> None:
        family, values = FAMILIES[self.family_name], dict(params or {})
        if root is None:
            variant = values.get("variant", family.default)
            root = Position(family.variants.make_rules(variant), values.get("players", family.usual_players(variant)))
        self.root, self.rules, players = root, root.rules, root.num_players
        self.view = View(self.rules, players, "float", trim=True)
        info = pyspiel.GameInfo(
            num_distinct_actions=family.game.NUM_ACTIONS, max_chance_outcomes=MAX_CHANCE_OUTCOMES,
            num_players=players, min_utility=-100.0, max_utility=100.0, utility_sum=0.0,
            max_game_length=MAX_GAME_LENGTH,
        )  # fmt: skip
        super().__init__(_type(family, players, players, {}), info, values)

    def new_initial_state(self) -> BluffState:
        """The state before the first draw of chance."""
        return BluffState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """An observer: with perfect recall it has strings alone, without it tensors as well."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return _Observer(self, recall)


class CheatGame(BluffGame):
    """A game of Cheat."""

    family_name = "cheat"


class BluffTheBulletGame(BluffGame):
    """A game of Bluff the Bullet."""

    family_name = "bluff-the-bullet"


GAMES: dict[str, type[BluffGame]] = {game.family_name: game for game in (CheatGame, BluffTheBulletGame)}


class BluffState(pyspiel.State):
    """A node of the game.

    Attributes:
        position: the same node in this package.
        recall: of each player, what they saw and did at each of their decisions.
    """

    def __init__(self, game: BluffGame) -> None:
        super().__init__(game)
        self.position: Position = game.root.clone()
        self.recall: tuple[tuple[str, ...], ...] = ((),) * game.root.num_players

    def current_player(self) -> int:
        """The player who decides, or OpenSpiel's number for chance or the end."""
        return self.position.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self.position.game.mask).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node, counted from 0, with their probabilities."""
        return [(k, share) for k, (_, share) in enumerate(self.position.chance_outcomes())]

    def _apply_action(self, action: int) -> None:
        player = self.position.current_player()
        if player >= 0:
            own = (*self.recall[player], _digest(self.position, player), str(action))
            self.recall = (*self.recall[:player], own, *self.recall[player + 1 :])
            name = self.position.game.family.game.ACTION_NAMES[action]
        else:
            name = self.position.legal_actions()[action]
        self.position.apply_action(name)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.position.legal_actions()[action] if self.position.is_chance_node() else f"outcome {action}"
        return str(self.position.game.family.game.ACTION_NAMES[action])

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_terminal()

    def returns(self) -> list[float]:
        """The payoff of each player; zeros before the end."""
        return self.position.returns()

    def __str__(self) -> str:
        return self.history_str()


def _digest(position: Position, player: int) -> str:
    return hashlib.blake2b(position.observe(player).tobytes(), digest_size=12).hexdigest()


class _Observer:
    """What OpenSpiel asks for what a player knows."""

    def __init__(self, game: BluffGame, perfect_recall: bool) -> None:
        self._view, self._recall = game.view, perfect_recall
        self.tensor = None if perfect_recall else np.zeros(game.view.size, np.float32)
        self.dict: dict[str, Any] = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: BluffState, player: int) -> None:
        """Writes what the player sees into the tensor."""
        if self.tensor is not None:
            self.tensor[:] = self._view.observation(state.position.observe(player))

    def string_from(self, state: BluffState, player: int) -> str:
        """What the player sees as a text that is the same for the same knowledge."""
        now = _digest(state.position, player)
        return " ".join([str(player), *state.recall[player], now]) if self._recall else f"{player} {now}"


class PolicyInOpenSpiel(OpenSpielPolicy):
    """A policy of this package at every seat of a game of OpenSpiel.

    Args:
        game: as :func:`load_game` or ``pyspiel.load_game`` made it.
        policy: what :func:`bluff_env.load_policy` reads. It must have no memory.
        draws: how often a policy that tells no probabilities is asked for an action, to estimate them.

    Raises:
        ValueError: for a policy that cannot play these rules.
    """

    def __init__(self, game: BluffGame, policy: PolicySpec, draws: int = 256) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.policy = load_policy(policy, rules=game.rules, num_players=game.num_players())
        self._draws = whole_number("draws", draws, 1)

    def action_probabilities(self, state: BluffState, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action, by index.

        Raises:
            InputError: at a node at which the player does not decide.
        """
        player = state.current_player() if player_id is None else player_id
        if player != state.current_player() or player < 0:
            raise InputError(f"player {player} does not decide here")
        mask = state.position.game.mask
        shares = probabilities_of(self.policy, state.position.observe(player)[None], mask[None], self._draws)
        return dict(zip(np.flatnonzero(mask).tolist(), (shares / shares.sum()).tolist(), strict=True))
