"""``bluff-env evaluate``: policies against one another on duplicate deals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    DEFAULT_POLICY,
    PlayersOption,
    RuleOption,
    SeedOption,
    VariantOption,
    cell,
    house_rules,
    kept_until_stopped,
    progress,
    usual,
)
from bluff_env.errors import printable
from bluff_env.family import DEFAULT_VARIANT, find_variant, make_rules


def evaluate(
    policy: Annotated[list[str], typer.Argument(help="The policies to evaluate.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help=f"The policy in all other seats; may be repeated (default: {DEFAULT_POLICY})."),
    ] = None,
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
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

    changes, n = house_rules(rule), usual(variant, players)
    rules = make_rules(variant, **changes).resolve(n)
    if json is not None and json.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(json))
    pairs = [(candidate, opponent) for candidate in policy for opponent in against or [DEFAULT_POLICY]]
    results = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("evaluating", total=len(pairs))
        for done, (candidate, opponent) in enumerate(pairs):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            played = rules if changes else variant
            results.append(evaluate_policy(candidate, opponent, played, n, deals, seed, progress=report))
    title = f"{find_variant(variant).name}, {n} players, {deals} deals; an average player wins {1 / n:.3f}"
    table = Table("policy", "against", "figure", "with 95% interval", title=title, title_justify="left")
    for result in results:
        names: tuple[str, ...] = (result.candidate, result.opponent)
        for row in result.rows():
            table.add_row(*map(cell, (*names, *row)))
            names = ("", "")
        table.add_section()
    if results:
        Console().print(table)
    if results and json is not None:
        write_json(results, json)
        typer.echo(printable(f"written to {json}"))
    return stop.code
