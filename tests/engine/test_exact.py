"""Exact evaluation: trees that can be counted by hand, and what must hold of values, best responses and CFR+."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_family

from bluff_env import Engine, Position, evaluate, exact, load_policy, make_rules
from bluff_env.cheat.family import FAMILY
from bluff_env.core.driver import make_driver
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.jit import kernel
from bluff_env.core.registry import FAMILIES
from bluff_env.evaluation.duplicates import play_out
from bluff_env.policies.policy import BasePolicy
from bluff_env.policies.scripted import scripted_names
from bluff_env.utils.errors import InputError

# preset, players, nodes, information sets, different observations: the tree of every small preset at its own limit
SIZES = [
    ("mini-pairs", 2, 30_259, 3_724, 1_574),
    ("mini-pairs", 3, 118_540, 4_356, 767),
    ("mini-joker", 2, 360_451, 13_902, 4_861),
    pytest.param("mini-pairs", 4, 757_517, 5_344, 552, marks=pytest.mark.slow),
    pytest.param("mini-single", 2, 2_121_843, 23_164, 4_752, marks=pytest.mark.slow),
    pytest.param("mini-joker", 3, 1_215_685, 23_535, 4_143, marks=pytest.mark.slow),
]
# of the toy's driver, which has defaults for the others
KERNELS = ("start_game", "apply_action", "num_outcomes", "outcome_weight", "apply_outcome", "observe")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> exact.Tree:
    """Two cards, so each player knows both: seat 0 claims high or low, seat 1 believes or calls."""
    monkeypatch.setitem(FAMILIES.homes, "toy", "toy_family")
    return exact.Tree("toy", 2, cards=2)


@pytest.fixture(scope="module")
def pairs() -> exact.Tree:
    """mini-pairs at its own limit."""
    return exact.Tree("mini-pairs", 2)


# --- trees -----------------------------------------------------------------------------------------------------------


def test_the_tree_of_the_toy_is_the_one_counted_by_hand(toy: exact.Tree) -> None:
    """Two chance nodes on each way, then a claim and an answer: 1 + 2 chance nodes, 2 claims, 4 answers, 8 ends."""
    assert (toy.num_chance_nodes, toy.num_decision_nodes, toy.num_leaves) == (3, 6, 8)
    assert (toy.num_nodes, toy.depth) == (17, 4)
    assert toy.num_information_sets == 2 + 4  # of seat 0 by its card, of seat 1 by its card and the claim
    assert toy.num_sequences == 2 + 2 * 6
    assert toy.form.owners.tolist().count(0) == 2


def test_the_payoffs_of_the_toy_are_those_worked_out_by_hand(toy: exact.Tree) -> None:
    """Uniform play earns seat 0 nothing with the low card, and 1/2 with the high one.

    The best responses: seat 0 claims high with the high card and wins. Seat 1, who knows both cards, believes the low
    claim of the low card and calls its high claim; it calls the low claim of the high card, and cannot win otherwise.
    """
    assert exact.values("random", toy) == pytest.approx([0.25, -0.25])
    assert exact.best_response("random", toy, seat=0).value == pytest.approx(0.5)
    assert exact.best_response("random", toy, seat=1).value == pytest.approx(0.5)
    assert exact.nash_conv("random", toy) == pytest.approx(0.25 + 0.75)
    assert exact.nash_conv(exact.cfr_plus(toy, iterations=500), toy) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(
    ("variant", "players", "limit"), [("mini-pairs", 2, 4), ("mini-joker", 2, 1), ("mini-pairs", 3, 2)]
)
def test_the_compiled_walk_finds_the_nodes_that_positions_have(variant: str, players: int, limit: int) -> None:
    """The same kinds of nodes as by :class:`bluff_env.Position`, one after the other."""
    tree = exact.Tree(variant, players, length_limit=limit)
    found = [0, 0, 0]
    waiting = [Position(make_rules(variant, length_limit=limit), players)]
    while waiting:
        node = waiting.pop()
        found[0 if node.is_chance_node() else 1 if node.is_player_node() else 2] += 1
        waiting += [node.child(name) for name in node.legal_actions()]
    assert [tree.num_chance_nodes, tree.num_decision_nodes, tree.num_leaves] == found


@pytest.mark.parametrize(("variant", "players", "nodes", "sets", "observations"), SIZES)
def test_the_trees_of_the_small_presets_keep_their_size(
    variant: str, players: int, nodes: int, sets: int, observations: int
) -> None:
    """A rule that changes, or what players see of it, changes a number (docs/generated/exact.md lists them)."""
    tree = exact.Tree(variant, players)
    assert (tree.num_nodes, tree.num_information_sets, len(tree.observations)) == (nodes, sets, observations)


def test_observations_alone_merge_different_histories(pairs: exact.Tree) -> None:
    """So information sets need the player's memory: several of one seat show the same observation."""
    shown = np.unique(np.column_stack([pairs.form.owners, pairs.seen]), axis=0)
    assert len(shown) == pairs.num_information_sets - 576


