"""``bluff-env study``: when a policy lies and when it calls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bluff_env.cli.common import (
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    called,
    cell,
    check_apart,
    check_folder,
    check_targets,
    choose_game,
    kept_until_stopped,
    names_in,
    tell_written,
)
from bluff_env.evaluation.lineup import load_policies
from bluff_env.utils.arguments import MOST_DEALS
from bluff_env.utils.extras import missing_library
from bluff_env.utils.files import write_json_file
from bluff_env.utils.progress import progress
from bluff_env.utils.provenance import made_here

if TYPE_CHECKING:
    from bluff_env.evaluation.deceptions import Deception
    from bluff_env.evaluation.estimates import Estimate
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.evaluation.studies import Study
    from bluff_env.evaluation.tallies import Breakdown, Calibration, Group, Share
    from bluff_env.evaluation.tournaments import Tournament

_HEADINGS = {
    ("claim", "hand"): "by cards in hand before the play",
    ("claim", "claim"): "by what was claimed",
    ("claim", "announced"): "by the number announced",
    ("claim", "fitting"): "by cards of the claim that stay in hand",
    ("claim", "pile"): "by cards in the pile before the play",
    ("claim", "opponent_hand"): "by the fewest cards of another player",
    ("claim", "turn"): "by the turn of the game",
    ("call", "hand"): "by cards in the own hand",
    ("call", "claim"): "by what was claimed",
    ("call", "announced"): "by the number announced",
    ("call", "fitting"): "by cards of the claim in the own hand",
    ("call", "pile"): "by cards in the pile with the play",
    ("call", "opponent"): "by the claimant's seat, +1 is the next one",
    ("call", "opponent_hand"): "by cards left in the claimant's hand",
    ("call", "turn"): "by the turn of the game",
}
_SHOWN = {"claim": ("lies", "free lies", "lies called"), "call": ("calls", "right calls", "lies")}
_NEVER_FORCED = ("lies", "lies called", "truths called")  # of claims, where every lie is free
_TITLES = {"claim": "plays", "call": "chances to call"}


def study(
    policy: Annotated[str, typer.Argument(help="The policy to study.")],
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy for the other seats, or several with commas between them; may be repeated "
            "(default: copies of the policy, which are studied as well)."
        ),
    ] = None,
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    deals: Annotated[
        int,
        typer.Option(
            min=2, max=MOST_DEALS, help="Number of deals; against opponents each is played once from every seat."
        ),
    ] = 1000,
    seed: SeedOption = 0,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file as well.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write a data set to this file, one row for each decision (docs/study.md).")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw lies, calls and calibration into this folder.")
    ] = None,
    rule: RuleOption = None,
) -> int:
    """Study when a policy lies and when it calls: counts from the true state of many games.

    A lie is forced if no true play was possible, otherwise free. All shares have 95% intervals.
    """
    others = names_in(opponents)
    files = {"--json": json, "--csv": csv}
    check_targets(files, [policy, *others])
    check_pictures(pictures, files)
    from bluff_env.policies.source import typed_source

    first, *rest = sources = [typed_source(name) for name in (policy, *others)]
    game = choose_game(variant, players, rule, sources)
    load_policies(sources, game, "study")
    from bluff_env.evaluation.decisions import RowsFile
    from bluff_env.evaluation.studies import StudyRun

    run = StudyRun(first, rest, game, game.num_players, deals, seed)
    with nullcontext() if csv is None else RowsFile(csv, run.claim_names) as rows_file:
        with progress() as bar, kept_until_stopped() as stop:
            task = bar.add_task("studying", total=1.0)
            for rows in run.play(lambda share: bar.update(task, completed=share)):
                if rows_file is not None:
                    rows_file.add(rows)
        if run.deals_done < 2:
            raise KeyboardInterrupt  # before there was anything to tell
        # the file of rows is put in place after all else: where that fails, the rest has been told and written
        result = run.result()
        show(result, game)
        if json is not None:
            write_json(result, game, run.players.digests, json)
            tell_written(json)
        if pictures is not None:
            from bluff_env.cli.study_pictures import draw

            tell_written(*draw(result, game.in_words, pictures))
    if csv is not None:
        tell_written(csv)
    return stop.code


def check_pictures(pictures: Path | None, files: dict[str, Path | None]) -> None:
    """Raises OSError or ValueError for a folder that cannot be written, or a picture that cannot be drawn.

    Args:
        pictures: the folder.
        files: other paths that are written, by their option.
    """
    if pictures is None:
        return
    for option, path in files.items():
        if path is not None:
            check_apart(option, path, {"--pictures": pictures})
    check_drawing("--pictures")
    check_folder(pictures)


def check_drawing(option: str) -> None:
    """Raises ValueError if nothing can be drawn."""
    if find_spec("matplotlib") is None:
        raise ValueError(f"{option}: {missing_library('matplotlib')}")


def write_json(
    result: Study | Tournament | Deception, game: GameSpec, digests: Mapping[str, str | None], path: Path
) -> None:
    """Write a result as JSON, whole or not at all, with what made it and the digests of the policies by name."""
    write_json_file(path, {"game": game.in_words, **made_here(), "digests": digests, **result.to_dict()})


# --- tables ----------------------------------------------------------------------------------------------------------


def show(result: Study, game: GameSpec) -> None:
    """Prints a study as tables of at most 80 columns."""
    console = Console()
    against = (
        f"against {', '.join(called(name, game) for name in result.opponents)}"
        if result.opponents
        else "at a table of its own copies"
    )
    games = f"{game.in_words}, {result.deals:,} deals, {result.games:,} games"
    for line in (f"{called(result.policy, game)} {against}", games, "Shares in percent, with 95% intervals."):
        console.print(cell(line), highlight=False)
    never_forced = result.claims.shares["free lies"].cases == result.claims.decisions
    for decision, group in (("claim", result.claims), ("call", result.calls)):
        console.print(summary(decision, group))
        shown = _NEVER_FORCED if decision == "claim" and never_forced else _SHOWN[decision]
        for breakdown in result.breakdowns:
            if breakdown.decision == decision and len(breakdown.groups) > 1:
                console.print(groups_table(breakdown, shown))
    for calibration in result.calibrations:
        console.print(calibration_table(calibration))
        if not math.isnan(calibration.brier):
            scores = (
                f"{calibration.brier:.4f}; saying the share of lies every time scores {calibration.brier_of_share:.4f}"
            )
            console.print(f"Brier score {scores}", highlight=False)


def grid(title: str, *columns: str | Text) -> Table:
    """A table without a frame; all columns but the first are numbers."""
    table = Table(title=title or None, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", no_wrap=i > 0)
    return table


def summary(decision: str, group: Group) -> Table:
    """All decisions of a kind: every share, and what it is a share of."""
    from bluff_env.evaluation.tallies import SHARES

    table = grid(f"{_TITLES[decision]}: {group.decisions:,}", "share", "of", "percent")
    for name, meaning in SHARES[decision].items():
        table.add_row(meaning, f"{group.shares[name].cases:,}", percent(group.shares[name]))
    return table


def groups_table(breakdown: Breakdown, shown: Sequence[str]) -> Table:
    """The decisions of a kind by a column, with the shares of these names."""
    title = f"{_TITLES[breakdown.decision]} {_HEADINGS[breakdown.decision, breakdown.by]}"
    table = grid(title, breakdown.by.replace("_", " "), "number", *shown)
    for group in breakdown.groups:
        table.add_row(cell(group.label), f"{group.decisions:,}", *(percent(group.shares[name]) for name in shown))
    return table


def calibration_table(calibration: Calibration) -> Table:
    """Return what the policy said of claims, and how many of these were lies."""
    of = "probability of calling" if calibration.of == "probability" else "estimate of a lie"
    title = f"claims by the policy's {of}"
    table = grid(title, calibration.of, "number", "mean", "lies")
    for some in calibration.bins:
        table.add_row(some.label, f"{some.lies.cases:,}", f"{100 * some.said:.1f}", percent(some.lies))
    return table


def percent(share: Share) -> str:
    """``18.8 [18.4, 19.3]``; a dash where there was no case."""
    return percent_of(share.estimate)


def percent_of(e: Estimate) -> str:
    """As :func:`percent`."""
    return "-" if math.isnan(e.value) else f"{100 * e.value:.1f} [{100 * e.low:.1f}, {100 * e.high:.1f}]"
