"""Rounds of play: the games of a run, a round at a time, and what the learner's decisions in them were worth.

    1. what a round gives    Decisions, Rollout
    2. playing it            Collector
    3. advantages            seat_returns: GAE along each seat's own decisions

A run has one :class:`Collector`, or one in each of its workers (`workers.py`). Nothing here knows of that, except that
a collector plays the games that it is given, and that rounds can be joined.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch

from bluff_env.core.engine import Engine
from bluff_env.core.match_game import MAX_DEALS
from bluff_env.policies import SeatPolicies
from bluff_env.policies.network import masked_logits
from bluff_env.policies.seats import LEARNER
from bluff_env.utils.arguments import MAX_SEED

from .config import Config
from .device import fetch, send
from .learner import Learner
from .pool import Pool
from .teacher import teaching

Finished = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Games that ended at once, as :meth:`Pool.record` takes them: their rows, who played, and the payoffs."""


# --- 1. what a round gives -------------------------------------------------------------------------------------------


@dataclass
class Decisions:
    """Decisions of the learner, one per row; in the order of time, and of the games within a step.

    What the networks have read in play is where they are; the rest is on the processor before :meth:`to`.

    The policy has an *output* for each action that is possible in the run's games; actions are indices of outputs here.
    """

    inputs: torch.Tensor  # float32 (decisions, inputs): of the network, the encoded observation
    hidden: torch.Tensor  # float32 (decisions, features): what only the centralised critic sees; without it no features
    masks: torch.Tensor  # int8 (decisions, outputs): 1 for a legal action
    actions: torch.Tensor  # int64 (decisions,): what was chosen
    log_probs: torch.Tensor  # float32 (decisions, outputs): of the policy that played
    advantages: torch.Tensor  # float32 (decisions,): the return without what was expected before the choice
    returns: torch.Tensor  # float32 (decisions,): lambda-returns, in units of payoff
    teacher_actions: torch.Tensor  # int64 (decisions,): `actions` while no teacher is asked; -1 in a game without one

    def at(self, places: torch.Tensor) -> Decisions:
        """Return the decisions at these places, int64 (places,)."""
        return Decisions(*(getattr(self, field.name)[places] for field in fields(Decisions)))

    def to(self, device: torch.device) -> Decisions:
        """Return the decisions on a device."""
        return Decisions(*(getattr(self, field.name).to(device) for field in fields(Decisions)))


@dataclass
class Rollout(Decisions):
    """The decisions of a round, and what else there is to say about it."""

    timesteps: int  # decisions of any seat, of which the learner made ...
    decisions: int  # ... this many; those whose outcome is not known yet have no row
    finished: list[Finished]  # the games that ended, in this order

    def stats(self) -> dict[str, float]:
        """Return the figures of the round for the curves."""
        errors, returns = self.advantages.numpy(), self.returns.numpy()
        explained = 1 - np.var(errors) / (np.var(returns) + 1e-8) if len(returns) else 0.0
        return {
            "learner_share": self.decisions / self.timesteps,
            "episodes": float(sum(len(rows) for rows, _, _ in self.finished)),
            "explained_variance": float(explained),
        }


def joined(parts: Sequence[Rollout]) -> Rollout:
    """Return the rounds that several collectors have played at the same time as one, their rows in this order."""
    columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Rollout)}
    return Rollout(**{name: _joined(values) for name, values in columns.items()})


def _joined(values: list[Any]) -> Any:
    """Concatenate tensors and lists, and add up numbers."""
    if isinstance(values[0], torch.Tensor):
        return torch.cat(values)
    return sum(values[1:], start=values[0])


# --- 2. playing it ---------------------------------------------------------------------------------------------------


