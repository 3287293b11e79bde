"""The display of a run in training: a live table in a terminal, lines of text where the output is not a terminal.

Its figures have the names that they have in curves.csv and TensorBoard; docs/training.md says what they mean.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bluff_env.core.registry import title_of
from bluff_env.policies.symmetric import SymmetricPolicy
from bluff_env.utils.errors import printable
from bluff_env.utils.numerals import number, rounded

from .config import PUBLISHED, STRONGEST, Config
from .curves import HIGH, LOW, WIN_SHARE
from .learner import start_of
from .teacher import teacher_of_all

if TYPE_CHECKING:
    from .run_state import RunState

SHOWN = ("entropy", "lies", "calls", "length_limit", "timesteps_per_second")  # besides the win shares
BETWEEN_LINES = 60.0  # seconds, at most, where there is no terminal; every evaluation is a line of its own
TEACHERS = {  # in words, where they differ between the games of a run
    STRONGEST: "the strongest player of each game",
    PUBLISHED: "the published policy of each game that has one",
}


class Display:
    """Shows how a run goes; a context manager, which a terminal needs.

    Args:
        config: of the run.
        rounds: the number of rounds that are finished before it resumes.
        quiet: whether nothing is shown.
    """

    def __init__(self, config: Config, rounds: int, quiet: bool = False) -> None:
        self._config, self._first, self._quiet = config, rounds, quiet
        self._figures: dict[str, float] = {}  # the last of each name
        self._evaluated = 0  # the round of the last evaluation
        self._console = Console(highlight=False, markup=False)
        self._began = self._told = time.perf_counter()
        columns = (TextColumn("training"), BarColumn(), TextColumn("{task.completed}/{task.total} rounds"))
        self._bar = Progress(*columns, TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
        self._task = self._bar.add_task("", total=config.rounds, completed=rounds)
        self._live: Live | None = None
        if self._console.is_terminal and not quiet:
            self._live = Live(get_renderable=self._picture, console=self._console, refresh_per_second=4)

    def __enter__(self) -> Display:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def note(self, sentence: str) -> None:
        """Prints a sentence."""
        if not self._quiet:
            self._console.print(printable(sentence), soft_wrap=True)

    def update(self, rounds: int, figures: dict[str, float]) -> None:
        """Takes the figures of a round; ``rounds`` are finished after it."""
        evaluated = any(name.startswith(WIN_SHARE) for name in figures)
        self._evaluated = rounds if evaluated else self._evaluated
        self._figures |= figures
        self._bar.update(self._task, completed=rounds)
        now = time.perf_counter()
        if self._live is None and (evaluated or now - self._told > BETWEEN_LINES):
            self._told = now
            left = (now - self._began) / (rounds - self._first) * (self._config.rounds - rounds)
            cells = [f"{name}={value}" for name, value in self._rows()]
            timesteps = rounds * self._config.round_size
            progress = f"round {rounds}/{self._config.rounds}, timesteps={timesteps:,}"
            self.note(", ".join([progress, *cells, f"time left {timedelta(seconds=round(left))}"]))

    def _rows(self) -> list[tuple[str, str]]:
        """Names and values of what is known so far."""
        names = [name for name in self._figures if name.startswith(WIN_SHARE)]
        names += [name for name in SHOWN if name in self._figures]
        return [(name, self._text(name)) for name in names]

    def _text(self, name: str) -> str:
        """A figure, with its interval if it has one."""
        value = self._figures[name]
        if name.startswith(WIN_SHARE):
            anchor = name.removeprefix(WIN_SHARE)
            return f"{value:.3f} [{self._figures[LOW + anchor]:.3f}, {self._figures[HIGH + anchor]:.3f}]"
        return f"{value:,.0f}" if value >= 1000 else rounded(value, 3)

    def _picture(self) -> Group:
        """The bar and the figures."""
        table = Table.grid(padding=(0, 2))
        for name, value in self._rows():
            table.add_row(Text(printable(name), overflow="fold"), Text(value, no_wrap=True))
        every = self._config.eval_every
        last = f"evaluated after round {self._evaluated}, every {every} rounds; an average player wins "
        first = f"the first evaluation comes after round {min(every, self._config.rounds)}"
        text = f"{last}{1 / self._config.num_players:.3f}" if self._evaluated else first
        return Group(self._bar, table, Text(text if self._config.anchors else "", style="dim"))


def title(config: Config) -> str:
    """Return the game of a run in words, and whether it is trained in matches."""
    game = title_of(config.variant, config.num_players, config.rules)
    return f"{game}, in matches of {config.deals} deals" if config.deals > 1 else game


def beginning(run: RunState, config: Config) -> str:
    """Return a sentence on what is trained, and from where it resumes."""
    game = f"{title(config)}, seed {config.seed}"
    total, size = f"{config.total_timesteps:,} timesteps", config.round_size
    if run.round == 0:
        start = f"the weights of {config.start_from}" if config.start_from else "random weights"
        if config.start_from and not config.symmetric and isinstance(start_of(config), SymmetricPolicy):
            start += ", without its drawn names, which symmetric: true would keep"
        teacher = teacher_of_all(run.collector.teachers, config.kickstart)
        who = TEACHERS.get(teacher, printable(teacher))
        taught = f", taught by {who}" if teacher else ""
        return f"{game}; begins with {start}{taught}; {total} in {number(config.rounds, 'round')}"
    if run.round == config.rounds:
        return f"{game}; finished, with {total}; with a larger number of timesteps it goes on"
    text = f"{game}; resumes after round {run.round} of {config.rounds} ({run.round * size:,} of {total})"
    if run.lengths and run.lengths[-1][0] == run.round * size:
        rate = config.learning_rate * (1 - run.round / config.rounds)
        text += f"; its length was {run.lengths[-2][1]:,}, and its learning rate is now {rate:.2g}, falling to 0"
    return text
