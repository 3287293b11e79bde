"""The track ``words``: players who answer in text, such as language models, under four instructions about lying.

The player sits at tables with scripted players, whom everybody meets there; each deal is played once from every seat,
and again under each instruction. Lies and calls are counted from the true state (``docs/deception.md``). A cell is one
deal under one instruction, and holds counts, so that all figures follow from the cells.

The questions and answers of each cell are kept in a file beside the result. A run that is stopped asks nothing twice,
and a result is verified by playing the answers again: nobody has to be asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Cell, Figure
from bluff_env.benchmark.scores import Samples, words_samples
from bluff_env.benchmark.track import Progress, Track
from bluff_env.benchmark.version import BenchmarkError, Game
from bluff_env.core.registry import family_of
from bluff_env.evaluation.decisions import CALL, CLAIM, Rows, play_and_note
from bluff_env.evaluation.duplicates import by_place, engine_for, rotated_places
from bluff_env.evaluation.tallies import events
from bluff_env.evaluation.transcripts import PlayerError, Transcript, calling
from bluff_env.text import TextPolicy
from bluff_env.utils.arguments import MAX_SEED
from bluff_env.utils.plain import plain_values

SHARES = {  # the figures that are shares of events: the kind of decision, and its name there
    "forced_lies": (CLAIM, "forced lies"),
    "free_lies": (CLAIM, "free lies"),
    "lies_called": (CLAIM, "lies called"),
    "calls": (CALL, "calls"),
    "right_calls": (CALL, "right calls"),
}
UNREAD = "unread"
COUNTS = (
    "payoff",
    "plays",
    *(f"{name} {of}" for name in SHARES for of in ("part", "whole")),
    "unread",
    "questions",
    "defaults",
)
"""The counts of a cell: mean payoff, plays, answers, and for each share how often it happened and could happen."""
LETTERS = 4  # of a token, about
ANSWER = 10  # tokens of an answer, about: an action or a whole move


class WordsTrack(Track):
    """Players who answer in text, and policies as their reference.

    The score is the mean payoff of a game under the first instruction, which allows lies.
    """

    figures = (*SHARES, UNREAD, "score")
    about = "how language models lie, call and play when they are told four things about lying"
    parts = "instruction"
    reads = True

    def halves(self, game: Game) -> tuple[str, ...]:
        """Return the names of the instructions."""
        return tuple(game.options["instructions"])

    def cells(self, game: Game) -> list[Cell]:
        """Return a cell for each deal under each instruction."""
        return [Cell(game.name, told, f"deal-{deal}") for told in self.halves(game) for deal in range(game.deals)]

    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Play a deal from every seat, and count."""
        answer, instructions = agent.answer(game), _prompt(game, cell.kind)
        if answer is None:
            return _figure(*_play(game, cell, agent.load(game), progress), (0, 0, 0))
        name = agent.called(game)
        policy = TextPolicy(calling(name, answer), game.spec.rules, game.num_players, name, instructions)
        with nullcontext() if out is None else _transcript(cell, game, name, instructions, out) as kept:
            if kept is not None:
                policy.answer = kept.keeping(name, policy.answer)
            try:
                played = _play(game, cell, policy, progress)
            except PlayerError as error:
                if isinstance(error.__cause__, BenchmarkError):  # of kept answers
                    raise error.__cause__ from None
                raise BenchmarkError(f"{error}; the same command goes on from here, with the answers so far") from error
        return _figure(*played, (policy.unread, policy.questions, policy.defaults))

    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return the shares and the score under one instruction."""
        rows = np.array([figures[cell.key].mean for cell in self.cells(game) if cell.kind == half])
        counts = dict(zip(COUNTS, rows.T, strict=True))
        shares = {name: (counts[f"{name} part"], counts[f"{name} whole"]) for name in SHARES}
        shares[UNREAD] = (counts["unread"], counts["questions"])
        return words_samples(counts["payoff"], shares, [self.halves(game).index(half), game.seed])

    def cost(self, todo: Sequence[tuple[Game, Cell]], agent: Agent) -> str:
        """Return about how many questions will be asked, and their length in tokens."""
        if agent.in_text is None:
            return ""
        questions = sum(game.options["questions"] for game, _ in todo)
        tokens = sum(game.options["questions"] * game.options["letters"] for game, _ in todo) / LETTERS
        return (
            f"{agent.in_text} will be asked about {questions:,.0f} questions in {len(todo)} cells, with about "
            f"{tokens / 1e6:.1f} million tokens; the answers have {ANSWER * questions / 1e6:.2f} million, if "
            "nothing else is written. Answers that lie beside the result are not asked for again."
        )

    def kept(self, name: str, figures: Mapping[str, Figure], out: Path) -> Agent | None:
        """Return an agent that gives the answers in the files beside a result; None for a policy, which has none."""
        folder = _folder(out)
        if not any(figure.mean[COUNTS.index("questions")] for figure in figures.values()):
            return None
        if not folder.is_dir():
            raise BenchmarkError(f"{folder} with the answers is missing: put it beside {out}, or name the player with "
                                 "--policy, who is asked again")  # fmt: skip

        def answer(question: str) -> str:
            raise BenchmarkError(
                f"{folder} has no answer to a question of {name}: it is of another run, or was changed"
            )

        return Agent([TextPolicy(answer, name=name)])

    def check(self, agent: Agent, out: Path | None, workers: int) -> None:
        """Refuse workers, who would pickle the player and ask many questions at once."""
        if workers and agent.in_text is not None:
            raise BenchmarkError(f"{agent.in_text} is asked one question after the other: leave out workers")


# --- what is played --------------------------------------------------------------------------------------------------


def _prompt(game: Game, instruction: str) -> str:
    """Return what every question begins with: the rules in words, and an instruction."""
    rules = family_of(game.spec.rules).texts.describe(game.spec.rules, game.num_players)
    return f"{rules}\n\n{game.options['instructions'][instruction]}"


def _play(game: Game, cell: Cell, policy: Any, progress: Progress | None) -> tuple[float, Rows]:
    """Return the player's mean payoff in a deal, and their decisions; members of the population sit beside them."""
    deal, n = int(cell.against.removeprefix("deal-")), game.num_players
    seeds = np.random.default_rng(game.seed).integers(0, MAX_SEED, game.deals)[deal : deal + 1]
    place = rotated_places(n, 1)
    engine = engine_for(game.spec.rules, n, seeds, n)
    rng = np.random.default_rng([game.seed, deal])
    policies = [policy, *(member.load(game) for member in game.population)]
    rows = play_and_note(engine, policies, place, place == 0, rng, progress)
    return float(by_place(engine.results()["payoffs"], place)[0, :, 0].mean()), rows


