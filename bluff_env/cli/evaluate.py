"""``bluff-env evaluate``: policies against one another on duplicate deals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bluff_env.cli.common import (
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    called,
    cell,
    check_targets,
    choose_game,
    kept_until_stopped,
    tell_written,
)
from bluff_env.evaluation.games import DEFAULT_POLICY
from bluff_env.evaluation.lineup import load_policies, refuse_repeated
from bluff_env.evaluation.pairs import evaluate_pairs
from bluff_env.utils.arguments import MOST_DEALS

if TYPE_CHECKING:
    from bluff_env.evaluation.duplicates import Evaluation
    from bluff_env.evaluation.games import GameSpec


def evaluate(
    policy: Annotated[list[str], typer.Argument(help="The policies to evaluate.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help=f"The policy in all other seats; may be repeated (default: {DEFAULT_POLICY})."),
    ] = None,
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    deals: Annotated[
        int, typer.Option(min=2, max=MOST_DEALS, help="Number of deals; each is played once from every seat.")
    ] = 200,
    seed: SeedOption = 0,
    json: Annotated[Path | None, typer.Option(help="Write the results to this file as well.")] = None,
    rule: RuleOption = None,
) -> int:
    """Evaluate each policy against each opponent on duplicate deals, with 95% intervals.

    The other seats all hold copies of the opponent.
    """
    opponents = against or [DEFAULT_POLICY]
    check_targets({"--json": json}, [*policy, *opponents])
    refuse_repeated(policy)
    refuse_repeated(opponents)
    from bluff_env.policies.source import typed_source

    sources = {name: typed_source(name) for name in [*policy, *opponents]}
    game = choose_game(variant, players, rule, list(sources.values()))
    load_policies(list(sources.values()), game, "evaluate")
    results: list[Evaluation] = []
    try:
        with kept_until_stopped() as stop:
            pairs = [(candidate, opponent) for candidate in policy for opponent in opponents]
            evaluate_pairs(pairs, sources, game, deals, seed, results, json)
    finally:
        if results:
            Console().print(figures_table(results, game))
    if json is not None and results:
        tell_written(json)
    return stop.code


def figures_table(results: Sequence[Evaluation], game: GameSpec) -> Table:
    """All figures of each pair with their intervals, in 80 columns."""
    n, deals = results[0].num_players, results[0].deals
    title = f"{game.in_words}, {deals} deals; an average player wins {1 / n:.3f}"
    table = Table(title=title, title_justify="left")
    table.add_column("policy", overflow="fold")
    table.add_column("against", overflow="fold")
    table.add_column("figure", no_wrap=True)
    table.add_column("with 95% interval", no_wrap=True)
    for result in results:
        names, figures = zip(*result.rows(), strict=True)
        table.add_row(
            cell(called(result.candidate, game)),
            cell(called(result.opponent, game)),
            "\n".join(names),
            "\n".join(map(escape, figures)),
        )
        table.add_section()
    return table
