"""The page of what long runs have counted: mutants, and games compared with the second implementation."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from markup import GENERATED, prose, table

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
FAMILIES = {"bullet": "Bluff the Bullet", "cheat": "Cheat"}


def proofs_page() -> str:
    """Return the page of tests/data/mutants and tests/data/agreement.json."""
    kept = {name: json.loads((DATA / "mutants" / f"{name}.json").read_text(encoding="utf-8")) for name in FAMILIES}
    agreed = json.loads((DATA / "agreement.json").read_text(encoding="utf-8"))
    return "\n".join([
        GENERATED + "# What long runs have counted\n",
        prose("Each of these runs resumes after an interruption; [how we know](../how-we-know.md) says what "
              "they try, and with which command."),
        "## Wrong rules that the tests notice\n",
        table(("family", "mutants", "tried", "noticed", "95% interval", "survivors with a reason", "without"),
              [_row(FAMILIES[name], of["figures"]) for name, of in kept.items()]),
        "## Games of random rule sets, compared with the second implementation at every node\n",
        prose(f"{agreed['games']:,} games of {agreed['games'] // 20:,} rule sets agreed, with {agreed['nodes']:,} "
              f"nodes; the digest of the code that they hold for is `{agreed['code']}`. Without a difference: a run "
              "stops at the first one."),
        "## Survivors\n",
        *(_survivors(FAMILIES[name], of["survivors"]) for name, of in kept.items()),
    ])  # fmt: skip


def _row(family: str, figures: dict[str, Any]) -> tuple[str, ...]:
    tried, killed, explained = figures["tried"], figures["killed"], figures["explained"]
    low, high = (f"{100 * end:.1f}" for end in figures.get("interval", (figures["share"], figures["share"])))
    between = "all were tried" if tried == figures["mutants"] else f"{low} to {high}%" if tried else "-"
    noticed = f"{killed:,} ({100 * figures['share']:.1f}%)" if tried else "-"
    counts = (str(explained), str(tried - killed - explained))
    return (family, f"{figures['mutants']:,}", f"{tried:,}", noticed, between, *counts)


def _survivors(family: str, rows: list[dict[str, Any]]) -> str:
    cells = [
        (f"`{row['file'].removeprefix('bluff_env/')}` `{row['function']}`".replace(" ``", ""),
         f"`{_whole_words(row['was'])}`", f"`{_whole_words(row['now'])}`", row["reason"] or "not examined")
        for row in rows
    ]  # fmt: skip
    return f"### {family}\n\n" + table(("where", "right", "wrong", "why no test fails"), cells)


def _whole_words(code: str) -> str:
    """Return a piece of code (``... ame, flag( ...``) without the words at its ends, which may be cut."""
    return re.sub(r"(?<=^\.\.\. )\w+|\w+(?= \.\.\.$)", "", code)
