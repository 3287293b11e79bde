"""``bluff-env speed``: decisions per second on this machine."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    MOST_SECONDS,
    JsonOption,
    PlayersOption,
    RuleOption,
    SeedOption,
    VariantOption,
    check_targets,
    choose_game,
    kept_until_stopped,
    write_table,
)
from bluff_env.core.registry import DEFAULT_VARIANT
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.core.engine import Engine


MOST_AT_ONCE = 2**18  # games; more take more memory than most machines have


def speed(
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
    seconds: Annotated[
        float,
        typer.Option(min=0.001, max=MOST_SECONDS, help="How long to measure each figure."),
    ] = 1.0,
    games: Annotated[
        list[int] | None,
        typer.Option(
            min=1, max=MOST_AT_ONCE, help="Number of games at once; may be repeated (default: 1, 64, 1024, 8192)."
        ),
    ] = None,
    seed: SeedOption = 0,
    rule: RuleOption = None,
    json: JsonOption = None,
) -> int:
    """Measure decisions per second of random play, with mask, observation and random choice included."""
    check_targets({"--json": json})
    started = time.perf_counter()
    from bluff_env.core.engine import Engine

    game = choose_game(variant, players, rule, [])
    rules, n = game.rules, game.num_players
    first = Engine(rules, num_players=n, seed=seed)
    first.play_random(1)
    first_call = time.perf_counter() - started
    cores = os.cpu_count() or 1
    threads = [1] if cores == 1 else [1, cores]
    sizes = games or [1, 64, 1024, 8192]
    table = Table(title=f"decisions per second: {game.in_words}", title_justify="left")
    for name in ("games", "threads", "all compiled", "chosen in Python"):
        table.add_column(name, justify="right")
    rows = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("measuring", total=2 * len(sizes) * len(threads))
        for size in sizes:
            for num_threads in threads:
                figures = []
                for measure in (compiled_speed, partial(python_speed, seed=seed)):
                    engine = Engine(rules, num_games=size, num_players=n, seed=seed, num_threads=num_threads)
                    figures.append(measure(engine, seconds))
                    bar.advance(task)
                table.add_row(f"{size:,}", str(num_threads), *(f"{figure:,.0f}" for figure in figures))
                rows.append({"games": size, "threads": num_threads, "compiled": figures[0], "python": figures[1]})
    Console().print(table)
    view = first.observations[0]
    typer.echo(f"first call: {first_call:.2f} s; an observation: {view.size} numbers, {view.nbytes} bytes")
    if json is not None:
        about = {**game.to_dict(), "seed": seed, "seconds": seconds, "first_call": first_call}
        write_table(json, {**about, "observation": {"numbers": view.size, "bytes": view.nbytes}, "rows": rows})
    return stop.code


def compiled_speed(engine: Engine, seconds: float) -> float:
    """Decisions per second of :meth:`Engine.play_random`."""
    engine.play_random(1)
    steps, elapsed = 1, 0.0
    while elapsed < seconds:
        # enough steps for the whole time, but at most ten times as many as before
        steps = max(1, min(steps * 10, int(steps * seconds / elapsed))) if elapsed else steps
        started = time.perf_counter()
        engine.play_random(steps)
        elapsed = time.perf_counter() - started
        if elapsed > 0.8 * seconds:
            break
    return steps * engine.num_games / elapsed


def python_speed(engine: Engine, seconds: float, seed: int) -> float:
    """Decisions per second of :meth:`Engine.step` with random legal actions that NumPy draws."""
    import numpy as np

    rng = np.random.default_rng(seed)
    masks = engine.action_masks
    steps, started = 0, time.perf_counter()
    elapsed = 0.0
    while elapsed < seconds:
        noise = rng.random(masks.shape, dtype=np.float32)
        engine.step(np.argmax(noise * masks - (masks == 0), axis=1))
        steps += 1
        elapsed = time.perf_counter() - started
    return steps * engine.num_games / elapsed
