"""``bluff-env train``: self-play from a configuration file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import training_scripts


def train(
    config: Annotated[Path, typer.Argument(help="A YAML file; the repository's folder configs/ has examples.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run (default: runs/NAME); a run that it holds is resumed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Replaces the seed of the configuration.")] = None,
) -> None:
    """Train a policy by self-play. An interrupted run resumes from its last save."""
    config.open().close()  # a missing file is an error before torch is imported
    with training_scripts("command_line", "selfplay_ppo") as (command_line, selfplay_ppo):
        command_line.run(selfplay_ppo.train, config, out, seed)