@pytest.mark.parametrize("players", [2, 3])
def test_what_is_seen_at_the_decisions_of_others_tells_nothing_more(players: int) -> None:
    """Information sets made of every observation since the deal are the same in number."""
    rules = make_rules("mini-pairs", length_limit=3)
    seen: set[tuple[Any, ...]] = set()
    waiting: list[tuple[Position, tuple[tuple[Any, ...], ...]]] = [(Position(rules, players), ((),) * players)]
    while waiting:
        node, histories = waiting.pop()
        if node.is_player_node():
            views = [node.observe(seat).tobytes() for seat in range(players)]
            histories = tuple(h if h[-1:] == (v,) else (*h, v) for h, v in zip(histories, views, strict=True))
            player = node.current_player()
            seen.add((player, histories[player]))
        for name in node.legal_actions():
            own = {node.current_player(): (name,)} if node.is_player_node() else {}
            waiting.append((node.child(name), tuple(h + own.get(seat, ()) for seat, h in enumerate(histories))))
    assert len(seen) == exact.Tree(rules, players).num_information_sets


def test_every_information_set_comes_after_those_that_lead_to_it(pairs: exact.Tree) -> None:
    """The order that the sweeps rely on; and a parent is a sequence of the same seat."""
    form, n = pairs.form, pairs.num_players
    assert (form.parents < form.first[:-1]).all()
    owners = np.concatenate([np.arange(n), form.owners[pairs.sets]])
    assert (owners[form.parents] == form.owners).all()
    for seat in range(n):
        assert (owners[form.leaf_sequences[:, seat]] == seat).all()


