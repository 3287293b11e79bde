"""``bluff-env curves``: the curves of runs as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import check_target, training_scripts
from bluff_env.utils.errors import printable


def curves(
    folders: Annotated[list[Path], typer.Argument(help="Folders of runs that differ in their seed.")],
    out: Annotated[
        Path | None, typer.Option(help="A PNG file (default: curves-seedN.png in the folder of the run).")
    ] = None,
) -> None:
    """Draw the curves of a training, or of several with different seeds in one picture."""
    if out is not None and out.suffix != ".png":
        raise ValueError(f"{out} must end in .png")
    check_target(out)
    with training_scripts("pictures") as (pictures,):
        typer.echo(printable(f"curves: {pictures.draw_curves(folders, out)}"))
