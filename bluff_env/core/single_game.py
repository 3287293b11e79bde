"""One game of any family: its state, its rules, and the kernels that play it. All views of a single game share it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from bluff_env.core.family import Family, Move
from bluff_env.core.jit import records
from bluff_env.core.parts import NOBODY, OBSERVATION_DTYPE
from bluff_env.core.saved import state_to_text
from bluff_env.core.words import clockwise, seat_text, view_of
from bluff_env.utils.errors import InputError, RulesError, quoted

MAX_OUTCOMES = 64  # of one phase of chance
G = TypeVar("G", bound="SingleGame")


class SingleGame:
    """One game, before its first chance until it is started.

    Its chance is drawn either from a seed (:meth:`start`, :meth:`step`) or by the caller (:meth:`begin`,
    :meth:`apply_action`, :meth:`apply_outcome`).

    Args:
        family: the family of the rules.
        rules: rules resolved for ``num_players``.
        num_players: number of players.

    Attributes:
        states: the state, an array of one struct of dtype ``family.game.state_dtype``, as kernels take it.
        rule_rows: the rules, an array of one struct of dtype ``family.game.rule_dtype``.
        features: the rules as observations show them, (1, features).
        offsets: where each part of an observation lies, an array of one struct.
        mask: int8 (actions,), the legal actions of the player to act. Every step writes to this array.
        observation_size: length of an observation.
        deals: 1; a match (:class:`bluff_env.core.match_game.MatchGame`) has more.
        waiting: the action that was taken but is not made yet, as some are in a padded game
            (:class:`bluff_env.envs.padding.PaddedGame`); None if there is none.
    """

    waiting: int | None = None
    deals = 1

    def __init__(self, family: Family, rules: Any, num_players: int) -> None:
        self.family = family
        self.rules = rules
        self.num_players = num_players
        self.rule_rows: np.ndarray = family.game.rule_row(rules, num_players)
        wide = family.parts.is_wide(rules)
        self.features: np.ndarray = family.parts.rule_features(rules, num_players, wide)[None]
        self._template = records(1, family.game.state_dtype)
        family.driver.prepare(self._template, self.rule_rows, 0)
        self.states = self._template.copy()
        self.mask = np.zeros(family.game.num_actions, np.int8)
        self.offsets: np.ndarray = family.parts.offsets(num_players, wide)
        self.observation_size: int = family.parts.observation_size(num_players, wide=wide)

    @property
    def state(self) -> Any:
        """The state as one struct; writing to its fields changes the game."""
        return self.states[0]

    @property
    def rule_row(self) -> Any:
        """The rules as one struct."""
        return self.rule_rows[0]

    @property
    def to_act(self) -> int:
        """The seat that decides; -1 at chance, and when the game is over."""
        seat: int = self.states["to_act"].item()
        return seat

    @property
    def at_chance(self) -> bool:
        """Return True if chance moves next."""
        return bool(self.state["phase"] <= self.family.driver.last_chance_phase)

    @property
    def is_over(self) -> bool:
        """Return True if the game has ended by its rules."""
        return bool(self.state["phase"] == self.family.driver.over)

    @property
    def seed(self) -> int:
        """The seed of all chance, once it is started."""
        return int(self.state["seed"])

    @property
    def scores(self) -> list[float]:
        """The payoff of each seat so far; in a match the sum of those of its deals."""
        return self.payoffs

    @property
    def payoffs(self) -> list[float]:
        """The payoff of each seat, zeros before the end."""
        payoffs: list[float] = self.state["payoff"][: self.num_players].tolist()
        return payoffs

    @property
    def is_own_play(self) -> bool:
        """Return True if the player to act composes a play of their own that the others do not see yet."""
        return self.state["phase"] in self.family.states.own_play

    @property
    def is_composing(self) -> bool:
        """Return True if the player to act has begun such a play and not made it yet."""
        return self.state["phase"] in self.family.states.own_play[1:]

    def dealt(self, deal: Mapping[str, Any]) -> np.ndarray:
        """A state before its first chance with a forced deal: what :meth:`start` and :meth:`begin` take.

        Args:
            deal: options of the family (``family.deal_options``); chance decides everything that it leaves out.

        Raises:
            RulesError: for an impossible deal.
        """
        options = self.family.deal_options
        if not isinstance(deal, Mapping):
            raise RulesError(f"a forced deal must be a table, not {quoted(deal)}")
        if unknown := set(deal) - set(options):
            known = f"{', '.join(options[:-1])} and {options[-1]}"
            raise RulesError(f"a forced deal has no {quoted(min(unknown, key=str))}; it may have {known}")
        states: np.ndarray = self._template.copy()
        dealer = self.family.game.force_deal(states[0], self.rule_rows[0], **deal)
        if dealer != NOBODY:
            self.family.driver.set_dealer(states, self.rule_rows, 0, dealer)
        return states

    # --- chance drawn from a seed ------------------------------------------------------------------------------------

    def start(self, dealt: np.ndarray, seed: int) -> None:
        """Play a dealt state with this seed to its first decision, or to its end if there is no decision."""
        self.states = dealt
        self.family.driver.start_one(self.states, 0, seed)
        self.family.driver.step_one(self.states, self.rule_rows, 0, self.family.driver.START, self.mask)

    def step(self, action: int) -> None:
        """Takes an action, which must be legal, and plays on up to the next decision or the end."""
        self.family.driver.step_one(self.states, self.rule_rows, 0, action, self.mask)

    # --- chance drawn by the caller ----------------------------------------------------------------------------------

    def begin(self, dealt: np.ndarray) -> None:
        """Goes to the first chance or decision of a dealt state."""
        self.states = dealt
        self._settle()

    def apply_action(self, action: int) -> None:
        """Take an action, which must be legal, and play to the next chance, decision or end."""
        self.family.driver.apply_action_one(self.states, self.rule_rows, 0, action)
        self._settle()

    def apply_outcome(self, outcome: int) -> None:
        """Take an outcome of chance, which must be possible, and play to the next chance, decision or end."""
        self.family.driver.apply_outcome_one(self.states, self.rule_rows, 0, outcome)
        self._settle()

    def _settle(self) -> None:
        self.family.driver.settle_one(self.states, self.rule_rows, 0, self.mask)

    def outcome_weights(self) -> dict[int, int]:
        """The possible outcomes of the present chance and their weights, whole numbers."""
        weights = np.zeros(MAX_OUTCOMES, np.int64)
        count = self.family.driver.outcome_weights(self.states, self.rule_rows, 0, weights)
        return {outcome: weight for outcome, weight in enumerate(weights[:count].tolist()) if weight}

    def outcome_name(self, outcome: int) -> str:
        """The name of an outcome of the present chance."""
        return str(self.family.states.outcome_name(self.state, self.rule_row, outcome))

    # --- what there is to see ----------------------------------------------------------------------------------------

    def observe(self, seat: int) -> np.ndarray:
        """Return the observation of a seat, int16 (observation_size,)."""
        out = np.empty(self.observation_size, OBSERVATION_DTYPE)
        self.family.driver.observe_one(self.states, self.rule_rows, self.features, self.offsets, 0, seat, out)
        return out

    def write_mask(self) -> None:
        """Compute :attr:`mask` anew after a change of the state from outside; all 0 without a decision."""
        self.family.driver.mask_one(self.states, self.rule_rows, 0, self.mask)

    def snapshot(self) -> dict[str, Any]:
        """The whole state, hidden cards included, as values that JSON can hold."""
        snapshot: dict[str, Any] = self.family.states.snapshot(self.state, self.rule_row)
        return snapshot

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the public events after the first ``since``, oldest first; the state remembers the latest only."""
        events: list[dict[str, Any]] = self.family.states.public_events(self.state, self.rule_row, since)
        return events

    def results(self) -> dict[str, Any]:
        """Return how the game went so far, what no player sees included: the entries of :meth:`Engine.results`."""
        return {name: values[0] for name, values in self.family.states.results(self.states).items()}

    # --- in words ----------------------------------------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat knows, by part of its observation."""
        return view_of(self.family, self.observe(seat))

    def seat_text(self, seat: int, names: Sequence[str]) -> str:
        """Return what a seat knows, as several lines of text; ``names`` are those of all seats, from seat 0 on."""
        return seat_text(self.family, self.view(seat), clockwise(names, seat), seat == self.to_act)

    def describe_action(self, action: str, seat: int, names: Sequence[str]) -> str:
        """Return what an action of a seat means now, in a sentence without a full stop."""
        return self.family.texts.describe_action(self.state, self.rule_row, action, seat, names)

    def actions_of(self, move: Move) -> list[str]:
        """Return the names of the actions that a whole move comes to here. It is tried in a copy of the game.

        Raises:
            InputError: for a move that is not possible.
        """
        trial, actions = self.copy(), list[str]()
        for name in move.steps:
            if actions and not trial.is_composing:
                break  # the rest followed by itself
            index = self.family.game.action_index.get(name)
            if index is not None and trial.mask[index]:
                trial.step(index)
                actions.append(name)
            elif name not in move.if_asked:
                after = f" after {', '.join(actions)}" if actions else ""
                raise InputError(f"{quoted(name)} is not possible here{after}")
        return actions

    # --- copies ------------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the game as values that JSON can hold: its state as a text, in ``state``."""
        return {"state": state_to_text(self.states)}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what :meth:`save` returned in a game with the same rules; other entries are ignored.

        Raises:
            ValueError: for anything else, a match of several deals included; the game is unchanged then.
        """
        if saved.get("match") is not None:
            raise ValueError("the snapshot is of a match of several deals; here a game is a single deal")
        self.states = self.family.states.state_from_text(saved["state"], self.rule_rows)
        self.write_mask()

    def copy(self: G) -> G:
        """An independent game in the same state."""
        other = copy.copy(self)
        other.states = self.states.copy()
        other.mask = self.mask.copy()
        return other
