"""Promises of the games in OpenSpiel: its own checks pass, its algorithms run, and our policies play there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bluff_env import exact, load_policy, make_rules
from bluff_env.errors import RulesError

pyspiel = pytest.importorskip("pyspiel")
open_spiel = pytest.importorskip("bluff_env.open_spiel")

GAMES = (
    "bluff_env_cheat(variant=mini-pairs,players=2)",
    "bluff_env_cheat(variant=mini-joker,players=3)",
    "bluff_env_cheat(variant=british,players=3)",
    "bluff_env_cheat",
    "bluff_env_bluff_the_bullet(players=3)",
)


@pytest.fixture(autouse=True)
def registered() -> None:
    open_spiel.register()
    open_spiel.register()


@pytest.mark.parametrize("name", GAMES)
def test_open_spiel_s_own_random_games_pass(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


def test_the_games_have_their_parameters_and_their_actions_have_names() -> None:
    game = pyspiel.load_game("bluff_env_cheat(variant=mini-single,players=3)")
    assert game.num_players() == 3 and game.rules == make_rules("mini-single").resolve(3)
    state = game.new_initial_state()
    while state.is_chance_node():
        outcome = state.chance_outcomes()[0][0]
        assert state.action_to_string(outcome) == state.position.legal_actions()[outcome]  # a card, or who starts
        state.apply_action(outcome)
    assert state.action_to_string(state.legal_actions()[0]).startswith("place ")
    assert len(state.observation_tensor()) == game.view.size
    with pytest.raises(RulesError, match="no variant of Cheat is called 'nosuch'"):
        pyspiel.load_game("bluff_env_cheat(variant=nosuch)")


def test_a_copy_goes_its_own_way() -> None:
    state = open_spiel.load_game("mini-pairs", 2).new_initial_state()
    copied, child = state.clone(), state.child(state.legal_actions()[0])
    assert str(copied) == str(state) and copied.history() == [] and len(child.history()) == 1
    assert state.position is not copied.position


def test_an_information_state_remembers_and_an_observation_does_not() -> None:
    """Of all histories: the former are as many as the information sets of exact evaluation, the latter are fewer."""
    rules = make_rules("mini-pairs", length_limit=3)
    tree, states = exact.Tree(rules, 2), [open_spiel.load_game(rules, 2).new_initial_state()]
    recalled, seen = set(), set()
    while states:
        state = states.pop()
        player = state.current_player()
        if player >= 0:
            recalled.add(state.information_state_string(player))
            seen.add(state.observation_string(player))
        states += [state.child(action) for action in ([] if state.is_terminal() else state.legal_actions())]
    assert len(recalled) == tree.num_information_sets >= len(seen) > 50


def test_external_sampling_runs() -> None:
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

    game = open_spiel.load_game("mini-pairs", 2, length_limit=2)
    solver = ExternalSamplingSolver(game)
    for _ in range(5):
        solver.iteration()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


@pytest.mark.parametrize("name", ["random", "scripted/honest", "cheat/mini-pairs"])
def test_our_policies_have_the_same_values_there(name: str) -> None:
    """As by exact evaluation, for a policy that draws lots, one that does not, and a network."""
    from open_spiel.python.algorithms import expected_game_score

    rules = make_rules("mini-pairs", length_limit=2)
    game, tree = open_spiel.load_game(rules, 2), exact.Tree(rules, 2)
    policy = load_policy("cheat/generalist") if name == "cheat/mini-pairs" else name
    ours = open_spiel.PolicyInOpenSpiel(game, policy, draws=1 if name == "scripted/honest" else 64)
    found = expected_game_score.policy_value(game.new_initial_state(), [ours] * 2)
    assert found == pytest.approx(exact.values(policy, tree), abs=1e-6)
    with pytest.raises(ValueError, match="does not decide here"):
        ours.action_probabilities(game.new_initial_state())


def test_the_guide_s_code_runs_in_order() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "open-spiel.md").read_text(encoding="utf-8")
    session: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", guide, re.S):
        exec(compile(code, "open-spiel.md", "exec"), session)
    assert session["policy"]


@pytest.mark.slow
def test_python_ends_in_peace_after_registration() -> None:
    """What OpenSpiel holds when Python is gone must not be given up then: that aborts the process."""
    code = "import bluff_env.open_spiel as o; o.register(); o.load_game('mini-pairs', 2).new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
