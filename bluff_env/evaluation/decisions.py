"""Every claim and every call of a policy in many games, with the truth behind it: the data set of a study.

A *row* is one play that the policy made (a claim), or one play of another player that it could call. The rows of a
batch of games are columns, arrays with an entry for each row; -1, and NaN in the last three, is what does not apply.
:data:`COLUMNS` names them all; ``docs/study.md`` says what they mean.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.family import HiddenPlay
from bluff_env.core.parts import NOBODY
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import play_out
from bluff_env.policies.policy import Policy
from bluff_env.policies.trained import thinks
from bluff_env.utils.files import naming, new_file

CLAIM, CALL = 0, 1  # of the column decision
DECISIONS = ("claim", "call")
COLUMNS = (
    "deal", "game", "seat", "turn", "decision", "opponent", "opponent_hand", "claim", "announced", "cards", "hand",
    "fitting", "pile", "lie", "forced", "called", "probability", "estimate", "payoff",
)  # fmt: skip
REALS = ("probability", "estimate", "payoff")

Rows = dict[str, np.ndarray]


class DecisionLog:
    """Notes what a policy decides in the games of an engine, and what the truth was.

    Args:
        engine: new games of one rule set, without automatic reset.
        policy: whose decisions are noted; None for those of several policies, whose opinions are not asked for.
        is_noted: bool (games, seats), where it plays.
    """

    def __init__(self, engine: Engine, policy: Policy | None, is_noted: np.ndarray) -> None:
        module = engine.family.decisions
        if module is None:
            raise ValueError(f"{engine.family.title} cannot be studied: it does not say what its players decide about")
        self._engine, self._module, self._policy, self._is_noted = engine, module, policy, is_noted
        self._rules, num_players = engine.rules_of(0)
        self._calls = calls_of(self._rules, num_players)
        parts = [(name, engine.observation_layout[name]) for name in module.parts]
        self._columns = np.concatenate([np.arange(part.start, part.stop) for _, part in parts])
        self._widths = [(name, part.shape, part.size) for name, part in parts]
        shape = is_noted.shape
        self._plays, self._lies = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self._lied = np.zeros(shape, np.int64)  # whether the latest play of each seat is a lie
        self._open = np.full(shape[0], -1)  # which of the noted claims is the last play of the game; -1: none
        self._calls_before = np.zeros(shape[0], np.int64)  # how many calls there were before the last play
        self._claims = 0  # how many have been noted; their rows hold the number in `called` until the end
        self._answers: list[tuple[np.ndarray, np.ndarray]] = []  # numbers of claims, and whether they were called
        self._rows: list[Rows] = []
        self._steps = 0
        self._before: dict[str, np.ndarray] = {}
        self._acted = engine.to_act

    def before_step(self, actions: np.ndarray) -> None:
        """Notes the chances to call of this step, in which every game that is not over makes a decision.

        Args:
            actions: the decisions, whole numbers (games,).
        """
        engine, self._steps = self._engine, self._steps + 1
        self._acted, self._before = engine.to_act.copy(), self._view(engine.observations)
        may_call = engine.action_masks[:, [action for action, _ in self._calls]].any(1)
        noted = self._is_noted[np.arange(engine.num_games), self._acted] & (self._acted != NOBODY)
        rows = np.flatnonzero(may_call & noted)
        if len(rows):
            self._note_chances(rows, actions)

    def _note_chances(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Notes every play that the players to act in these games may call."""
        engine = self._engine
        view = {name: part[rows] for name, part in self._before.items()}
        masks, seats = engine.action_masks[rows], self._acted[rows]
        chances, estimate = _opinions(self._policy, engine.observations[rows], masks, self._calls)
        last = self._module.claimant_called(view, "call") if self._calls[0][1] == "call" else None
        for i, (action, name) in enumerate(self._calls):
            claimant = self._module.claimant_called(view, name)
            here = np.flatnonzero((masks[:, action] > 0) & (claimant > 0))
            if not len(here):
                continue
            about, games = claimant[here], rows[here]
            of_last = True if last is None else last[here] == about
            self._note(
                games, seats[here], CALL, {k: part[here] for k, part in view.items()}, about,
                lie=self._lied[games, (seats[here] + about) % self._is_noted.shape[1]],
                called=(actions[games] == action).astype(np.int64),
                probability=chances[here, i],
                estimate=np.where(of_last, estimate[here], np.nan),
            )  # fmt: skip

    def lies_to_call(self) -> dict[str, np.ndarray]:
        """Return whether the plays that the players to act may call are lies, before the step that was noted last.

        Returns:
            By the name of each call, int8 (games,): 1 for a lie, 0 for a true play, -1 if there is nothing to call.
        """
        masks, seats, games = self._engine.action_masks, self._acted, np.arange(self._engine.num_games)
        lies = {}
        for action, name in self._calls:
            claimant = self._module.claimant_called(self._before, name)
            about = self._lied[games, (seats + claimant) % self._is_noted.shape[1]]
            lies[name] = np.where((masks[:, action] > 0) & (claimant > 0), about, -1).astype(np.int8)
        return lies

    def after_step(self) -> None:
        """Notes the plays that were made in this step."""
        engine, module = self._engine, self._module
        results = engine.results()
        seats_in_use = self._is_noted.shape[1]
        plays = module.plays_so_far(results, self._view(engine.observations), engine.to_act)[:, :seats_in_use]
        games, seats = self._in_order(*np.nonzero(plays > self._plays))
        self._plays = plays
        if not len(games):
            return
        calls = results["calls"].sum(1)
        self._answer(games, calls)
        self._calls_before[games] = calls[games]
        lies = results["lies"][:, :seats_in_use]
        lied = lies[games, seats] > self._lies[games, seats]
        self._lies = lies
        noted = self._is_noted[games, seats]
        looked_at = (lied & noted) | (not module.lies_count_at_once)  # only what has to be: looking takes long
        hidden = [self._hidden(*play) if look else None for *play, look in zip(games, seats, looked_at, strict=True)]
        if not module.lies_count_at_once:
            lied = np.array([play is not None and play.lie for play in hidden])
        self._lied[games, seats] = lied
        if noted.any():
            known = [play for play, is_noted in zip(hidden, noted, strict=True) if is_noted]
            self._note_claims(games[noted], seats[noted], lied[noted], known)

    def finish(self) -> Rows:
        """The rows of all games, which are over, in the order of the games and of what happened in them.

        Returns:
            All columns but ``deal``.
        """
        results = self._engine.results()
        self._answer(np.arange(len(self._open)), results["calls"].sum(1))
        if not self._rows:
            return {name: _column(name, None, 0) for name in COLUMNS}
        rows = {name: np.concatenate([some[name] for some in self._rows]) for name in self._rows[0]}
        called = np.full(self._claims, -1)
        if not any(name != "call" for _, name in self._calls):  # else it is open which play a call was about
            for numbers, answers in self._answers:
                called[numbers] = answers
        claims = rows["decision"] == CLAIM
        rows["called"][claims] = called[rows["called"][claims]]
        rows["payoff"] = results["payoffs"][rows["game"], rows["seat"]]
        order = np.lexsort((rows.pop("step"), rows["game"]))
        return {name: values[order] for name, values in rows.items()}

    def _view(self, observations: np.ndarray) -> dict[str, np.ndarray]:
        """The parts of observations that the family asks for."""
        chosen, view, at = observations[:, self._columns].astype(np.int64), {}, 0
        for name, shape, size in self._widths:
            view[name] = chosen[:, at : at + size].reshape(-1, *shape)
            at += size
        return view

    def _hidden(self, row: np.integer, player: np.integer) -> HiddenPlay | None:
        """Return the hidden side of the play that this seat has just made."""
        game, seat = int(row), int(player)
        chosen = self._acted[game] == seat
        before = {name: part[game] for name, part in self._before.items()} if chosen else None
        return self._module.last_play(self._engine.snapshot(game), seat, self._rules, before)

    def _in_order(self, games: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the plays of a step, of two in one game the later one last: one without a choice follows at once."""
        for k in np.flatnonzero(games[1:] == games[:-1]):
            pile = self._engine.snapshot(int(games[k])).get("pile")
            if pile and pile[-1]["player"] == seats[k]:
                seats[[k, k + 1]] = seats[[k + 1, k]]
        return games, seats

    def _note_claims(
        self, games: np.ndarray, seats: np.ndarray, lied: np.ndarray, hidden: Sequence[HiddenPlay | None]
    ) -> None:
        view = self._view(self._engine.observe(games, seats))
        forced = np.array([int(play.forced) if play and play.lie else -1 for play in hidden])
        numbers = self._claims + np.arange(len(games))
        self._open[games] = numbers
        earlier = numbers[self._open[games] != numbers]  # the next play followed at once, so nobody could call it
        self._answers.append((earlier, np.zeros(len(earlier), np.bool_)))
        self._claims += len(games)
        self._note(games, seats, CLAIM, view, np.zeros(len(games), np.int64), lie=lied, forced=forced, called=numbers,
                   hidden_cards=np.array([len(play.cards) if play else -1 for play in hidden]))  # fmt: skip

    def _note(
        self, games: np.ndarray, seats: np.ndarray, decision: int, view: dict[str, np.ndarray], about: np.ndarray,
        *, hidden_cards: np.ndarray | None = None, **known: np.ndarray,
    ) -> None:  # fmt: skip
        """Adds rows; what is not known does not apply."""
        seen = self._module.situation(view, self._rules, about)
        if decision == CLAIM:
            assert hidden_cards is not None
            cards = np.where(hidden_cards < 0, seen["announced"], hidden_cards)  # a true play is as announced
            self._module.before_play(seen, cards)
            known["cards"] = cards
        step = 2 * self._steps + (decision == CLAIM)
        rows = {"step": step, "game": games, "seat": seats, "decision": decision, "opponent": about, **seen, **known}
        rows["opponent"] = np.where(about > 0, about, -1)
        names = ("step", *(name for name in COLUMNS if name not in ("deal", "payoff")))
        self._rows.append({name: _column(name, rows.get(name), len(games)) for name in names})

    def _answer(self, games: np.ndarray, calls: np.ndarray) -> None:
        """Notes of the claims that were made last in these games whether they have been called."""
        games = games[self._open[games] >= 0]
        self._answers.append((self._open[games], calls[games] > self._calls_before[games]))
        self._open[games] = -1


def _column(name: str, values: Any, size: int) -> np.ndarray:
    """A column of a few rows; without values, of what does not apply."""
    kind = np.float64 if name in REALS else np.int64
    if values is None:
        values = np.nan if name in REALS else -1
    return np.broadcast_to(np.asarray(values, kind), (size,)).copy()


def calls_of(rules: Any, num_players: int) -> list[tuple[int, str]]:
    """Return the actions that can call a play under these rules, by their number in the family's list and by name."""
    game = family_of(rules).game
    names = {"call", *(f"call +{k}" for k in range(1, num_players))}
    possible = [(action, game.action_names[action]) for action in game.possible_actions(rules)]
    return [(action, name) for action, name in possible if name in names]


def _opinions(
    policy: Any, observations: np.ndarray, masks: np.ndarray, calls: Sequence[tuple[int, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return a policy's view of the plays that it may call; NaN where it gives no estimate.

    Returns:
        The probability of each of the actions ``calls`` (rows, actions), and its estimate that the last claim is a lie
        (rows,).
    """
    chances, estimate = np.full((len(masks), len(calls)), np.nan), np.full(len(masks), np.nan)
    if not thinks(policy):
        return chances, estimate
    shares = policy.probabilities(observations, masks)
    return shares[:, [action for action, _ in calls]].astype(np.float64), policy.lie_probs(observations)


def play_and_note(
    engine: Engine,
    policies: Sequence[Policy],
    policy_of: np.ndarray,
    is_noted: np.ndarray,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> Rows:
    """Plays every game of an engine (new, without automatic reset) to its end; returns what was decided at some seats.

    Args:
        policies: the distinct policies.
        policy_of: index into ``policies`` for each seat of each game, (games, seats).
        is_noted: bool (games, seats), the seats whose decisions are wanted. If one policy holds them all, the rows have
            its opinions too.
        progress: called with the share of games that are over.
    """
    noted = np.unique(policy_of[is_noted])
    log = DecisionLog(engine, policies[noted[0]] if len(noted) == 1 else None, is_noted)

    def step(actions: np.ndarray, running: np.ndarray) -> None:
        log.before_step(actions)
        engine.step(actions, where=running)
        log.after_step()

    play_out(engine, policies, policy_of, rng, progress, step)
    return log.finish()


class RowsFile:
    """A CSV file to which rows are written as they come; the file appears when it is complete, or not at all.

    To be used in a ``with`` block, which keeps the file if it ends without an error.

    Args:
        path: of the file, which is replaced if there is one.
        claim_names: the names of the numbers in the column ``claim``.

    Raises:
        OSError: if it cannot be written; the error names the file.
    """

    def __init__(self, path: str | os.PathLike[str], claim_names: Sequence[str]) -> None:
        self.path, self._names = Path(path), claim_names
        self._open = new_file(self.path)
        self._file = self._open.__enter__()
        self._write([COLUMNS])

    def add(self, rows: Rows) -> None:
        """Write the rows of some games; an interruption leaves no row of them."""
        columns, before = [self._texts(name, rows[name].tolist()) for name in COLUMNS], self._file.tell()
        try:
            self._write(zip(*columns, strict=True))
        except KeyboardInterrupt:
            self._file.seek(before)
            self._file.truncate()
            raise

    def _write(self, lines: Iterable[Sequence[Any]]) -> None:
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        with naming(self.path):
            self._file.write(text.getvalue().encode())
            self._file.flush()

    def _texts(self, name: str, values: list[Any]) -> list[Any]:
        if name in ("claim", "decision"):
            names = self._names if name == "claim" else DECISIONS
            return [names[value] for value in values]
        if name in REALS:
            return ["" if value != value else f"{value:.6g}" for value in values]
        return ["" if value == -1 else value for value in values]

    def __enter__(self) -> RowsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, traceback)
