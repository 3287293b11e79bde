"""One game whose chance the caller draws: for solvers, exact counts and the comparison with the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.cheat import kernels
from bluff_env.cheat.game import (
    ACTION_INDEX,
    ACTION_NAMES,
    GAME,
    JOKER_FACE,
    LAST_CHANCE_PHASE,
    NOBODY,
    NUM_ACTIONS,
    NUM_KINDS,
    Phase,
    force_deal,
    rule_row,
)
from bluff_env.cheat.observe import OBSERVATION_DTYPE, observation_size, rule_features
from bluff_env.cheat.rules import JOKER_NAME, RANK_NAMES, Rules
from bluff_env.cheat.snapshot import card_of, snapshot
from bluff_env.cheat.variants import make_rules
from bluff_env.jit import records


class Position:
    """A node of the game tree: chance, a decision, or terminal. Mutable; :meth:`copy` branches.

    Args:
        variant: a preset's name or a rule set.
        num_players: 2 to 10.
        hands, starter, dealer: a forced deal, as the options of the environments' ``reset``.

    Raises:
        RulesError: for rules, players or a deal that are impossible.
    """

    def __init__(
        self,
        variant: str | Rules = "pagat",
        num_players: int = 4,
        *,
        hands: list[list[str]] | None = None,
        starter: int | None = None,
        dealer: int | None = None,
    ) -> None:
        self.rules = make_rules(variant).resolve(num_players)
        self.num_players = num_players
        self._rules_table = rule_row(self.rules, num_players)
        self._features = rule_features(self.rules, num_players)[None]
        self._games = records(1, GAME)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        kernels.prepare(self._games, self._rules_table, 0)
        chosen = force_deal(self._games[0], self._rules_table[0], hands, starter, dealer)
        if chosen != NOBODY:
            kernels.set_dealer(self._games, self._rules_table, 0, chosen)
        self._settle()

    def _settle(self) -> None:
        kernels.settle_one(self._games, self._rules_table, 0, self._mask)

    @property
    def kind(self) -> str:
        """``"chance"``, ``"decision"`` or ``"terminal"``."""
        phase = int(self._games[0]["phase"])
        if phase <= LAST_CHANCE_PHASE:
            return "chance"
        return "terminal" if phase == Phase.OVER else "decision"

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
        return [ACTION_NAMES[a] for a in np.flatnonzero(self._mask)]

    def play(self, name: str) -> None:
        """One decision. Raises ValueError if it is not legal here."""
        if name not in self.legal_actions():
            raise ValueError(f"{name!r} is not legal here; legal are: {', '.join(self.legal_actions())}")
        kernels.apply_action_one(self._games, self._rules_table, 0, ACTION_INDEX[name])
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
                kernels.apply_outcome_one(self._games, self._rules_table, 0, k)
                self._settle()
                return
        raise ValueError(f"{name!r} is no outcome of chance here; there are: {', '.join(self.outcomes())}")

    def _weights(self) -> list[int]:
        weights = np.zeros(NUM_KINDS, np.int64)
        n = kernels.outcome_weights(self._games, self._rules_table, 0, weights)
        return weights[:n].tolist()

    def _outcome_name(self, outcome: int) -> str:
        phase = int(self._games[0]["phase"])
        row = self._rules_table[0]
        if phase == Phase.JACK:
            return "J" if outcome else "no J"
        if phase == Phase.NOTICE:
            seat, of_stack = divmod(int(self._games[0]["notice_step"]), 2)
            things = (("nothing", "something"), ("no thick stack", "a thick stack"))
            return f"player_{seat} notices {things[of_stack][outcome]}"
        if phase not in (Phase.DEAL, Phase.SHOW_ONE, Phase.PEEK):
            return f"player_{outcome}"
        if row["deal_by_card"] if phase == Phase.DEAL else row["suited"]:
            return card_of(outcome)
        return JOKER_NAME if outcome == JOKER_FACE else RANK_NAMES[outcome]

    def observe(self, seat: int) -> np.ndarray:
        """What a seat knows: int16 (observation_size(num_players),)."""
        out = np.zeros(observation_size(self.num_players), OBSERVATION_DTYPE)
        kernels.observe_one(self._games, self._rules_table, self._features, 0, seat, self.num_players, out)
        return out

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain values."""
        return snapshot(self._games[0], self._rules_table[0])

    def copy(self) -> Position:
        """An independent copy of this node."""
        other = object.__new__(Position)
        other.__dict__.update(self.__dict__)
        other._games = self._games.copy()
        other._mask = self._mask.copy()
        return other
