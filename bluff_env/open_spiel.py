"""The games of this package in OpenSpiel: its algorithms run on them, and our policies play there.

import pyspiel
import bluff_env.open_spiel  # registers them

game = bluff_env.open_spiel.load_game("mini-pairs", num_players=2, length_limit=4)  # any preset, with house rules
game = pyspiel.load_game("bluff_env_cheat(variant=mini-pairs,players=2,rules=length_limit: 4; jokers: 1)")

Chance is explicit. An information state is all that a player saw and did at their own decisions, and what they see now
(perfect recall); an observation is what they see now. Strings are words, tensors floats, and structures have the parts
of an observation by name. OpenSpiel's own C++ search bots crash on any game in Python.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.policy import Policy as OpenSpielPolicy

from bluff_env.core.family import Family
from bluff_env.core.registry import FAMILIES, family_classes, family_of, find_variant
from bluff_env.core.view import View
from bluff_env.core.words import seat_text, view_of
from bluff_env.envs.position import Position
from bluff_env.evaluation.games import choose_game
from bluff_env.evaluation.house_rules import named_values
from bluff_env.exact.gambit import extensive_form
from bluff_env.exact.probabilities import probabilities_of
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.policies.load import load_policy
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.policy import MemoryPolicy, PolicySpec, check_action
from bluff_env.policies.recurrent import RecurrentPolicy
from bluff_env.policies.symmetric import SymmetricPolicy
from bluff_env.utils.arguments import whole_number
from bluff_env.utils.errors import InputError, RulesError, quoted
from bluff_env.utils.files import parse_yaml

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules
    from bluff_env.exact.tree import Tree

PREFIX = "bluff_env_"
MAX_CHANCE_OUTCOMES = 128
MAX_GAME_LENGTH = 100_000  # more decisions than any game has
NO_MEMORY = (
    "a tensor of an information state needs room for all decisions of a player: load the game with memory=N, at least "
    "the most decisions that a player makes in a game; a tensor of an observation needs none"
)


def register() -> None:
    """Register a game for each family with OpenSpiel: ``bluff_env_cheat`` and ``bluff_env_bluff_the_bullet``.

    Importing this module does so, and doing it again does no harm. The games have the parameters ``variant`` (a
    preset), ``players`` (0: the preset's usual number), ``rules`` (house rules: see :func:`rules_text`) and
    ``memory``, as :func:`load_game` has it.
    """
    # Classes: OpenSpiel gives up what is registered when Python is gone already, which an instance does not survive.
    for name, game in GAMES.items():
        if short_name(name) not in pyspiel.registered_names():
            family = FAMILIES[name]
            pyspiel.register_game(_type(family, 2, family.most_players), game)


def short_name(family: str) -> str:
    """Return the name of a family's game in OpenSpiel."""
    return PREFIX + family.replace("-", "_")


def load_game(
    variant: Any, num_players: int | None = None, memory: int = 0, **house_rules: Unpack[HouseRules]
) -> BluffGame:
    """Return a game of OpenSpiel with any rules.

    Args:
        variant: a preset of any family, or rules.
        num_players: by default the preset's usual number.
        memory: how many own decisions a tensor of an information state has room for, at least as many as a player ever
            makes in a game; 0 for no such tensors. Their size grows with it.
        **house_rules: changes of the variant's rules.

    Raises:
        RulesError: for impossible rules or numbers of players.
        InputError: for ``deals``: a game of OpenSpiel is a single deal.
    """
    if "deals" in house_rules:
        raise InputError(
            "a game of OpenSpiel is a single deal: leave out deals, or play matches with cheat_v0.env or Engine"
        )
    settings = choose_game(variant, num_players, house_rules, []).settings()
    return GAMES[family_of(variant).name](
        {
            "variant": settings["variant"],
            "players": settings["num_players"],
            "rules": rules_text(settings["rules"]),
            "memory": memory,
        }
    )


def rules_text(house_rules: Mapping[str, Any]) -> str:
    """Return house rules as a parameter of OpenSpiel, which may have no comma: ``length_limit: 4; steps: [-1; 1]``.

    It is YAML with semicolons instead of commas, so no braces are needed around it.
    """
    import yaml

    text = yaml.safe_dump(dict(house_rules), default_flow_style=True, sort_keys=False, width=math.inf)
    return text.strip().strip("{}").replace(",", ";")


def _read_rules(text: str) -> dict[str, Any]:
    """Return the house rules of such a text. Raise RulesError for any other text."""
    try:
        rules = parse_yaml("{" + text.replace(";", ",") + "}")
    except ValueError:
        rules = None
    if not isinstance(rules, dict) or not all(isinstance(name, str) for name in rules):
        raise RulesError(f"rules={quoted(text)} must read as in rules=jokers: 2; steps: [-1; 1]")
    return named_values(rules)


def _type(family: Family, low: int, most: int, memory: int = 0) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=short_name(family.name), long_name=family.title, dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC, information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM, reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most, min_num_players=low,
        provides_information_state_string=True, provides_information_state_tensor=memory > 0,
        provides_observation_string=True, provides_observation_tensor=True,
        parameter_specification={"variant": find_variant(family.default).name, "players": 0, "rules": "", "memory": 0},
    )  # fmt: skip


