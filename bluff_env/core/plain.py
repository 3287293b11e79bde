"""Defaults for what a family does not write itself; they follow from fields, rules and names of actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.fields import HIDDEN, Field, fault_of_values, redraw, struct_of
from bluff_env.core.jit import records
from bluff_env.core.picture import Picture
from bluff_env.core.saved import unchecked_state

if TYPE_CHECKING:
    import random

    from bluff_env.core.rules import RuleSet


def rule_row(dtype: np.dtype, rules: Any, num_players: int) -> np.ndarray:
    """Return rules of whole numbers as a table of one row. Raises RulesError if that many players cannot play."""
    names, rules, row = dtype.names or (), rules.resolve(num_players), records(1, dtype)
    row[0] = (num_players, *(getattr(rules, name) for name in names[1:]))
    return row


def random_actions(
    player: int, offsets: np.ndarray, observations: np.ndarray, masks: np.ndarray, key: int, out: np.ndarray
) -> None:
    """Write a uniform random legal action for each row; arguments as those of :attr:`Scripted.choose`."""
    out[:] = (np.random.default_rng(key).random(masks.shape) * masks).argmax(axis=1)


def snapshot(fields: Sequence[Field], phases: type[IntEnum], g: Any, r: Any) -> dict[str, Any]:
    """Return the fields of a state by name, but the generator of chance, as values that JSON can hold."""
    return {
        **{field.name: g[field.name].tolist() for field in fields if field.visibility is not HIDDEN},
        "phase": phases(int(g["phase"])).name.lower(),
        "length_limit": False,
        "done": bool(g["phase"] == max(phases)),
        "rewards": g["payoff"][: r["num_players"]].tolist(),
    }


def state_from_text(
    fields: Sequence[Field], fault: Callable[[Any, Any], str], text: Any, rule_row: np.ndarray
) -> np.ndarray:
    """Return a saved state, an array of one. Raises ValueError if it is damaged or not of a game of these rules."""
    states = unchecked_state(text, struct_of(fields))
    g, r = states[0], rule_row[0]
    if found := fault_of_values(fields, g, r) or fault(g, r):
        raise ValueError(f"the snapshot's state is not a game of these rules: {found}")
    return states


def redraw_all(fields: Sequence[Field], g: Any, r: Any, seat: int, rng: random.Random) -> None:
    """Draw anew everything in a state that a seat does not know, each field by itself."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    for each in fields:
        redraw(each, g, r, seat, numbers)


def results(games: np.ndarray) -> dict[str, np.ndarray]:
    """Return the turns and payoffs of games of which nothing else is counted."""
    zeros = np.zeros(games["payoff"].shape, np.int64)
    return {
        "turns": games["turns"].copy(),
        "length_limit": np.zeros(len(games), np.bool_),
        "payoffs": games["payoff"].copy(),
        **{name: zeros.copy() for name in ("plays", "lies", "asked", "calls", "right_calls")},
    }


def description(rules: RuleSet, num_players: int) -> str:
    """Return the rules in a sentence: every field with its value."""
    told = ", ".join(f"{name}: {value}" for name, value in rules.to_dict().items())
    return f"{num_players} players. {told}".rstrip()


def rules_table(rules: RuleSet) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of every field of the rules; the meaning is the name in words."""
    return [(name, str(value), name.replace("_", " ")) for name, value in rules.to_dict().items()]


def table(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> str:
    """Return the fields of a snapshot, a line for each; without ``reveal`` only the phase and the turns."""
    shown = snapshot if reveal else {name: snapshot[name] for name in ("phase", "turns")}
    return "\n".join(f"{name}: {value}" for name, value in shown.items())


def seat(view: Mapping[str, Any], players: Sequence[str], to_act: bool) -> str:
    """Return what one player knows, a line for each part of their observation."""
    return "\n".join([players[0], *(f"{name}: {value}" for name, value in view.items())])


def picture(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> Picture:
    """Return a picture without cards: the lines of :func:`table`."""
    lines = table(snapshot, names, reveal).splitlines()
    return Picture(str(snapshot["phase"]), tuple(lines), (), ())


def seat_picture(view: Mapping[str, Any], players: Sequence[str], to_act: bool) -> Picture:
    """Return a picture without cards: the lines of :func:`seat`."""
    title, *lines = seat(view, players, to_act).splitlines()
    return Picture(title, tuple(lines), (), ())
