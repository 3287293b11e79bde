"""``bluff-env watch``: a game between policies, or a recorded game, as text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    DEFAULT_POLICY,
    STOPPED,
    PlayersOption,
    RuleOption,
    SeedOption,
    VariantOption,
    cell,
    house_rules,
    usual,
)
from bluff_env.errors import printable
from bluff_env.family import DEFAULT_VARIANT, find_variant, make_rules

if TYPE_CHECKING:
    from bluff_env.engine import Engine


def watch(
    record: Annotated[
        Path | None, typer.Argument(metavar="[RECORD]", help="Show this game record instead of playing a game.")
    ] = None,
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(help=f"A policy; if repeated, the seats take them in turn (default: {DEFAULT_POLICY})."),
    ] = None,
    seed: SeedOption = 0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each event.")] = 0.0,
    reveal: Annotated[bool, typer.Option(help="Show hidden cards.")] = True,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Show a game between policies, or a recorded game: every public event, and the table after it."""
    if record is not None:
        if (variant, players, policies, seed, save, rule) != (DEFAULT_VARIANT, None, None, 0, None, None):
            raise ValueError("a record has its own rules, players and seed: only --delay and --reveal go with it")
        show_record(record, reveal, delay)
        return 0
    if save is not None and save.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(save))
    rules, n = make_rules(variant, **house_rules(rule)), usual(variant, players)
    specs = list(islice(cycle(policies or [DEFAULT_POLICY]), n))
    steps: list[tuple[int, str]] = []
    engine = new_game(rules, n, seed)
    try:
        show_game(engine, variant, chosen_by(specs, rules, engine, seed), reveal, delay, steps)
        code = 0
    except KeyboardInterrupt:
        code = STOPPED
        engine = new_game(rules, n, seed, steps)  # it may have been stopped in the middle of a step
    Console().print(result_table(engine, specs))
    if save is not None:
        from bluff_env.record import GameRecord

        end, over = {name: values[0] for name, values in engine.results().items()}, bool(engine.dones[0])
        GameRecord(
            engine.rules_of(0)[0], n, seed, tuple(steps), tuple(end["payoffs"][:n].tolist()) if over else None,
            bool(end["length_limit"]), variant=find_variant(variant).name,
        ).save(save)  # fmt: skip
        typer.echo(printable(f"written to {save}"))
    return code


def show_record(path: Path, reveal: bool, delay: float) -> None:
    """Shows a recorded game, after a replay has shown that the record is sound."""
    from bluff_env.record import GameRecord, RecordError, replay

    game = GameRecord.load(path)
    try:
        replay(game)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None
    engine = new_game(game.rules, game.num_players, game.seed, deal=game.deal)
    actions = (game.family.game.ACTION_INDEX[action] for _, action in game.steps)
    show_game(engine, game.variant, actions, reveal, delay, [])
    Console().print(result_table(engine, None))
    if game.note:
        typer.echo(game.note)


def new_game(
    rules: Any, num_players: int, seed: int, steps: Sequence[tuple[int, str]] = (), deal: Any = None
) -> Engine:
    """An engine with one game, in which these steps have been played."""
    import numpy as np

    from bluff_env.engine import Engine

    engine = Engine(rules, num_players=num_players, autoreset=False)
    engine.reset(seeds=[seed], deals=None if deal is None else [deal])
    for _, action in steps:
        engine.step(np.array([engine.family.game.ACTION_INDEX[action]]))
    return engine


def chosen_by(specs: Sequence[str], rules: Any, engine: Engine, seed: int) -> Iterator[int]:
    """The actions of the policies at the seats of the engine's only game, one after the other until it is over."""
    import numpy as np

    from bluff_env.policies.load import load_policy
    from bluff_env.policies.seats import SeatPolicies

    names = list(dict.fromkeys(specs))
    policies = [load_policy(name, rules=rules, num_players=len(specs)) for name in names]
    seats = SeatPolicies(policies, np.array([[names.index(spec) for spec in specs]]))
    rng, row = np.random.default_rng(seed), np.array([0])
    while engine.to_act[0] >= 0:
        yield int(seats.act(engine, row, rng)[0])


def show_game(
    engine: Engine, variant: str, actions: Iterable[int], reveal: bool, delay: float, steps: list[tuple[int, str]]
) -> None:
    """Plays the engine's only game with these actions: every public event, and the table after it.

    Each step, a seat and the name of an action, is put into ``steps`` before it is played.
    """
    import numpy as np

    text, names = engine.family.texts, seat_names(engine)
    seen = 0
    for action in actions:
        steps.append((int(engine.to_act[0]), engine.action_names[action]))
        engine.step(np.array([action]))
        events, seen = engine.events(0, seen)
        for event in events:
            typer.echo(text.describe_event(event, names))
        if events or engine.dones[0]:
            typer.echo(text.render_game({**engine.snapshot(0), "variant": variant}, names, reveal) + "\n")
            time.sleep(delay)


def seat_names(engine: Engine) -> list[str]:
    """``player_0``, ... for the seats of the engine's first game."""
    return [f"player_{seat}" for seat in range(int(engine.num_players[0]))]


def result_table(engine: Engine, specs: Sequence[str] | None) -> Table:
    """How the engine's only game ended, or how it stands. ``specs``: the policies of the seats, if known."""
    results = {name: values[0] for name, values in engine.results().items()}
    limit = " by the length limit" if results["length_limit"] else ""
    over = f"over after {results['turns']} turns{limit}" if engine.dones[0] else f"after {results['turns']} turns"
    table = Table(title=over, title_justify="left")
    left = ("seat", "policy")[: 1 if specs is None else 2]
    for column in (*left, "payoff", "plays", "lies", "calls", "right calls"):
        table.add_column(column, justify="left" if column in left else "right")
    for seat, name in enumerate(seat_names(engine)):
        counts = (str(results[key][seat]) for key in ("plays", "lies", "calls", "right_calls"))
        played_by = [] if specs is None else [cell(specs[seat])]
        table.add_row(name, *played_by, f"{results['payoffs'][seat]:+.3f}", *counts)
    return table
