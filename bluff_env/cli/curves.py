"""``bluff-env curves``: the curves of runs as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import check_ending, check_target, ended_by_training
from bluff_env.utils.errors import printable


def curves(
    folders: Annotated[list[Path], typer.Argument(help="Folders of runs that differ in their seed.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="A PNG file (default: curves-seedN.png in the folder of the run; of several, beside the first folder)."
        ),
    ] = None,
) -> None:
    """Draw the curves of a training, or of several with different seeds in one picture."""
    check_ending(out, ".png")
    check_target(out)
    from bluff_env.training.pictures import draw_curves  # here, because it imports torch

    with ended_by_training():
        typer.echo(printable(f"curves: {draw_curves(folders, out)}"))
