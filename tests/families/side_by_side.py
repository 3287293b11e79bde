"""Plays a game in the engine and in a family's oracle side by side, and compares the two at every node."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from bluff_env.envs.position import Position


def compare(
    position: Position,
    oracle: Any,
    view: Callable[[Any, Any], dict[str, Any]],
    choose: Callable[[Any], str],
    rng: random.Random,
    max_steps: int = 5000,
) -> str:
    """Plays one random game in both.

    Args:
        position: the game in the engine.
        oracle: the same game in the oracle, which has the methods of a position that are used here.
        view: ``view(game, oracle)`` is what has to be equal at a node, for ``game`` the position and the oracle; its
            "rewards" have to be nearly equal.
        choose: takes the oracle and returns the name of a legal action.
        rng: draws the outcomes of chance.
        max_steps: the game is left there if it has not ended.

    Returns:
        The history of the game: decisions as "seat: action" and outcomes as "[outcome]", separated by " | ".

    Raises:
        AssertionError: where the two differ; it names the rules and the history.
    """
    history: list[str] = []

    def fail(what: str, engine: Any, expected: Any) -> None:
        raise AssertionError(
            f"{what} differs\n  engine: {engine}\n  oracle: {expected}\n  players: {position.num_players}"
            f"\n  rules:  {differences_from_default(position.rules)}\n  after:  {' | '.join(history)}"
        )

    for _ in range(max_steps):
        theirs, ours = view(position, oracle), view(oracle, oracle)
        for key, expected in ours.items():
            found = theirs.get(key)
            if found != expected and not (key == "rewards" and found == pytest.approx(expected, abs=1e-5)):
                fail(key, found, expected)
        if oracle.is_terminal():
            break
        if oracle.is_chance_node():
            outcomes = oracle.chance_weights()
            name = rng.choices(list(outcomes), weights=list(outcomes.values()))[0]
            history.append(f"[{name}]")
        else:
            name = choose(oracle)
            history.append(f"{oracle.current_player()}: {name}")
        for game in (oracle, position):
            try:
                game.apply_action(name)
            except Exception as error:
                fail(f"an exception from {type(game).__name__}: {error!r}; it", "?", ours)
    return " | ".join(history)


def differences_from_default(rules: Any) -> dict[str, Any]:
    """The fields of a rule set that are not the defaults."""
    default = type(rules)().to_dict()
    return {name: value for name, value in rules.to_dict().items() if value != default[name]}
