"""``bluff-env policies``: the policies that come with the package."""

from __future__ import annotations

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import cell
from bluff_env.family import find_variant


def list_policies() -> None:
    """List the trained policies that come with the package, with their measured win shares."""
    from bluff_env.policies.checkpoint import read_document
    from bluff_env.policies.published import published

    table = Table(
        "policy", "game", "players", "win shares against scripted players",
        box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0),
        title="an average player wins 1 / players", title_justify="left",
    )  # fmt: skip
    for name, path in published().items():
        document = read_document(path)
        if "variant" not in document:
            seats = document["observation"]["seats"]
            table.add_row(cell(name), "any", f"2-{seats}", "plays every game that no other policy was made for")
        else:
            shares = ((e["opponent"].removeprefix("scripted/"), e["win_share"]["value"]) for e in document["results"])
            measured = ", ".join(f"{opponent} {share:.3f}" for opponent, share in shares)
            game = find_variant(document["variant"]).name
            table.add_row(cell(name), cell(game), str(document["num_players"]), cell(measured))
        table.add_section()
    Console().print(table)
    typer.echo("Every command that takes a policy knows these names: bluff-env evaluate NAME")
