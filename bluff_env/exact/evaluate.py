"""Expected payoffs, best responses, NashConv and CFR+, all of them exact sums over a whole tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bluff_env.exact.probabilities import DRAWS, ROWS, Lineup, strategy_of
from bluff_env.exact.sweeps import expected_payoffs, iterate_cfr_plus, respond
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.exact.tree import MAX_NODES, tree_of
from bluff_env.utils.arguments import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules


class BestResponse(NamedTuple):
    """The best that one seat can do against what the others play.

    Attributes:
        value: what the seat earns on average.
        policy: plays it; a pure strategy.
    """

    value: float
    policy: TabularPolicy


def tabulate(
    policy: Lineup,
    variant: Any,
    num_players: int | None = None,
    *,
    draws: int = DRAWS,
    max_nodes: int = MAX_NODES,
    **house_rules: Unpack[HouseRules],
) -> TabularPolicy:
    """The probabilities with which a policy acts at every information set.

    They are exact for networks, for mixtures of these, for ``random`` and for tables. Every other policy is asked
    ``draws`` times at each observation. That is exact for policies that never toss a coin, such as ``honest``; a share
    that is estimated so is off by at most 1 / (2 sqrt(draws)) in standard deviations, 0.03 by default.

    Args:
        policy: a policy for all seats, as ``load_policy`` takes it, or a list of one for each seat. It must not
            remember earlier decisions, unless it is a mixture or a :class:`TabularPolicy` of the same game.
        variant: a preset's name, a rule set, or a :class:`Tree`, which saves building it again.
        num_players: by default the preset's usual number, or that of the tree.
        draws: how often a policy that may toss coins is asked, up to 65,536.
        max_nodes: as for :class:`Tree`.
        **house_rules: changes of the variant's rules.

    Raises:
        TooLargeError: if the tree has more than ``max_nodes`` nodes.
        RulesError: for impossible rules or players.
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        InputError: for a policy with a memory, one that plays what is not legal, or a list of the wrong length.
    """
    tree = tree_of(variant, num_players, max_nodes, house_rules)
    name, strategy = strategy_of(policy, tree, whole_number("draws", draws, 1, ROWS))
    return TabularPolicy(tree, strategy, name=name)


def values(
    policy: Lineup,
    variant: Any,
    num_players: int | None = None,
    *,
    draws: int = DRAWS,
    max_nodes: int = MAX_NODES,
    **house_rules: Unpack[HouseRules],
) -> np.ndarray:
    """Return the expected payoff of each seat, float64 (players,). Arguments and errors: :func:`tabulate`."""
    table = tabulate(policy, variant, num_players, draws=draws, max_nodes=max_nodes, **house_rules)
    tree = table.tree
    payoffs = np.empty(tree.num_players)
    expected_payoffs(tree.form, table.strategy, np.empty(tree.num_sequences), payoffs)
    return payoffs


def best_response(
    policy: Lineup,
    variant: Any,
    num_players: int | None = None,
    seat: int = 0,
    *,
    draws: int = DRAWS,
    max_nodes: int = MAX_NODES,
    **house_rules: Unpack[HouseRules],
) -> BestResponse:
    """The best response of one seat to what ``policy`` plays in the other seats.

    Arguments and errors: :func:`tabulate`. The policy returned has the best response in its own seat, and in the others
    what they play.
    """
    table = tabulate(policy, variant, num_players, draws=draws, max_nodes=max_nodes, **house_rules)
    tree, strategy = table.tree, table.strategy.copy()
    seat = whole_number("seat", seat, 0, tree.num_players - 1)
    plan, gains = np.empty((2, tree.num_sequences))
    value = respond(tree.form, strategy, seat, plan, gains)
    return BestResponse(float(value), TabularPolicy(tree, strategy, seat, f"best response to {table.name}"))


def nash_conv(
    policy: Lineup,
    variant: Any,
    num_players: int | None = None,
    *,
    draws: int = DRAWS,
    max_nodes: int = MAX_NODES,
    **house_rules: Unpack[HouseRules],
) -> float:
    """NashConv: what every seat could gain on average by a best response to the others, summed over the seats.

    It is 0 in a Nash equilibrium and positive everywhere else (Lanctot et al., "A unified game-theoretic approach to
    multiagent reinforcement learning", 2017). With two players, half of it is the exploitability. Arguments and errors:
    :func:`tabulate`.
    """
    table = tabulate(policy, variant, num_players, draws=draws, max_nodes=max_nodes, **house_rules)
    best = [best_response(table, table.tree, seat=seat).value for seat in range(table.tree.num_players)]
    return float(sum(best) - values(table, table.tree).sum())


def cfr_plus(
    variant: Any,
    num_players: int | None = None,
    iterations: int = 300,
    *,
    max_nodes: int = MAX_NODES,
    progress: Callable[[float], object] | None = None,
    **house_rules: Unpack[HouseRules],
) -> TabularPolicy:
    """The average strategy of CFR+, which converges to a Nash equilibrium in games of two players.

    As Tammelin, "Solving large imperfect information games using CFR+", 2014, has it: regret matching+, players updated
    in turn, and averages with linearly growing weights. With more players nothing is promised; :func:`nash_conv` says
    how far the result is from an equilibrium. Other arguments and errors: :func:`tabulate`.

    Args:
        iterations: each updates all players once.
        progress: called after each iteration with the share that is done.
    """
    tree = tree_of(variant, num_players, max_nodes, house_rules)
    strategy = tree.strategy(np.zeros(tree.num_sequences))
    regrets, average = np.zeros((2, tree.num_sequences))
    plan, gains = np.empty((2, tree.num_sequences))
    for t in range(1, whole_number("iterations", iterations, 1) + 1):
        iterate_cfr_plus(tree.form, t, strategy, regrets, average, plan, gains)
        if progress is not None:
            progress(t / iterations)
    return TabularPolicy(tree, tree.strategy(average), name=f"cfr+ ({iterations} iterations)")
