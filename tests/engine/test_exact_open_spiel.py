"""OpenSpiel finds the same information sets, values, best responses and CFR+ strategies on the same small games."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from bluff_env import Position, exact, make_rules

pytestmark = pytest.mark.slow
pyspiel = pytest.importorskip("pyspiel")


class Node(Position):
    """A position that is copied as quickly as it can be; OpenSpiel copies states by ``deepcopy``."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.clone()


class Recall:
    """What OpenSpiel asks for information states: all that a seat saw and did at its own decisions."""

    tensor = None
    dict: dict[str, Any] = {}

    def set_from(self, state: Any, player: int) -> None:
        pass

    def string_from(self, state: Any, player: int) -> str:
        return " ".join([f"{player}", *state.recall[player], digest(state.position, player)])


def digest(position: Position, player: int) -> str:
    return hashlib.blake2b(position.observe(player).tobytes(), digest_size=12).hexdigest()


def open_spiel_game(root: Node) -> Any:
    """A game of OpenSpiel with the tree below a position."""
    kind = pyspiel.GameType
    game_type = kind(
        short_name="bluff_env", long_name="bluff_env", dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC, information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM, reward_model=kind.RewardModel.TERMINAL, max_num_players=root.num_players,
        min_num_players=root.num_players, provides_information_state_string=True,
        provides_information_state_tensor=False, provides_observation_string=False, provides_observation_tensor=False,
    )  # fmt: skip
    info = pyspiel.GameInfo(
        num_distinct_actions=root.game.mask.size, max_chance_outcomes=64, num_players=root.num_players,
        min_utility=-1.0, max_utility=1.0, utility_sum=0.0, max_game_length=1000,
    )  # fmt: skip

    class State(pyspiel.State):
        """A node; actions are those of the family, outcomes of chance are counted."""

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.position = root
            self.recall: tuple[tuple[str, ...], ...] = ((),) * root.num_players

        def current_player(self) -> int:
            return self.position.current_player()

        def _legal_actions(self, player: int) -> list[int]:
            return np.flatnonzero(self.position.game.mask).tolist()

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(k, share) for k, (_, share) in enumerate(self.position.chance_outcomes())]

        def _apply_action(self, action: int) -> None:
            player = self.position.current_player()
            if player >= 0:
                own = (*self.recall[player], digest(self.position, player), str(action))
                self.recall = (*self.recall[:player], own, *self.recall[player + 1 :])
                name = self.position.game.family.game.ACTION_NAMES[action]
            else:
                name = self.position.legal_actions()[action]
            self.position = self.position.child(name)

        def _action_to_string(self, player: int, action: int) -> str:
            return str(action)

        def is_terminal(self) -> bool:
            return self.position.is_terminal()

        def returns(self) -> list[float]:
            return self.position.returns()

        def __str__(self) -> str:
            return self.history_str()

    class Game(pyspiel.Game):
        """The game."""

        def __init__(self) -> None:
            super().__init__(game_type, info, {})

        def new_initial_state(self) -> State:
            return State(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Recall:
            return Recall()

    return Game()


def tabular(game: Any, tree: exact.Tree, strategy: np.ndarray) -> Any:
    """The strategy of a tree as a table of OpenSpiel, matched by walking both side by side."""
    from open_spiel.python.policy import TabularPolicy

    policy = TabularPolicy(game)
    rows = tree_rows(tree)
    seen = set()
    waiting = [(game.new_initial_state(), tuple(range(tree.num_players)))]
    while waiting:
        state, sequences = waiting.pop()
        player = state.current_player()
        if state.is_chance_node():
            waiting += [(state.child(outcome), sequences) for outcome, _ in state.chance_outcomes()]
        elif player >= 0:
            row = rows[sequences[player], state.position.observe(player).tobytes()]
            first, stop = tree.form.first[row : row + 2]
            assert state.legal_actions() == tree.actions[first - tree.num_players : stop - tree.num_players].tolist()
            key = state.information_state_string(player)
            policy.policy_for_key(key)[state.legal_actions()] = strategy[first:stop]
            seen.add((row, key))
            for action, sequence in zip(state.legal_actions(), range(first, stop), strict=True):
                waiting.append((state.child(action), (*sequences[:player], sequence, *sequences[player + 1 :])))
    assert len(seen) == tree.num_information_sets == len(policy.state_lookup)  # the same information sets
    return policy


def tree_rows(tree: exact.Tree) -> dict[tuple[int, bytes], int]:
    """The information set of each sequence and the observation after it."""
    views = [tree.observations[row].tobytes() for row in tree.seen]
    return {pair: row for row, pair in enumerate(zip(tree.form.parents.tolist(), views, strict=True))}


@pytest.mark.parametrize(("players", "limit"), [(2, 3), (3, 1)])
def test_information_sets_values_and_nash_conv_are_those_of_open_spiel(players: int, limit: int) -> None:
    """Of uniform play and of a random strategy."""
    from open_spiel.python.algorithms import expected_game_score, exploitability

    rules = make_rules("mini-pairs", length_limit=limit)
    tree, game = exact.Tree(rules, players), open_spiel_game(Node(rules, players))
    random = tree.strategy(np.random.default_rng(1).random(tree.num_sequences))
    for strategy in (exact.tabulate("random", tree).strategy, random):
        ours, theirs = exact.TabularPolicy(tree, strategy), tabular(game, tree, strategy)
        score = expected_game_score.policy_value(game.new_initial_state(), [theirs] * players)
        assert exact.values(ours, tree) == pytest.approx(score, abs=1e-9)
        found = exploitability.nash_conv(game, theirs, return_only_nash_conv=False)
        assert exact.nash_conv(ours, tree) == pytest.approx(found.nash_conv, abs=1e-9)
        gains = [exact.best_response(ours, tree, seat=seat).value for seat in range(players)] - exact.values(ours, tree)
        assert gains == pytest.approx(found.player_improvements, abs=1e-9)


def test_cfr_plus_is_that_of_open_spiel() -> None:
    """The average strategies after five iterations, at every information set."""
    from open_spiel.python.algorithms.cfr import CFRPlusSolver

    rules = make_rules("mini-pairs", length_limit=2)
    tree, game = exact.Tree(rules, 2), open_spiel_game(Node(rules, 2))
    solver = CFRPlusSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    ours = tabular(game, tree, exact.cfr_plus(tree, iterations=5).strategy)
    theirs = solver.average_policy()
    assert set(ours.state_lookup) == set(theirs.state_lookup)
    for key in ours.state_lookup:
        assert ours.policy_for_key(key) == pytest.approx(theirs.policy_for_key(key), abs=1e-9)
