"""A small game as a file in Gambit's extensive form (.efg): for Gambit, and for the solvers of OpenSpiel in C++."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.envs.position import Position
from bluff_env.exact.tree import TooLargeError, Tree, tree_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

MOST_NODES = 3_000_000  # about seven minutes, and 100 MB of text


def extensive_form(
    variant: Any,
    num_players: int | None = None,
    *,
    max_nodes: int = MOST_NODES,
    **house_rules: Unpack[HouseRules],
) -> str:
    """Return the whole tree of a game in Gambit's format, "EFG 2 R", with exact probabilities.

    The name of an information set is its index in the tree, so that what a solver finds can be read back as a strategy
    (:func:`bluff_env.open_spiel.read_strategy`). Actions and outcomes of chance have the names that they have
    elsewhere. Python walks here, about 8,000 nodes a second.

    Args:
        variant: a preset's name, a rule set, or a :class:`Tree`, which saves building it again.
        num_players: by default the preset's usual number, or that of the tree.
        max_nodes: the most nodes that are written.
        **house_rules: changes of the variant's rules.

    Raises:
        TooLargeError: for a game with more nodes.
        RulesError: for impossible rules or players.

    The format: *Gambit: The package for computation in game theory*, "Game representation formats".
    """
    tree = tree_of(variant, num_players, max_nodes, house_rules)
    if tree.num_nodes > max_nodes:
        raise TooLargeError(f"{tree.title} has {tree.num_nodes:,} nodes: more than the {max_nodes:,} that are written")
    return "".join(f"{line}\n" for line in _lines(tree))


def _lines(tree: Tree) -> Iterator[str]:
    """The header, then a line for each node, a node before those below it."""
    yield f"EFG 2 R {_text(tree.title)} {{ {_texts(f'player_{seat}' for seat in range(tree.num_players))} }}"
    root = Position(tree.rules, tree.num_players, **tree.deal)
    numbers, chances, ends = _numbers(tree), count(1), count(1)
    waiting = [(root, tuple(range(tree.num_players)))]  # nodes, with the latest sequence of each seat
    while waiting:
        position, latest = waiting.pop()
        if position.is_terminal():
            yield f't "" {next(ends)} "" {{ {", ".join(map(repr, position.returns()))} }}'
        elif position.is_chance_node():
            weights = position.chance_weights()
            total = sum(weights.values())
            shares = " ".join(f"{_text(name)} {weight}/{total}" for name, weight in weights.items())
            yield f'c "" {next(chances)} "" {{ {shares} }} 0'
            waiting += [(position.child(name), latest) for name in reversed(weights)]
        else:
            seat, names = position.current_player(), position.legal_actions()
            row = tree.rows[latest[seat], position.observe(seat).tobytes()]
            yield f'p "" {seat + 1} {numbers[row]} "{row}" {{ {_texts(names)} }} 0'
            sequences = range(*tree.form.first[row : row + 2])  # in the order of the legal actions
            for name, sequence in reversed(list(zip(names, sequences, strict=True))):
                waiting.append((position.child(name), (*latest[:seat], sequence, *latest[seat + 1 :])))


def _numbers(tree: Tree) -> np.ndarray:
    """The number of each information set among those of its seat, from 1: int64 (information sets,)."""
    numbers = np.zeros(tree.num_information_sets, np.int64)
    for seat in range(tree.num_players):
        own = np.flatnonzero(tree.form.owners == seat)
        numbers[own] = np.arange(1, len(own) + 1)
    return numbers


def _text(words: str) -> str:
    """A text in quotes; those within it are escaped as in C."""
    return json.dumps(words, ensure_ascii=False)


def _texts(words: Iterable[str]) -> str:
    return " ".join(map(_text, words))
