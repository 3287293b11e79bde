"""docs/generated/headlines.md from the files that ``experiments.headlines`` has left in docs/headlines/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.policies_page import figure

Table = Any  # header, rows -> Markdown
SHOWN = {"claims": ("lies", "free lies", "lies called"), "calls": ("calls", "right calls")}
PICTURES = {
    "matrix.png": "Wins of one policy (row) among copies of another (column), in percent",
    "curves.png": "The curves of training; of each seed, where there are several",
    "lies.png": "How often the policy lies, by its hand and by what it claims",
    "calls.png": "How often the policy calls, by the pile and by its own cards",
    "calibration.png": "What the policy suspects, beside the truth",
}


def headlines_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    text = "# Results of the headline games\n\n" + prose(
        "For each game: a tournament of its published policies and all scripted players ([what the columns "
        "mean](../tournament.md)), what the policy that was made for it does among its copies ([what the words "
        "mean](../study.md)), and the curves of trainings with several seeds. Shares have 95% intervals, whose units "
        "are deals. `python -m experiments.headlines` runs the commands."
    )
    for folder in sorted(path.parent for path in (root / "docs" / "headlines").glob("*/tournament.json")):
        text += "\n" + one_game(folder, table, prose)
    return text


def one_game(folder: Path, table: Table, prose: Any) -> str:
    """The section of one game."""
    played, study = (json.loads((folder / f"{name}.json").read_text()) for name in ("tournament", "study"))
    text = f"## {played['variant']}, {played['num_players']} players\n\n" + prose(
        f"A tournament of {played['deals']} deals a pair and {played['tables']:,} mixed tables, each a deal from every "
        f"seat; an average player wins {1 / played['num_players']:.2f}. {made_by(played)}"
    )
    text += "\n" + table(["policy", "at mixed tables", "rating", "alpha-rank"], map(standing, played["standings"]))
    cells = [f"{name} {share(study[kind]['shares'][name])}" for kind, names in SHOWN.items() for name in names]
    text += "\n" + prose(
        f"`{study['policy']}` among its copies, {study['games']:,} games: {', '.join(cells)}."
        f"{suspicion(study['calibrations'])} {made_by(study)}"
    )
    drawn = ((name, words) for name, words in PICTURES.items() if (folder / name).exists())
    return text + "".join(f"\n![{words}](../headlines/{folder.name}/{name})\n" for name, words in drawn)


def made_by(document: dict[str, Any]) -> str:
    """The command and the commit."""
    return f"`{document['command']}`, at commit {document['commit'][:12]}."


def standing(found: dict[str, Any]) -> list[str]:
    """The cells of one policy."""
    rating, rank = found["rating"], found["alpha_rank"]
    return [
        f"`{found['policy']}`", figure([found["win_share"][k] for k in ("value", "low", "high")]),
        "" if rating is None else f"{rating['mu']:.1f} ± {rating['sigma']:.1f}", "" if rank is None else f"{rank:.3f}",
    ]  # fmt: skip


def share(found: dict[str, Any]) -> str:
    """A share with its interval, in percent."""
    value, low, high = (100 * found["estimate"][k] for k in ("value", "low", "high"))
    return f"{value:.0f}% [{low:.0f}, {high:.0f}]"


def suspicion(calibrations: list[dict[str, Any]]) -> str:
    """Return a sentence on the quality of the policy's estimates of a lie, if it makes any."""
    for found in calibrations:
        if found["of"] == "estimate":
            return (
                f" Its estimates that a claim is a lie have a Brier score of {found['brier']:.3f}, where always saying "
                f"the share of lies has {found['brier_of_share']:.3f}."
            )
    return ""