@dataclass
class Step:
    """A step of a round: at most one decision in each game, and none where nobody decides, as a play goes on.

    Attributes:
        seats: who decides, int64 (games,).
        learns: whether that is the learner, bool (games,); `log_probs` to `teacher_actions` are set there only.
        masks: int8 (games, outputs).
        log_probs: float32 (games, outputs).
        chosen, teacher_actions: outputs, int64 (games,).
        values: the expected payoff of the situation, float32 (games,).
        estimates: of the chosen action, float32 (games,).
        rewards: of all seats, after the step, float32 (games, seats).
        dones: whether the game, or a deal of a match, ended with the step, bool (games,).
    """

    seats: np.ndarray
    learns: np.ndarray
    masks: np.ndarray
    log_probs: np.ndarray
    chosen: np.ndarray
    teacher_actions: np.ndarray
    values: np.ndarray
    estimates: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray

    @classmethod
    def blank(cls, seats: np.ndarray, num_seats: int, outputs: int) -> Step:
        """Return a step in which nothing has been decided yet."""
        games = len(seats)
        return cls(
            seats=seats,
            learns=np.zeros(games, bool),
            masks=np.zeros((games, outputs), np.int8),
            log_probs=np.zeros((games, outputs), np.float32),
            chosen=np.zeros(games, np.int64),
            teacher_actions=np.zeros(games, np.int64),
            values=np.zeros(games, np.float32),
            estimates=np.zeros(games, np.float32),
            rewards=np.zeros((games, num_seats), np.float32),
            dones=np.zeros(games, bool),
        )


class Steps:
    """The steps of a round, and what the networks have read in them, which stays on their device."""

    def __init__(self, seats: int, outputs: int) -> None:
        self._sizes = seats, outputs
        self.each: list[Step] = []
        self.inputs: list[torch.Tensor] = []
        self.hidden: list[torch.Tensor] = []

    def begin(self, seats: np.ndarray) -> Step:
        """Begin a step; ``seats``: who decides, (games,)."""
        self.each.append(Step.blank(seats.copy(), *self._sizes))
        return self.each[-1]

    def joined(self) -> Step:
        """Return all steps as one, with a first axis of steps."""
        return Step(*(np.stack([getattr(step, field.name) for step in self.each]) for field in fields(Step)))


