"""``bluff-env exact``: the equilibrium of a small game beside what policies do, as tables to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bluff_env.cli.common import PlayersOption, RuleOption, cell, check_targets, choose_game, names_in, write_table
from bluff_env.cli.study import grid
from bluff_env.utils.numerals import rounded
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.exact import FirstMoves, TabularPolicy

MAX_NODES = 3_000_000  # a quarter of a gigabyte and some seconds
SOLVED = "solved"


def exact(
    variant: Annotated[str, typer.Argument(help="A preset that is small enough, as mini-pairs.")] = "mini-pairs",
    players: PlayersOption = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy to compare, also as file.py:name; may be repeated (default: the published one)."),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of CFR+, which solves the game.")] = 1000,
    json: Annotated[Path | None, typer.Option(help="Write the tables to this file as well.")] = None,
    rule: RuleOption = None,
) -> None:
    """Solve a small game, and show its bluffs and calls beside those of policies.

    The tables say with which hand the first player claims what, how often that is a lie, and how often a player with
    each hand calls it.
    """
    check_targets({"--json": json}, names_in(policy))
    from bluff_env.exact import Tree, cfr_plus, first_moves, nash_conv, tabulate
    from bluff_env.policies.source import typed_source

    game = choose_game(variant, players, rule, [])
    names = names_in(policy) if policy else published_here(game)
    if SOLVED in names:
        raise ValueError(f"{SOLVED} is what the tables call the equilibrium: name the policy's path, as ./{SOLVED}")
    # before the long part, so that a wrong name is told at once
    policies = {name: game.load(typed_source(name)) for name in names}
    plain = game.settings()
    tree = Tree(plain["variant"], game.num_players, max_nodes=MAX_NODES, **plain["rules"])
    with progress() as bar:
        task = bar.add_task(f"solving {tree.num_nodes:,} nodes", total=1.0)
        solved = cfr_plus(tree, iterations=iterations, progress=lambda share: bar.update(task, completed=share))
    tables: dict[str, TabularPolicy] = {SOLVED: solved}
    tables |= {name: tabulate(loaded, tree) for name, loaded in policies.items()}
    moves = {name: first_moves(table) for name, table in tables.items()}
    distances = {name: nash_conv(table, tree) for name, table in tables.items()}
    show(game, moves, distances)
    if json is not None:
        rows = {name: {"nash_conv": distances[name], **moves[name].to_dict()} for name in moves}
        write_table(json, {**game.to_dict(), "policies": rows})


def published_here(game: GameSpec) -> list[str]:
    """Return the name of the published policy of a game, if there is one."""
    from bluff_env.policies.published import name_of, published

    name = name_of(game.settings())
    return [name] if game.is_preset and name in published() else []


def show(game: GameSpec, moves: dict[str, FirstMoves], distances: dict[str, float]) -> None:
    """Print the two tables, with a column for each policy."""
    console = Console()
    console.print(cell(f"{game.in_words}: NashConv (0 in an equilibrium)"), highlight=False)
    for name, distance in distances.items():
        console.print(cell(f"  {name} {rounded(distance, 3)}"), highlight=False)
    claims = grid("", "hand, claim", *(cell(f"{name}: made, a lie") for name in moves))
    for key in sorted({key for each in moves.values() for key in each.plays}):
        cells = [f"{percent(each.plays.get(key))} {percent(each.bluffs.get(key)):>5}" for each in moves.values()]
        claims.add_row(f"{key[0]}: {key[1]}", *cells)
    answers = grid("", "hand, claim heard", *map(cell, moves))
    for key in sorted({key for each in moves.values() for key in each.calls}):
        answers.add_row(f"{key[0]}: {key[1]}", *(percent(each.calls.get(key)) for each in moves.values()))
    for title, table in (("the first play, in percent", claims), ("the answer to it: calls, in percent", answers)):
        console.print(f"\n{title}", highlight=False)
        console.print(table)


def percent(share: float | None) -> str:
    """Return a share in percent, or a dash where there is none."""
    return "-" if share is None else f"{100 * share + 0.0:.0f}"
