"""``bluff-env check``: whether a rule set keeps every promise of the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    JsonOption,
    PlayersOption,
    RuleOption,
    SeedOption,
    check_folder,
    check_targets,
    choose_game,
    kept_until_stopped,
    usual,
    write_table,
)
from bluff_env.core.registry import find_variant
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.utils.errors import printable
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.conformance import Result


def check(
    variant: Annotated[str, typer.Argument(help="A preset; `bluff-env list` names them.")],
    players: PlayersOption = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of games to play and check.")] = 12,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="Folder for the records of games that show a failure.")] = Path("."),
    rule: RuleOption = None,
    json: JsonOption = None,
) -> int:
    """Check that a rule set keeps every promise that the package makes for all rule sets."""
    check_folder(out)
    check_targets({"--json": json})
    from bluff_env.conformance import check as check_promises

    n, changes = usual(variant, players), house_rules(rule)
    game = choose_game(variant, n, rule, [])  # refuses impossible rules before anything starts
    results: list[Result] = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("checking", total=1.0)
        check_promises(
            variant, n, games=games, seed=seed, progress=lambda done: bar.update(task, completed=done),
            found=results.append, **changes,
        )  # fmt: skip
    name = find_variant(variant).name
    table = Table("promise", "what it says", "tried", "", title_justify="left")
    table.title = game.in_words
    for result in results:
        tried = ", ".join(f"{times:,} {what}" for what, times in result.tried.items())
        table.add_row(result.name, result.promise, result.skipped or tried, verdict(result))
    Console().print(table)
    failures = [result for result in results if result.failure]
    for result in failures:
        typer.echo(printable(f"{result.name}: {result.failure}"))
        if result.record is not None:
            path = out / f"check-{name}-{result.name.lower().replace(' ', '-')}.jsonl"
            typer.echo(f"  a game that shows it (bluff-env watch FILE): {result.record.save(path)}")
    if json is not None:
        keys = ("name", "promise", "tried", "skipped", "failure")
        told = [{**{key: getattr(result, key) for key in keys}, "verdict": verdict(result)} for result in results]
        write_table(json, {**game.to_dict(), "games": games, "seed": seed, "promises": told})
    return stop.code or (1 if failures else 0)


def verdict(result: Result) -> str:
    """Return in a word what became of a promise."""
    return "FAILED" if result.failure else "skipped" if result.skipped else "ok"
