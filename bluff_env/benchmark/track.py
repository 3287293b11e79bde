"""The base class of the tracks of a benchmark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Cell, Figure
from bluff_env.benchmark.scores import Samples
from bluff_env.benchmark.version import HALVES, BenchmarkError, Game

Progress = Callable[[float], None]


class Track(ABC):
    """The way to measure an agent in the games of a version.

    Attributes:
        figures: the names of the figures, the score last.
        about: the question that the track answers, in a sentence.
        parts: what a game is measured under: halves of a population, or instructions.
        reads: whether agents may answer in text.
    """

    figures: tuple[str, ...] = ("score",)
    about: str
    parts = "half"
    reads = False

    @abstractmethod
    def cells(self, game: Game) -> list[Cell]:
        """Return what has to be measured in a game."""

    @abstractmethod
    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Measure one cell. The same cell and agent give the same figure.

        Args:
            cell: what to measure.
            game: the game of the cell.
            agent: who is measured.
            progress: called with the share of the work that is done.
            out: the file of the result. A track whose cells take long keeps beside it what a stopped run needs.

        Raises:
            BenchmarkError: for a member whose weights are not those of the version.
        """

    @abstractmethod
    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return the figures of one half of a game's population, and their bootstrap, from all cells of the game."""

    def halves(self, game: Game) -> tuple[str, ...]:
        """Return the halves that a game has, or what else it is measured under: ``test`` or the first has the score."""
        return tuple(half for half in HALVES if game.half(half))

    def cost(self, todo: Sequence[tuple[Game, Cell]], agent: Agent) -> str:
        """Return what is worth knowing before these cells are measured, as a sentence; empty for what takes minutes."""
        return ""

    def kept(self, name: str, figures: Mapping[str, Figure], out: Path) -> Agent | None:
        """Return an agent of this name that does again what was done in a result, by what lies beside its file.

        Returns:
            None if the policy itself has to play again.

        Raises:
            BenchmarkError: if nothing lies there, and playing again costs more than minutes.
        """
        return None

    def check(self, agent: Agent, out: Path | None, workers: int) -> None:
        """Raise BenchmarkError if an agent cannot be measured, or not like this; the sentence says what to do."""
        if (name := agent.in_text) is not None and not self.reads:
            raise BenchmarkError(f"{name} answers in text: measure it with --track words")