class Collector:
    """Play parallel games; a round ends in the middle of them, and the next one continues them.

    Args:
        config: of the run.
        pool: the opponents; the win shares of its members follow the games that end here.
        learner: who learns.
        seed: for all chance.
        rows: which of the run's parallel games it plays, numbers that follow one another; all by default.
        teachers: for kickstarting: the name of the teacher in each game of the run, empty where it has none. By default
            no game has one.

    Attributes:
        others: the pool's policies at the seats that the learner does not play.
        teacher: the teachers at every seat of their games; None if there are none.
        taught: whether the game of each row has a teacher, bool (rows,).
        own_names: how each seat of the learner plays under names of its own; None where all play under the usual ones.
        memory: what the learner remembers at each seat then, int8 (rows, seats, memory).
        cut: after how many deals each row's first match is cut short, int64 (rows,); MAX_DEALS for no more.
        rng: draws opponents, the learner's actions and those of the opponents.
    """

    def __init__(
        self,
        config: Config,
        pool: Pool,
        learner: Learner,
        seed: int,
        rows: np.ndarray | None = None,
        teachers: Sequence[str] = (),
    ) -> None:
        self.config, self.pool, self.learner, self.teachers = config, pool, learner, list(teachers)
        self.rows = np.arange(config.num_envs) if rows is None else rows
        self.actions = np.array(learner.actions)
        self.rng = np.random.default_rng(seed)
        seed_of_games = int(self.rng.integers(MAX_SEED))
        games, count = config.all_games, len(self.rows)
        played = games
        # One learner at a table may play under the usual names while all others have other ones. A policy that plays so
        # meets these games with each of their beginnings. Several learners would know each other's names.
        self.own_names = learner.renaming if config.frozen_share < 1 else None
        if learner.renaming is not None and self.own_names is None:
            played = [(rules, games[0][1]) for rules in learner.renaming.beginnings]
        first = self.rows[0] % len(played)  # a row plays the game that it would play in one engine for the whole run
        in_turn = played[first:] + played[:first]
        self.engine = Engine(
            in_turn, count, seed=seed_of_games, num_threads=config.num_threads, deals=config.deals or None
        )
        # The limit of the payoffs in each row holds for estimates too. A critic learns from its own estimates, and
        # without a limit their errors could feed each other without end.
        self.limits = np.resize(np.array([rules.payoff_limit for rules, _ in in_turn], np.float32), count)
        self.others = SeatPolicies(pool.policies, pool.draw(self.rng, self.rows))
        # matches that began together would be in the same deal for long, and so would whole rounds
        self.cut = self.rng.integers(1, config.deals, count) if config.deals > 1 else np.full(count, MAX_DEALS)
        self.teacher: SeatPolicies | None = None
        self.taught = np.zeros(count, np.bool_)
        if teachers:
            names = sorted(set(teachers) - {""})
            taught_by = {name: [g for g, t in zip(games, teachers, strict=True) if t == name] for name in names}
            policies = [teaching(name, taught, config.benchmark_halves) for name, taught in taught_by.items()]
            index = {name: i for i, name in enumerate(names)} | {"": LEARNER}
            of_row = np.array([index[teachers[row % len(games)]] for row in self.rows])
            self.taught = of_row != LEARNER
            self.teacher = SeatPolicies(policies, np.repeat(of_row[:, None], self.engine.seats, axis=1))
        self.memory = self._new_names(count)
        self.output_of = np.full(self.engine.num_actions, -1)  # the network's output for each action
        self.output_of[self.actions] = np.arange(len(self.actions))

    def collect(self, ask_teacher: bool) -> Rollout:
        """Play one round with the network in the learner's seats, and ask the teacher what to do there.

        Raises FloatingPointError if the network does not give probabilities any more.
        """
        engine, rows = self.engine, np.arange(len(self.rows))
        steps = Steps(engine.seats, len(self.actions))
        actions = np.zeros(len(rows), np.int64)
        finished: list[Finished] = []
        for _ in range(self.config.num_steps):
            # every game waits for one seat, which the learner plays or a member of the pool
            mine = self.others.policy_of[rows, engine.to_act] == LEARNER
            actions[mine] = self._choose(steps, rows[mine], ask_teacher)
            actions[~mine] = self.others.act(engine, rows[~mine], self.rng)
            # the engine deals anew where a game has ended; other players sit down to it, but not within a match
            deal, step = engine.deal, steps.each[-1]
            reward, done = engine.step(actions)
            step.rewards[:], step.dones[:] = reward[:, : engine.seats], done | (engine.deal != deal)
            if step.dones.any():
                finished.append(self._finish(step.dones, step.rewards))
                if self.config.shared_payoff:
                    self._share(step.rewards)
            over = done | self._cut_short()
            if over.any():
                self._change_players(over)
        return self._rollout(steps, finished)

    def _choose(self, steps: Steps, rows: np.ndarray, ask_teacher: bool) -> np.ndarray:
        """Return the learner's actions in the games of these rows, (rows,), and note its decisions.

        Under names of its own it composes a whole play at once, a step for each of its cards, and decides nothing while
        these are placed.
        """
        engine, seats = self.engine, self.engine.to_act.copy()
        observations, masks = engine.observations[rows], engine.action_masks[rows]
        features = None if self.learner.critic is None else engine.hidden_features(rows)
        if self.own_names is None:
            step = steps.begin(seats)
            chosen = self._decide(steps, step, rows, observations, masks, features)
            self._ask_teacher(step, rows, ask_teacher)
            return chosen
        renaming, memory = self.own_names, self.memory[rows, seats[rows]]
        before = len(steps.each)

        def choose(seen: np.ndarray, legal: np.ndarray, some: np.ndarray) -> np.ndarray:
            hidden = None if features is None else renaming.hidden(features[some], seen, memory[some])
            return self._decide(steps, steps.begin(seats), rows[some], seen, legal, hidden)

        actions = np.zeros(len(rows), np.int64)
        if len(rows):
            actions, self.memory[rows, seats[rows]] = renaming.decide(choose, observations, masks, memory)
        if len(steps.each) == before:  # nobody has anything to decide
            none = None if features is None else features[:0]
            self._decide(steps, steps.begin(seats), rows[:0], observations[:0], masks[:0], none)
        return actions

    def _decide(
        self,
        steps: Steps,
        step: Step,
        rows: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        features: np.ndarray | None,
    ) -> np.ndarray:
        """Choose the learner's actions in these rows, and estimate what they are worth.

        With the centralised critic, the value of a situation is the mean of its actions' values under the policy. So
        an advantage does not depend on what the player itself is going to draw (Q-boosting, arXiv 2605.19235).

        Args:
            steps: of the round.
            step: this one, where the decisions are noted.
            rows: of the games, int64 (rows,).
            observations, masks: of these games, as the learner sees them.
            features: what only the centralised critic sees, float32 (rows, features).

        Returns:
            The actions, int64 (rows,).
        """
        network, critic = self.learner.network, self.learner.critic
        limit, device = self.limits[rows], self.learner.device
        step.learns[rows], step.masks[rows] = True, masks[:, self.actions]
        with torch.inference_mode():
            encoded = self.learner.encoder.encode(observations, num_threads=self.config.num_threads)
            x = send(encoded, device)
            steps.inputs.append(x)
            logits = masked_logits(network.logits(x), send(step.masks[rows], device))
            log_p = fetch(torch.log_softmax(logits, -1))
            if np.isnan(log_p).any():
                raise FloatingPointError("the policy")
            step.log_probs[rows] = log_p
            step.chosen[rows] = step.teacher_actions[rows] = chosen = sample(log_p, self.rng)
            if features is None or critic is None:
                steps.hidden.append(x.new_zeros(len(x), 0))
                step.values[rows] = step.estimates[rows] = fetch(network.value(x)).clip(-limit, limit)
            else:
                if self.config.shared_payoff:  # another payoff has another value
                    features = np.column_stack((features, self._defended()[rows])).astype(np.float32)
                hidden = send(features, device)
                steps.hidden.append(hidden)
                q = fetch(critic(x, hidden)).clip(-limit[:, None], limit[:, None])
                step.values[rows] = (np.exp(log_p) * q).sum(1)
                step.estimates[rows] = q[np.arange(len(q)), chosen]
        return self.actions[chosen]

    def _ask_teacher(self, step: Step, rows: np.ndarray, ask: bool) -> None:
        """Note what the teachers would do in the learner's games, ``rows``, if they are asked."""
        if ask and self.teacher is not None:
            taught = rows[self.taught[rows]]
            # -1 keeps games without a teacher out of the loss of kickstarting
            step.teacher_actions[~self.taught] = -1
            answers = self.teacher.act(self.engine, taught, self.rng)
            step.teacher_actions[taught] = self.output_of[answers]

    def _new_names(self, count: int) -> np.ndarray:
        """Return what the learner remembers at the seats of as many new games, with drawn names if they have them."""
        if self.own_names is None:
            return np.zeros((count, 0, 0), np.int8)
        return self.own_names.blank(count * self.engine.seats, self.rng).reshape(count, self.engine.seats, -1)

    def _finish(self, ended: np.ndarray, rewards: np.ndarray) -> Finished:
        """Return the games, or deals of a match, that have ended; note their results in the pool."""
        over = np.flatnonzero(ended)
        finished = self.rows[over], self.others.policy_of[over], rewards[over]
        self.pool.record(*finished)
        return finished

    def _defended(self) -> np.ndarray:
        """Return the games in which an exploiter is alone among learners, bool (rows,)."""
        policy_of = self.others.policy_of
        return self.pool.is_exploiter(policy_of).any(1) & ((policy_of != LEARNER).sum(1) == 1)

    def _share(self, rewards: np.ndarray) -> None:
        """Give each learner who plays with others against an exploiter the mean of what they are paid.

        Args:
            rewards: payoffs of all seats in a step, float32 (rows, seats); changed in place.
        """
        rows = np.flatnonzero(self._defended())
        learners = self.others.policy_of[rows] == LEARNER
        shared = (rewards[rows] * learners).sum(1) / learners.sum(1)
        rewards[rows] = np.where(learners, shared[:, None], rewards[rows])

    def _cut_short(self) -> np.ndarray:
        """Begin new matches where the first one has had its number of deals; return these rows, bool (rows,)."""
        over = self.engine.deal > self.cut
        if over.any():
            self.engine.reset(over)
            self.cut[over] = MAX_DEALS
        return over

    def _change_players(self, done: np.ndarray) -> None:
        """Draw new players for the games, or whole matches, that have ended."""
        over = np.flatnonzero(done)
        self.others.start(over, self.pool.draw(self.rng, self.rows[over]))
        if self.own_names is not None:
            self.memory[over] = self._new_names(len(over))
        if self.teacher is not None:
            self.teacher.start(done)

    def _rollout(self, steps: Steps, finished: list[Finished]) -> Rollout:
        """Return the learner's decisions with their advantages, those left out whose outcome is not known yet."""
        made = steps.joined()
        returns, usable = seat_returns(
            made.seats, made.learns, made.values, made.estimates, made.rewards, made.dones, self.config.gae_lambda
        )
        # a return made of estimates can leave the range of the payoffs, which no game does
        returns = returns.clip(-self.limits, self.limits)
        advantages = returns - made.values
        keep = made.learns & usable
        # of the learner's decisions; the networks' inputs stay on the device until they have learnt from them
        kept = torch.from_numpy(np.flatnonzero(usable[made.learns])).to(self.learner.device)
        return Rollout(
            inputs=torch.cat(steps.inputs)[kept],
            hidden=torch.cat(steps.hidden)[kept],
            masks=torch.from_numpy(made.masks[keep]),
            actions=torch.from_numpy(made.chosen[keep]),
            log_probs=torch.from_numpy(made.log_probs[keep]),
            advantages=torch.from_numpy(advantages[keep]),
            returns=torch.from_numpy(returns[keep]),
            teacher_actions=torch.from_numpy(made.teacher_actions[keep]),
            timesteps=self.config.num_steps * len(self.rows),
            decisions=int(made.learns.sum()),
            finished=finished,
        )

    def __enter__(self) -> Collector:
        """Does nothing: the games need no other process."""
        return self

    def __exit__(self, *_: object) -> None:
        """Does nothing."""

    def save(self) -> dict[str, Any]:
        """The games under way, who plays in them, what they remember, and the state of chance, as JSON can hold it."""
        policy_of, memory = self.others.policy_of.tolist(), self._memories()
        saved = {"engine": self.engine.save(), "policy_of": policy_of, "rng": self.rng.bit_generator.state}
        more = {"memory": memory} if any(memory) else {}
        more |= {} if self.own_names is None else {"names": self.memory.tolist()}
        return {**saved, **more, **({"cut": self.cut.tolist()} if self.config.deals > 1 else {})}

    def restore(self, saved: dict[str, Any]) -> None:
        """The reverse of :meth:`save`. Raises ValueError or the like for anything else."""
        policy_of = np.array(saved["policy_of"], np.int64)
        known = range(LEARNER, len(self.pool.policies))
        shape = self.others.policy_of.shape
        if policy_of.shape != shape or policy_of.min() < known[0] or policy_of.max() > known[-1]:
            raise ValueError("it names opponents that are not in its pool")
        cut = np.array(saved["cut"], np.int64) if self.config.deals > 1 else self.cut
        if cut.shape != self.cut.shape or cut.min() < 1:
            raise ValueError("it has no number of deals for each first match")
        if self.own_names is not None:
            names = np.array(saved["names"], np.int8)
            if names.shape != self.memory.shape or not self.own_names.is_possible(names.reshape(-1, names.shape[-1])):
                raise ValueError("it has names that the learner cannot have drawn")
            self.memory = names
        self.cut = cut
        self.rng.bit_generator.state = saved["rng"]
        self.engine.restore(saved["engine"])
        self._seat(policy_of, saved.get("memory", ({}, {})))

    def packed(self) -> bytes:
        """Return the state of :meth:`save` pickled, for other processes of the run: a hundred times as fast."""
        return pickle.dumps((self.engine, self.others.policy_of, self._memories(), self.memory, self.cut, self.rng))

    def unpack(self, packed: bytes) -> None:
        """The reverse of :meth:`packed`."""
        self.engine, policy_of, memory, self.memory, self.cut, self.rng = pickle.loads(packed)
        self._seat(policy_of, memory)

    def _memories(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what opponents and teachers remember."""
        return self.others.save(), {} if self.teacher is None else self.teacher.save()

    def _seat(self, policy_of: np.ndarray, memories: Sequence[dict[str, Any]]) -> None:
        """Seats these players in all games, in the middle of which they may be, with what they remember."""
        self.others.start(np.ones(len(policy_of), bool), policy_of)
        others, teachers = memories
        self.others.restore(others)
        if self.teacher is not None:
            self.teacher.restore(teachers)


def sample(log_probs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One action per row from log-probabilities, by the Gumbel trick. (rows, actions) -> (rows,)"""
    noise = -np.log(-np.log(rng.random(log_probs.shape) + 1e-20) + 1e-20)
    return (log_probs + noise).argmax(-1)


# --- 3. advantages ---------------------------------------------------------------------------------------------------


def seat_returns(
    seats: np.ndarray,
    learns: np.ndarray,
    values: np.ndarray,
    estimates: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return GAE's lambda-returns along each seat's own decisions.

    This is generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438) with gamma 1, where the next state
    of a decision is the next decision of the *same seat*: the moves of the others between them belong to the
    environment. With V for ``values``, Q for ``estimates`` and r for what the seat is paid in between, the decisions i
    of a seat have

        delta_i = r_i + V_{i+1} - Q_i,    A_i = delta_i + gae_lambda * A_{i+1},    return_i = Q_i + A_i.

    GAE has V_i in place of Q_i; with the plain critic, both are the same.

    Args:
        seats: the seat that decided, int64 (steps, games).
        learns: whether the learner played that seat, bool (steps, games).
        values: what the learner expects before it chooses an action, float32 (steps, games).
        estimates: what it expects after that, float32 (steps, games); the same as ``values`` where actions have no
            values of their own.
        rewards: payoffs of all seats after each step, float32 (steps, games, seats).
        dones: whether the game ended with the step, bool (steps, games).
        gae_lambda: 0 trusts the values, 1 the payoffs.

    Returns:
        returns float32 (steps, games), and usable bool (steps, games): False for a decision whose seat neither decides
        again nor is paid within the round, so that nothing says how it turned out.
    """
    steps, games = seats.shape
    num_seats = rewards.shape[2]
    rows = np.arange(games)
    returns = np.zeros((steps, games), np.float32)
    usable = np.zeros((steps, games), bool)
    # what follows a seat's decision, (games, seats); the loop runs back in time, and finds here what it saw last
    next_value = np.zeros((games, num_seats), np.float32)  # V_{i+1}
    next_trace = np.zeros((games, num_seats), np.float32)  # A_{i+1}
    payoff = np.zeros((games, num_seats), np.float32)  # r_i: a game pays once, at its end
    known = np.zeros((games, num_seats), bool)  # whether there is a next decision or a payoff within the round
    for t in reversed(range(steps)):
        over = dones[t]
        # the last decision of every seat, no matter who moved last, is paid with that seat's own payoff
        next_value[over], next_trace[over] = 0, 0
        payoff[over], known[over] = rewards[t][over], True
        s = seats[t]
        delta = payoff[rows, s] + next_value[rows, s] - estimates[t]
        trace = delta + gae_lambda * next_trace[rows, s]
        returns[t] = estimates[t] + trace
        usable[t] = known[rows, s]
        # other players' decisions have no values, so they do not enter the traces
        mine = learns[t]
        at = rows[mine], s[mine]
        next_trace[at] = np.where(known[at], trace[mine], 0)
        next_value[at], payoff[at], known[at] = values[t][mine], 0, True
    return returns, usable