class BluffGame(pyspiel.Game):
    """A game of this package in OpenSpiel. Its actions are the family's, by index.

    Its parameters say all of its rules, so its text, pickles and copies make the same game.

    Args:
        params: as OpenSpiel hands them over: see :func:`register`.

    Attributes:
        root: the position before the first draw of chance.
        rules: resolved.
        view: what observation tensors show: floats, trimmed to what the rules can use.
        memory: how many own decisions the tensor of an information state has room for.

    Raises:
        RulesError: for impossible rules or numbers of players.
    """

    family_name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        family, given = FAMILIES[self.family_name], dict(params or {})
        variant, text = given.get("variant") or family.default, given.get("rules", "")
        rules = family.variants.make_rules(variant, **_read_rules(text))
        players = given.get("players") or family.usual_players(variant)
        self.root = Position(rules, players)
        self.rules = self.root.rules
        self.memory = whole_number("memory", given.get("memory", 0), 0, MAX_GAME_LENGTH)
        self.view = View(self.rules, players, "float", trim=True)
        utility = self.rules.payoff_bound
        info = pyspiel.GameInfo(
            num_distinct_actions=family.game.num_actions, max_chance_outcomes=MAX_CHANCE_OUTCOMES,
            num_players=players, min_utility=-utility, max_utility=utility, utility_sum=0.0,
            max_game_length=MAX_GAME_LENGTH,
        )  # fmt: skip
        complete = {"variant": find_variant(variant).name, "players": players, "rules": text, "memory": self.memory}
        super().__init__(_type(family, players, players, self.memory), info, complete)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make the same game: for pickle and for copies."""
        return type(self), (self.get_parameters(),)

    def information_state_tensor_size(self) -> int:
        """Return the numbers of a tensor of an information state. Raise InputError if the game has none."""
        self.check_memory()
        return int(super().information_state_tensor_size())

    def information_state_tensor_shape(self) -> list[int]:
        """Return the shape of a tensor of an information state. Raise InputError if the game has none."""
        self.check_memory()
        return list(super().information_state_tensor_shape())

    def check_memory(self) -> None:
        """Raise InputError if there is no room for the decisions of an information state."""
        if not self.memory:
            raise InputError(NO_MEMORY)

    def new_initial_state(self) -> BluffState:
        """The state before the first draw of chance."""
        return BluffState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """An observer: with perfect recall it has a tensor only if the game has room for memory."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return _Observer(self, recall)


# ``CheatGame`` and so on, by family; among the names of this module, so that pickle finds them.
GAMES = family_classes(BluffGame, "Game", __name__)
globals().update({_class.__name__: _class for _class in GAMES.values()})
register()  # now, so that games and states are read from pickles in any process


