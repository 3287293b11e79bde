"""Actions of Bluff the Bullet in words. A seat that an action names by ``+K`` becomes the player who sits there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bluff_env.bullet.game.state import NOBODY

PLACES = ("first", "second", "third", "fourth", "fifth")


def describe_action(g: np.void, r: np.void, name: str, seat: int, players: Sequence[str]) -> str:
    """Return what an action means if the player at ``seat`` takes it now, as a sentence without a full stop.

    Args:
        g: the state of the game, before the action.
        r: the row of its rules.
        name: the name of the action, as ``"use 1"``.
        seat: the seat of the player who acts.
        players: the name of every seat.
    """
    player = players[seat]
    verb, _, what = name.partition(" ")
    if verb == "use":
        return f"{player} chooses the {PLACES[int(what) - 1]} Action Card"
    if verb == "ability":
        return f"{player} will say that it is a {what}"
    if verb == "target":
        return f"{player} aims at {_target(what, seat, players)}"
    if verb == "pick":
        victim = "the loser" if g["victim"] == NOBODY else players[int(g["victim"])]
        return f"{player} has {victim} lose the {_slot(what)}"
    top, laid = "the card", int(g["stack_size"])
    if laid:
        top = f"{players[int(g['stack_player'][laid - 1])]}'s {'card' if laid == 1 else 'bullet'}"
    if verb == "bullet":
        return f"{player} lays the {PLACES[int(what) - 1]} Action Card on {top} as a bullet"
    return f"{player} calls {top} a bluff" if verb == "call" else f"{player} lets {top} be"


def _target(what: str, seat: int, players: Sequence[str]) -> str:
    relative, _, slot = what.partition(" ")
    k = int(relative)
    owner = players[(seat + k) % len(players)] if k < len(players) else relative
    return f"the {_slot(slot)} of {owner}" if slot else f"the hand of {owner}"


def _slot(slot: str) -> str:
    """Return ``s2`` as ``second card``."""
    return f"{PLACES[int(slot[1:]) - 1]} card"
