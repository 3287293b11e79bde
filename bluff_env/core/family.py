"""What a family of games is, and where each family is found.

A family's package declares ``FAMILY``, a :class:`Family`, in its module ``family`` (as
:mod:`bluff_env.cheat.family`). Engine, environments, policies, evaluation and training know nothing else of a family.
``FAMILIES`` imports one when it is first asked for, so playing one family neither imports nor compiles another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from bluff_env.utils.errors import RulesError, shown

if TYPE_CHECKING:
    import random

    import numpy as np

    from bluff_env.core.driver import Driver
    from bluff_env.core.fields import CriticPart, Field
    from bluff_env.core.parts import PartTable
    from bluff_env.core.picture import Picture

DEFAULT_FAMILY = "cheat"  # the family of presets that are named without one
DEFAULT_VARIANT = "cheat/pagat"


# --- rules -----------------------------------------------------------------------------------------------------------


class RuleSet(Protocol):
    """A rule set of any family: a frozen dataclass that is equal to another if the games are the same."""

    family: ClassVar[str]

    @property
    def payoff_limit(self) -> float:
        """The most that a player can gain or lose in a game; infinity where nothing bounds it."""

    def resolve(self, num_players: int) -> Any:
        """The same rules with what depends on the number of players filled in. Raises RulesError."""

    def replace(self, **changes: Any) -> Any:
        """A copy with some fields changed. Raises RulesError."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON and YAML."""


@dataclass(frozen=True)
class Variant:
    """A preset.

    Attributes:
        name: unique in its family.
        summary: the rules in one sentence.
        source: the text that the rules come from.
        parent: the preset that this one changes, None for the defaults of the family's ``Rules``.
        changes: fields of ``Rules`` that differ from the parent's.
        players: the least, usual and greatest number of players; environments take the usual one by default.
        telling: attributes of ``Rules`` that only change the words in which the game is told.
    """

    name: str
    summary: str
    source: str
    parent: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    players: tuple[int, int, int] = (2, 4, 10)
    telling: Mapping[str, Any] = field(default_factory=dict)

    def players_in_words(self, most: int) -> str:
        """The recommended numbers of players, and whether others may play, where ``most`` is what the family allows."""
        least, usual, greatest = self.players
        if (least, greatest) == (2, most):
            return f"{least} to {greatest} players, usually {usual}."
        recommended = f"Recommended for {least} to {greatest} players, usually {usual}"
        return f"{recommended}; any number from 2 to {most} that the cards allow can play."


class RulesModule(Protocol):
    """What a family's module ``rules`` has."""

    MAX_PLAYERS: int

    @property
    def Rules(self) -> Callable[..., Any]:
        """The class of the rule sets, a :class:`RuleSet`."""

    def check_field_names(self, changes: dict[str, Any]) -> None:
        """Raises RulesError, with the nearest names, for a key that is not a field of ``Rules``."""


class VariantsModule(Protocol):
    """What a family's module ``variants`` has."""

    @property
    def VARIANTS(self) -> Mapping[str, Variant]:
        """The presets by name."""

    def find_variant(self, name: str) -> Variant:
        """A preset by name. Raises RulesError, with the nearest names, for an unknown one."""

    @property
    def make_rules(self) -> Callable[..., Any]:
        """``make_rules(variant, **house_rules)``: the rules of a preset with changes. Raises RulesError."""


# --- the game --------------------------------------------------------------------------------------------------------


class GameModule(Protocol):
    """What a family's package ``game`` has besides the kernels of the driver.

    ``GAME`` is the dtype of the state of one game. It has at least the fields ``rule`` (an index into a table of
    rules), ``phase``, ``to_act``, ``turns``, ``payoff``, ``seed`` and ``num_events``. ``RULE`` is the dtype of a row of
    a table of rules, with at least ``num_players``.
    """

    GAME: np.dtype
    RULE: np.dtype
    NUM_ACTIONS: int

    @property
    def ACTION_NAMES(self) -> tuple[str, ...]:
        """The unique name of every action, by index."""

    @property
    def ACTION_INDEX(self) -> Mapping[str, int]:
        """The index of every action, by name."""

    @property
    def rule_row(self) -> Callable[[Any, int], np.ndarray]:
        """``rule_row(rules, num_players)``: resolved rules as a table of one row."""

    @property
    def possible_actions(self) -> Callable[[Any], list[int]]:
        """``possible_actions(rules)``: the actions that can be legal under these rules."""

    @property
    def force_deal(self) -> Callable[..., int]:
        """``force_deal(g, r, **deal)`` puts a deal into a prepared state; returns the dealer to choose, -1 for none."""


class ScriptedModule(Protocol):
    """What a family's module ``scripted`` has."""

    @property
    def ScriptedPlayer(self) -> type[IntEnum]:
        """The scripted players."""

    @property
    def scripted_actions(self) -> Callable[..., None]:
        """``scripted_actions(player, offsets, observations, masks, key, out)`` writes an action for each row."""


