"""Decisions under other names: a policy plays a game whose ranks and suits have changed their names for it alone.

Cards are placed one by one in the game's order, and a play that is in order under some names need not be so under
others. So the policy composes a whole play under its names, and then its cards are placed in the game's order. While
it composes, only what it sees of its own cards changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bluff_env.cheat.game.actions import NUM_ACTIONS, Action
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES
from bluff_env.cheat.observe import NUM_CARDS, PARTS, ObservedPhase
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, RAISE, Reveal, Rules
from bluff_env.cheat.states.critic import hidden_under
from bluff_env.cheat.symmetry import FACES, NUM_NAMES, RANKS, SUITS, Symmetries, renamed, reverse_of, usual_actions
from bluff_env.core.parts import Part

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Observations, int16 (some, observation), masks, int8 (some, actions), and which rows of those to decide these are,
int64 (some,), to actions, int64 (some,). A row that composes a play is asked for each of its cards."""

COMMIT = int(Action.COMMIT)
FIRST, NUM_PLACES = int(Action.PLACE), NUM_FACES + NUM_CARDS  # the actions that place a card: by rank, by card
JOKER_PLACE = JOKER_FACE
BY_CARD = np.arange(NUM_FACES, NUM_PLACES)
COUNTED = 100  # a memory holds small numbers
# the order in which cards are placed: jokers last, also where the others are placed by rank and suit
IN_ORDER = np.array([*range(NUM_RANKS), *BY_CARD, JOKER_PLACE])
TURN_OF = np.argsort(IN_ORDER)
RANK_OF = np.array([*range(NUM_FACES), *(card // NUM_SUITS for card in range(NUM_CARDS))])


@dataclass
class Memory:
    """The memory of each seat: views of one array.

    Attributes:
        all: the array, int8 (rows, NUM_NAMES + NUM_PLACES + 1).
        names: of its game, (rows, NUM_NAMES).
        cards: of the play that was composed, those still to be placed, (rows, NUM_PLACES).
        composed: 0 while no play that was composed is under way; else 1 and the number of its cards that have been
            placed, counted from 0 again at :data:`COUNTED`, (rows,).
    """

    all: np.ndarray
    names: np.ndarray
    cards: np.ndarray
    composed: np.ndarray

    @classmethod
    def of(cls, array: np.ndarray) -> Memory:
        """Return the views of an array."""
        return cls(array, array[:, :NUM_NAMES], array[:, NUM_NAMES:-1], array[:, -1])


class Renaming:
    """Plays the games of a rule set under names that are drawn for them.

    Args:
        rules: resolved.
        num_players: of the games.

    Attributes:
        symmetries: from which names are drawn.
        obstacle: why no game can be played under other names than the usual ones; an empty string if it can be.
    """

    num_actions = NUM_ACTIONS

    def __init__(self, rules: Rules, num_players: int) -> None:
        self.symmetries = Symmetries(rules, num_players)
        self._suited, self._leads_face_up = rules.suits_matter, rules.first_face_up
        self._most = rules.announced_limit + rules.extra_limit  # cards in a play
        obstacles = {
            "a card that is hidden, slipped or switched is the one of the lowest suit, and suits are claimed": (
                bool(rules.sleights) and rules.suits_matter
            ),
            "a raise needs more cards than the last play had": rules.steps == RAISE,
            "it depends on the order of its cards which of a play a call turns over": rules.reveal != Reveal.ALL,
            "its rules tell all ranks and suits apart": self.symmetries.is_trivial,
        }
        self.obstacle = next((why for why, is_so in obstacles.items() if is_so), "")

    @property
    def beginnings(self) -> list[Rules]:
        """Return the rule sets whose games these are under some names; they differ in how a deal begins."""
        return self.symmetries.beginnings

    def blank(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Return the memories of seats that have decided nothing yet, with new names."""
        memory = np.zeros((rows, NUM_NAMES + NUM_PLACES + 1), np.int8)
        memory[:, :NUM_NAMES] = self.symmetries.draw(rows, rng)
        return memory

    def is_possible(self, memory: np.ndarray) -> bool:
        """Return whether an array can be the memory of as many seats as it has rows."""
        if memory.ndim != 2 or memory.shape[1] != NUM_NAMES + NUM_PLACES + 1 or memory.dtype != np.int8:
            return False
        names = [np.sort(memory[:, part], 1) == range(part.stop - part.start) for part in (RANKS, SUITS, FACES)]
        return all(part.all() for part in names) and bool((memory[:, NUM_NAMES:] >= 0).all())

    def under(
        self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return games as they are under the names in the memories.

        Args:
            observations: int16 (rows, observation).
            masks: (rows, actions).
            memory: of each row.

        Returns:
            Observations and masks under these names, and which action of the game each action is there, int64 (rows,
            actions).
        """
        names = Memory.of(memory).names
        usual = usual_actions(names)
        return renamed(observations, names), np.take_along_axis(masks, usual, 1), usual

    def hidden(self, features: np.ndarray, seen: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """Return what the critic of self-play reads besides what a player sees, under the names in the memories.

        Args:
            features: as the engine writes them, float32 (rows, features).
            seen: what the players see under their names, where cards of a play may have left the hand already.
            memory: of each row.
        """
        usual = reverse_of(Memory.of(memory).names)[:, RANKS]
        table = PARTS.layout(*PARTS.view_of_size(seen.shape[1]) or ())
        return hidden_under(features, usual, seen[:, table["hand"].slice])

    def decide(
        self, choose: Choose, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Decide, with a policy that knows each game under its own names.

        Args:
            choose: the policy; it may be asked several times.
            observations: as the game shows them, int16 (rows, observation).
            masks: the legal actions of the game, int8 (rows, actions).
            memory: of each row, as :meth:`blank` and this method return it.

        Returns:
            The actions in the game, int64 (rows,), and the memories after them.
        """
        memory = memory.copy()
        seat, table = Memory.of(memory), PARTS.layout(*PARTS.view_of_size(observations.shape[1]) or ())
        # a play goes on if as many cards are placed as it has placed: the first card of another may be, where there was
        # no choice and so no decision
        placed = observations[:, table["placed"].slice].sum(1)
        going = observations[:, table["phase"].start] == ObservedPhase.PLACE
        going &= (placed > 0) & (seat.composed == 1 + placed % COUNTED)
        seat.cards[~going], seat.composed[~going] = 0, 0
        new = np.flatnonzero(seat.composed == 0)
        actions = np.full(len(masks), COMMIT)
        if len(new):
            actions[new] = self._decide_anew(choose, observations[new], masks[new], seat, new, table)
        # what is left of a play that was composed; after the last card it is made
        rows = np.flatnonzero(seat.composed)
        left = (seat.cards[rows][:, IN_ORDER] > 0) & (masks[rows][:, FIRST + IN_ORDER] > 0)
        rows, cards = rows[left.any(1)], IN_ORDER[left[left.any(1)].argmax(1)]
        actions[rows] = FIRST + cards
        seat.cards[rows, cards] -= 1
        seat.composed[rows] = 1 + (placed[rows] + 1) % COUNTED
        return actions, memory

    def _decide_anew(
        self,
        choose: Choose,
        observations: np.ndarray,
        masks: np.ndarray,
        seat: Memory,
        rows: np.ndarray,
        table: dict[str, Part],
    ) -> np.ndarray:
        """Return what the policy chooses in these rows; where that is a card, note the whole play in ``seat``."""
        seen, legal, usual = self.under(observations, masks, seat.all[rows])
        chosen = choose(seen, legal, rows)
        places = (chosen >= FIRST) & (chosen < FIRST + NUM_PLACES)
        phase = seen[:, table["phase"].start]
        # elsewhere one card is shown, given or switched, and none is played
        places &= (phase == ObservedPhase.TURN) | (phase == ObservedPhase.PLACE)
        if self._leads_face_up:  # such a card is a play by itself, and places are offered before a claim only for it
            free = seen[:, table["claims"].slice].sum(1) > 1
            places &= ~((phase == ObservedPhase.TURN) & (seen[:, table["leading"].start] > 0) & free)
        if places.any():
            begun = np.flatnonzero(places)
            cards = self._compose(choose, seen[begun], chosen[begun] - FIRST, rows[begun], table)
            in_game = np.zeros_like(cards)
            np.put_along_axis(in_game, usual[begun, FIRST : FIRST + NUM_PLACES] - FIRST, cards, 1)
            seat.cards[rows[begun]], seat.composed[rows[begun]] = in_game, 1
        actions: np.ndarray = usual[np.arange(len(rows)), chosen]
        return actions

    def _compose(
        self, choose: Choose, seen: np.ndarray, placed: np.ndarray, rows: np.ndarray, table: dict[str, Part]
    ) -> np.ndarray:
        """Return the cards of whole plays, int8 (rows, NUM_PLACES).

        Args:
            choose: the policy.
            seen: what it saw before its first card, under its names.
            placed: its first card, an index from 0 among the actions that place one.
            rows: which rows of those to decide these are.
            table: the layout of an observation.
        """
        seen, cards, going = seen.copy(), np.zeros((len(seen), NUM_PLACES), np.int8), np.arange(len(seen))
        claim, claims = table["own_claim"].start, seen[:, table["claims"].slice]
        seen[:, claim] = np.where(seen[:, claim] == 0, 1 + claims.argmax(1), seen[:, claim])  # only one was possible
        seen[:, table["phase"].start] = ObservedPhase.PLACE
        for size in range(1, self._most + 1):
            cards[going, placed] += 1
            seen[going, table["hand"].start + RANK_OF[placed]] -= 1
            seen[going, table["placed"].start + RANK_OF[placed]] += 1
            if self._suited:
                natural = placed >= NUM_FACES
                seen[going[natural], table["hand_cards"].start + placed[natural] - NUM_FACES] -= 1
            legal = self._may_follow(seen[going], placed, table) if size < self._most else np.zeros((len(going), 0))
            open_ = legal.any(1)  # who can place nothing more is not asked
            going, legal = going[open_], legal[open_]
            if not len(going):
                break
            masks = np.zeros((len(going), NUM_ACTIONS), np.int8)
            masks[:, FIRST : FIRST + NUM_PLACES], masks[:, COMMIT] = legal, 1
            chosen = choose(seen[going], masks, rows[going])
            going, placed = going[chosen != COMMIT], chosen[chosen != COMMIT] - FIRST
        return cards

    def _may_follow(self, seen: np.ndarray, placed: np.ndarray, table: dict[str, Part]) -> np.ndarray:
        """Return which cards in hand can be placed after these, in order: bool (rows, NUM_PLACES)."""
        held = np.zeros((len(seen), NUM_PLACES), np.bool_)
        hand = seen[:, table["hand"].slice] > 0
        if self._suited:
            held[:, BY_CARD], held[:, JOKER_PLACE] = seen[:, table["hand_cards"].slice] > 0, hand[:, JOKER_FACE]
        else:
            held[:, :NUM_FACES] = hand
        return held & (TURN_OF[placed][:, None] <= TURN_OF)