class BluffState(pyspiel.State):
    """A node of the game.

    Attributes:
        position: the same node in this package.
        recall: of each player, what they saw and did at each of their decisions, as texts.
        remembered: the same as numbers, a row for each decision, where the game has room for memory.
    """

    def __init__(self, game: BluffGame) -> None:
        super().__init__(game)
        self.position: Position = game.root.clone()
        self.recall: tuple[tuple[str, ...], ...] = ((),) * game.root.num_players
        self.remembered: tuple[tuple[np.ndarray, ...], ...] = ((),) * game.root.num_players

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
            check_action(f"player {player}", action, self.position.game.mask)
            texts, rows = decision_of(self.get_game(), self.position.observe(player), action)
            self.recall = _longer(self.recall, player, texts)
            self.remembered = _longer(self.remembered, player, rows)
            name = self.position.game.family.game.action_names[action]
        else:
            names = self.position.legal_actions()
            name = names[check_action("chance", action, np.ones(len(names)))]
        self.position.apply_action(name)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            names = self.position.legal_actions() if self.position.is_chance_node() else []
            return names[action] if 0 <= action < len(names) else f"outcome {action}"
        return action_name(self.get_game(), action)

    def information_state_tensor(self, *player: int) -> list[float]:
        """Return what a player saw and did, as numbers. Raise InputError if the game has no room for it."""
        self.get_game().check_memory()
        return list(super().information_state_tensor(*player))

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> BluffState:
        """Return a state with the same information state of a player, and all that they do not know drawn anew.

        See :meth:`Position.resample <bluff_env.Position.resample>`. It has no history, and the others remember nothing
        of their earlier decisions: both would tell their cards.

        Args:
            player_id: who may not peek.
            probability_sampler: returns a number from 0 up to 1; asked once.
        """
        other = BluffState(self.get_game())
        other.position = self.position.resample(player_id, int(probability_sampler() * 2**53))
        other.recall = _longer(other.recall, player_id, self.recall[player_id])
        other.remembered = _longer(other.remembered, player_id, self.remembered[player_id])
        return other

    def to_struct(self) -> Struct:
        """Return the whole state by name, hidden cards included: for spectators."""
        return Struct(**self.position.snapshot())

    def to_observation_struct(self, player: int | None = None) -> Struct:
        """Return what a player sees by part: whole numbers and lists. By default the player who decides."""
        player = self.current_player() if player is None else player
        return observation_struct(self.get_game(), self.position.observe(player))

    def to_json(self) -> str:
        """Return :meth:`to_struct` as JSON."""
        return self.to_struct().to_json()

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.is_terminal()

    def returns(self) -> list[float]:
        """The payoff of each player; zeros before the end."""
        return self.position.returns()

    def __str__(self) -> str:
        return self.history_str()


class Struct(SimpleNamespace):
    """Named values as OpenSpiel's structures have them; a name with a dot is in the table only."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return dict(vars(self))

    def to_json(self) -> str:
        """Return the values as JSON."""
        return json.dumps(vars(self))


def observation_struct(game: Any, observation: np.ndarray) -> Struct:
    """Return the parts of a whole raw observation by name, as plain numbers and lists."""
    parts = view_of(game.root.game.family, observation)
    return Struct(**{name: value if isinstance(value, int) else value.tolist() for name, value in parts.items()})


def words_of(game: Any, player: int, observation: np.ndarray, to_act: bool) -> str:
    """Return what a player sees as the words of ``observe_text``: a function of the observation alone."""
    family, n = game.root.game.family, game.num_players()
    names = [f"player_{(player + distance) % n}" for distance in range(n)]
    return seat_text(family, view_of(family, observation), names, to_act)


def action_name(game: Any, action: int) -> str:
    """Return the name of an action of players. Raise ValueError for a number that is none."""
    names = game.root.game.family.game.action_names
    return str(names[whole_number("action", action, 0, len(names) - 1)])


def _longer(memories: tuple[Any, ...], player: int, new: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what all players remember, with more for one of them."""
    return (*memories[:player], memories[player] + new, *memories[player + 1 :])


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def decision_of(game: Any, observation: np.ndarray, action: int) -> tuple[tuple[str, ...], tuple[np.ndarray, ...]]:
    """Return a player's memory of a decision: as texts and, where there is room for memory, as a row of numbers."""
    texts = (_digest(observation.tobytes()), str(action))
    if not game.memory:
        return texts, ()
    return texts, (
        np.concatenate([game.view.observation(observation), game.view.actions == action]).astype(np.float32),
    )


