"""``bluff-env warm``: compile all that the commands and environments call, before anybody waits for it."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import typer

from bluff_env.core.registry import FAMILIES
from bluff_env.utils.errors import InputError
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.core.family import Family

STEPS = 100  # decisions and outcomes of chance: the deal, and some turns


def warm() -> None:
    """Compile the rules of all families now, so that no later process has to: for images of containers.

    The compiled code is kept in a folder of the user's own, or in the one that BLUFF_ENV_CACHE names.
    """
    from bluff_env.core.jit import code_folder, num_compiled

    folder = code_folder()
    if folder is None:
        raise InputError(
            "compiled code is not kept on disk here: set BLUFF_ENV_CACHE to the absolute path of a folder of your own, "
            "use a version of numba that docs/limits.md names, and unset NUMBA_DISABLE_JIT"
        )
    started, before = time.perf_counter(), num_compiled()
    with progress() as bar:
        families = list(FAMILIES.values())
        task = bar.add_task("compiling", total=len(families) + 1)
        for family in families:
            play_all_ways(family)
            bar.advance(task)
        solve_a_game()
        bar.advance(task)
    made, seconds = num_compiled() - before, time.perf_counter() - started
    what = f"{made} functions were compiled in {seconds:.0f} s" if made else "all functions had been compiled before"
    typer.echo(f"{what}; they are in {folder}")


def play_all_ways(family: Family) -> None:
    """Play some decisions of a family's first preset in every way that users do, so that all of it is compiled."""
    from bluff_env.core.encoding import FEATURES, Encoder
    from bluff_env.core.engine import Engine
    from bluff_env.evaluation.duplicates import evaluate

    preset = f"{family.name}/{next(iter(family.variants))}"
    # many games, and matches of them
    for deals in (1, 2):
        engine = Engine(preset, num_games=2, deals=deals)
        engine.play_random(STEPS)
        engine.step(engine.action_masks.argmax(1))
        engine.observe(np.arange(2), np.zeros(2, np.int64))
        engine.restore(engine.save())
    if family.states.hidden_features is not None:
        engine.hidden_features(np.arange(2))
    if family.renaming is not None:
        renaming = family.renaming(*engine.rule_sets[0])
        renaming.under(engine.observations, engine.action_masks, renaming.blank(2, np.random.default_rng(0)))
    read = (*family.parts.layout(), *([FEATURES] if family.features else []))
    Encoder(family, engine.seats, read).encode(engine.observations)
    # one game: a short match whose chance is drawn, and a deal whose chance is chosen
    short = {"length_limit": 2} if "length_limit" in family.rules.field_names() else {}
    env = import_module(family.environment).env(preset, deals=2, **short)
    env.reset(seed=0, options={"dealer": 0} if "dealer" in family.deal_options else None)
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else int(observation["action_mask"].argmax()))
    play_by_names(preset)
    # scripted players
    evaluate("scripted/honest", "scripted/random", preset, deals=2)


def play_by_names(preset: str) -> None:
    """Play a deal of a preset in which chance is chosen as actions are, by their names."""
    from bluff_env.envs.position import Position

    position = Position(preset, 2)
    for _ in range(STEPS):
        if position.is_terminal():
            return
        names = position.legal_actions() if position.is_player_node() else list(position.chance_weights())
        position = position.child(names[0])


def solve_a_game() -> None:
    """Solve the smallest preset, so that trees and their solver are compiled."""
    from bluff_env.exact import Tree, cfr_plus, nash_conv

    tree = Tree("mini-single", 2)
    nash_conv(cfr_plus(tree, iterations=2), tree)