def test_who_solves_a_game_is_told_how_far_it_is(pairs: exact.Tree) -> None:
    """Without that a long solution looks as if it hung."""
    told: list[float] = []
    exact.cfr_plus(pairs, iterations=4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_a_game_that_is_too_large_is_refused_in_one_sentence() -> None:
    with pytest.raises(exact.TooLargeError, match=r"pagat with 3 players is too large .* 5,000 nodes; .* exploit"):
        exact.nash_conv("random", "pagat", 3, max_nodes=5000)
    nodes = exact.Tree("mini-pairs", 2, length_limit=1).num_nodes
    assert exact.Tree("mini-pairs", 2, length_limit=1, max_nodes=nodes).num_nodes == nodes
    with pytest.raises(exact.TooLargeError):
        exact.Tree("mini-pairs", 2, length_limit=1, max_nodes=nodes - 1)


@pytest.mark.long
@pytest.mark.slow
def test_trees_of_bluff_the_bullet_are_too_large() -> None:
    """Its walk is compiled as well; no deck of it is small enough for a whole tree."""
    with pytest.raises(exact.TooLargeError, match="bluff-the-bullet with 2 players is too large"):
        exact.Tree("bluff-the-bullet", 2, max_nodes=20_000)


@kernel
def leaky_actions(g: Any, r: Any, mask: np.ndarray) -> int:
    """As the toy's, but the lowest card of the other player takes a claim away, which nothing shows."""
    legal = toy_family.legal_actions(g, r, mask)
    if g.phase == toy_family.Phase.CLAIM and g.card[1] == 0:
        mask[0] = 0
        legal -= 1
    return legal


@pytest.mark.slow
def test_legal_actions_that_tell_more_than_the_observation_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the tree is built: what looks alike must offer the same actions."""
    monkeypatch.setitem(FAMILIES.homes, "toy", "toy_family")
    kernels = {name: getattr(toy_family, name) for name in KERNELS} | {"legal_actions": leaky_actions}
    sources = Path(__file__).read_bytes() + Path(toy_family.__file__).read_bytes()
    driver = make_driver(
        f"leaky{hashlib.sha256(sources).hexdigest()[:8]}",  # compiled code is kept by the name
        num_actions=4, num_seats=2, last_chance_phase=toy_family.Phase.DEAL, over=toy_family.Phase.OVER, hot_bytes=64,
        **kernels,
    )  # fmt: skip
    monkeypatch.setattr(toy_family, "FAMILY", replace(toy_family.FAMILY, driver=driver))
    with pytest.raises(RuntimeError, match="one observation came with different legal actions"):
        exact.Tree("toy", 2, cards=3)


# --- values ----------------------------------------------------------------------------------------------------------


def test_exact_payoffs_are_the_means_of_played_games() -> None:
    """Random play by the engine, where seat 0 always starts, within four standard errors."""
    games = 4000
    value = exact.values("random", exact.Tree("mini-pairs", 2, deal={"starter": 0}))[0]
    engine = Engine("mini-pairs", num_games=games, num_players=2, seed=3, autoreset=False)
    engine.reset(deals=[{"starter": 0}] * games)
    play_out(engine, [load_policy("random")], np.zeros((games, 2), np.int64), np.random.default_rng(1))
    payoffs = engine.results()["payoffs"][:, 0]
    error = payoffs.std() / games**0.5
    assert payoffs.mean() == pytest.approx(value, abs=4 * error) and abs(value) > 4 * error


def test_exact_payoffs_are_those_of_an_evaluation(pairs: exact.Tree) -> None:
    """Honest against random play, on duplicate deals from every seat."""
    first, second = (exact.values(lineup, pairs) for lineup in (["honest", "random"], ["random", "honest"]))
    estimate = evaluate("scripted/honest", "random", "mini-pairs", 2, deals=2000).payoff
    assert estimate.low <= (first[0] + second[1]) / 2 <= estimate.high
    assert first.sum() == pytest.approx(0)


def test_no_scripted_player_beats_the_best_response(pairs: exact.Tree) -> None:
    """Against random play."""
    best = exact.best_response("random", pairs, seat=1).value
    earned = {name: exact.values(["random", name], pairs)[1] for name in scripted_names(FAMILY)}
    assert best >= max(earned.values()) > 0 and earned["random"] == pytest.approx(0)


def test_a_best_response_earns_its_value_and_cannot_be_improved(pairs: exact.Tree) -> None:
    value, policy = exact.best_response("scripted/honest", pairs, seat=0)
    assert exact.values([policy, "scripted/honest"], pairs)[0] == pytest.approx(value)
    assert exact.best_response(policy, pairs, seat=0).value == pytest.approx(value)
    own = pairs.form.owners[pairs.sets] == 0
    assert set(policy.strategy[pairs.num_players :][own]) == {0.0, 1.0}


def test_three_players_are_evaluated_too() -> None:
    """NashConv adds up what each of them can gain."""
    tree = exact.Tree("mini-pairs", 3, length_limit=3)
    gains = [exact.best_response("random", tree, seat=seat).value for seat in range(3)] - exact.values("random", tree)
    assert (gains > 0).all() and exact.nash_conv("random", tree) == pytest.approx(gains.sum())


def test_the_nash_conv_of_cfr_plus_falls_with_the_iterations(pairs: exact.Tree) -> None:
    """Towards 0 with two players, and rounding the mixed strategy to pure choices makes it exploitable again."""
    policies = [exact.cfr_plus(pairs, iterations=n) for n in (10, 100, 400)]
    few, more, most = (exact.nash_conv(policy, pairs) for policy in policies)
    assert exact.nash_conv("random", pairs) > few > more > most > -1e-12 and most < 0.01
    assert exact.nash_conv(policies[-1].rounded(), pairs) > 10 * most


# --- policies --------------------------------------------------------------------------------------------------------


def test_a_table_plays_games_for_what_it_is_worth(pairs: exact.Tree) -> None:
    """It finds its information sets in the engine's games, from every seat, with the memory of its own actions."""
    policy = exact.best_response("random", pairs, seat=0).policy
    estimate = evaluate(policy, "random", "mini-pairs", 2, deals=1000).payoff
    assert estimate.low <= exact.best_response("random", pairs, seat=0).value <= estimate.high


def test_a_table_says_what_it_cannot_play(pairs: exact.Tree) -> None:
    policy = exact.cfr_plus(pairs, iterations=2)
    assert repr(policy) == "TabularPolicy('cfr+ (2 iterations)', mini-pairs with 2 players, seat 0)"
    engine = Engine("mini-pairs", num_players=2)
    engine.step(np.array([policy.act(engine.observations[0], engine.action_masks[0])]))
    with pytest.raises(ValueError, match="needs the state that predict returned"):
        while True:
            engine.step(np.array([policy.act(engine.observations[0], engine.action_masks[0])]))
    with pytest.raises(InputError, match=r"plays mini-pairs with 2 players, not mini-pairs .* at_limit='draw'"):
        exact.nash_conv(policy, "mini-pairs", 2, at_limit="draw")
    with pytest.raises(ValueError, match="strategy has shape"):
        exact.TabularPolicy(pairs, np.ones(3))


def test_a_table_of_a_game_with_teams_says_that_it_has_one_seats_part() -> None:
    """It said that it does not play the game for which it was made."""
    tree = exact.Tree("mini-pairs", num_players=3, teams=[0, 1, 1], length_limit=2)
    policy = exact.cfr_plus(tree, iterations=1)
    with pytest.raises(ValueError, match=r"plays the part of seat 0 only: in .* the seats are not alike"):
        evaluate(policy, "random", tree.rules, 3, deals=50)


class Remembers:
    """A policy with a state."""

    name = "remembers"

    def predict(self, observations: np.ndarray, state: Any = None, **others: Any) -> tuple[np.ndarray, Any]:
        return others["action_masks"].argmax(1), (np.zeros(len(observations)),)


class Illegal(BasePolicy):
    """Chooses what is not legal."""

    def choose(self, observations, action_masks, deterministic, rng):
        return action_masks.argmin(axis=1)


def test_what_cannot_be_evaluated_is_named(pairs: exact.Tree) -> None:
    with pytest.raises(InputError, match="'remembers' remembers earlier decisions"):
        exact.nash_conv(Remembers(), pairs)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="illegal chose 0, which is no legal action here"):
        exact.nash_conv(Illegal("illegal"), pairs, draws=1)
    with pytest.raises(InputError, match="which is no legal action here"):
        exact.nash_conv(lambda observation, mask: int(mask.argmin()), pairs, draws=1)
    with pytest.raises(InputError, match="has 3 policies for 2 players"):
        exact.values(["random"] * 3, pairs)
    with pytest.raises(InputError, match="takes no house rules"):
        exact.values("random", pairs, jokers=1)


