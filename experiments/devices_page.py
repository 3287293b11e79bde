"""A part of docs/generated/speed.md from the results of ``experiments.devices``, which needs torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.time_to_strength_page import shares

Table = Any  # header, rows -> Markdown


def devices_page(root: Path, table: Table, prose: Any) -> str:
    """The part of the page; ``table`` and ``prose`` make Markdown of it. Empty if nothing is measured."""
    path = root / "experiments" / "devices.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text(encoding="utf-8"))
    text = "\n## On a GPU\n"
    if "speed" in found:
        text += "\n" + prose(
            "`python -m experiments.devices speed` trains `cheat/bullshit` with four players as `make train` does, "
            f"without a teacher ({about(found['speed'])}). The networks are on the device; the games are always played "
            "on the processor, which also prepares what the networks read; `num_threads` share both. Minibatches grow "
            "with the parallel games (2,048, 8,192 and 32,768 decisions), so a round has as many steps of the "
            "optimiser. The ratio is to the first row with the same layers."
        )
        text += "\n" + table(
            ["layers", "device", "`num_threads`", "`num_envs`", "timesteps a second", "ratio", "of it play"],
            speed_rows(found["speed"]["rows"]),
        )
    if "strength" in found:
        anchors = list(found["strength"]["rows"][0]["evaluations"][-1]["win_shares"])
        text += "\n" + prose(
            "`python -m experiments.devices strength` is the [time to strength](#time-to-strength) by the clock, with "
            f"the teacher that is configured ({about(found['strength'])}; all rows at the same time, which costs those "
            "on the GPU some speed). A policy becomes strong when its teacher leaves, after half of the run. Larger "
            "rounds have fewer steps of the optimiser for the same timesteps: twice as few with 2,048 games, and four "
            "times with 8,192."
        )
        text += "\n" + table(
            ["", "strong after", "timesteps", *(f"`{name}`" for name in anchors)],
            [strength_row(row, anchors) for row in found["strength"]["rows"]],
        )
    return text


def about(part: dict[str, Any]) -> str:
    """The machine in words."""
    machine = part["machine"]
    return f"{machine['cpu']}, {machine['cores']} cores; {part['gpu'] or 'no GPU'}; torch {part['torch']}"


def speed_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """The cells of the table of speed."""
    first: dict[str, float] = {}
    cells = []
    for row in rows:
        layers = " and ".join(map(str, row["layers"]))
        ratio = row["timesteps_per_second"] / first.setdefault(layers, row["timesteps_per_second"])
        numbers = [str(row["threads"]), f"{row['games']:,}", f"{row['timesteps_per_second']:,}", f"{ratio:.1f}"]
        cells.append([layers, row["device"], *numbers, f"{row['play']:.0%}"])
    return cells


def strength_row(row: dict[str, Any], anchors: list[str]) -> list[str]:
    """The cells of a row of the time to strength."""
    last = row["evaluations"][-1]
    return [
        row["name"],
        f"{last['clock']:.0f} s" if row["strong"] else f"not within {last['clock']:.0f} s, its whole run",
        f"{last['timesteps']:,}",
        *shares(last, anchors),
    ]
