"""One game, step by step: what happens in public, what plays hide, and what each player sees."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.endings import seat_names
from bluff_env.core.family import HiddenPlay, Move
from bluff_env.core.match_game import MatchGame, number_of_deals, rules_for_deals
from bluff_env.core.registry import CUSTOM, family_of
from bluff_env.core.single_game import SingleGame
from bluff_env.core.words import clockwise, scores_in_words
from bluff_env.policies.seats import LEARNER, SeatPolicies
from bluff_env.record import MAX_NAME, GameRecord, record_of
from bluff_env.utils.arguments import read_only, seed_number
from bluff_env.utils.errors import printable
from bluff_env.utils.numerals import signed

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy

# What players may want in a window, by the word that their answer begins with, and what events say that it was done.
_WANTS = {
    "call": "call", "jump": "play", "check": "look at it", "accuse": "accuse", "demand": "demand a new deal",
    "bullet": "lay a bullet", "force": "force",
}  # fmt: skip
_DOES = {
    "right_call": "call", "wrong_call": "call", "jump": "play", "play": "play", "check": "look at it",
    "right_accusation": "accuse", "wrong_accusation": "accuse", "right_demand": "demand a new deal",
    "wrong_demand": "demand a new deal", "bullet": "lay a bullet", "right_force": "force", "wrong_force": "force",
}  # fmt: skip
_AFTER_CALLS = (_WANTS["jump"], _WANTS["check"])  # what lapses if anybody calls
LEFT_OUT = ("pass", "all_waited", "check")  # of the list at the end: no card moves or is shown
DEAL_OVER = "deal_over"  # the event that ends a deal of a match
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


class Session:
    """One game that is played, by people or policies.

    A move can be taken back by a copy of the game (:meth:`keep`, :meth:`go_back`), and is tried in one
    (:meth:`actions_of`).

    Args:
        rules: rules of any family.
        num_players: number of players.
        seed: of all chance in the game.
        variant: the preset that the rules come from, for records.
        deal: a forced deal, as the options of the environments' ``reset``.
        names: what each seat is called; by default ``player_0`` and so on.
        deals: 1, or the number of deals of a match; then seed and forced deal are those of the first one.
            None: what the rules say, one deal or a match with revolvers.

    Attributes:
        game: the game itself, with its arrays.
        family: of the rules.
        names: the name of every seat.
        players: who plays at each seat, if that is known.
        steps: the decisions so far, as seat and name of the action.
        story: everything that happened in public so far.
        record: the file that keeps a record of the game while it is played, or None.
        lost: by seat, what a player wanted to do in the window that has just closed, where another did it: ``you wanted
            to call too; Ben was drawn``. Nobody else may be shown it.
        can_go_back: whether all that was done since the game was kept is a part of one move, of which nobody else has
            seen anything, and which has told its player nothing.

    Raises:
        RulesError: for rules, players or a deal that are impossible.
        ValueError: for an impossible seed.
    """

    def __init__(
        self,
        rules: Any,
        num_players: int,
        seed: int,
        variant: str = CUSTOM,
        deal: Mapping[str, Any] | None = None,
        names: Sequence[str] | None = None,
        deals: int | None = None,
    ) -> None:
        self.family = family_of(rules)
        self.rules, self.num_players = rules_for_deals(rules.resolve(num_players), deals), num_players
        self.seed, self.variant, self.deal = seed_number("seed", seed), variant, dict(deal or {})
        self.game: SingleGame = SingleGame(self.family, self.rules, num_players)
        if (number := number_of_deals(deals)) > 1:
            self.game = MatchGame(self.family, self.rules, num_players, number)
        self.names = list(names or seat_names(None, num_players))
        self.players: tuple[str, ...] = ()
        self.steps: list[tuple[int, str]] = []
        self.story: list[Told] = []
        self.record: Path | None = None
        self._recorded = time.monotonic()
        self.can_go_back = False
        self._start()
        self.keep()

    def _start(self) -> None:
        """Go to the game before its first step."""
        self.game.start(self.game.dealt(self.deal), self.seed)
        self.story = []
        self._seen = 0
        self._over: list[dict[str, Any]] = []
        self.lost: dict[int, str] = {}
        self._wants: dict[int, str] = {}
        self._tell(self.snapshot())

    @property
    def to_act(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return self.game.to_act

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended by its rules."""
        return self.game.is_over

    @property
    def deals(self) -> int:
        """The number of deals, 1 if it is no match."""
        return self.game.deals

    @property
    def mask(self) -> np.ndarray:
        """The legal actions of the player to act, int8 (actions,): a view, which the next step changes."""
        return read_only(self.game.mask)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The name of every action of the family, by index."""
        return self.family.game.action_names

    @property
    def legal(self) -> list[str]:
        """The names of the legal actions."""
        return [self.action_names[action] for action in np.flatnonzero(self.mask)]

    def is_out(self, seat: int) -> bool:
        """Return whether a player has gone out of this deal, or of the game, as everybody knows."""
        state = self.game.snapshot()
        return seat in (*state.get("finished", ()), *state.get("fallen", ()))

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state, hidden cards included."""
        return {**self.game.snapshot(), "variant": self.variant}

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self, action: str) -> list[Told]:
        """Take an action, which must be legal; return what happened in public."""
        before, seat, own = self.snapshot(), self.to_act, self.game.is_own_play
        self.steps.append((seat, action))
        self.game.step(self.family.game.action_index[action])
        kind = action.split(maxsplit=1)[0]
        if kind == "accuse" and getattr(self.rules, "force", False):
            kind = "force"
        if not own and kind in _WANTS:
            self._wants[seat] = _WANTS[kind]
        told = self._tell(before)
        self._note_lost(told)
        goes_on = own and not told and self.to_act == seat and self.game.is_composing
        self.can_go_back = goes_on and not action.startswith(self.family.states.revealing)
        self._record()
        return told

    def _note_lost(self, told: Sequence[Told]) -> None:
        """Note whose wish came to nothing when somebody acted; until then nobody learns what was wanted."""
        acts = [event.event for event in told if event.event["event"] in _DOES]
        done = next((act for act in acts if act["player"] is not None), None)  # in some windows nobody acted
        self.lost = {}
        if done is not None:
            how = "came first" if getattr(getattr(self.rules, "window", None), "name", "") == "IN_TURN" else "was drawn"
            did = _DOES[done["event"]]
            acted = {act["player"] for act in acts}
            for seat, want in self._wants.items():
                if seat not in acted and (want == "accuse") == (did == "accuse"):  # it is heard after a call
                    too = " too" if want == did else ""
                    why = "called, which comes first" if did == "call" and want in _AFTER_CALLS else how
                    self.lost[seat] = f"you wanted to {want}{too}; {self.names[done['player']]} {why}"
        if told:
            self._wants = {}

    def _record(self) -> None:
        """Write the record every now and then, so that a game that is killed can be watched."""
        if self.record is not None and time.monotonic() - self._recorded > MOST_UNRECORDED:
            with suppress(OSError):  # the last save will say so
                self.save(self.record)
            self._recorded = time.monotonic()

    def _tell(self, before: Mapping[str, Any]) -> list[Told]:
        """Return the events that have not been told yet, and add them to the story; ``before`` is the last snapshot."""
        told: list[Told] = []
        for deal in self.game.ended if isinstance(self.game, MatchGame) else ():
            self._over.append(deal.results())
            told += [*self._told(deal, before), self._deal_over(deal)]
            self._seen = 0
            before = self.snapshot()
        if not (self._over and self.is_over):
            told += self._told(self.game, before)
        self._seen = int(self.game.state["num_events"])
        self.story += told
        return told

    def _told(self, game: SingleGame, before: Mapping[str, Any]) -> list[Told]:
        """Return the events of a deal that have not been told yet."""
        texts, after = self.family.texts, game.snapshot()
        return [
            Told(event, texts.describe_event(event, self.names), texts.hidden_play(event, before, after, self.rules))
            for event in game.events(self._seen)
        ]

    def _deal_over(self, deal: SingleGame) -> Told:
        """Return the end of a deal of a match, as everybody is told of it."""
        number = len(self._over)
        end = self.family.texts.describe_end(deal.state, deal.rule_row, self.names, None)
        event = {"event": DEAL_OVER, "player": None, "deal": number}
        return Told(event, f"deal {number} of {self.deals} is over: {end}", None)

    def actions_of(self, move: Move) -> list[str]:
        """Return the actions that a whole move comes to here; nobody notices that it is tried.

        Raises:
            InputError: for a move that is not possible.
        """
        return self.game.actions_of(move)

    def keep(self) -> None:
        """Keep the game as it is, for :meth:`go_back`."""
        self._kept, self._kept_steps = self.game.copy(), len(self.steps)

    def go_back(self) -> list[str]:
        """Go back to the game that was kept, where :attr:`can_go_back` allows it; return the actions taken since."""
        taken = [action for _, action in self.steps[self._kept_steps :]]
        self.game = self._kept.copy()
        del self.steps[self._kept_steps :]
        self.can_go_back = False
        return taken

    def play_again(self) -> None:
        """Play the steps again from the start, after an interruption that may have come in the middle of one."""
        steps, self.steps = self.steps, []
        self._start()
        for _, action in steps:
            self.step(action)

    # --- who plays ---------------------------------------------------------------------------------------------------

    def seat(self, policies: Sequence[Policy | None], seed: int) -> Iterator[str]:
        """Seat policies, None where a person sits; yield the action of the policy whose turn it is."""
        distinct = list({id(policy): policy for policy in policies if policy is not None}.values())
        index = [LEARNER if policy is None else distinct.index(policy) for policy in policies]
        seats, asked, rng = SeatPolicies(distinct, np.array([index])), _Asked(self), np.random.default_rng(seed)
        while self.to_act >= 0:
            (action,) = seats.act(asked, np.array([0]), rng)
            yield self.action_names[action]

    def faced(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the decision that is to be made: the observation and the mask of the player to act."""
        return self.game.observe(self.to_act), self.mask

    # --- what there is to see ----------------------------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat knows: its observation by part."""
        return self.game.view(seat)

    def seen_by(self, seat: int) -> str:
        """Return what a seat knows, as several lines of text."""
        return self.game.seat_text(seat, self.names)

    def names_from(self, seat: int) -> list[str]:
        """Return the names of all seats, beginning with this one."""
        return clockwise(self.names, seat)

    def picture(self, reveal: bool = True) -> str:
        """Return the table as several lines of text."""
        table = self.family.texts.render_game(self.snapshot(), self.names, reveal)
        return "\n".join([*self.match_lines, table])

    def with_names(self, text: str) -> str:
        """Return a text about seats, ``player_1`` and so on, with the names of these players."""
        return re.sub(r"player_([0-9])", lambda k: self.names[int(k[1]) % len(self.names)], text)

    def rules_in_words(self) -> list[str]:
        """Return the rules of the game, a paragraph for each topic."""
        return self.with_names(self.family.texts.describe(self.rules, self.num_players)).split("\n\n")

    @property
    def match_lines(self) -> list[str]:
        """The line that tells which deal of a match is played and the scores; none in a single deal."""
        if not isinstance(self.game, MatchGame):
            return []
        return [f"deal {self.game.deal} of {self.deals}; scores: {scores_in_words(self.game.scores, self.names)}"]

    def meaning(self, action: str) -> str:
        """Return what a legal action of the player to act means, in words that begin with a verb."""
        sentence = self.game.describe_action(action, self.to_act, self.names)
        return sentence.removeprefix(f"{self.names[self.to_act]} ")

    def figures(self) -> list[dict[str, str]]:
        """Return how each seat has played so far, by name of the figure.

        ``forced`` counts the lies without a true play.
        """
        results = self._results()
        forced = Counter(told.event["player"] for told in self.story if told.hidden and told.hidden.forced)
        return [
            {
                "payoff": signed(self.game.scores[seat], 3),
                "plays": str(results["plays"][seat]),
                "lies": str(results["lies"][seat]),
                "forced": str(forced[seat]),
                "calls": str(results["calls"][seat]),
                "right calls": str(results["right_calls"][seat]),
            }
            for seat in range(self.num_players)
        ]

    def _results(self) -> dict[str, Any]:
        """Return what was counted in this game, or in all deals of a match so far."""
        now = [] if self._over and self.is_over else [self.game.results()]
        results = [*self._over, *now]
        return {name: sum(each[name] for each in results) for name in results[0]}

    @property
    def turns(self) -> int:
        """The number of turns so far, those of earlier deals included."""
        return int(self._results()["turns"])

    # --- records -----------------------------------------------------------------------------------------------------

    def recorded(self) -> GameRecord:
        """Return a record of the game so far."""
        players = tuple(printable(name)[:MAX_NAME] for name in self.players)
        names = () if self.names == seat_names(None, self.num_players) else tuple(self.names)
        return record_of(self.game, self.steps, self.seed, self.deal, self.variant, players, names)

    def save(self, path: Path) -> str:
        """Write a record of the game so far; return a line that says so."""
        return printable(f"written to {self.recorded().save(path)}")


class _Asked:
    """The decision that a session faces, as policies read those of an engine: in its only row."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def to_act(self) -> np.ndarray:
        return np.array([self._session.to_act])

    @property
    def observations(self) -> np.ndarray:
        return self._session.faced()[0][None]

    @property
    def action_masks(self) -> np.ndarray:
        return self._session.mask[None]