class _Observer:
    """The observer that OpenSpiel asks for what a player knows.

    The tensor of an information state has what the player sees now, and a row for each of their decisions: what they
    saw then, and which action they took, among those that the rules can use.
    """

    def __init__(self, game: BluffGame, perfect_recall: bool) -> None:
        self._view, self._recall = game.view, perfect_recall
        self._rows = (game.memory, game.view.size + len(game.view.actions)) if perfect_recall else (0, 0)
        size = game.view.size + self._rows[0] * self._rows[1]
        self.tensor = None if perfect_recall and not game.memory else np.zeros(size, np.float32)
        self.dict: dict[str, Any] = {}
        if self.tensor is not None:
            self.dict["observation"] = self.tensor[: game.view.size]
            if perfect_recall:
                self.dict["decisions"] = self.tensor[game.view.size :].reshape(self._rows)

    def set_from(self, state: BluffState, player: int) -> None:
        """Writes what the player knows into the tensor.

        Raises:
            InputError: if they have made more decisions than it has room for.
        """
        if self.tensor is None:
            return
        self.dict["observation"][:] = self._view.observation(state.position.observe(player))
        if self._recall:
            past = state.remembered[player]
            if len(past) > self._rows[0]:
                raise InputError(f"player {player} has made {len(past)} decisions: more than memory={self._rows[0]}")
            self.dict["decisions"][:] = 0
            self.dict["decisions"][: len(past)] = past or 0

    def string_from(self, state: BluffState | SeatState, player: int) -> str:
        """Return what the player knows in words; with perfect recall also what they did.

        Words leave things out, so a text with perfect recall ends with a key, which is the same for the same knowledge
        and no other.
        """
        game, observation = state.get_game(), state.position.observe(player)
        words = words_of(game, player, observation, state.current_player() == player)
        if not self._recall:
            return words
        past, names = state.recall[player], game.root.game.family.game.action_names
        done = ", ".join(names[int(action)] for action in past[1::2]) or "none"
        key = _digest(" ".join([str(player), *past, _digest(observation.tobytes())]).encode())
        return f"{words}\nyour decisions so far: {done}\n[{key}]"


def _checked(game: Any) -> BluffGame:
    """Return the game. Raise InputError unless :func:`load_game` has made it."""
    if not isinstance(game, BluffGame):
        raise InputError(f"a game is needed that open_spiel.load_game(...) returns, not {quoted(game)}")
    return game


