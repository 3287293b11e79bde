"""A family of games: one object that holds everything the rest of the package asks of it.

A family's package declares ``FAMILY``, a :class:`Family`, in its module ``family`` (as
:mod:`bluff_env.cheat.family`); :mod:`bluff_env.core.registry` finds it. Engine, environments, policies, evaluation and
training know nothing else of a family. What follows from the fields of a state and from the names of the actions need
not be written: :meth:`Game.plain`, :meth:`States.plain` and the defaults of :class:`Texts` fill it in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bluff_env.core import plain
from bluff_env.core.endings import plain_end
from bluff_env.core.fields import Critic, Field, critic_high, struct_of
from bluff_env.core.names import environment_module
from bluff_env.core.picture import Picture
from bluff_env.core.rules import RuleSet, Variants

if TYPE_CHECKING:
    import random

    from bluff_env.core.driver import Driver
    from bluff_env.core.fields import CriticPart
    from bluff_env.core.parts import PartTable


# --- the game --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Game:
    """The data of a game besides the kernels of the driver.

    Attributes:
        state_dtype: of the state of one game. It has at least the fields ``rule`` (an index into a table of rules),
            ``phase``, ``to_act``, ``turns``, ``payoff``, ``seed`` and ``num_events``.
        rule_dtype: of a row of a table of rules, with at least ``num_players``.
        action_names: the unique name of every action, by index.
        rule_row: ``(rules, num_players)``: the rules as a table of one row. Raises RulesError.
        possible_actions: ``(rules)``: the actions that can be legal under these rules.
        force_deal: ``(g, r, **deal)`` puts a deal into a prepared state; returns the dealer to choose, -1 for none.
    """

    state_dtype: np.dtype
    rule_dtype: np.dtype
    action_names: tuple[str, ...]
    rule_row: Callable[[Any, int], np.ndarray]
    possible_actions: Callable[[Any], list[int]]
    force_deal: Callable[..., int] = lambda g, r: -1

    @classmethod
    def plain(cls, fields: Sequence[Field], rules: type[RuleSet], action_names: tuple[str, ...], **own: Any) -> Game:
        """Return a game whose rules are all whole numbers and whose actions are all possible.

        Args:
            fields: of the state.
            rules: the class of the rule sets; a row has the number of players and a number for each of its fields.
            action_names: the unique name of every action, by index.
            **own: attributes that the family writes itself.
        """
        rule_dtype = np.dtype([(name, np.int64) for name in ("num_players", *rules.field_names())])
        given: dict[str, Any] = {
            "rule_row": partial(plain.rule_row, rule_dtype),
            "possible_actions": lambda rules: list(range(len(action_names))),
            **own,
        }
        return cls(struct_of(fields), rule_dtype, action_names, **given)

    @property
    def num_actions(self) -> int:
        """The length of an action mask."""
        return len(self.action_names)

    @cached_property
    def action_index(self) -> Mapping[str, int]:
        """The index of every action, by name."""
        return {name: action for action, name in enumerate(self.action_names)}


# --- players ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scripted:
    """The scripted players of a family.

    Attributes:
        names: of the players, by number, as in ``scripted/last-card``.
        choose: ``(player, offsets, observations, masks, key, out)`` writes an action for each row.
        newer: names of players who came after results were published. The line-ups of evaluations and experiments do
            without them, so that these results can be repeated.
    """

    names: tuple[str, ...] = ("random",)
    choose: Callable[..., None] = plain.random_actions
    newer: tuple[str, ...] = ()

    @classmethod
    def of(cls, players: type[IntEnum], choose: Callable[..., None], newer: tuple[str, ...] = ()) -> Scripted:
        """Return the players of an enumeration that counts from 0."""
        return cls(tuple(player.name.lower().replace("_", "-") for player in players), choose, newer)


@dataclass(frozen=True)
class Features:
    """Numbers that follow from an observation, for networks to read beside it.

    Attributes:
        count: ``(seats)``: how many numbers there are for observations with room for this many players.
        write: ``(offsets, observations, out)`` writes a row of float32 for each observation.
    """

    count: Callable[[int], int]
    write: Callable[..., None]


# --- states ----------------------------------------------------------------------------------------------------------


LEAD, LAST_CLAIM_LIES = 0, 1  # the first of a family's hidden features


@dataclass(frozen=True)
class States:
    """Functions that read a state. ``g`` is the state of one game, ``r`` its row of the table of rules.

    Attributes:
        fields: the table of the fields of a state.
        snapshot: ``(g, r)``: the whole state as values that JSON can hold, with at least ``phase`` (its name in lower
            case), ``to_act``, ``turns``, ``length_limit``, ``done`` and ``rewards``.
        state_from_text: ``(text, rule_row)``: a saved state, checked. Raises ValueError.
        critic_layout: ``(num_players)``: the parts of the full-information vector, by name.
        critic_high: ``(num_players)``: the greatest value of each number of that vector.
        critic_vector: ``(g, num_players)``: that vector.
        resample_hidden: ``(g, r, seat, rng)`` draws anew all that a seat does not know: the material of leak tests.
        redeal: ``(game, seat, rng)`` does the same in a single game so that it can go on: cards, what others know and
            have decided unseen. A play that another composes goes back to its beginning. None: the family cannot.
        results: ``(games)``: how these games went, arrays with an entry for each; see :meth:`Engine.results`.
        public_events: ``(g, r, since)``: the public events after the first ``since``, oldest first.
        outcome_name: ``(g, r, outcome)``: the name of an outcome of the present chance.
        all_cards: ``(snapshot)``: every card of a snapshot, sorted; the same throughout a game.
        deck_of: ``(r)``: the deck, sorted.
        own_play: the phases in which a player composes a play that the others do not see yet, the first one first.
        revealing: how the names of the actions begin which, on the way to such a play, show their player something
            hidden. They cannot be taken back.
        unseen_decisions: ``(g, r)``: the most decisions in a row that the player to act may make here before the others
            see anything of them; 0 where their number is no secret.
        num_hidden_features: ``(num_players)``: how many numbers the next one writes for a game.
        hidden_features: ``(games, rules, rows, seats, out)`` writes, compiled, what the centralised critic of self-play
            reads besides an observation. The first number is the lead of the seat over the others, about -1 to 1, the
            second whether the last claim is a lie. None: the family has no such critic.
    """

    fields: tuple[Field, ...]
    snapshot: Callable[[Any, Any], dict[str, Any]]
    state_from_text: Callable[[Any, np.ndarray], np.ndarray]
    critic_layout: Callable[[int], Mapping[str, CriticPart]]
    critic_high: Callable[[int], np.ndarray]
    critic_vector: Callable[[Any, int], np.ndarray]
    resample_hidden: Callable[[Any, Any, int, random.Random], None]
    redeal: Callable[[Any, int, random.Random], None] | None = None
    results: Callable[[np.ndarray], dict[str, np.ndarray]] = plain.results
    public_events: Callable[[Any, Any, int], list[dict[str, Any]]] = lambda g, r, since: []
    outcome_name: Callable[[Any, Any, int], str] = lambda g, r, outcome: str(outcome)
    all_cards: Callable[[Mapping[str, Any]], list[str]] = lambda snapshot: []
    deck_of: Callable[[Any], list[str]] = lambda r: []
    own_play: tuple[IntEnum, ...] = ()
    revealing: tuple[str, ...] = ()
    unseen_decisions: Callable[[Any, Any], int] = lambda g, r: 0
    num_hidden_features: Callable[[int], int] = lambda num_players: 0
    hidden_features: Callable[..., None] | None = None

    @classmethod
    def plain(
        cls,
        fields: tuple[Field, ...],
        phases: type[IntEnum],
        fault: Callable[[Any, Any], str] = lambda g, r: "",
        **own: Any,
    ) -> States:
        """Return what the states of a family tell, so far as it follows from their fields.

        Args:
            fields: the table of the fields of a state.
            phases: the values of the field ``phase``; the last one is that of a game that is over.
            fault: ``(g, r)``: the error of a state whose fields are each within their bounds but contradict one
                another, or an empty string.
            **own: attributes that the family writes itself.
        """
        critic = lru_cache(partial(Critic, fields))
        given: dict[str, Any] = {
            "snapshot": partial(plain.snapshot, fields, phases),
            "state_from_text": partial(plain.state_from_text, fields, fault),
            "critic_layout": lambda num_players: critic(num_players).layout,
            "critic_high": lambda num_players: critic_high(critic(num_players).layout),
            "critic_vector": lambda g, num_players: critic(num_players).vector(g),
            "resample_hidden": partial(plain.redraw_all, fields),
            **own,
        }
        return cls(fields, **given)


# --- words -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HiddenPlay:
    """The hidden side of a play in public.

    Attributes:
        cards: the names of its cards.
        lie: whether they are not what was said.
        forced: of a lie: whether the player held no card with which they could have played the truth.
    """

    cards: tuple[str, ...]
    lie: bool
    forced: bool

    @property
    def truth(self) -> str:
        """``true``; ``a lie, forced``; ``a lie, free``."""
        return f"a lie, {'forced' if self.forced else 'free'}" if self.lie else "true"

    def __str__(self) -> str:
        """``7 J: a lie, forced``."""
        return f"{' '.join(self.cards)}: {self.truth}"


@dataclass(frozen=True)
class Move:
    """A whole move in words, as actions.

    Attributes:
        steps: names of actions, to be taken in this order.
        if_asked: those which are left out where the game does not ask, because there is no choice.
    """

    steps: tuple[str, ...]
    if_asked: frozenset[str] = frozenset()


class RenderGame(Protocol):
    """Draws the table as plain text."""

    def __call__(self, snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> str:
        """The table of a snapshot; without ``reveal`` only what everybody sees."""


class DrawGame(Protocol):
    """Says what a picture of the table shows."""

    def __call__(self, snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> Picture:
        """The table of a snapshot; without ``reveal`` only what everybody sees."""


@dataclass(frozen=True)
class Texts:
    """A family in words.

    Attributes:
        describe: ``(rules, num_players)``: the rules in sentences.
        rules_table: ``(rules)``: name, value and meaning of every field of the rules.
        describe_action: ``(g, r, name, seat, players)``: what an action of a seat means, in a sentence.
        describe_event: ``(event, players)``: a public event in a sentence.
        render_game: draws the table as plain text.
        render_seat: ``(view, players, to_act)``: what one player knows, from their observation by part; the player's
            own name comes first.
        draw_game: as ``render_game``, for a picture with cards.
        draw_seat: as ``render_seat``, for a picture with cards.
        parse_move: ``(text, view, legal, players)``: a whole move that a player wrote, None for another text. Raises
            InputError for an impossible move.
        move_help: whole moves that ``parse_move`` reads, for people: pairs of an example and what it means.
        hidden_play: ``(event, before, after, rules)``: what a public event hides, from the snapshots before and after
            the step that led to it; None if it is no play.
        describe_end: ``(g, r, players, seat)``: who won a game that is over and why, in a sentence without a full stop.
            The seat is *you*; None for somebody who plays no seat.
        name_hand: ``(cards, rules)``: what the cards of a player are called, as a picture shows them: ``two pairs so
            far``; empty where hands have no names.
    """

    describe: Callable[[Any, int], str] = plain.description
    rules_table: Callable[[Any], list[tuple[str, str, str]]] = plain.rules_table
    describe_action: Callable[[Any, Any, str, int, Sequence[str]], str] = lambda g, r, name, seat, players: (
        f"{players[seat]}: {name}"
    )
    describe_event: Callable[[Mapping[str, Any], Sequence[str]], str] = lambda event, players: str(event["event"])
    render_game: RenderGame = plain.table
    render_seat: Callable[[Mapping[str, Any], Sequence[str], bool], str] = plain.seat
    draw_game: DrawGame = plain.picture
    draw_seat: Callable[[Mapping[str, Any], Sequence[str], bool], Picture] = plain.seat_picture
    parse_move: Callable[[str, Mapping[str, Any], Sequence[str], Sequence[str]], Move | None] = (
        lambda text, view, legal, players: None
    )
    move_help: tuple[tuple[str, str], ...] = ()
    hidden_play: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], Any], HiddenPlay | None] = (
        lambda event, before, after, rules: None
    )
    describe_end: Callable[[Any, Any, Sequence[str], int | None], str] = plain_end
    name_hand: Callable[[Sequence[str], Any], str] = lambda cards, rules: ""


@dataclass(frozen=True)
class StudyViews:
    """The views in which players make or call a claim, for :mod:`bluff_env.evaluation.studies`.

    A *view* is the parts ``parts`` of observations by name, each with the row on its first axis. Seats are relative,
    where nothing else is said.

    Attributes:
        parts: the names of the parts of an observation that the functions read.
        lies_count_at_once: whether ``lies`` of :attr:`States.results` counts a lie as soon as the play is made.
        claim_names: ``(rules)``: the names of the numbers that ``situation`` gives as ``claim``.
        plays_so_far: ``(results, view, to_act)``: how many plays each seat of each game has made, (games, seats).
        claimant_called: ``(view, action)``: whose play an action calls, 0 where it calls none, (rows,).
        last_play: ``(snapshot, seat, rules, before)``: what the play hides that a seat (not relative) just made;
            ``before`` is the view of that player when they decided, None if the play followed by itself.
        situation: ``(view, rules, claimant)``: what the players see while a play of ``claimant`` is on the table:
            ``turn``, ``claim``, ``announced``, ``hand``, ``fitting``, ``pile``, ``opponent_hand``, each (rows,).
        before_play: ``(situation, cards)`` changes the situation after an own play into the one before it.
    """

    parts: tuple[str, ...]
    lies_count_at_once: bool
    claim_names: Callable[[Any], tuple[str, ...]]
    plays_so_far: Callable[..., np.ndarray]
    claimant_called: Callable[[Mapping[str, np.ndarray], str], np.ndarray]
    last_play: Callable[..., HiddenPlay | None]
    situation: Callable[..., dict[str, np.ndarray]]
    before_play: Callable[[dict[str, np.ndarray], np.ndarray], None]


class Renaming(Protocol):
    """Play of the games of a rule set under other names of what the rules do not tell apart.

    What is remembered of a seat is a row of int8 numbers.

    Attributes:
        num_actions: of the family.
        obstacle: why no game can be played under other names than the usual ones; an empty string if it can be.
    """

    num_actions: int
    obstacle: str

    @property
    def beginnings(self) -> list[Any]:
        """Return the rule sets whose games these are under some names; they differ in how a deal begins."""
        ...

    def blank(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Return the memories of seats that have decided nothing yet, with drawn names."""
        ...

    def is_possible(self, memory: np.ndarray) -> bool:
        """Return whether an array can hold memories, one in each row."""
        ...

    def under(
        self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return observations and masks under the names in the memories, and the action of the game that each is."""
        ...

    def hidden(self, features: np.ndarray, seen: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """Return hidden features under the names in the memories; ``seen``: the observations under these names."""
        ...

    def decide(
        self,
        choose: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
        observations: np.ndarray,
        masks: np.ndarray,
        memory: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Decide with a policy that knows each game under its own names; see the family's class."""
        ...


# --- a family --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """A family of games: all rule sets that one implementation plays.

    Attributes:
        name: unique; the first part of its presets' full names, and its name in checkpoints and records.
        title: its name for people.
        home: the module that declares it as ``FAMILY``.
        variants: the presets, with the class of the rule sets.
        game: dtypes and actions.
        driver: the compiled entry points.
        parts: the observation.
        states: what a state tells.
        texts: the family in words.
        scripted: the scripted players.
        deal_options: the options that force a deal, which ``game.force_deal`` takes.
        decisions: what players decide about, for :mod:`bluff_env.evaluation.studies`; None if there are no studies of
            the family.
        features: what follows from an observation, for networks to read. None: there is nothing of the kind.
        sample_rules: ``(rng, num_players)``: random rules for that many players. None: there are none.
        renaming: ``(rules, num_players)``: how policies play under other names. None: there are no other names.
        training: settings of a training run that differ from the defaults.
        environment: the module with its PettingZoo environment, by default that of its name: ``bluff_env.cheat_v0``.
    """

    name: str
    title: str
    home: str
    variants: Variants[Any]
    game: Game
    driver: Driver
    parts: PartTable
    states: States
    texts: Texts = Texts()
    scripted: Scripted = Scripted()
    deal_options: tuple[str, ...] = ()
    decisions: StudyViews | None = None
    features: Features | None = None
    sample_rules: Callable[[Any, int], RuleSet] | None = None
    renaming: Callable[[Any, int], Renaming] | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    environment: str = ""

    def __post_init__(self) -> None:
        if not self.environment:
            object.__setattr__(self, "environment", environment_module(self.name))

    def __repr__(self) -> str:
        return f"<Family: {self.title}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return family_in, (self.home,)

    @property
    def rules(self) -> type[RuleSet]:
        """The class of the rule sets."""
        return self.variants.rules

    @property
    def most_players(self) -> int:
        """The greatest number of players of any rule set."""
        return self.rules.most_players

    @property
    def default(self) -> str:
        """Return the full name of the default preset, the first one."""
        first = next(iter(self.variants))
        return first if len(self.variants) == 1 else f"{self.name}/{first}"

    def usual_players(self, variant: Any) -> int:
        """Return the usual number of players of a preset; for other rules the number of seats in their teams, or 4.

        Raises:
            RulesError: for an unknown preset.
        """
        if isinstance(variant, str):
            return self.variants.find_variant(variant).players[1]
        return len(getattr(variant, "teams", None) or range(min(4, self.most_players)))


def family_in(home: str) -> Family:
    """Return the family that a module declares as ``FAMILY``."""
    family: Family = import_module(home).FAMILY
    return family
