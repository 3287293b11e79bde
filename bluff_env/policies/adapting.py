"""A reference player of matches: it finds out who sits there from what the deals have shown, and answers.

It knows the players of the train half of ``bluff-1``: how much of each kind is shown of each of them in a deal, and how
much each of its own replies gains beside each. From the tallies of a match (the parts ``match.*``) it works out how
probable each of them is in each seat, and plays the deal as the reply that gains most beside them. In the first deal,
and in single deals, that is the one that gains most beside an unknown player. ``experiments/adapting.py`` measured what
it knows, and wrote it into the file beside this module.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env.core.encoding import seats_of
from bluff_env.core.family import Family
from bluff_env.core.match import Tally
from bluff_env.core.registry import family_of, make_rules
from bluff_env.policies.policy import BasePolicy, Policy
from bluff_env.utils.errors import InputError
from bluff_env.utils.files import parse_json, read_file

NAME = "reference/adapting"
FILE = Path(__file__).with_suffix(".json")
MAX_FILE = 2**20
PARTS = tuple(f"match.{tally.name.lower()}" for tally in Tally)
RAREST = 0.02  # of what is shown in a deal: what was never seen of a player is not impossible


class AdaptingPolicy(BasePolicy):
    """The reference player in one game.

    Args:
        family: of the game.
        replies: the policies that it plays as. None may have a memory.
        gains: how much each reply gains beside each known player, float64 (replies, players).
        rates: how much is shown of each known player in a deal, float64 (players, tallies).
        spread: how many times more these counts vary than those of independent events, float64 (tallies,).
    """

    def __init__(
        self, family: Family, replies: Sequence[Policy], gains: np.ndarray, rates: np.ndarray, spread: np.ndarray
    ) -> None:
        super().__init__(NAME)
        self.family, self.replies, self.gains = family, list(replies), gains
        self.meta: dict[str, Any] = {}  # of the file that it knows from
        self.players: tuple[str, ...] = ()  # the names of those that it knows
        self._rates, self._spread = np.maximum(rates, RAREST), spread

    def beliefs(self, tallies: np.ndarray, deals: np.ndarray) -> np.ndarray:
        """Return how probable each known player is.

        The counts are taken for Poisson's, and weigh less as they vary more.

        Args:
            tallies: float64 (rows, seats, tallies).
            deals: that are over, float64 (rows,).

        Returns:
            float64 (rows, seats, players).
        """
        weights = 1 / self._spread
        log = (tallies * weights) @ np.log(self._rates).T - deals[:, None, None] * (self._rates @ weights)
        odds = np.exp(log - log.max(axis=-1, keepdims=True))
        shares: np.ndarray = odds / odds.sum(axis=-1, keepdims=True)
        return shares

    def reply(self, observations: np.ndarray) -> np.ndarray:
        """Return which reply gains most at the table of each row, int64 (rows,)."""
        seats = seats_of(self.family, observations.shape[1])
        match = observations.shape[1] > self.family.parts.observation_size(seats)
        layout = self.family.parts.layout(seats, match)
        rows, players = len(observations), self.gains.shape[1]
        here = observations[:, layout["rules.num_players"].start]
        beliefs = np.full((rows, seats - 1, players), 1 / players)
        if match:
            tallies = np.stack([observations[:, layout[name].slice] for name in PARTS], axis=-1)[:, 1:]
            beliefs = self.beliefs(tallies.astype(float), observations[:, layout["match.deal"].start] - 1.0)
        others = np.arange(1, seats) < here[:, None]
        gains = np.einsum("rsp,gp,rs->rg", beliefs, self.gains, others)
        best: np.ndarray = gains.argmax(axis=1)
        return best

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """Return what the best reply does in each row."""
        reply, actions = self.reply(observations), np.empty(len(observations), np.int64)
        for index in np.unique(reply):
            mine = reply == index
            actions[mine], _ = self.replies[index].predict(
                observations[mine], None, None, deterministic, action_masks[mine], rng
            )
        return actions


@functools.cache
def _known() -> tuple[dict[str, Any], str]:
    """Return what was measured, by game, and the SHA-256 of the file."""
    data = read_file(FILE, MAX_FILE)
    table: dict[str, Any] = parse_json(data)
    return table, hashlib.sha256(data).hexdigest()


def adapting_policy(rules: Any, num_players: int | None, load: Callable[..., Policy]) -> AdaptingPolicy:
    """Return the reference player for a game.

    Args:
        rules: a preset or rules.
        num_players: None for the number that it knows the game with.
        load: called with the name of a reply, the rules and the number of players.

    Raises:
        InputError: for a game that it does not know.
    """
    known, digest = _known()
    rules = make_rules(rules) if isinstance(rules, str) else rules
    for game in known.values():
        n = game["num_players"]
        if num_players in (None, n) and rules.resolve(n) == make_rules(game["variant"]).resolve(n):
            replies = [load(name, rules, n) for name in game["replies"]]
            gains, rates, spread = (np.array(game[key], float) for key in ("gains", "rates", "spread"))
            policy = AdaptingPolicy(family_of(rules), replies, gains, rates, spread)
            policy.meta, policy.players = {"weights_sha256": digest}, tuple(game["players"])
            return policy
    raise InputError(f"{NAME} knows the games of the benchmark alone: {', '.join(known)}")
