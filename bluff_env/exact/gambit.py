"""A small game as a file in Gambit's extensive form (.efg): for Gambit, and for the solvers of OpenSpiel in C++."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from bluff_env.core.single_game import SingleGame
from bluff_env.utils.errors import InputError

if TYPE_CHECKING:
    from bluff_env.exact.tree import Tree

MAX_NODES = 3_000_000  # about seven minutes, and 100 MB of text


def extensive_form(tree: Tree) -> str:
    """Return the whole tree in Gambit's format, "EFG 2 R", with exact probabilities.

    The name of an information set is its index in the tree, so that what a solver finds can be read back as a strategy
    (:func:`bluff_env.open_spiel.read_strategy`). Actions and outcomes of chance have the names that they have
    elsewhere. Most of the time is Python's: about 6,000 nodes a second.

    Args:
        tree: of at most ``MAX_NODES`` nodes.

    Raises:
        InputError: for a larger tree.

    The format: Savani and Turocy, *Gambit: The package for computation in game theory*, "Game representation formats".
    """
    if tree.num_nodes > MAX_NODES:
        raise InputError(f"{tree.title} has {tree.num_nodes:,} nodes, and a file has room for {MAX_NODES:,}")
    return "".join(f"{line}\n" for line in _lines(tree))


def _lines(tree: Tree) -> Iterator[str]:
    """The header, then a line for each node, a node before those below it."""
    yield f"EFG 2 R {_text(tree.title)} {{ {_texts(f'player_{seat}' for seat in range(tree.num_players))} }}"
    root = SingleGame(tree.family, tree.rules, tree.num_players)
    root.begin(root.dealt(tree.deal))
    numbers, names, chances, ends = _numbers(tree), tree.family.game.action_names, count(1), count(1)
    waiting = [(root, tuple(range(tree.num_players)))]  # nodes, with the latest sequence of each seat
    while waiting:
        game, latest = waiting.pop()
        if game.is_over:
            yield f't "" {next(ends)} "" {{ {", ".join(map(repr, game.payoffs))} }}'
        elif game.at_chance:
            weights = game.outcome_weights()
            total = sum(weights.values())
            shares = " ".join(f"{_text(game.outcome_name(k))} {weight}/{total}" for k, weight in weights.items())
            yield f'c "" {next(chances)} "" {{ {shares} }} 0'
            waiting += [(_after_outcome(game, outcome), latest) for outcome in reversed(weights)]
        else:
            seat = game.to_act
            row = tree.rows[latest[seat], game.observe(seat).tobytes()]
            sequences = range(*tree.form.first[row : row + 2])
            actions = [int(tree.actions[sequence - tree.num_players]) for sequence in sequences]
            yield f'p "" {seat + 1} {numbers[row]} "{row}" {{ {_texts(names[action] for action in actions)} }} 0'
            for action, sequence in reversed(list(zip(actions, sequences, strict=True))):
                waiting.append((_after_action(game, action), (*latest[:seat], sequence, *latest[seat + 1 :])))


def _numbers(tree: Tree) -> np.ndarray:
    """The number of each information set among those of its seat, from 1: int64 (information sets,)."""
    numbers = np.zeros(tree.num_information_sets, np.int64)
    for seat in range(tree.num_players):
        own = np.flatnonzero(tree.form.owners == seat)
        numbers[own] = np.arange(1, len(own) + 1)
    return numbers


def _after_action(game: SingleGame, action: int) -> SingleGame:
    other = game.copy()
    other.apply_action(action)
    return other


def _after_outcome(game: SingleGame, outcome: int) -> SingleGame:
    other = game.copy()
    other.apply_outcome(outcome)
    return other


def _text(words: str) -> str:
    """A text in quotes; those within it are escaped as in C."""
    return json.dumps(words, ensure_ascii=False)


def _texts(words: Iterator[str]) -> str:
    return " ".join(map(_text, words))
