"""``bluff-env train``: self-play from a configuration file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import STOPPED, Ended


def train(
    config: Annotated[Path, typer.Argument(help="A YAML file; the repository's folder configs/ has examples.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run (default: runs/NAME); a run that it holds is resumed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Replaces the seed of the configuration.")] = None,
) -> None:
    """Train a policy by self-play. An interrupted run resumes from its last save."""
    config.open().close()  # a missing file is an error before torch is imported
    try:  # by name, because no module of the package may import the training scripts
        command_line = import_module("bluff_env.training.command_line")
        selfplay_ppo = import_module("bluff_env.training.selfplay_ppo")
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is not installed; pip install 'bluff-env[train]' installs it") from None
    try:
        command_line.run(selfplay_ppo.train, config, out, seed)
    except KeyboardInterrupt as stop:  # of the training: it knows what is saved, and whether it was Ctrl-C
        raise Ended(str(stop) or "stopped", getattr(stop, "code", STOPPED)) from None
