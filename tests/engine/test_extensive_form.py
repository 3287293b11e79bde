"""A small game as Gambit's extensive form: every node once, exact chances, the tree's information sets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bluff_env import exact
from bluff_env.exact import extensive_form
from bluff_env.utils.errors import InputError


def nodes(text: str) -> list[str]:
    return text.splitlines()[1:]


# a turn of each true and false play, which may be called: the play as it is composed, then the answer
WHOLE = """\
EFG 2 R "mini-pairs with 2 players, length_limit=1" { "player_0" "player_1" }
p "" 1 1 "0" { "place A" "place 2" } 0
p "" 1 2 "1" { "place 2" "commit" } 0
p "" 2 1 "2" { "let" "call" } 0
t "" 1 "" { 1.0, -1.0 }
t "" 2 "" { 0.0, 0.0 }
p "" 2 2 "3" { "let" "call" } 0
t "" 3 "" { 1.0, -1.0 }
t "" 4 "" { 1.0, -1.0 }
p "" 2 2 "3" { "let" "call" } 0
t "" 5 "" { 1.0, -1.0 }
t "" 6 "" { 0.0, 0.0 }
"""


def test_each_node_comes_before_those_below_it() -> None:
    deal = {"starter": 0, "dealer": 1, "hands": [["AC", "2C"], ["AD", "2D"]]}
    assert extensive_form(exact.Tree("mini-pairs", 2, length_limit=1, deal=deal)) == WHOLE


@pytest.mark.parametrize("players", [2, 3])
def test_it_has_all_nodes_and_the_information_sets_of_the_tree(players: int) -> None:
    tree = exact.Tree("mini-pairs", players, length_limit=2)
    lines = nodes(extensive_form(tree))
    kinds = [line[0] for line in lines]
    counts = [kinds.count(kind) for kind in "cpt"]
    assert counts == [tree.num_chance_nodes, tree.num_decision_nodes, tree.num_leaves]
    named = {tuple(line.split()[2:5]) for line in lines if line[0] == "p"}  # player, number, name
    assert len(named) == tree.num_information_sets
    for seat in range(players):
        own = np.flatnonzero(tree.form.owners == seat)
        expected = {(str(seat + 1), str(number), f'"{row}"') for number, row in enumerate(own, 1)}
        assert {entry for entry in named if entry[0] == str(seat + 1)} == expected


def test_chances_add_up_to_one_and_payoffs_to_zero() -> None:
    for line in nodes(extensive_form(exact.Tree("mini-joker", 3, length_limit=1))):
        inside = line[line.index("{") + 1 : line.index("}")]
        if line[0] == "c":
            assert sum(Fraction(word) for word in inside.replace('"', " ").split() if "/" in word) == 1
        if line[0] == "t":
            assert sum(float(payoff) for payoff in inside.split(",")) == pytest.approx(0)


def test_it_takes_rules_or_a_tree_and_refuses_what_is_too_large() -> None:
    tree = exact.Tree("mini-pairs", 2, length_limit=1)
    assert extensive_form("mini-pairs", 2, length_limit=1) == extensive_form(tree)
    with pytest.raises(exact.TooLargeError, match=r"has [\d,]+ nodes: more than the 100 that are written$"):
        extensive_form(tree, max_nodes=100)
    with pytest.raises(exact.TooLargeError, match="too large for exact evaluation"):
        extensive_form("pagat", 4)
    with pytest.raises(InputError, match="takes no house rules"):
        extensive_form(tree, length_limit=2)


@pytest.fixture(scope="module")
def library() -> Any:
    pytest.importorskip("pyspiel")
    return pytest.importorskip("bluff_env.open_spiel")


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "players"), [("mini-pairs", 2), ("mini-pairs", 3), ("mini-single", 2)])
def test_open_spiel_has_the_same_nash_conv_of_what_is_read_back(library: Any, variant: str, players: int) -> None:
    import pyspiel

    tree = exact.Tree(variant, players, length_limit=2)
    game = library.load_tree(tree)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(7):
        solver.evaluate_and_update_policy()
    theirs = solver.tabular_average_policy()
    ours = library.read_strategy(tree, game, theirs)
    assert exact.nash_conv(ours, tree) == pytest.approx(pyspiel.nash_conv(game, theirs), abs=1e-9)


@pytest.mark.slow
def test_a_strategy_that_was_written_and_read_is_the_same(library: Any) -> None:
    """A random one, so that no information set may be exchanged with another and no action either."""
    tree = exact.Tree("mini-joker", 2, length_limit=1)
    game, given = library.load_tree(tree), tree.strategy(np.random.default_rng(2).random(tree.num_sequences))

    class Given:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            row = int(state.information_state_string().rpartition("-")[2])
            chances = given[slice(*tree.form.first[row : row + 2])]
            names = [tree.family.game.action_names[tree.actions[s - 2]] for s in range(*tree.form.first[row : row + 2])]
            return {k: chances[names.index(state.action_to_string(k))] for k in state.legal_actions()}

    read = library.read_strategy(tree, game, Given(), "mine")
    assert read.name == "mine"
    assert read.strategy == pytest.approx(given, abs=1e-12)


def test_a_game_that_is_no_whole_tree_is_refused(library: Any) -> None:
    tree = exact.Tree("mini-pairs", 2, length_limit=1)
    with pytest.raises(InputError, match=r"^bluff_env_cheat has no whole tree: load it with load_tree\(tree\)$"):
        library.read_strategy(tree, library.load_game("mini-pairs", 2), None)
    other = library.load_tree(exact.Tree("mini-pairs", 2, length_limit=2))
    with pytest.raises(InputError, match=r"^the game is not that of the tree, mini-pairs with 2 players, length"):
        library.read_strategy(tree, other, None)
