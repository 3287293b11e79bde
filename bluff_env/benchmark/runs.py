"""Run a track cell by cell, so that a stopped run resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Cell, Figure, figure_in
from bluff_env.benchmark.result import Player, Result, cells_to_do, read_result
from bluff_env.benchmark.track import Track
from bluff_env.benchmark.tracks import track_named
from bluff_env.benchmark.version import LATEST, BenchmarkError, Game, load_version
from bluff_env.policies.source import AnySpec
from bluff_env.utils.errors import quoted
from bluff_env.utils.files import open_file, parse_json, read_rest, write_file
from bluff_env.utils.jobs import check_workers, do_jobs
from bluff_env.utils.locks import held
from bluff_env.utils.provenance import made_here

Report = Callable[[float], None]
MAX_JOURNAL = 8 * 2**20


def run(
    policy: AnySpec | Sequence[AnySpec],
    track: str = "tables",
    games: Sequence[str] | None = None,
    version: str = LATEST,
    workers: int = 0,
    *,
    timesteps: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Report | None = None,
    say: Callable[[str], object] = print,
) -> Result:
    """Measure a policy on a track of the benchmark.

    Args:
        policy: as :func:`bluff_env.load_policy` takes it; a list has policies for different games. ``"published"``
            stands for the policies that come with the package. On the track ``words`` it may be a function from text
            to text too.
        track: ``"tables"``, ``"rules"``, ``"matches"``, ``"exact"``, ``"response"`` or ``"words"``.
        games: the names of some games of the track; by default all of them.
        version: of the benchmark.
        workers: how many cells are measured at a time, by Ray; 0 for one after the other in this process.
        timesteps: of the responses in a trial of the track ``response``, which is no score; by default as frozen.
        out: the file of the result. What is finished is kept beside it until the end, and a run that was stopped goes
            on from there.
        progress: called with the share of the work that is done.
        say: called with a sentence about the costs before anything begins that costs more than minutes.

    Raises:
        BenchmarkError: for an unknown version, track or game, a changed file of the version, a policy that cannot play
            a game, an unfinished run or a result of something else at ``out``, or a player who answers in text and
            fails.
        InputError: if another process measures for the same ``out``.
        RayError: if there are workers, and Ray is missing.
        ValueError: for timesteps that are no whole number of at least 1.
    """
    agent = Agent(policy)
    if isinstance(games, str):
        raise BenchmarkError(f"games={quoted(games)} must be a list of names, as [{quoted(games)}]")
    frozen = load_version(version)
    chosen = frozen.games(track, None if games is None else tuple(games))
    rules, file = track_named(track, timesteps), None if out is None else Path(out)
    rules.check(agent, file, check_workers(workers))
    agent.check_all_play(chosen, frozen.games(track))
    _check_replaced(file, (agent.name, version, track), [game.name for game in chosen], timesteps)
    players = {game.name: Player(agent.called(game), agent.digest(game)) for game in chosen}
    # the file of a player in text says little of who answers, and to mend it must not cost the answers so far
    digests = {game.name: None if agent.answer(game) else players[game.name].digest for game in chosen}
    subject = [version, track, agent.name, {name: [p.name, digests[name]] for name, p in players.items()}]
    journal = Journal(out, subject if timesteps is None else [*subject, timesteps])
    with held(journal.path) if journal.path else nullcontext():
        every = cells_to_do(chosen, rules)
        figures = _measure_all(every, Measuring(rules, agent, file), journal, workers, progress, say)
        cells = {cell.key: figures[cell.key] for _, cell in every}
        result = Result(agent.name, version, track, players, cells, made_here(), timesteps)
        if out is not None:
            result.save(out)
            journal.close()
    return result


def _measure_all(
    every: Sequence[tuple[Game, Cell]],
    measuring: Measuring,
    journal: Journal,
    workers: int,
    progress: Report | None,
    say: Callable[[str], object],
) -> dict[str, Figure]:
    """Measure the cells that the journal lacks, one after the other; return the figures of all by their keys."""
    figures = journal.read({cell.key for _, cell in every})
    todo = [(game, cell) for game, cell in every if cell.key not in figures]
    if todo and (cost := measuring.track.cost(todo, measuring.agent)):
        say(cost)
    done = len(every) - len(todo)
    report = (lambda share: progress((done + share * len(todo)) / len(every))) if progress else None
    for place, figure in do_jobs(measuring, todo, workers, report):
        key = todo[place][1].key
        figures[key] = figure
        journal.add(key, figure)
    return figures


def _check_replaced(
    out: Path | None, subject: tuple[str, str, str], games: Sequence[str], timesteps: int | None
) -> None:
    """Raise BenchmarkError for a folder, and for a result that a new one would not take the place of.

    That is one of another agent or track, of games that are not measured now, or of another length than a trial.
    """
    if out is not None and out.is_dir():
        raise BenchmarkError(f"{out} is a folder: name a file for the result")
    if out is None or not out.is_file():
        return
    try:
        there = read_result(out)
    except BenchmarkError:  # no result that anybody could report
        return
    lost = [name for name in there.players if name not in games]
    is_shorter = timesteps is not None and timesteps != there.timesteps
    if (there.agent, there.version, there.track) != subject or lost or is_shorter:
        of = f" with {', '.join(lost)}" if lost else ""
        raise BenchmarkError(
            f"{out} holds the result of {there.agent} on {there.version}/{there.track}{of}: name another file with "
            "--out, or delete it"
        )


class Measuring:
    """Measures cells, in this process or in a worker, which gets a copy."""

    def __init__(self, track: Track, agent: Agent, out: Path | None) -> None:
        self.track, self.agent, self.out = track, agent, out

    def __call__(self, job: tuple[Game, Cell], progress: Report) -> Figure:
        """Return the figure of a cell."""
        game, cell = job
        return self.track.measure(cell, game, self.agent, progress, self.out)


def _cell_in(line: str) -> tuple[str, Figure]:
    """Return the key and the figure that a line of a journal holds. Raise ValueError if it holds something else."""
    match parse_json(line):
        case [str(key), mean, error]:
            with suppress(ValueError):
                return key, figure_in(mean, error)
    raise ValueError(f"is damaged: {quoted(line)} is no cell with its figures")


class Journal:
    """The cells that are finished, in a file beside the result: a line that says what is measured, and one for each.

    Args:
        out: the file of the result; None: nothing is kept.
        subject: what is measured, as plain values.
    """

    def __init__(self, out: str | os.PathLike[str] | None, subject: Any) -> None:
        self.path = None if out is None else Path(f"{os.fspath(out)}.part")
        self._head = json.dumps(subject)

    def read(self, cells: Container[str]) -> dict[str, Figure]:
        """Return the figures that are there already, by the key of their cells; begin the file if there is none.

        Args:
            cells: the keys of the cells that are to be measured.

        Raises:
            BenchmarkError: if the file belongs to something else, or is damaged.
        """
        if self.path is None:
            return {}
        if not os.path.lexists(self.path):
            write_file(self.path, f"{self._head}\n".encode())
            return {}
        try:
            with open_file(self.path) as file:
                head, *lines = read_rest(file, MAX_JOURNAL).decode().split("\n")
            if head != self._head:
                raise BenchmarkError(f"{self.path} is of another run: finish that one, delete it, or name another")
            lines = lines[:-1]  # what follows the last end of a line is empty, or was cut off
            found = dict(map(_cell_in, lines))
            if unknown := next((key for key in found if key not in cells), None):
                raise ValueError(f"is damaged: there is no cell {quoted(unknown)}")
        except UnicodeDecodeError:
            raise BenchmarkError(f"{self.path} is damaged: it is not UTF-8; delete it to begin anew") from None
        except ValueError as error:
            raise BenchmarkError(f"{self.path} {error}; delete it to begin anew") from None
        write_file(self.path, "".join(f"{line}\n" for line in [head, *lines]).encode())
        return found

    def add(self, key: str, figure: Figure) -> None:
        """Keep the figure of a cell."""
        if self.path is not None:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, figure.mean, figure.error]) + "\n")

    def close(self) -> None:
        """Delete the file: the result has everything."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
