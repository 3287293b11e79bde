"""The figures of a run: as a table (curves.csv) and in TensorBoard. pictures.py draws them."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import mean
from typing import Any, TextIO

from torch.utils.tensorboard import SummaryWriter

from bluff_env.core.registry import make_rules
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies import Policy, load_policy
from bluff_env.utils.errors import InputError, one_line
from bluff_env.utils.files import open_file, size_text, write_file

from .config import Config, ConfigError

MOST_ROW = 2**14  # bytes of the figures of a round
MOST_COLUMNS = 2**9  # of which a member of the pool has one, and an anchor three
MOST_ROUNDS_LOST = 2**10  # that curves.csv may have and the state has not, because a kill came between the two
WIN_SHARE = "win_share/"  # how the columns of the anchors begin, and those of the ends of their 95% intervals
LOW, HIGH = "win_share_low/", "win_share_high/"
RESUMED = "resumed"  # 1 in the first round after an interruption


class Curves:
    """Collects the figures of every round; those after the save that a run resumes from are dropped.

    Args:
        folder: of the run.
        rounds: how many are finished; 0 begins new curves.
        round_size: the timesteps of a round.

    Raises:
        ConfigError: if the curves of the rounds before are damaged.
    """

    def __init__(self, folder: Path, rounds: int, round_size: int) -> None:
        self.path = folder / "curves.csv"
        self.rows: list[dict[str, Any]] = []
        timesteps = rounds * round_size
        if rounds and os.path.lexists(self.path):
            rows = read_rows(self.path, rounds + MOST_ROUNDS_LOST)
            self.rows = [row for row in rows if float(row["timesteps"]) <= timesteps]
        # TensorBoard appends: what it has of rounds after the save, from this step on, must not stand there twice
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=timesteps + 1)

    def add(self, timesteps: int, figures: dict[str, float]) -> None:
        """The figures of one round, which ends after ``timesteps``."""
        self.rows.append({"timesteps": timesteps, **figures})
        for name, value in figures.items():
            self._writer.add_scalar(name, value, timesteps)

    def save(self) -> None:
        """Writes curves.csv, whole or not at all."""
        # rounds without an evaluation have no win shares: the columns are those of all rounds
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(self.rows)
        write_file(self.path, text.getvalue().encode())

    def close(self) -> None:
        """Ends TensorBoard's file."""
        self._writer.close()


def read_rows(path: Path, most: int, wanted: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of a curves.csv, texts by name; all have ``timesteps``, a number.

    A file with more rows than ``most``, or with more columns than a run has, is refused as it is read.

    Args:
        path: of the file.
        most: rows.
        wanted: the names to keep; None for all.

    Raises:
        ConfigError: if the file is damaged.
    """
    try:
        with open_file(path) as file:
            if (size := os.fstat(file.fileno()).st_size) > most * MOST_ROW:
                raise ValueError(f"{size_text(size)} are more than its {most} rounds can have")
            rows = list(_rows(io.TextIOWrapper(file, "utf-8", newline=""), most, wanted))
        for row in rows:
            float(row["timesteps"])
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise ConfigError(f"{path} is damaged ({one_line(error)}): delete it") from None
    return rows


def _rows(text: TextIO, most: int, wanted: Collection[str] | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file by the names in its first line.

    Raises:
        ValueError: for more rows than ``most``, more than MOST_COLUMNS columns, or a row of another length. (Filling
            short ones up would take rows times columns.)
    """
    table = csv.reader(text)
    names = next(table, [])
    if len(names) > MOST_COLUMNS:
        raise ValueError(f"it has {len(names)} columns, more than {MOST_COLUMNS}")
    kept = [place for place, name in enumerate(names) if wanted is None or name in wanted]
    for number, row in enumerate(table):
        if number == most:
            raise ValueError(f"it has more than {most} rows")
        if len(row) != len(names):
            raise ValueError("a row has not as many figures as the first line has names")
        yield {names[place]: row[place] for place in kept}


def check_anchors(config: Config) -> None:
    """Raise ConfigError unless every anchor can play the run's game: else its first evaluation would end the run."""
    rules = make_rules(config.variant, **config.rules)
    for anchor in config.anchors:
        try:
            load_policy(anchor, rules=rules, num_players=config.num_players)
        except (InputError, ValueError) as error:
            raise ConfigError(f"anchors: {one_line(error)}") from None


def win_shares(config: Config, policy: Policy) -> dict[str, float]:
    """The policy's win share against N-1 copies of each anchor, with its interval; the others are means over these."""
    rules = make_rules(config.variant, **config.rules)
    shares: dict[str, float] = {}
    means: dict[str, list[float]] = {"lies": [], "calls": [], "length_limit": []}
    for anchor in config.anchors:
        result = evaluate(policy, anchor, rules, config.num_players, config.eval_deals, seed=config.seed + 1)
        share = result.win_share
        shares |= {WIN_SHARE + anchor: share.value, LOW + anchor: share.low, HIGH + anchor: share.high}
        for name, values in means.items():
            values.append(getattr(result, name).value)
    # against some anchors there may be no chance to call
    known = {name: [value for value in values if math.isfinite(value)] for name, values in means.items()}
    return shares | {name: mean(known[name] or [math.nan]) for name in means if config.anchors}
