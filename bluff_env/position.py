"""One game whose chance the caller draws: for solvers, exact counts and the comparison with the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.family import NOBODY, OBSERVATION_DTYPE, family_of
from bluff_env.jit import records

MAX_OUTCOMES = 64  # of one phase of chance


class Position:
    """A node of the game tree: chance, a decision, or terminal. Mutable; :meth:`copy` branches.

    Args:
        variant: a preset's name or a rule set.
        num_players: how many play.
        **deal: a forced deal, as the options of the environments' ``reset``: ``hands``, ``starter`` and ``dealer`` in
            Cheat, ``deck`` and ``dealer`` in Bluff the Bullet.

    Raises:
        RulesError: for rules, players or a deal that are impossible.
    """

    def __init__(
        self,
        variant: Any = "pagat",
        num_players: int = 4,
        **deal: Any,
    ) -> None:
        self.family = family = family_of(variant)
        self.rules = family.variants.make_rules(variant).resolve(num_players)
        self.num_players = num_players
        self._rules_table = family.game.rule_row(self.rules, num_players)
        self._features = family.observe.rule_features(self.rules, num_players)[None]
        self._offsets = family.observe.offsets(num_players)
        self._games = records(1, family.game.GAME)
        self._mask = np.zeros(family.game.NUM_ACTIONS, np.int8)
        family.kernels.prepare(self._games, self._rules_table, 0)
        chosen = family.game.force_deal(self._games[0], self._rules_table[0], **deal)
        if chosen != NOBODY:
            family.kernels.set_dealer(self._games, self._rules_table, 0, chosen)
        self._settle()

    def _settle(self) -> None:
        self.family.kernels.settle_one(self._games, self._rules_table, 0, self._mask)

    @property
    def kind(self) -> str:
        """``"chance"``, ``"decision"`` or ``"terminal"``."""
        phase = int(self._games[0]["phase"])
        if phase <= self.family.game.LAST_CHANCE_PHASE:
            return "chance"
        return "terminal" if phase == self.family.game.Phase.OVER else "decision"

    @property
    def to_act(self) -> int:
        """The seat that decides, -1 at chance and at the end."""
        return int(self._games[0]["to_act"])

    @property
    def rewards(self) -> list[float]:
        """The payoff of each seat, zeros before the end."""
        return [float(x) for x in self._games[0]["payoff"][: self.num_players]]

    def legal_actions(self) -> list[str]:
        """Names of the legal actions at a decision, else none."""
        if self.kind != "decision":
            return []
        return [self.family.game.ACTION_NAMES[a] for a in np.flatnonzero(self._mask)]

    def play(self, name: str) -> None:
        """One decision. Raises ValueError if it is not legal here."""
        if name not in self.legal_actions():
            raise ValueError(f"{name!r} is not legal here; legal are: {', '.join(self.legal_actions())}")
        action = self.family.game.ACTION_INDEX[name]
        self.family.kernels.apply_action_one(self._games, self._rules_table, 0, action)
        self._settle()

    def outcomes(self) -> dict[str, int]:
        """Outcomes of chance by name, with their weights; only those that can happen."""
        if self.kind != "chance":
            return {}
        return {self._outcome_name(k): int(w) for k, w in enumerate(self._weights()) if w}

    def draw(self, name: str) -> None:
        """One outcome of chance. Raises ValueError if it cannot happen here."""
        for k, weight in enumerate(self._weights() if self.kind == "chance" else ()):
            if weight and self._outcome_name(k) == name:
                self.family.kernels.apply_outcome_one(self._games, self._rules_table, 0, k)
                self._settle()
                return
        raise ValueError(f"{name!r} is no outcome of chance here; there are: {', '.join(self.outcomes())}")

    def _weights(self) -> list[int]:
        weights = np.zeros(MAX_OUTCOMES, np.int64)
        n = self.family.kernels.outcome_weights(self._games, self._rules_table, 0, weights)
        return weights[:n].tolist()

    def _outcome_name(self, outcome: int) -> str:
        return str(self.family.snapshot.outcome_name(self._games[0], self._rules_table[0], outcome))

    def observe(self, seat: int) -> np.ndarray:
        """What a seat knows: int16 (observation_size(num_players),)."""
        out = np.zeros(self.family.observe.observation_size(self.num_players), OBSERVATION_DTYPE)
        self.family.kernels.observe_one(self._games, self._rules_table, self._features, self._offsets, 0, seat, out)
        return out

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain values."""
        state: dict[str, Any] = self.family.snapshot.snapshot(self._games[0], self._rules_table[0])
        return state

    def copy(self) -> Position:
        """An independent copy of this node."""
        other = object.__new__(Position)
        other.__dict__.update(self.__dict__)
        other._games = self._games.copy()
        other._mask = self._mask.copy()
        return other
