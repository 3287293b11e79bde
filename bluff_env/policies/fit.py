"""The rules that a trained policy was made for, and the check that it can play others."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.encoding import Encoder, check_masks, view_of_size
from bluff_env.core.registry import family_of, make_rules
from bluff_env.policies.document import CheckpointError, rules_in, variant_in
from bluff_env.policies.policy import RowPolicy
from bluff_env.utils.errors import RulesError

if TYPE_CHECKING:
    from bluff_env.core.family import Family
    from bluff_env.core.parts import Part, RulePart


class MisfitError(CheckpointError):
    """A policy that is sound, but cannot play these rules."""


class Fitted(RowPolicy):
    """A base of policies that play by the rules of their training, and refuse others."""

    name: str

    @abstractmethod
    def _family(self) -> Family:
        """Return the family whose observations it takes."""

    @abstractmethod
    def _fixed(self) -> list[RulePart]:
        """Return the parts of the rules that have to be as they were in training."""

    def _check_rules(self, observations: np.ndarray, action_masks: np.ndarray | None = None) -> None:
        """Raise MisfitError for rows of rules that it was not trained for, and does not read; with masks: decisions."""
        size = observations.shape[1]
        if size not in self._shown:
            self._shown[size] = self._fixed_in(size)
        places, fields, trained = self._shown[size]
        differs = observations[:, places] != trained
        if action_masks is not None and differs.any():
            differs &= action_masks.any(axis=1, keepdims=True)
        if differs.any():
            field = fields[np.flatnonzero(differs.any(0))[0]]
            raise misfit(self, f"was trained for other rules than those that it sees: {field} differs")

    @cached_property
    def _shown(self) -> dict[int, tuple[np.ndarray, list[str], np.ndarray]]:
        """The results of :meth:`_fixed_in`, by the size of the observation."""
        return {}

    def _fixed_in(self, size: int) -> tuple[np.ndarray, list[str], np.ndarray]:
        """Return where observations of a size show the rules that are fixed, and how they were in training.

        Returns:
            The places, int64 (numbers,), the field of the rules that each belongs to, and the numbers of its training,
            int64 (numbers,). There are none if nobody knows its rules.
        """
        places: list[int] = []
        fields: list[str] = []
        values: list[int] = []
        trained, players = self.rules, self.num_players
        if trained is not None and players is not None:
            family = self._family()
            layout = family.parts.layout(*view_of_size(family, size))
            for rule in self._fixed():
                if part := layout.get(f"rules.{rule.field}"):
                    places += range(part.start, part.stop)
                    fields += [rule.field] * part.size
                    values += np.ravel(rule.value(trained, players)).tolist()
        return np.array(places, np.int64), fields, np.array(values, np.int64)


class Described(Fitted):
    """A base of trained policies: what the document of a checkpoint says of the game that they were trained for."""

    encoder: Encoder
    actions: np.ndarray
    meta: dict[str, Any]

    def _family(self) -> Family:
        return self.encoder.family

    def _fixed(self) -> list[RulePart]:
        return [part for part in rule_parts(self._family()) if f"rules.{part.field}" not in self.encoder.parts]

    @property
    def rules(self) -> Any:
        """The rules of its training, resolved for ``num_players``; None if its checkpoint does not name them.

        Raises:
            CheckpointError: if the checkpoint names rules that do not exist.
        """
        return rules_in(self.meta, self.encoder.family, self.name)

    @property
    def num_players(self) -> int | None:
        """The number of players of its training. Raises CheckpointError as ``rules`` does."""
        return None if self.rules is None else int(self.meta["num_players"])

    @property
    def variant(self) -> str | None:
        """The preset that its training was configured with, house rules aside, as ``cheat/bullshit``; None: none."""
        return variant_in(self.meta, self.encoder.family)

    def _known_legal(self, action_masks: np.ndarray, rows: int) -> np.ndarray:
        """Return which of ``self.actions`` are legal, (rows, outputs); all of them where nothing is, in no decision.

        Raises:
            ValueError: for masks of another shape, and for a row in which it knows none of the legal actions.
        """
        check_masks(self.encoder.family.game.num_actions, action_masks, rows)
        return some_legal(self.name, np.ascontiguousarray(action_masks[:, self.actions]), action_masks)


def some_legal(name: str, legal: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """Return masks of the actions that a policy knows, which have a legal one in each row, so that one can be drawn.

    Args:
        name: of the policy.
        legal: which of its actions are legal, (rows, outputs). Rows in which nothing is legal, which are no decisions,
            are changed: all is legal there.
        action_masks: of all actions, (rows, actions).

    Raises:
        ValueError: for a row in which it knows none of the legal actions.
    """
    without = np.flatnonzero(~legal.any(1))
    unknown = without[action_masks[without].any(1)]
    if len(unknown):
        raise ValueError(f"policy {name!r} knows none of the legal actions in row {unknown[0]}")
    legal[without] = 1
    return legal


def check_fit(policy: Described, rules: Any, num_players: int) -> None:
    """Compares what a policy reads and knows with what matters under these rules.

    Its actions must contain all that can be legal. What varies under the rules must be among the parts that it reads,
    or among those that it was trained to do without. A rule that it does not read must be as it was in training.

    Raises:
        MisfitError: naming the difference, and the game that the policy plays.
        CheckpointError: if the policy names rules that do not exist.
    """
    difference = _difference(policy, rules, num_players)
    if difference:
        raise misfit(policy, difference)


def misfit(policy: Fitted, difference: str) -> MisfitError:
    """Return the error of a policy that cannot play these rules: the difference ends a sentence that begins with it."""
    return MisfitError(f"policy {policy.name!r} {difference}{_own_game(policy)}")


def rule_parts(family: Family) -> list[RulePart]:
    """Return the parts of the rules that make another game: all but the length limit."""
    return [part for part in family.parts.all_rule_parts if part.field != "length_limit"]


def _own_game(policy: Fitted) -> str:
    """The game of a policy as the end of a sentence; empty if it is not known."""
    n = policy.num_players
    if n is None or policy.variant is None:
        return ""
    try:
        changed = "" if policy.rules == make_rules(policy.variant).resolve(n) else " and house rules"
    except RulesError:  # the preset itself is impossible with this number of players
        changed = " and house rules"
    return f"; it plays {policy.variant} with {n} players{changed}"


def _difference(policy: Described, rules: Any, num_players: int) -> str:
    """Return the first obstacle to playing these rules as the end of a sentence, or an empty string."""
    family = policy.encoder.family
    if other := other_family(policy, rules):
        return other
    rules = rules.resolve(num_players)
    if num_players > policy.encoder.seats:
        return f"has room for {policy.encoder.seats} players, not {num_players}"
    if other := other_rules(policy, rules, num_players):
        return other
    for name, part in family.parts.layout(num_players).items():
        if part.varies(rules) and name not in policy.encoder.parts and not _learnt_without(policy, name, part):
            return f"does not read {name!r}, which matters under these rules"
    missing = set(family.game.possible_actions(rules)) - set(policy.actions.tolist())
    return f"does not know the action {family.game.action_names[min(missing)]!r}" if missing else ""


def other_family(policy: Fitted, rules: Any) -> str:
    """Return that rules are of another family than a policy as the end of a sentence, or an empty string."""
    own, family = policy._family(), family_of(rules)
    return "" if own is family else f"plays {own.title}, not {family.title}"


def other_rules(policy: Fitted, rules: Any, num_players: int) -> str:
    """Return the first rule that is not as in the training of a policy as the end of a sentence, or an empty string."""
    trained, trained_for = policy.rules, policy.num_players
    if trained is None or trained_for is None:
        return ""
    defaults = family_of(rules).rules()
    for rule in policy._fixed():
        field = rule.field
        then, now = rule.value(trained, trained_for), rule.value(rules, num_players)
        if isinstance(getattr(defaults, field, None), float):  # its part shows it rounded, or without its sign
            then, now = getattr(trained, field), getattr(rules, field)
        if not np.array_equal(then, now):
            if field in defaults.field_names():  # the rules themselves say it in words, and their parts in numbers
                then, now = getattr(trained, field), getattr(rules, field)
            return f"was trained for other rules: {field} was {_plain(then)}, here it is {_plain(now)}"
    return ""


def _learnt_without(policy: Described, name: str, part: Part) -> bool:
    """Return whether a policy was trained without a part of the observation that varied in its training."""
    if isinstance(policy.meta.get("skipped"), list):  # a mixture of rule sets, in which all parts that matter vary
        return name in policy.meta["skipped"]
    known = policy.meta.get("observation", {}).get("known", ())
    return policy.rules is None or (name in known and part.varies(policy.rules))


def _plain(value: Any) -> str:
    return value.name.lower() if hasattr(value, "name") else str(value)
