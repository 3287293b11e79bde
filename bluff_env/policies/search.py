"""Search at the moment of decision: a policy tries its actions in worlds that the player cannot tell from the real one.

    search = Search(load_policy("cheat/bullshit/2p"))
    shares = search.probabilities(position.game)        # of the player to act, instead of policy.probabilities(...)

It needs the game and not only an observation, so it is no policy of :func:`bluff_env.load_policy`; it looks at nothing
that the player does not know, because the game is drawn anew by what they know before anything is tried.

What it finds is the best answer to the *policy*, which it takes to sit at every seat, from one decision on. That is
stronger against players who play like it. docs/experiments.md says how much stronger, and against whom it is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.family import LAST_CLAIM_LIES
from bluff_env.core.parts import NOBODY
from bluff_env.core.single_game import SingleGame
from bluff_env.core.worlds import redrawn
from bluff_env.policies.fit import check_fit
from bluff_env.utils.arguments import whole_number
from bluff_env.utils.errors import quoted

from .trained import NetworkPolicy, drawn

TRIED = 0.01  # actions that the policy itself takes more rarely are not tried
HORIZON = 8  # steps of any seat after which the player's next decision is where a trial ends


class Search:
    """Improve a policy's decisions by trying them.

    For a decision it draws worlds and weighs them: where the last claim may be a lie, the worlds in which it is one
    weigh, in sum, as much as the policy's own estimate of a lie. In each world it tries each action to which the policy
    gives 1%, and lets the policy play all seats, until the player decides again some steps later, where the policy's
    critic says what to expect, or to the end of the game. The value of an action is the weighted mean. The result is
    the mirror step from the policy towards the values: each probability times exp(value / step). A small step follows
    the values, a large one stays with the policy; Ataraxos (arXiv 2511.07312) bounds its search by such a divergence.

    Args:
        policy: a trained policy of the game.
        worlds: how many are drawn for a decision.
        step: the difference in payoff that makes an action e times as likely.

    Raises:
        ValueError: for worlds that are no whole number of at least 1, for a step that is no number above 0, and for a
            policy without a critic or with a memory.
    """

    def __init__(self, policy: NetworkPolicy, worlds: int = 64, step: float = 0.02) -> None:
        if not isinstance(policy, NetworkPolicy) or not policy.explains:
            name = getattr(policy, "name", type(policy).__name__)
            raise ValueError(f"search asks the critic of one network, which {quoted(name)} does not have")
        if isinstance(step, bool) or not isinstance(step, (int, float, np.integer, np.floating)) or not step > 0:
            raise ValueError(f"step={quoted(step)} must be a number above 0")
        self.policy = policy
        self.worlds = whole_number("worlds", worlds, 1)
        self.step = float(step)
        self._engines: dict[tuple[Any, int, int], Engine] = {}

    def probabilities(self, game: SingleGame, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """Return the probability of each action of the family for the player to act, float64 (actions,).

        Args:
            game: in which a player decides: `game` of a `Position`; a single deal. It stays as it is.
            rng: a generator or a seed.

        Raises:
            ValueError: where nobody decides, and for a match.
        """
        if game.deals != 1 or game.to_act < 0:
            raise ValueError("search is for a decision in a single deal")
        rng = np.random.default_rng(rng)
        seen = game.observe(game.to_act)[None]
        shares: np.ndarray = self.policy.probabilities(seen, game.mask[None])[0].astype(np.float64)
        tried = np.flatnonzero(shares >= TRIED)
        if len(tried) < 2:
            shares /= shares.sum()
            return shares
        values = self._values(game, seen, tried, rng)
        improved = np.zeros_like(shares)
        improved[tried] = shares[tried] * np.exp((values - values.max()) / self.step)
        improved /= improved.sum()
        return improved

    def _values(self, game: SingleGame, seen: np.ndarray, tried: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return what the player to act may expect of each of these actions, float64 (actions,).

        Args:
            game: in which they decide.
            seen: their observation, int16 (1, observation).
            tried: the actions, by index.
            rng: draws worlds and play.
        """
        seat, engine = game.to_act, self._engine(game, len(tried) * self.worlds)
        for k in range(self.worlds):  # the same worlds for each action
            engine.put(redrawn(game, seat, rng), np.arange(k, engine.num_games, self.worlds))
        weights = self._weights(engine, seen)
        self._play(engine, seat, np.repeat(tried, self.worlds), rng)
        values = self.policy.network.judge(self.policy.encoder.encode(engine.observations))[:, 0].astype(np.float64)
        over = engine.to_act == NOBODY
        values[over] = engine.results()["payoffs"][over, seat]
        means: np.ndarray = values.reshape(len(tried), self.worlds) @ weights
        return means

    def _engine(self, game: SingleGame, rows: int) -> Engine:
        """Return an engine of this many games of the same rules."""
        key = (game.rules, game.num_players, rows)
        if key not in self._engines:
            check_fit(self.policy, game.rules, game.num_players)
            self._engines[key] = Engine(game.rules, rows, num_players=game.num_players, autoreset=False)
        return self._engines[key]

    def _weights(self, engine: Engine, seen: np.ndarray) -> np.ndarray:
        """Return how probable each world is, float64 (worlds,)."""
        even = np.full(self.worlds, 1 / self.worlds)
        (doubt,) = self.policy.lie_probs(seen)
        if not np.isfinite(doubt) or engine.family.states.hidden_features is None:
            return even
        lies = engine.hidden_features(np.arange(self.worlds))[:, LAST_CLAIM_LIES] > 0
        if lies.all() or not lies.any():
            return even
        weighed: np.ndarray = np.where(lies, doubt / lies.sum(), (1 - doubt) / (~lies).sum())
        return weighed

    def _play(self, engine: Engine, seat: int, first: np.ndarray, rng: np.random.Generator) -> None:
        """Take these actions, and play on by the policy to the player's next decision after the horizon."""
        engine.step(first)
        actions, steps = np.zeros(engine.num_games, np.int64), 1
        while True:
            going = (engine.to_act != NOBODY) & ((engine.to_act != seat) | (steps < HORIZON))
            rows = np.flatnonzero(going)
            if not len(rows):
                return
            shares = self.policy.probabilities(engine.observations[rows], engine.action_masks[rows])
            actions[rows] = drawn(shares, rng)
            engine.step(actions, going)
            steps += 1
