"""``bluff-env dataset``: games of a population as a data set, one row for each decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from bluff_env.cli.common import (
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    check_ending,
    check_targets,
    choose_game,
    names_in,
    tell_written,
)
from bluff_env.core.registry import family_of
from bluff_env.utils.arguments import MOST_DEALS
from bluff_env.utils.errors import printable
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.policies.policy import Policy

USUAL = ("honest", "bold", "counter", "last-card", "sharp")  # scripted players, where a family has them


def dataset(
    out: Annotated[Path, typer.Argument(metavar="OUT.parquet", help="The file to write.")],
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy, or several with commas between them; may be repeated. Each seat of each game holds one of "
            "them, drawn at random (default: the train half of the benchmark's population, or in a game that is not in "
            "it some scripted players)."
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MOST_DEALS, help="Number of games.")] = 10_000,
    seed: SeedOption = 0,
    encoding: Annotated[
        str, typer.Option(help="raw: integers; float: observations as networks read them, in larger files.")
    ] = "raw",
    whole: Annotated[
        bool, typer.Option("--whole", help="Keep parts of the observation and actions that the rules cannot use.")
    ] = False,
    minari: Annotated[
        str | None,
        typer.Option(metavar="NAME-v0", help="Also make a Minari data set of it, an episode for each seat and game."),
    ] = None,
    rule: RuleOption = None,
) -> int:
    """Write the decisions of many games to a Parquet file: what the player saw and did, and what was true.

    For imitation, offline learning and models of opponents; docs/dataset.md says what each column means.
    """
    given = names_in(policies)
    check_targets({"the data set": out}, given)
    check_ending(out, ".parquet")
    from bluff_env.evaluation.datasets import write_dataset

    if minari is not None:
        from bluff_env.evaluation.minari import check_new, write_minari

        check_new(minari)
    from bluff_env.evaluation.lineup import load_policies
    from bluff_env.policies.source import sources_of, typed_source

    named = [typed_source(name) for name in given]
    game = choose_game(variant, players, rule, named)
    sources = sources_of(named or usual_policies(game))
    warn(load_policies(sources, game, f"dataset {quote(str(out))} --policies"))
    with progress() as bar:
        task = bar.add_task("playing", total=1.0)
        write_dataset(
            out, game, sources, games, seed=seed, encoding=encoding, trim=not whole,
            progress=lambda share: bar.update(task, completed=share),
        )  # fmt: skip
    tell_written(out)
    if minari is not None:
        data = write_minari(minari, out)
        typer.echo(printable(f"and as {minari}, {data.total_episodes} episodes, where Minari keeps its data sets"))
    return 0


def usual_policies(game: GameSpec) -> list[str]:
    """Return the policies of a game if none are named: what agents of the benchmark may be trained against.

    Raises:
        BenchmarkError: if the weights of one of them are not those that the benchmark was frozen with.
    """
    from bluff_env.benchmark.version import TRAIN, load_version
    from bluff_env.policies.scripted import scripted_names

    for known in load_version().games("tables"):
        if (known.spec.rules, known.num_players) == (game.rules, game.num_players):
            members = known.half(TRAIN)
            for member in members:
                member.load(known)
            return [member.policy for member in members]
    names = scripted_names(family_of(game.rules))
    return [f"scripted/{name}" for name in USUAL if name in names] or [f"scripted/{name}" for name in names]


def warn(policies: Sequence[Policy]) -> None:
    """Say on stderr which policies nobody may train against who reports a score of the benchmark."""
    from bluff_env.policies.held_out import held_out_by

    for policy in dict.fromkeys(policies):
        if benchmark := held_out_by(policy):
            typer.echo(
                printable(
                    f"bluff-env: {policy.name} is in the test half of {benchmark}: who learns from these games has no "
                    "score there"
                ),
                err=True,
            )
