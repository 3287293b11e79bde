"""``bluff-env policies``: the policies that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from bluff_env.cli.common import JsonOption, check_targets, write_table
from bluff_env.core.registry import full_name


def list_policies(json: JsonOption = None) -> None:
    """List the trained policies that come with the package, with a summary of their win shares."""
    from bluff_env.policies.document import read_document
    from bluff_env.policies.published import beaten, check_installed, published, win_shares

    check_targets({"--json": json})
    check_installed()
    documents = {name: read_document(path) for name, path in published().items()}
    table = Table(
        Column("policy", no_wrap=True),  # a name that is cut off cannot be used
        "average player", "mean", "beaten", "hardest", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0),
        title="win shares among copies of a scripted player: the mean of all of them, how many are beaten beyond "
        "chance, and the hardest", title_justify="left",
    )  # fmt: skip
    for name, document in documents.items():
        if "variant" in document:
            table.add_row(name, *figures(win_shares(document), len(beaten(document)), 1 / document["num_players"]))
        else:
            seats = document["observation"]["seats"]
            table.add_row(name, "", "", "", f"plays every game of 2 to {seats} players")
    Console().print(table)
    typer.echo("Every command that takes a policy knows these names: bluff-env evaluate NAME")
    if json is not None:
        files = published()
        write_table(json, {"policies": [described(name, files[name], found) for name, found in documents.items()]})


def described(name: str, path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a published policy is, for JSON; its game is None if it plays many."""
    return {
        "name": name,
        "file": path.name,
        "weights_sha256": document["weights_sha256"],
        "family": document["family"],
        "variant": full_name(document["variant"]) if "variant" in document else None,
        "num_players": document.get("num_players"),
        "rules": document.get("rules"),
        "seats": document["observation"]["seats"],
        "results": document.get("results", []),
    }


def figures(shares: Mapping[str, dict[str, float]], beaten: int, fair: float) -> tuple[str, str, str, str]:
    """Of a policy with these win shares: an average player's, the mean, how many are beaten, and the hardest player."""
    hardest = min(shares, key=lambda opponent: shares[opponent]["value"])
    average = mean(share["value"] for share in shares.values())
    return (
        f"{fair:.3f}", f"{average:.3f}", f"{beaten} of {len(shares)}", f"{hardest} {shares[hardest]['value']:.3f}",
    )  # fmt: skip