class PolicyInOpenSpiel(OpenSpielPolicy):
    """A policy of this package at every seat of a game of OpenSpiel.

    Args:
        game: as :func:`load_game` or ``pyspiel.load_game`` made it.
        policy: what :func:`bluff_env.load_policy` reads. It must have no memory.
        draws: how often a policy that tells no probabilities is asked for an action, to estimate them.

    Raises:
        ValueError: for a policy that cannot play these rules, or that remembers its game.
    """

    def __init__(self, game: BluffGame, policy: PolicySpec, draws: int = 256) -> None:
        super().__init__(_checked(game), list(range(game.num_players())))
        self.policy = load_policy(policy, rules=game.rules, num_players=game.num_players())
        if isinstance(self.policy, (MemoryPolicy, MixturePolicy, RecurrentPolicy, SymmetricPolicy)):
            raise InputError(f"policy {self.policy.name!r} remembers its game, and OpenSpiel asks for each state alone")
        self._draws = whole_number("draws", draws, 1)

    def action_probabilities(self, state: BluffState | SeatState, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action, by index.

        Raises:
            InputError: at a node at which the player does not decide.
        """
        player = state.current_player() if player_id is None else player_id
        if player != state.current_player() or player < 0:
            raise InputError(f"player {player} does not decide here")
        legal = state.legal_actions(player)
        mask = np.zeros(state.get_game().num_distinct_actions(), np.int8)
        mask[legal] = 1
        shares = probabilities_of(self.policy, state.position.observe(player)[None], mask[None], self._draws)
        return dict(zip(legal, (shares / shares.sum()).tolist(), strict=True))


# --- whole trees, for solvers -----------------------------------------------------------------------------------------


def load_tree(tree: Tree) -> Any:
    """Return the whole tree of a small game as OpenSpiel's ``efg_game``, which is walked in C++.

    Solvers that go through a whole game do so some hundred times faster here than in a game of :func:`load_game`.
    ``read_strategy`` reads what they find.

    Raises:
        TooLargeError: see :func:`bluff_env.exact.extensive_form`.
    """
    return pyspiel.load_efg_game(extensive_form(tree))


def read_strategy(tree: Tree, game: Any, policy: Any, name: str = "OpenSpiel") -> TabularPolicy:
    """Return a policy of OpenSpiel as a table over a tree, which plays at every table and has a NashConv.

    Args:
        tree: the game.
        game: of :func:`load_tree`.
        policy: with ``action_probabilities(state)``, in Python or in C++.
        name: for tables and logs.

    Raises:
        InputError: for another game.
    """
    if not isinstance(game, pyspiel.Game) or game.get_type().short_name != "efg_game":
        name = game.get_type().short_name if isinstance(game, pyspiel.Game) else quoted(game)
        raise InputError(f"{name} has no whole tree: load it with load_tree(tree)")
    states, waiting = {}, [game.new_initial_state()]  # a state of each information set
    while waiting:
        state = waiting.pop()
        if state.is_player_node():
            states[int(state.information_state_string().rpartition("-")[2])] = state
        waiting += map(state.child, state.legal_actions())
    if states.keys() != set(range(tree.num_information_sets)):
        raise InputError(f"the game is not that of the tree, {tree.title}: load it with load_tree(tree)")
    weights, index = np.zeros(tree.num_sequences), tree.family.game.action_index
    for row, state in states.items():
        shares = policy.action_probabilities(state)
        chances = {index[state.action_to_string(action)]: chance for action, chance in shares.items()}
        for sequence in range(*tree.form.first[row : row + 2]):
            weights[sequence] = chances.get(int(tree.actions[sequence - tree.num_players]), 0.0)
    return TabularPolicy(tree, tree.strategy(weights), name=name)


# --- bots of OpenSpiel at our tables ----------------------------------------------------------------------------------


class SeatState(pyspiel.State):
    """The view of a game that a bot gets: what its seat knows, what may be done now, and nothing else.

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
        """Return what the player of this seat sees. Raises InputError for another player."""
        if player != self._player:
            raise InputError(f"player {self._player} does not know what player {player} sees")
        return self._observation

    def current_player(self) -> int:
        """The player of this seat."""
        return self._player

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self._mask).tolist() if player == self._player else []

    def _action_to_string(self, player: int, action: int) -> str:
        return action_name(self.get_game(), action)

    def _apply_action(self, action: int) -> None:
        raise InputError("a bot cannot play on here: it would have to know the hidden cards")

    def is_terminal(self) -> bool:
        """False: the player has to decide."""
        return False

    def returns(self) -> list[float]:
        """Zeros: the game is not over."""
        return [0.0] * self.get_game().num_players()

    def to_observation_struct(self, player: int | None = None) -> Struct:
        """Return what the player of this seat sees, by part. Raise InputError for another player."""
        return observation_struct(self.get_game(), self.observe(self._player if player is None else player))

    def to_struct(self) -> Struct:
        """Raise InputError: the hidden cards are nobody's to see."""
        raise InputError("a bot cannot see the whole state: it would have to know the hidden cards")

    def to_json(self) -> str:
        """Raise InputError, as :meth:`to_struct` does."""
        return self.to_struct().to_json()

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
        self.game, self.bot, self.player = (
            _checked(game),
            bot,
            whole_number("player", player, 0, game.num_players() - 1),
        )
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
        """Return what the bot chooses, with its own chance; it is told its earlier decisions of the game.

        Raises:
            InputError: if that is no legal action.
        """
        past = memory or ((), ())
        chosen = self.bot.step(SeatState(self.game, self.player, observation, mask, past))
        action = check_action(self.name, chosen, mask)
        texts, numbers = decision_of(self.game, observation, action)
        return action, (past[0] + texts, past[1] + numbers)
