"""Worlds that one player cannot tell from the real one: a game in which all that they do not know is drawn anew."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from bluff_env.core.single_game import SingleGame


def redrawn(game: SingleGame, seat: int, rng: np.random.Generator) -> SingleGame:
    """Return a game that ``seat`` cannot tell from ``game`` and that goes on by its rules; ``game`` stays.

    The family draws the cards; here follow the generator of future chance, and what the player in turn has done so far
    of a play that nobody else sees: a random beginning of it.
    """
    other, draw = game.copy(), random.Random(int(rng.integers(2**63)))
    redeal = game.family.states.redeal
    if redeal is None:
        raise NotImplementedError(f"{game.family.title} cannot draw anew what a player does not know")
    redeal(other, seat, draw)
    other.family.driver.start_one(other.states, 0, draw.getrandbits(62))
    if other.is_own_play and other.to_act != seat:
        _begin_play(other, seat, draw)
    other.write_mask()
    return other


def _begin_play(game: SingleGame, seat: int, rng: random.Random) -> None:
    """Let the player in turn take random steps of their play, as long as ``seat`` sees nothing of them."""
    seen, to_act, turns = game.observe(seat), game.to_act, int(game.state["turns"])
    while rng.random() < 0.5:
        trial = game.copy()
        trial.apply_action(random_action(trial, rng))
        unseen = trial.is_own_play and trial.to_act == to_act and int(trial.state["turns"]) == turns
        if not unseen or not np.array_equal(trial.observe(seat), seen):
            return
        game.states = trial.states


def random_action(game: SingleGame, rng: random.Random) -> int:
    """Return a random legal action of the player to act, by index."""
    game.write_mask()
    return int(rng.choice(np.flatnonzero(game.mask).tolist()))


def answer_again(game: Any, rng: random.Random, is_back: Callable[[], bool]) -> None:
    """Let everybody who is asked answer at random, until the game is back where it was."""
    while not is_back():
        game.family.driver.apply_action_one(game.states, game.rule_rows, 0, random_action(game, rng))
