"""``bluff-env evaluate``: policies against one another on duplicate deals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.bots import is_own_player
from bluff_env.cli.common import (
    DEFAULT_POLICY,
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    cell,
    check_target,
    choose_game,
    kept_until_stopped,
    load_policies,
    progress,
)
from bluff_env.errors import printable


def evaluate(
    policy: Annotated[list[str], typer.Argument(help="The policies to evaluate.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help=f"The policy in all other seats; may be repeated (default: {DEFAULT_POLICY})."),
    ] = None,
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    deals: Annotated[int, typer.Option(min=2, help="Number of deals; each is played once from every seat.")] = 200,
    seed: SeedOption = 0,
    json: Annotated[Path | None, typer.Option(help="Write the results to this file as well.")] = None,
    rule: RuleOption = None,
) -> int:
    """Evaluate each policy against each opponent on duplicate deals, with 95% intervals.

    The other seats all hold copies of the opponent.
    """
    from bluff_env.evaluation import evaluate as evaluate_policy
    from bluff_env.evaluation import write_json

    check_target(json)
    opponents = against or [DEFAULT_POLICY]
    game = choose_game(variant, players, rule, [*policy, *opponents])
    names = [*policy, *opponents]
    loaded = zip(names, load_policies(names, game, "evaluate"), strict=True)
    own = {name: player for name, player in loaded if is_own_player(name)}
    played, n = game.variant if game.is_preset else game.rules, game.num_players
    pairs = [(candidate, opponent) for candidate in policy for opponent in opponents]
    results = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("evaluating", total=len(pairs))
        for done, (candidate, opponent) in enumerate(pairs):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            players_of = own.get(candidate, candidate), own.get(opponent, opponent)
            results.append(evaluate_policy(*players_of, played, n, deals, seed, progress=report))
    title = f"{game.title}, {n} players, {deals} deals; an average player wins {1 / n:.3f}"
    table = Table("policy", "against", "figure", "with 95% interval", title=title, title_justify="left")
    for result in results:
        pair: tuple[str, ...] = (result.candidate, result.opponent)
        for row in result.rows():
            table.add_row(*map(cell, (*pair, *row)))
            pair = ("", "")
        table.add_section()
    if results:
        Console().print(table)
    if results and json is not None:
        write_json(results, json)
        typer.echo(printable(f"written to {json}"))
    return stop.code