class InsightModule(Protocol):
    """What a family's module ``insight`` has: numbers that follow from an observation, for networks to read."""

    def num_insights(self, seats: int) -> int:
        """How many numbers there are for observations with room for ``seats`` players."""

    @property
    def insights(self) -> Callable[..., None]:
        """``insights(offsets, observations, out)`` writes a row of float32 for each observation."""


# --- states and words ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class States:
    """What a state tells. ``g`` is the state of one game, ``r`` its row of the table of rules.

    Attributes:
        fields: the table of the fields of a state.
        snapshot: ``(g, r)``: the whole state as values that JSON can hold.
        outcome_name: ``(g, r, outcome)``: the name of an outcome of the present chance.
        all_cards: ``(snapshot)``: every card of a snapshot, sorted; the same throughout a game.
        deck_of: ``(r)``: the deck, sorted.
        public_events: ``(g, r, since)``: the public events after the first ``since``, oldest first.
        results: ``(games)``: how these games went, arrays with an entry for each; see :meth:`Engine.results`.
        state_from_text: ``(text, rule_row)``: a saved state, checked. Raises ValueError.
        critic_layout: ``(num_players)``: the parts of the full-information vector, by name.
        critic_high: ``(num_players)``: the greatest value of each number of that vector.
        critic_vector: ``(g, num_players)``: that vector.
        resample_hidden: ``(g, r, seat, rng)`` draws anew all that a seat does not know: the material of leak tests.
        own_play: the phases in which a player composes a play that the others do not see yet, the first one first.
        unseen_decisions: ``(g, r)``: the most decisions in a row that the player to act may make here before the others
            see anything of them; 0 where their number is no secret.
        num_hidden_features: ``(num_players)``: how many numbers the next one writes for a game.
        hidden_features: ``(games, rules, rows, seats, out)`` writes, compiled, what the critic of self-play reads
            besides an observation. The first number is the lead of the seat over the others, about -1 to 1. None:
            the family has no such critic.
    """

    fields: tuple[Field, ...]
    snapshot: Callable[[Any, Any], dict[str, Any]]
    outcome_name: Callable[[Any, Any, int], str]
    all_cards: Callable[[Mapping[str, Any]], list[str]]
    deck_of: Callable[[Any], list[str]]
    public_events: Callable[[Any, Any, int], list[dict[str, Any]]]
    results: Callable[[np.ndarray], dict[str, np.ndarray]]
    state_from_text: Callable[[Any, np.ndarray], np.ndarray]
    critic_layout: Callable[[int], Mapping[str, CriticPart]]
    critic_high: Callable[[int], np.ndarray]
    critic_vector: Callable[[Any, int], np.ndarray]
    resample_hidden: Callable[[Any, Any, int, random.Random], None]
    own_play: tuple[IntEnum, ...]
    unseen_decisions: Callable[[Any, Any], int] = lambda g, r: 0
    num_hidden_features: Callable[[int], int] = lambda num_players: 0
    hidden_features: Callable[..., None] | None = None


@dataclass(frozen=True)
class HiddenPlay:
    """What a play in public hides.

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
    """

    describe: Callable[[Any, int], str]
    rules_table: Callable[[Any], list[tuple[str, str, str]]]
    describe_action: Callable[[Any, Any, str, int, Sequence[str]], str]
    describe_event: Callable[[Mapping[str, Any], Sequence[str]], str]
    render_game: RenderGame
    render_seat: Callable[[Mapping[str, Any], Sequence[str], bool], str]
    draw_game: DrawGame
    draw_seat: Callable[[Mapping[str, Any], Sequence[str], bool], Picture]
    parse_move: Callable[[str, Mapping[str, Any], Sequence[str], Sequence[str]], Move | None]
    move_help: tuple[tuple[str, str], ...]
    hidden_play: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], Any], HiddenPlay | None]


class DecisionsModule(Protocol):
    """What a family's module ``decisions`` has: what players see when they make or call a claim.

    A *view* is the parts ``PARTS`` of observations by name, each with the row on its first axis. Seats are relative,
    where nothing else is said.
    """

    PARTS: tuple[str, ...]
    LIES_COUNT_AT_ONCE: bool
    """Whether ``lies`` of :attr:`States.results` counts a lie as soon as the play is made."""

    @property
    def claim_names(self) -> Callable[[Any], tuple[str, ...]]:
        """``claim_names(rules)``: the names of the numbers that ``situation`` gives as ``claim``."""

    @property
    def plays_so_far(self) -> Callable[..., np.ndarray]:
        """``plays_so_far(results, view, to_act)``: how many plays each seat of each game has made, (games, seats)."""

    @property
    def claimant_called(self) -> Callable[[Mapping[str, np.ndarray], str], np.ndarray]:
        """``claimant_called(view, action)``: whose play an action calls, 0 where it calls none, (rows,)."""

    @property
    def last_play(self) -> Callable[..., HiddenPlay | None]:
        """``last_play(snapshot, seat, rules, before)``: what the play hides that a seat (not relative) just made;
        ``before`` is the view of that player when they decided, None if the play followed by itself."""

    @property
    def situation(self) -> Callable[..., dict[str, np.ndarray]]:
        """``situation(view, rules, claimant)``: what the players see while a play of ``claimant`` is on the table:
        ``turn``, ``claim``, ``announced``, ``hand``, ``fitting``, ``pile``, ``opponent_hand``, each (rows,)."""

    @property
    def before_play(self) -> Callable[[dict[str, np.ndarray], np.ndarray], None]:
        """``before_play(situation, cards)`` changes the situation after an own play into the one before it."""


