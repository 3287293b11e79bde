"""OpenSpiel finds the same information sets, values, best responses and CFR+ strategies on the same small games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bluff_env import exact, make_rules

pytestmark = pytest.mark.slow
pytest.importorskip("pyspiel")
load_game = pytest.importorskip("bluff_env.open_spiel").load_game


def tabular(game: Any, tree: exact.Tree, strategy: np.ndarray) -> Any:
    """The strategy of a tree as a table of OpenSpiel, matched by walking both side by side."""
    from open_spiel.python.policy import TabularPolicy

    policy = TabularPolicy(game)
    seen = set()
    waiting = [(game.new_initial_state(), tuple(range(tree.num_players)))]
    while waiting:
        state, sequences = waiting.pop()
        player = state.current_player()
        if state.is_chance_node():
            waiting += [(state.child(outcome), sequences) for outcome, _ in state.chance_outcomes()]
        elif player >= 0:
            row = tree.rows[sequences[player], state.position.observe(player).tobytes()]
            first, stop = tree.form.first[row : row + 2]
            assert state.legal_actions() == tree.actions[first - tree.num_players : stop - tree.num_players].tolist()
            key = state.information_state_string(player)
            policy.policy_for_key(key)[state.legal_actions()] = strategy[first:stop]
            seen.add((row, key))
            for action, sequence in zip(state.legal_actions(), range(first, stop), strict=True):
                waiting.append((state.child(action), (*sequences[:player], sequence, *sequences[player + 1 :])))
    assert len(seen) == tree.num_information_sets == len(policy.state_lookup)  # the same information sets
    return policy


@pytest.mark.long
@pytest.mark.parametrize(("players", "limit"), [(2, 3), (3, 1)])
def test_information_sets_values_and_nash_conv_are_those_of_open_spiel(players: int, limit: int) -> None:
    """Of uniform play and of a random strategy."""
    from open_spiel.python.algorithms import expected_game_score, exploitability

    rules = make_rules("mini-pairs", length_limit=limit)
    tree, game = exact.Tree(rules, players), load_game(rules, players)
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
    tree, game = exact.Tree(rules, 2), load_game(rules, 2)
    solver = CFRPlusSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    ours = tabular(game, tree, exact.cfr_plus(tree, iterations=5).strategy)
    theirs = solver.average_policy()
    assert set(ours.state_lookup) == set(theirs.state_lookup)
    for key in ours.state_lookup:
        assert ours.policy_for_key(key) == pytest.approx(theirs.policy_for_key(key), abs=1e-9)
