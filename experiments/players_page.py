"""docs/generated/players.md from the results of ``experiments.players``; it does not import them, they may be older."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Table = Any  # header, rows -> Markdown


def players_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    path = root / "experiments" / "players.json"
    presets = json.loads(path.read_text(encoding="utf-8"))["presets"] if path.exists() else {}
    text = "# How strong the scripted players are\n\n" + prose(
        "`python -m experiments.players` measures it. A player sits at a table whose other seats hold copies of one "
        "opponent; each deal is played once from every seat. A win that is shared by m players counts as 1/m, so the "
        "fair share of n players is 1/n. [players.json](../../experiments/players.json) has every figure with its 95% "
        "interval, for which deals are the units, the payoffs, the deals and the seeds. "
        "[What the players do](../scripted-players.md)."
    )
    if not presets:
        return text
    opponents = list(next(iter(presets.values()))["against"])
    for opponent in opponents:
        text += f"\n## Win shares against copies of {opponent}\n\n" + prose(
            "Bold: more than the fair share beyond chance; in brackets: less beyond chance."
        )
        text += "\n" + overview(presets, opponent, table)
    text += "\n## How long the games are\n\n" + prose(
        "Copies of one player in all seats: the share of games that reach the length limit, and the mean number of "
        "turns. With two players and one pack (*) everybody knows both hands from the deal on, so every lie is seen, "
        "and cards that cannot be claimed truthfully leave a hand only if a certain lie is not called: there the game "
        "itself may not end. The limits of the presets mini-* are short on purpose."
    )
    for name in next(iter(next(iter(presets.values()))["lengths"].values())):
        text += f"\n### Copies of {name}\n\n" + lengths(presets, name, table)
    return text


def overview(presets: dict[str, Any], opponent: str, table: Table) -> str:
    """Win shares, one row for each preset."""
    names = list(next(iter(presets.values()))["against"][opponent])

    def cell(share: list[float], fair: float) -> str:
        text = f"{share[0]:.2f}"
        return f"**{text}**" if share[1] > fair else f"({text})" if share[2] < fair else text

    rows = (
        [f"`{variant}`", f"{1 / found['players']:.2f}"]
        + [cell(found["against"][opponent][name]["win"], 1 / found["players"]) for name in names]
        for variant, found in presets.items()
    )
    return str(table(["preset", "fair", *(f"`{name}`" for name in names)], rows))


def lengths(presets: dict[str, Any], player: str, table: Table) -> str:
    """Share at the limit and mean number of turns, one row for each preset."""
    numbers = sorted({int(n) for found in presets.values() for n in found["lengths"]})

    def cell(found: dict[str, Any], n: int) -> str:
        figures = found["lengths"].get(str(n), {}).get(player)
        if figures is None:
            return ""
        share, turns = figures["limit"], figures["turns"]
        star = "*" if n == 2 and found["one_pack"] else ""
        return f"{share[0]:.1%}{star} [{share[1]:.1%}, {share[2]:.1%}], {turns[0]:.0f} turns"

    rows = ([f"`{variant}`", *(cell(found, n) for n in numbers)] for variant, found in presets.items())
    return str(table(["preset", *(f"{n} players" for n in numbers)], rows))
