"""A game at a table, step by step: what happens in public, what plays hide, and what each player sees."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE
from rich.table import Table as Grid

from bluff_env.core.engine import Engine
from bluff_env.core.family import HiddenPlay, Move
from bluff_env.core.registry import CUSTOM
from bluff_env.core.words import seat_text, view_of
from bluff_env.policies.seats import LEARNER, SeatPolicies
from bluff_env.record import MAX_NAME, GameRecord
from bluff_env.utils.errors import InputError, printable, shown

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy

# The rows of the engine: the game, the game as it was when it was kept, and the game in which a move is tried.
_GAME, _KEPT, _TRIAL = range(3)
_ROWS = 3
MOST_UNRECORDED = 1.0  # seconds after which the record of a game under way is written again


@dataclass(frozen=True)
class Told:
    """A public event.

    Attributes:
        event: as the family's ``public_events`` lists it.
        text: the event in a sentence, which everybody at the table may read.
        hidden: what it hides, for the end of the game; None if it is no play.
    """

    event: Mapping[str, Any]
    text: str
    hidden: HiddenPlay | None

    def __str__(self) -> str:
        """The sentence with what it hides."""
        return self.text if self.hidden is None else f"{self.text}  [{self.hidden}]"


class GameTable:
    """One game.

    Args:
        rules: resolved rules.
        num_players: number of players.
        seed: of all chance in the game.
        variant: the preset that the rules come from, for records.
        deal: a forced deal, as the options of the environments' ``reset``.

    Attributes:
        names: the name of every seat, ``player_0`` and so on.
        players: who plays at each seat, if that is known.
        steps: the decisions so far, as seat and name of the action.
        story: everything that happened in public so far.
        record: the file that keeps a record of the game while it is played, or None.
        can_go_back: whether all that was done since the game was kept is a part of one move, of which nobody else has
            seen anything, and which has told its player nothing.
    """

    def __init__(
        self, rules: Any, num_players: int, seed: int, variant: str = CUSTOM, deal: Mapping[str, Any] | None = None
    ) -> None:
        self.engine = Engine(rules, num_games=_ROWS, num_players=num_players, autoreset=False)
        self.rules, self.num_players = self.engine.rules_of(_GAME)
        self.seed, self.variant, self.deal = seed, variant, dict(deal or {})
        self.names = [f"player_{seat}" for seat in range(num_players)]
        self.players: tuple[str, ...] = ()
        self.steps: list[tuple[int, str]] = []
        self.story: list[Told] = []
        self.record: Path | None = None
        self._recorded = time.monotonic()
        self.can_go_back = False
        self._kept = 0  # how many of the steps had been taken when the game was kept
        self._start()

    def _start(self) -> None:
        """The game before its first step."""
        self.engine.reset(seeds=[self.seed] * _ROWS, deals=[self.deal] * _ROWS if self.deal else None)
        self.story = []
        self._seen = 0
        self._tell(self.snapshot())

    @property
    def to_act(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return int(self.engine.to_act[_GAME])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules."""
        return bool(self.engine.dones[_GAME])

    @property
    def mask(self) -> np.ndarray:
        """The legal actions of the player to act, int8 (actions,)."""
        return self.engine.action_masks[_GAME]

    @property
    def legal(self) -> list[str]:
        """The names of the legal actions."""
        return [self.engine.action_names[action] for action in np.flatnonzero(self.mask)]

    def snapshot(self) -> dict[str, Any]:
        """The whole state, hidden cards included."""
        return {**self.engine.snapshot(_GAME), "variant": self.variant}

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self, action: str) -> list[Told]:
        """Takes an action, which must be legal; returns what happened in public."""
        before, seat = self.snapshot(), self.to_act
        self.steps.append((seat, action))
        self._step(_GAME, action)
        told = self._tell(before)
        own = before["phase"] in [phase.name.lower() for phase in self.engine.family.states.own_play]
        goes_on = own and not told and self.to_act == seat and self.is_composing()
        self.can_go_back = goes_on and not action.startswith(self.engine.family.states.revealing)
        self._record()
        return told

    def _record(self) -> None:
        """Writes the record every now and then, so that a game that is killed can be watched."""
        if self.record is not None and time.monotonic() - self._recorded > MOST_UNRECORDED:
            with suppress(OSError):  # the last save will say so
                self.save(self.record)
            self._recorded = time.monotonic()

    def _step(self, row: int, action: str) -> None:
        """Takes an action in one row of the engine."""
        index = self.engine.family.game.action_index[action]
        self.engine.step(np.full(_ROWS, index), where=np.arange(_ROWS) == row)

    def _tell(self, before: Mapping[str, Any]) -> list[Told]:
        """The events that have not been told yet."""
        events, self._seen = self.engine.events(_GAME, self._seen)
        texts, after = self.engine.family.texts, self.snapshot()
        told = [
            Told(event, texts.describe_event(event, self.names), texts.hidden_play(event, before, after, self.rules))
            for event in events
        ]
        self.story += told
        return told

    def is_composing(self, row: int = _GAME) -> bool:
        """Whether the player to act is in the middle of a move of which nobody else has seen anything yet."""
        later = self.engine.family.states.own_play[1:]
        return self.engine.snapshot(row)["phase"] in [phase.name.lower() for phase in later]

    def actions_of(self, move: Move) -> list[str]:
        """The actions that a whole move comes to here; nobody notices that it is tried.

        Raises:
            InputError: for a move that is not possible.
        """
        self.engine.copy([_GAME], [_TRIAL])
        actions: list[str] = []
        for action in move.steps:
            if actions and not self.is_composing(_TRIAL):
                break  # the rest followed by itself
            if self.engine.action_masks[_TRIAL][self.engine.family.game.action_index.get(action, 0)]:
                self._step(_TRIAL, action)
                actions.append(action)
            elif action not in move.if_asked:
                after = f" after {', '.join(actions)}" if actions else ""
                raise InputError(f"{shown(action)} is not possible here{after}")
        return actions

    def keep(self) -> None:
        """Keeps the game as it is, for :meth:`go_back`."""
        self.engine.copy([_GAME], [_KEPT])
        self._kept = len(self.steps)

    def go_back(self) -> list[str]:
        """Goes back to the game that was kept, where :attr:`can_go_back` allows it; returns the actions taken since."""
        taken = [action for _, action in self.steps[self._kept :]]
        self.engine.copy([_KEPT], [_GAME])
        del self.steps[self._kept :]
        self.can_go_back = False
        return taken

    def play_again(self) -> None:
        """Plays the steps again from the start, after an interruption that may have come in the middle of one."""
        steps, self.steps = self.steps, []
        self._start()
        for _, action in steps:
            self.step(action)

    # --- who plays ---------------------------------------------------------------------------------------------------

    def seat(self, policies: Sequence[Policy | None], seed: int) -> Iterator[str]:
        """Seats policies, None where a person sits; each item is the action of the policy whose turn it is."""
        distinct = list({id(policy): policy for policy in policies if policy is not None}.values())
        index = [LEARNER if policy is None else distinct.index(policy) for policy in policies]
        seats, rng = SeatPolicies(distinct, np.array([index] * _ROWS)), np.random.default_rng(seed)
        while self.to_act >= 0:
            (action,) = seats.act(self.engine, np.array([_GAME]), rng)
            yield self.engine.action_names[action]

    def faced(self) -> tuple[np.ndarray, np.ndarray]:
        """The decision that is to be made: the observation and the mask of the player to act."""
        return self.engine.observe(np.array([_GAME]), np.array([self.to_act]))[0], self.mask

    # --- what there is to see ----------------------------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat knows: its observation by part."""
        return view_of(self.engine.family, self.engine.observe(np.array([_GAME]), np.array([seat]))[0])

    def seen_by(self, seat: int) -> str:
        """What a seat knows, as several lines of text."""
        return seat_text(self.engine.family, self.view(seat), self.names_from(seat), self.to_act == seat)

    def names_from(self, seat: int) -> list[str]:
        """The names of all seats, beginning with this one."""
        return [*self.names[seat:], *self.names[:seat]]

    def picture(self, reveal: bool = True) -> str:
        """The table as several lines of text."""
        return str(self.engine.family.texts.render_game(self.snapshot(), self.names, reveal))

    def meaning(self, action: str) -> str:
        """What a legal action of the player to act means, in words that begin with a verb."""
        index = self.engine.family.game.action_index[action]
        sentence = self.engine.describe_action(_GAME, index, self.names)
        return sentence.removeprefix(f"{self.names[self.to_act]} ")

    def figures(self) -> list[dict[str, str]]:
        """How each seat has played so far, by name of the figure; ``forced`` counts the lies without a true play."""
        results = {name: values[_GAME] for name, values in self.engine.results().items()}
        forced = Counter(told.event["player"] for told in self.story if told.hidden and told.hidden.forced)
        return [
            {
                "payoff": f"{results['payoffs'][seat]:+.3f}",
                "plays": str(results["plays"][seat]),
                "lies": str(results["lies"][seat]),
                "forced": str(forced[seat]),
                "calls": str(results["calls"][seat]),
                "right calls": str(results["right_calls"][seat]),
            }
            for seat in range(self.num_players)
        ]

    def results(self) -> Grid:
        """How the game ended, or how it stands."""
        from bluff_env.cli.common import cell

        results, figures = self.engine.results(), self.figures()
        turns, limit = results["turns"][_GAME], " by the length limit" if results["length_limit"][_GAME] else ""
        title = f"over after {turns} turns{limit}" if self.is_over else f"after {turns} turns"
        grid = Grid(title=title, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))  # 80 columns
        left = ("seat", "policy")[: 2 if self.players else 1]
        for column in (*left, *figures[0]):
            grid.add_column(column, justify="left" if column in left else "right", no_wrap=column in left)
        for seat, name in enumerate(self.names):
            played_by = [cell(self.players[seat])] if self.players else []
            grid.add_row(name, *played_by, *figures[seat].values())
        return grid

    # --- records -----------------------------------------------------------------------------------------------------

    def recorded(self) -> GameRecord:
        """A record of the game so far."""
        results = {name: values[_GAME] for name, values in self.engine.results().items()}
        return GameRecord(
            self.rules,
            self.num_players,
            self.seed,
            tuple(self.steps),
            tuple(results["payoffs"][: self.num_players].tolist()) if self.is_over else None,
            bool(results["length_limit"]),
            self.deal,
            self.variant,
            players=tuple(printable(name)[:MAX_NAME] for name in self.players),
        )

    def save(self, path: Path) -> str:
        """Writes a record of the game so far; returns a line that says so."""
        return printable(f"written to {self.recorded().save(path)}")


PACE = 0.8  # seconds after each event at a terminal