# --- a family --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """A family of games: all rule sets that one implementation plays.

    Attributes:
        name: unique; the first part of its presets' full names, and its name in checkpoints and records.
        title: its name for people.
        default: the preset that is played if none is named.
        environment: the module with its PettingZoo environment.
        deal_options: the options that force a deal.
        rules: the rule sets.
        variants: the presets.
        game: dtypes and actions.
        driver: the compiled entry points.
        parts: the observation.
        scripted: the scripted players.
        states: what a state tells.
        texts: the family in words.
        decisions: what players decide about, for :mod:`bluff_env.evaluation.studies`; None if there are no studies of
            the family.
        insight: what follows from an observation, for networks to read. None: there is nothing of the kind.
    """

    name: str
    title: str
    default: str
    environment: str
    deal_options: tuple[str, ...]
    rules: RulesModule
    variants: VariantsModule
    game: GameModule
    driver: Driver
    parts: PartTable
    scripted: ScriptedModule
    states: States
    texts: Texts
    decisions: DecisionsModule | None = None
    insight: InsightModule | None = None

    def __repr__(self) -> str:
        return f"<Family: {self.title}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return family_named, (self.name,)

    def usual_players(self, variant: Any) -> int:
        """The usual number of players of a preset; for other rules the number of seats in their teams, or 4."""
        if isinstance(variant, str):
            return self.variants.find_variant(variant).players[1]
        return len(getattr(variant, "teams", None) or range(4))


class _Families(Mapping[str, Family]):
    """All families by name; each is imported when it is first asked for."""

    def __init__(self, **homes: str) -> None:
        self.homes = homes

    def __getitem__(self, name: str) -> Family:
        family: Family = import_module(self.homes[name]).FAMILY
        return family

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __len__(self) -> int:
        return len(self.homes)


FAMILIES = _Families(**{"cheat": "bluff_env.cheat.family", "bluff-the-bullet": "bluff_env.bullet.family"})


def family_named(name: str) -> Family:
    """The family of this name, which must exist."""
    return FAMILIES[name]


def is_variant(variant: Any) -> bool:
    """Whether this is a name, as presets have one, or a rule set of some family."""
    return isinstance(variant, str) or _family_name(variant) in FAMILIES


def family_of(variant: Any) -> Family:
    """The family of a rule set or of a preset's name. Names without a family are names of Cheat.

    Raises:
        RulesError: for anything else.
    """
    if isinstance(variant, str):
        name = variant.partition("/")[0]
        return FAMILIES[name if name in FAMILIES else DEFAULT_FAMILY]
    if not is_variant(variant):
        raise RulesError(f"variant={shown(variant)} must be the name of a preset, or Rules")
    return FAMILIES[_family_name(variant)]


def _family_name(rules: Any) -> str:
    """The name of the family that a rule set says it is of, empty if it does not say so."""
    name = getattr(type(rules), "family", "")
    return name if isinstance(name, str) else ""


def make_rules(variant: Any = DEFAULT_VARIANT, **house_rules: Any) -> Any:
    """The rules of a preset of any family with house rules on top: ``make_rules("bullshit", jokers=2)``.

    Raises:
        RulesError: for an unknown variant or rule, or a contradiction.
    """
    if isinstance(variant, str):
        find_variant(variant)  # an unknown name is looked for in the other families too
    return family_of(variant).variants.make_rules(variant, **house_rules)


def find_variant(name: str) -> Variant:
    """The preset of this name in any family. Raises RulesError, with the nearest names, for an unknown one."""
    family = family_of(name)
    try:
        return family.variants.find_variant(name)
    except RulesError as error:
        others = [title for other in FAMILIES.values() if other is not family for title in other.variants.VARIANTS]
        if meant := [title for title in others if name.lower() in title]:
            raise RulesError(f"{error}; another family has: {', '.join(meant)}") from None
        raise


def title_of(variant: Any, num_players: int, house_rules: Mapping[str, Any]) -> str:
    """What is played, for people: ``"pagat with 4 players, jokers=2"``."""
    rules = find_variant(variant).name if isinstance(variant, str) else "custom rules"
    changes = "".join(f", {name}={value!r}" for name, value in house_rules.items())
    return f"{rules} with {num_players} players{changes}"


def full_name(variant: str) -> str:
    """``cheat/bullshit`` for a preset of that name; a family of one preset has only one name. Raises RulesError."""
    family, preset = family_of(variant), find_variant(variant).name
    return preset if len(family.variants.VARIANTS) == 1 else f"{family.name}/{preset}"


CUSTOM = "custom"  # instead of the name of a preset
