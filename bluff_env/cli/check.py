"""``bluff-env check``: whether a rule set keeps every promise of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    PlayersOption,
    RuleOption,
    SeedOption,
    check_folder,
    choose_game,
    kept_until_stopped,
    usual,
)
from bluff_env.core.registry import find_variant
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.utils.errors import printable
from bluff_env.utils.progress import progress


def check(
    variant: Annotated[str, typer.Argument(help="A preset; `bluff-env list` names them.")],
    players: PlayersOption = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of games to play and check.")] = 12,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="Folder for the records of games that show a failure.")] = Path("."),
    rule: RuleOption = None,
) -> int:
    """Check that a rule set keeps every promise that the package makes for all rule sets."""
    check_folder(out)
    from bluff_env import conformance

    n, changes = usual(variant, players), house_rules(rule)
    game = choose_game(variant, n, rule, [])  # refuses impossible rules before anything starts
    results: list[conformance.Result] = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("checking", total=1.0)
        conformance.check(
            variant, n, games=games, seed=seed, progress=lambda done: bar.update(task, completed=done),
            found=results.append, **changes,
        )  # fmt: skip
    name = find_variant(variant).name
    table = Table("promise", "what it says", "tried", "", title_justify="left")
    table.title = game.in_words
    for result in results:
        tried = ", ".join(f"{times:,} {what}" for what, times in result.tried.items())
        verdict = "FAILED" if result.failure else "skipped" if result.skipped else "ok"
        table.add_row(result.name, result.promise, result.skipped or tried, verdict)
    Console().print(table)
    failures = [result for result in results if result.failure]
    for result in failures:
        typer.echo(printable(f"{result.name}: {result.failure}"))
        if result.record is not None:
            path = out / f"check-{name}-{result.name.lower().replace(' ', '-')}.jsonl"
            typer.echo(f"  a game that shows it (bluff-env watch FILE): {result.record.save(path)}")
    return stop.code or (1 if failures else 0)