def _figure(payoff: float, rows: Rows, answers: tuple[int, int, int]) -> Figure:
    """Return the counts of a cell."""
    kinds = {kind: {name: part[rows["decision"] == kind] for name, part in rows.items()} for kind in (CLAIM, CALL)}
    found = {kind: events(some, kind) for kind, some in kinds.items()}
    counts = [float(np.count_nonzero(side)) for kind, name in SHARES.values() for side in found[kind][name]]
    mean = (payoff, float(len(kinds[CLAIM]["lie"])), *counts, *map(float, answers))
    # How much one deal may differ when it is played again: a payoff by about a point, counts as those of rare events,
    # which come in clusters.
    return Figure(mean, (1.0, *(2.0 * (count + 1) ** 0.5 for count in mean[1:])))


# --- what is kept ----------------------------------------------------------------------------------------------------


def _folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder of the answers that belong to a result."""
    return Path(f"{os.fspath(out)}.answers")


def _transcript(cell: Cell, game: Game, name: str, instructions: str, out: Path) -> Transcript:
    """Return the file of a cell's questions and answers."""
    folder = _folder(out)
    folder.mkdir(exist_ok=True)
    about = {
        "variant": game.variant, "rules": plain_values(game.spec.rules.to_dict()), "num_players": game.num_players,
        "players": [name, *(member.name for member in game.population)], "seed": game.seed, "cell": cell.key,
        "instructions": instructions,
    }  # fmt: skip
    return Transcript(folder / f"{cell.key.replace('/', '-')}.jsonl", about)
