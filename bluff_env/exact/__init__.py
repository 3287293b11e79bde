"""Exact evaluation of small games: expected payoffs, best responses, NashConv, and CFR+ for reference.

    from bluff_env import exact

    tree = exact.Tree("mini-pairs", num_players=2)
    exact.nash_conv("scripted/honest", tree)          # how far honest play is from an equilibrium
    solution = exact.cfr_plus(tree, iterations=300)   # a policy close to one
    exact.nash_conv(solution, tree)

Every function takes a preset and house rules or a :class:`Tree`, and works for two or more players of any family. A
rule set whose tree is too large is refused; :data:`MAX_NODES` is the limit by default.
"""

from bluff_env.exact.evaluate import BestResponse, best_response, cfr_plus, nash_conv, tabulate, values
from bluff_env.exact.first_moves import FirstMoves, first_moves
from bluff_env.exact.gambit import extensive_form
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.exact.tree import MAX_NODES, TooLargeError, Tree

__all__ = [
    "MAX_NODES", "BestResponse", "FirstMoves", "TabularPolicy", "TooLargeError", "Tree", "best_response", "cfr_plus",
    "extensive_form", "first_moves", "nash_conv", "tabulate", "values",
]  # fmt: skip
