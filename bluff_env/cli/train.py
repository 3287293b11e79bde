"""``bluff-env train``: self-play from a configuration file, from options, or both, then evaluation and curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import RuleOption, TrainedPlayersOption, ended_by_training
from bluff_env.evaluation.house_rules import house_rules, key_values
from bluff_env.utils.arguments import MOST_DEALS
from bluff_env.utils.files import open_input


def train(
    config: Annotated[
        Path | None, typer.Argument(help="A YAML file, as in the repository's folder configs/ (default: none).")
    ] = None,
    variant: Annotated[
        str | None, typer.Option(help="A preset, in place of that of the file; `bluff-env list` names them.")
    ] = None,
    players: TrainedPlayersOption = None,
    rule: RuleOption = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A key of the configuration, as in --set total_timesteps=1e6."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="POLICY",
            help="A trained policy to begin with, by its name or path; without a preset or a file, its game is played.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run (default: runs/NAME); resumes a run that is there.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all chance.")] = None,
    evaluate: Annotated[
        bool, typer.Option(help="Evaluate the finished policy against every scripted player of the game but auditor.")
    ] = True,
    deals: Annotated[
        int, typer.Option(min=2, max=MOST_DEALS, help="Number of deals of each of these evaluations.")
    ] = 400,
) -> None:
    """Train a policy by self-play, evaluate it, draw its curves.

    An interrupted run resumes from its last save, and a finished one continues with a larger total_timesteps:
    bluff-env train --out FOLDER --set total_timesteps=N.
    """
    if config is not None:
        open_input(config).close()  # a missing file is an error before torch is imported
    rules, keys = house_rules(rule), key_values(changes, "--set KEY=VALUE", "total_timesteps=1e6")
    from bluff_env.training import main_job  # here, because it imports torch
    from bluff_env.training.command_line import configuration

    with ended_by_training():
        run, folder = configuration(config, variant, players, rules, keys, seed, start, out)
        main_job.run(run, folder, deals if evaluate else 0)
