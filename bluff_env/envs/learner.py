"""Games of one learner against loaded policies: what the Gymnasium and Stable-Baselines3 views share.

A game that waits for the learner stands still while the others move: in the games that wait for somebody else, each
policy decides for all its seats at once, again and again until all games wait for the learner.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.parts import NOBODY
from bluff_env.core.payoffs import EQUAL
from bluff_env.core.registry import full_name, is_variant
from bluff_env.core.view import View
from bluff_env.policies.seats import LEARNER, SeatPolicies
from bluff_env.policies.source import Source, sources_of
from bluff_env.utils.arguments import MAX_SEED, whole_number, whole_numbers
from bluff_env.utils.errors import quoted

MAX_RESTARTS = 1000
ILLEGAL_ACTION = (
    "an illegal action lost a game: choose within the action mask. A learner that ignores masks loses nearly all games "
    "so; Stable-Baselines3 has MaskablePPO, and MaskableEvalCallback to evaluate it. This is said once"
)


class LearnerGames:
    """A batch of games, each with one learner.

    Args:
        variant: a preset of any family, or rules.
        num_games: games played at once.
        num_players: by default the variant's usual number.
        opponents: the policies of the other seats, in one of these forms, where a *policy* is anything that
            :func:`bluff_env.load_policy` takes (a name, a path, a policy object, a function
            ``(observation, mask) -> action``):

            * a policy, or a list of one: all other seats;
            * a list of ``num_players`` - 1 policies: the seats clockwise from the learner's left;
            * a dict ``{policy: weight}``: a pool, from which every other seat of every game draws for itself.
        rng: for seats, the choice of opponents and deals: one generator, or one for each game. The opponents' actions
            have a stream of their own.
        learner_seat: the learner's seat; None: drawn for every game.
        encoding, trim, events: what the learner sees and chooses from, as :class:`bluff_env.core.view.View` says.
        autoreset: whether a game that ends is followed by another within the same :meth:`step`.
        num_threads: threads of the engine, used for calls with enough decisions.
        deals: 1, or the number of deals of a match, which is one game here; its rewards are paid as each deal ends.
            None: what the rules say.
        **house_rules: changes of the variant's rules.

    Attributes:
        variant: the preset, house rules aside, as ``cheat/bullshit``; None: rules that were given.
        others: the policies of the other seats, and which of them plays where.
        seats: int64 (games,), the learner's seat in each game.
        rewards: float32 (games,), the learner's own payoff where the last step ended the game, or a deal of a match,
            else 0.
        dones: bool (games,), whether the last step ended the game.
        endings: for each game that the last step ended: its row, its result as :meth:`reports` tells it, and the
            learner's last observation. An illegal action is in the result, by name, as ``illegal_action``.
        rounds, decisions: how many batches of opponents' decisions were made, and how many decisions in all.

    Raises:
        ValueError: for impossible rules, opponents that cannot play by them, a seat or encoding that does not exist.
    """

    def __init__(
        self,
        variant: Any,
        num_games: int,
        num_players: int | None,
        opponents: Any,
        rng: np.random.Generator | Sequence[np.random.Generator],
        *,
        learner_seat: int | None = None,
        encoding: str = "float",
        trim: bool = False,
        autoreset: bool = False,
        num_threads: int = 1,
        deals: int | None = None,
        events: bool = True,
        **house_rules: Any,
    ) -> None:
        if not is_variant(variant):
            raise ValueError(f"variant={variant!r} must be the name of a preset, or Rules")
        self.engine = Engine(
            variant, num_games, num_players, autoreset=False, num_threads=num_threads, deals=deals, **house_rules
        )
        self.variant = full_name(variant) if isinstance(variant, str) else None
        self.rules, self.num_players = self.engine.rule_sets[0]
        last = self.num_players - 1
        self.learner_seat = None if learner_seat is None else whole_number("learner_seat", learner_seat, 0, last)
        self.view = View(self.rules, self.num_players, encoding, trim, self.engine.deals > 1, events=events)
        self.autoreset = autoreset
        self.use_chance(rng)
        self.seats = np.zeros(num_games, np.int64)
        self.rewards = np.zeros(num_games, np.float32)
        self._earned = np.zeros(num_games, np.float32)  # in deals of a match that ended since the last reward
        self.dones = np.zeros(num_games, np.bool_)
        self._begun = np.zeros(num_games, np.bool_)  # rows that were reset; the engine's first games do not count
        self.endings: list[tuple[int, dict[str, Any], np.ndarray]] = []
        self.rounds = self.decisions = 0
        self._warned = False
        self._actions = np.zeros(num_games, np.int64)
        self.set_opponents(opponents)

    def use_chance(
        self, rng: np.random.Generator | Sequence[np.random.Generator], new: Sequence[int] | None = None
    ) -> None:
        """Draws from this generator from now on; what it is now decides the opponents' own stream as well.

        With a generator for each game, ``new`` are the games that did not have theirs before; all by default.

        Opponents never hold the generator that draws the coming deals: whatever they do with theirs, and however often
        they are asked, the deals are the same.
        """
        self.rng = rng
        if isinstance(rng, np.random.Generator):
            streams = [rng]
        else:
            streams = [rng[row] for row in (range(len(rng)) if new is None else new)]
        drawn = [stream.integers(2**63, size=2) for stream in streams]
        self.opponents_rng = np.random.default_rng(drawn[0])

    def _integers(self, rows: np.ndarray, high: int) -> np.ndarray:
        """A whole number below ``high`` for each of these games, (rows,)."""
        if isinstance(self.rng, np.random.Generator):
            return self.rng.integers(high, size=len(rows))
        return np.array([self.rng[row].integers(high) for row in rows], np.int64)

    def _numbers(self, rows: np.ndarray, count: int) -> np.ndarray:
        """Numbers from 0 to before 1 for each of these games, (rows, count)."""
        if isinstance(self.rng, np.random.Generator):
            return self.rng.random((len(rows), count))
        return np.array([self.rng[row].random(count) for row in rows]).reshape(len(rows), count)

    def __str__(self) -> str:
        return f"{self.engine.title} against {', '.join(self.policy_names)}"

    # --- opponents ---------------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, drawn anew in the games under way too. Forms and errors as for the class."""
        pools = _pools(opponents, self.num_players - 1)
        sources = list({source.key: source for pool in pools for source in pool}.values())
        policies = [source.load(self.rules, self.num_players) for source in sources]
        shares = np.array([[pool.get(source, 0.0) for source in sources] for pool in pools])
        self.policy_names = [source.name for source in sources]
        self._shares = shares.cumsum(axis=1)
        self.others = SeatPolicies(policies, np.full((self.engine.num_games, self.num_players), LEARNER))
        self._draw_opponents(np.arange(self.engine.num_games))

    def _draw_opponents(self, rows: np.ndarray) -> None:
        """Draws the policy of every other seat of these games, in which nobody has decided yet."""
        n = self.num_players
        draws = self._numbers(rows, n - 1)[:, :, None] * self._shares[:, -1:]
        policy_of = np.full((len(rows), n), LEARNER)
        seats = (self.seats[rows, None] + np.arange(1, n)) % n
        np.put_along_axis(policy_of, seats, (draws >= self._shares).sum(2), axis=1)
        self.others.start(rows, policy_of)

    def opponents_of(self, row: int) -> list[str]:
        """The names of the policies in the other seats of a game, clockwise from the learner's left."""
        n = self.num_players
        seats = (self.seats[row] + np.arange(1, n)) % n
        return [self.policy_names[i] for i in self.others.policy_of[row, seats]]

    # --- play --------------------------------------------------------------------------------------------------------

    def reset(self, where: np.ndarray | None = None, seeds: Sequence[int] | None = None) -> None:
        """New games in the rows with ``where``, played on until the learner has to decide.

        Args:
            where: bool (games,); all by default.
            seeds: of the games, (games,); drawn by default. A game that is over before the learner can decide is
                followed by a drawn one.
        """
        rows = np.ones(self.engine.num_games, np.bool_) if where is None else np.array(where, np.bool_)
        self._start(rows, None if seeds is None else whole_numbers("seeds", seeds, len(rows)))
        self._play_on(rows, np.zeros_like(rows))

    def step(self, actions: np.ndarray, where: np.ndarray | None = None) -> None:
        """The learner's decision in every game, then the others' until the learner is to act again or the game is over.

        An illegal action costs its learner 1 and ends the game.

        Args:
            actions: whole numbers (games,), indices in the view's actions.
            where: bool (games,), the games that are played on; all by default.

        Raises:
            ValueError: for numbers that are no actions, and before :meth:`reset`; no game is changed.
        """
        rows = np.ones(self.engine.num_games, np.bool_) if where is None else where.copy()
        if not self._begun[rows].all():
            raise ValueError("there is no game: call reset() before step()")
        chosen, most = whole_numbers("actions", actions, len(rows)), len(self.view.actions) - 1
        chosen[~rows] = 0  # nothing is done there
        if chosen.min() < 0 or chosen.max() > most:
            raise ValueError(f"actions must be from 0 to {most}, not {chosen.min()} to {chosen.max()}")
        legal = self.action_masks()[np.arange(len(rows)), chosen] > 0
        self.engine.step(self.view.actions[chosen], rows & legal)
        self._earn(rows & legal)
        self.rewards[:] = 0
        self.dones[:] = False
        self.endings = []
        forfeited = rows & ~legal
        if forfeited.any():
            self._forfeit(np.flatnonzero(forfeited), chosen)
            rows &= legal
        played = rows.copy()
        self._play_on(rows, rows.copy())
        self._pay(played & ~self.dones)
        if self.autoreset and forfeited.any():
            self.reset(forfeited)

    def _earn(self, where: np.ndarray) -> None:
        """Notes what the last step of the engine paid the learners of these matches."""
        if self.engine.deals > 1:
            rows = np.flatnonzero(where)
            self._earned[rows] += self.engine.rewards[rows, self.seats[rows]]

    def _pay(self, rows: np.ndarray) -> None:
        """Rewards the learners of these matches with what they have earned."""
        if self.engine.deals > 1:
            self.rewards[rows] = self._earned[rows]
            self._earned[rows] = 0

    def _forfeit(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Notes the ends of these games, whose learners chose illegal actions; the first time with a warning."""
        if not self._warned:
            warnings.warn(ILLEGAL_ACTION, stacklevel=2)
            self._warned = True
        noted = len(self.endings)
        self._tell_endings(rows)
        self.rewards[rows] = -1
        for row, result, _ in self.endings[noted:]:
            result |= {"outcome": "loss", "illegal_action": self.view.action_names[actions[row]]}

    def observations(self) -> np.ndarray:
        """Return what the learner of every game knows, who is to act: float32 or int16 (games, observation)."""
        return self.view.observations(self.engine.observations)

    def action_masks(self) -> np.ndarray:
        """The legal actions of the player to act in every game, int8 (games, actions of the view)."""
        return self.view.masks(self.engine.action_masks)

    def observe(self, rows: np.ndarray) -> np.ndarray:
        """Return what the learners of these games know, at any moment and after the end: (rows, observation)."""
        return self.view.observations(self.engine.observe(rows, self.seats[rows]))

    def _start(self, where: np.ndarray, seeds: np.ndarray | None = None) -> None:
        """New games with new seats and opponents."""
        rows = np.flatnonzero(where)
        if self.learner_seat is None:
            self.seats[rows] = self._integers(rows, self.num_players)
        else:
            self.seats[rows] = self.learner_seat
        self._draw_opponents(rows)
        self._begun[rows] = True
        self._earned[rows] = 0
        game_seeds = self.engine.game_seeds.copy()
        game_seeds[rows] = self._integers(rows, MAX_SEED) if seeds is None else seeds[rows]
        self.engine.reset(where, game_seeds)

    def _play_on(self, rows: np.ndarray, pending: np.ndarray) -> None:
        """Plays these games until the learner is to act; the end of a game is noted where ``pending`` is true."""
        engine, restarts = self.engine, np.zeros(len(rows), np.int64)
        while True:
            over = rows & (engine.to_act == NOBODY)
            if over.any():
                ended = over & pending
                self._tell_endings(np.flatnonzero(ended))
                pending[ended] = False
                if not self.autoreset:
                    rows[ended] = over[ended] = False
                if over.any():
                    restarts[over] += 1
                    if restarts.max() > MAX_RESTARTS:
                        raise RuntimeError(
                            "by these rules the learner's games end before the learner can decide anything"
                        )
                    self._start(over)
                    continue
            waiting = np.flatnonzero(rows & (engine.to_act != self.seats))
            if not len(waiting):
                return
            self._others_decide(waiting)

    def _others_decide(self, rows: np.ndarray) -> None:
        """One decision in each of these games, none of which waits for the learner."""
        self._actions[rows] = self.others.act(self.engine, rows, self.opponents_rng)
        where = np.zeros(self.engine.num_games, np.bool_)
        where[rows] = True
        self.engine.step(self._actions, where)
        self._earn(where)
        self.rounds += 1
        self.decisions += len(rows)

    def _tell_endings(self, rows: np.ndarray) -> None:
        """Notes the ends of these games."""
        if not len(rows):
            return
        self.dones[rows] = True
        self.rewards[rows] = self.engine.rewards[rows, self.seats[rows]]
        self._pay(rows)
        self.endings += zip(rows.tolist(), self.reports(rows), self.observe(rows), strict=True)

    def untold(self) -> dict[str, Any]:
        """A new dict of the keys of :meth:`reports` and ``illegal_action``, with what they say before the end."""
        return {
            "seat": -1,
            "opponents": ("",) * (self.num_players - 1),
            "outcome": "",
            "length": 0,
            "length_limit": False,
            "game_seed": -1,
            "illegal_action": "",
        }

    def reports(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """The results of these games, as the last ``info`` of an environment tells them."""
        where = np.zeros(self.engine.num_games, np.bool_)
        where[rows] = True
        result, scores, turns = self.engine.results(where), self.engine.scores, self.engine.turns
        reports = []
        for k, row in enumerate(rows.tolist()):
            payoffs = scores[row, : self.num_players]
            lead = payoffs[self.seats[row]] - payoffs.max()
            reports.append(
                {
                    "seat": int(self.seats[row]),
                    "opponents": tuple(self.opponents_of(row)),
                    "outcome": "draw" if np.ptp(payoffs) < EQUAL else "win" if lead > -EQUAL else "loss",
                    "length": int(turns[row]),
                    "length_limit": bool(result["length_limit"][k]),
                    "game_seed": int(self.engine.game_seeds[row]),
                }
            )
        return reports


def check_options(options: Any, known: tuple[str, ...]) -> None:
    """Raise ValueError for options of reset that are not known here, so that none is ignored in silence."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options must be a table, not {quoted(options)}")
    for name in options or ():
        if name not in known:
            there = f"it knows {', '.join(known)}" if known else "it knows none"
            raise ValueError(
                f"reset has no option {quoted(name)}, {there}; a deal is forced in the environments of PettingZoo, as "
                "cheat_v0.env(...).reset(options={'hands': ...})"
            )


def _pools(opponents: Any, others: int) -> list[dict[Source, float]]:
    """Return the possible policies of each other seat and their weights, clockwise from the learner's left.

    A policy that is named in several places is one source, and decides for all its seats at once.
    """
    if isinstance(opponents, Mapping):
        numbers = all(isinstance(w, Real) and not isinstance(w, bool) for w in opponents.values())
        weights = [float(w) for w in opponents.values()] if numbers else []
        if not weights or not all(0 <= w < np.inf for w in weights) or not any(weights):
            raise ValueError("a pool of opponents needs weights from 0 on that are not all 0")
        return [dict(zip(sources_of(list(opponents)), weights, strict=True))] * others
    specs = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents]
    if len(specs) not in (1, others):
        raise ValueError(f"opponents has {len(specs)} policies for {others} other seats: give 1, {others} or a pool")
    return [{source: 1.0} for source in sources_of(specs * others if len(specs) == 1 else specs)]
