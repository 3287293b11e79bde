"""The strategy of a policy: its action probabilities at every information set of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from bluff_env.exact.sweeps import expected_payoffs
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.exact.tree import Tree
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.policy import PolicySpec, check_actions
from bluff_env.policies.scripted import ScriptedPolicy
from bluff_env.policies.source import source_of
from bluff_env.policies.symmetric import SymmetricPolicy
from bluff_env.policies.trained import thinks
from bluff_env.utils.errors import InputError, quoted

Lineup: TypeAlias = PolicySpec | Sequence[PolicySpec]
"""A policy for all seats, or a list or tuple with one for each seat."""

DRAWS = 256
ROWS = 65_536  # observations that a policy is shown at once


def strategy_of(lineup: Lineup, tree: Tree, draws: int) -> tuple[str, np.ndarray]:
    """The name of a line-up, and its strategy, float64 (sequences,). See :func:`bluff_env.exact.tabulate`."""
    if not isinstance(lineup, (list, tuple)):
        return _strategy_of_one(lineup, tree, draws)
    if len(lineup) != tree.num_players:
        raise InputError(f"the line-up has {len(lineup)} policies for {tree.num_players} players")
    names, strategies = zip(*(_strategy_of_one(policy, tree, draws) for policy in lineup), strict=True)
    seats = np.concatenate([np.arange(tree.num_players), tree.form.owners[tree.sets]])
    return ", ".join(names), np.choose(seats, strategies)


def _strategy_of_one(policy: Any, tree: Tree, draws: int) -> tuple[str, np.ndarray]:
    """The same of one policy in all seats."""
    source = source_of(policy)
    loaded: Any = source.load(tree.rules, tree.num_players)
    if isinstance(loaded, TabularPolicy):
        own = loaded.tree
        if own.rules != tree.rules or own.num_sequences != tree.num_sequences:
            raise InputError(f"policy {loaded.name!r} plays {own.title}, not {tree.title}")
        if own.deal != tree.deal:
            raise InputError(f"policy {loaded.name!r} plays {own.title} with another forced deal: {quoted(own.deal)}")
        return loaded.name, loaded.strategy
    if isinstance(loaded, MixturePolicy):
        strategies = [_asked(member, tree, draws) for member in loaded.members]
        return source.name, mixed_strategy(tree, strategies, loaded.weights)
    return source.name, _asked(loaded, tree, draws)


def mixed_strategy(tree: Tree, strategies: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """The strategy that plays as a mixture does, of which one member is drawn for each seat before the game.

    With perfect recall there is one (Kuhn, "Extensive games and the problem of information", 1953): what a member
    plays at an information set counts by how probable it is that this member has come there.
    """
    plan, payoffs = np.empty(tree.num_sequences), np.empty(tree.num_players)
    total = np.zeros(tree.num_sequences)
    for strategy, weight in zip(strategies, weights, strict=True):
        expected_payoffs(tree.form, strategy, plan, payoffs)  # leaves the realization plan
        total += weight * plan
    return tree.strategy(total)


def _asked(loaded: Any, tree: Tree, draws: int) -> np.ndarray:
    """The strategy of a policy that is asked at each observation."""
    step = max(1, ROWS // draws)
    chunks = [slice(start, start + step) for start in range(0, len(tree.observations), step)]
    shares = np.concatenate(
        [probabilities_of(loaded, tree.observations[c], tree.action_masks[c], draws) for c in chunks]
    )
    weights = np.concatenate([np.ones(tree.num_players), shares[tree.choices]])
    return tree.strategy(weights)


def probabilities_of(policy: Any, observations: np.ndarray, masks: np.ndarray, draws: int) -> np.ndarray:
    """The probability of each legal action of each observation, float64, in the order of ``np.nonzero(masks)``."""
    legal = np.nonzero(masks)
    if isinstance(policy, ScriptedPolicy) and policy.name == "scripted/random":
        return np.ones(len(legal[0]))
    if thinks(policy) and not isinstance(policy, SymmetricPolicy):
        return policy.probabilities(observations, masks)[legal].astype(np.float64)
    shares = np.zeros(masks.shape)
    rows = np.repeat(np.arange(len(masks)), draws)
    actions, state = policy.predict(
        observations[rows], episode_start=np.ones(len(rows), np.bool_), action_masks=masks[rows],
        rng=np.random.default_rng(0),
    )  # fmt: skip
    if state is not None:
        raise InputError(f"policy {policy.name!r} remembers earlier decisions: only policies without memory are exact")
    np.add.at(shares, (rows, check_actions(policy, actions, masks[rows])), 1 / draws)
    return shares[legal]
