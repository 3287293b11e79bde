"""A part of docs/generated/speed.md from the results of ``experiments.time_to_strength``, which needs torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Table = Any  # header, rows -> Markdown


def time_to_strength_page(root: Path, table: Table, prose: Any) -> str:
    """The part of the page; ``table`` and ``prose`` make Markdown of it. Empty if nothing is measured."""
    path = root / "experiments" / "time_to_strength.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text(encoding="utf-8"))["contenders"]
    anchors = list(found[0]["evaluations"][-1]["win_shares"])
    text = "\n## Time to strength\n\n" + prose(
        "`python -m experiments.time_to_strength` measures how long learning takes until a policy of `cheat/bullshit` "
        "with four players beats the anchors of the configuration: the lower end of the 95% interval of its win share "
        f"is above .25 at a table of copies of each of them, twice in a row, with {found[0]['deals']} deals each. "
        "Minutes are processor time of the training in one thread, which is time by the clock on an idle core; in "
        "brackets: by the clock of the machine, which had other work. Evaluations are not counted. MaskablePPO learns "
        "in one seat among the scripted players of the pool, the anchors among them. Win shares are the last that were "
        "measured, with their intervals."
    )
    text += "\n" + table(
        ["", "seed", "strong after", "timesteps", *(f"`{name}`" for name in anchors)], [row(c, anchors) for c in found]
    )
    return text + "\n" + prose(ratio(found)) if len(found) > 1 else text


def row(contender: dict[str, Any], anchors: list[str]) -> list[str]:
    """The cells of one contender."""
    last = contender["evaluations"][-1]
    time = f"{minutes(last['processor'])} ({minutes(last['clock'])})"
    return [
        f"{contender['name']} ({contender['package']} {contender['version'] or '-'})",
        str(contender["seed"]),
        f"{time} minutes" if contender["strong"] else f"not within {time} minutes",
        f"{last['timesteps']:,}",
        *shares(last, anchors),
    ]


def shares(evaluation: dict[str, Any], anchors: list[str]) -> list[str]:
    """The cells of the win shares of an evaluation."""
    found = (evaluation["win_shares"][name] for name in anchors)
    return [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in found]


def ratio(found: list[dict[str, Any]]) -> str:
    """The comparison of the first two in a sentence."""
    ours, other = found[0], found[1]
    times = other["evaluations"][-1]["processor"] / ours["evaluations"][-1]["processor"]
    if not ours["strong"]:
        return "So no ratio can be given."
    least = "" if other["strong"] else "more than "
    return f"{other['name']} takes {least}{times:.1f} times as long as {ours['name']}."


def minutes(seconds: float) -> str:
    """Seconds as minutes."""
    return f"{seconds / 60:.1f}"
