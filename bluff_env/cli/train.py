"""``bluff-env train``: self-play from a configuration file, from options, or both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import PlayersOption, RuleOption, house_rules, key_values, training_scripts


def train(
    config: Annotated[
        Path | None, typer.Argument(help="A YAML file, as in the repository's folder configs/ (default: none).")
    ] = None,
    variant: Annotated[
        str | None, typer.Option(help="A preset, in place of that of the file; `bluff-env list` names them.")
    ] = None,
    players: PlayersOption = None,
    rule: RuleOption = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A key of the configuration, as in --set total_timesteps=1e6."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run (default: runs/NAME); a run that it holds is resumed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all chance.")] = None,
) -> None:
    """Train a policy by self-play. An interrupted run resumes from its last save."""
    if config is None and variant is None:
        raise ValueError("name a preset (bluff-env train --variant bullshit) or a configuration file")
    if config is not None:
        config.open().close()  # a missing file is an error before torch is imported
    rules, keys = house_rules(rule), key_values(changes, "--set KEY=VALUE", "total_timesteps=1e6")
    with training_scripts("command_line", "selfplay_ppo") as (command_line, selfplay_ppo):
        run, folder = command_line.configuration(config, variant, players, rules, keys, seed)
        command_line.run(selfplay_ppo.train, run, out or folder)