def test_networks_answer_with_their_probabilities(pairs: exact.Tree) -> None:
    """No sampling: the masked softmax at the observation of each information set."""
    from bluff_env.policies.network import ActorCritic, NetworkPolicy

    encoder = Encoder(FAMILY, 2, default_parts(pairs.rules))
    actions = FAMILY.game.possible_actions(pairs.rules)
    network = ActorCritic(encoder.size, [8], len(actions))
    network.actor[-1].weight.data *= 100  # far from uniform
    policy = NetworkPolicy(network, encoder, actions)
    strategy, first = exact.tabulate(policy, pairs).strategy, pairs.form.first
    shares = policy.probabilities(pairs.observations, pairs.action_masks)
    for row in range(0, pairs.num_information_sets, 37):
        own = pairs.actions[first[row] - 2 : first[row + 1] - 2]
        expected = shares[pairs.seen[row], own]
        assert strategy[first[row] : first[row + 1]] == pytest.approx(expected, abs=1e-6)
    assert np.abs(strategy - exact.tabulate("random", pairs).strategy).max() > 0.1


def test_probabilities_are_those_of_the_policy(pairs: exact.Tree) -> None:
    """A function that never tosses a coin comes out pure, one that does within four standard errors."""
    for name in ("scripted/honest", lambda observation, mask: int(mask.argmax())):
        assert set(exact.tabulate(name, pairs, draws=16).strategy) == {0.0, 1.0}
    tree = exact.Tree("mini-pairs", 2, length_limit=3)
    rng = np.random.default_rng(5)
    drawn = exact.tabulate(lambda observation, mask: int(rng.choice(np.flatnonzero(mask))), tree, draws=64).strategy
    uniform = exact.tabulate("random", tree).strategy
    assert np.abs(drawn - uniform).max() < 5 * 0.5 / 8 and np.abs(drawn - uniform).mean() < 0.5 / 8


def test_a_table_of_another_deal_is_refused() -> None:
    hands = [["AC", "2C"], ["AD", "2D"]]
    trees = [exact.Tree("mini-pairs", 2, deal={"hands": hands, "starter": starter}) for starter in (0, 1)]
    table = exact.tabulate("scripted/honest", trees[0])
    assert np.isfinite(exact.values(table, trees[0])).all()
    with pytest.raises(ValueError, match="with another forced deal"):
        exact.values(table, trees[1])
