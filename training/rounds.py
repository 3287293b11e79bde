"""Rounds of play: the games of a run, a round at a time, and what the learner's decisions in them were worth.

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
from bluff_env.policies import SeatPolicies
from bluff_env.policies.network import masked_logits
from bluff_env.policies.seats import LEARNER

from .config import Config
from .learner import Learner, num_hidden_features
from .mixture import named_policy
from .pool import Pool

Finished = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Games that ended at once, as :meth:`Pool.record` takes them: their rows, who played, and the payoffs."""


@dataclass
class Rollout:
    """The learner's decisions of a round, one per row."""

    inputs: torch.Tensor  # of the network, (decisions, inputs)
    hidden: torch.Tensor  # what the critic of all hands sees besides, (decisions, features)
    masks: torch.Tensor  # of its legal outputs, (decisions, outputs)
    actions: torch.Tensor  # as indices of the outputs, like `teacher_actions`
    log_probs: torch.Tensor  # of all outputs, (decisions, outputs), of the policy that played
    advantages: torch.Tensor
    returns: torch.Tensor
    teacher_actions: torch.Tensor  # the same as `actions` while no teacher is asked; -1 in a game that has none
    timesteps: int  # decisions of any seat, of which the learner made ...
    decisions: int  # ... this many; those whose outcome is not known yet have no row
    finished: list[Finished]  # the games that ended, in this order

    def stats(self) -> dict[str, float]:
        """What the curves say about the round."""
        errors, returns = self.advantages.numpy(), self.returns.numpy()
        explained = 1 - np.var(errors) / (np.var(returns) + 1e-8) if len(returns) else 0.0
        return {
            "learner_share": self.decisions / self.timesteps,
            "episodes": float(sum(len(rows) for rows, _, _ in self.finished)),
            "explained_variance": float(explained),
        }


def joined(parts: Sequence[Rollout]) -> Rollout:
    """The rounds that several collectors have played at the same time, as one: their rows in this order."""
    columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Rollout)}
    return Rollout(**{name: _joined(values) for name, values in columns.items()})


def _joined(values: list[Any]) -> Any:
    """Rows of tensors and items of lists one after the other; numbers added up."""
    if isinstance(values[0], torch.Tensor):
        return torch.cat(values)
    return sum(values[1:], start=values[0])


class Collector:
    """Plays parallel games, in which games of one round go on in the next.

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
        self.actions, encoder = np.array(learner.actions), learner.encoder
        self.rng = np.random.default_rng(seed)
        seed_of_games = int(self.rng.integers(2**62))
        games, count = config.all_games, len(self.rows)
        first = self.rows[0] % len(games)  # a row plays the game that it would play in one engine for the whole run
        in_turn = games[first:] + games[:first]
        self.engine = Engine(in_turn, count, seed=seed_of_games, num_threads=config.num_threads)
        # The limit of the payoffs in each row holds for estimates too. A critic learns from its own estimates, and
        # without a limit their errors could feed each other without end.
        self.limits = np.resize(np.array([rules.payoff_limit for rules, _ in in_turn], np.float32), count)
        self.others = SeatPolicies(pool.policies, pool.draw(self.rng, self.rows))
        self.inputs = torch.zeros(config.num_steps, count, encoder.size)
        self.hidden = torch.zeros(config.num_steps, count, num_hidden_features(config))
        self.teacher: SeatPolicies | None = None
        self.taught = np.zeros(count, np.bool_)
        if teachers:
            names = sorted(set(teachers) - {""})
            taught_by = {name: [g for g, t in zip(games, teachers, strict=True) if t == name] for name in names}
            policies = [named_policy(name, taught) for name, taught in taught_by.items()]
            index = {name: i for i, name in enumerate(names)} | {"": LEARNER}
            of_row = np.array([index[teachers[row % len(games)]] for row in self.rows])
            self.taught = of_row != LEARNER
            self.teacher = SeatPolicies(policies, np.repeat(of_row[:, None], self.engine.seats, axis=1))
        self.output_of = np.full(self.engine.num_actions, -1)  # the network's output for each action
        self.output_of[self.actions] = np.arange(len(self.actions))

    def collect(self, ask_teacher: bool) -> Rollout:
        """Plays one round with the network in the learner's seats, and asks the teacher what to do there.

        Raises FloatingPointError if the network does not give probabilities any more.
        """
        c, engine, rows = self.config, self.engine, np.arange(len(self.rows))
        num_seats = self.engine.seats
        encoder, network, critic = self.learner.encoder, self.learner.network, self.learner.critic
        shape = (c.num_steps, len(rows))
        seats = np.zeros(shape, np.int64)
        learns = np.zeros(shape, bool)
        chosen = np.zeros(shape, np.int64)  # indices into self.actions
        teacher_actions = np.zeros(shape, np.int64)
        values = np.zeros(shape, np.float32)  # of the situation
        estimates = np.zeros(shape, np.float32)  # of the chosen action
        rewards = np.zeros((*shape, num_seats), np.float32)
        dones = np.zeros(shape, bool)
        masks = np.zeros((*shape, len(self.actions)), np.int8)
        log_probs = np.zeros((*shape, len(self.actions)), np.float32)
        actions = np.zeros(len(rows), np.int64)
        finished: list[Finished] = []
        for t in range(c.num_steps):
            seats[t] = engine.to_act
            mine = self.others.policy_of[rows, engine.to_act] == LEARNER
            learns[t] = mine
            masks[t] = engine.action_masks[:, self.actions]
            with torch.inference_mode():
                x = torch.from_numpy(encoder.encode(engine.observations[mine]))
                self.inputs[t, torch.from_numpy(mine)] = x
                logits = masked_logits(network.logits(x), torch.from_numpy(masks[t, mine]))
                log_p = torch.log_softmax(logits, -1).numpy()
                if np.isnan(log_p).any():
                    raise FloatingPointError("the policy")
                log_probs[t, mine] = log_p
                chosen[t, mine] = sample(log_p, self.rng)
                limit = self.limits[mine]
                if critic is None:
                    values[t, mine] = estimates[t, mine] = network.value(x).numpy().clip(-limit, limit)
                else:
                    hidden = torch.from_numpy(engine.hidden_features(rows[mine]))
                    self.hidden[t, torch.from_numpy(mine)] = hidden
                    q = critic(x, hidden).numpy().clip(-limit[:, None], limit[:, None])
                    values[t, mine] = (np.exp(log_p) * q).sum(1)
                    estimates[t, mine] = q[np.arange(len(q)), chosen[t, mine]]
            actions[mine] = self.actions[chosen[t, mine]]
            teacher_actions[t, mine] = chosen[t, mine]
            if ask_teacher and self.teacher is not None:
                taught = mine & self.taught
                teacher_actions[t, ~self.taught] = -1
                teacher_actions[t, taught] = self.output_of[self.teacher.act(engine, rows[taught], self.rng)]
            actions[~mine] = self.others.act(engine, rows[~mine], self.rng)
            reward, done = engine.step(actions)
            rewards[t], dones[t] = reward[:, :num_seats], done
            if done.any():
                over = np.flatnonzero(done)
                finished.append((self.rows[over], self.others.policy_of[over], rewards[t, over]))
                self.pool.record(*finished[-1])
                self.others.start(over, self.pool.draw(self.rng, self.rows[over]))
                if self.teacher is not None:
                    self.teacher.start(done)
        returns, usable = seat_returns(seats, learns, values, estimates, rewards, dones, c.gae_lambda)
        returns = returns.clip(-self.limits, self.limits)
        keep = learns & usable
        advantages = returns - values
        kept = torch.from_numpy(keep)
        return Rollout(
            inputs=self.inputs[kept],
            hidden=self.hidden[kept],
            masks=torch.from_numpy(masks[keep]),
            actions=torch.from_numpy(chosen[keep]),
            log_probs=torch.from_numpy(log_probs[keep]),
            advantages=torch.from_numpy(advantages[keep]),
            returns=torch.from_numpy(returns[keep]),
            teacher_actions=torch.from_numpy(teacher_actions[keep]),
            timesteps=learns.size,
            decisions=int(learns.sum()),
            finished=finished,
        )

    def __enter__(self) -> Collector:
        """Does nothing: the games need no other process."""
        return self

    def __exit__(self, *_: object) -> None:
        """Does nothing."""

    def save(self) -> dict[str, Any]:
        """The games under way, who plays in them, and the state of chance, as values that JSON can hold.

        No policy that a configuration can name has a memory, so there is none to save.
        """
        policy_of = self.others.policy_of.tolist()
        return {"engine": self.engine.save(), "policy_of": policy_of, "rng": self.rng.bit_generator.state}

    def restore(self, saved: dict[str, Any]) -> None:
        """The reverse of :meth:`save`. Raises ValueError or the like for anything else."""
        policy_of = np.array(saved["policy_of"], np.int64)
        known = range(LEARNER, len(self.pool.policies))
        shape = self.others.policy_of.shape
        if policy_of.shape != shape or policy_of.min() < known[0] or policy_of.max() > known[-1]:
            raise ValueError("it names opponents that are not in its pool")
        self.rng.bit_generator.state = saved["rng"]
        self.engine.restore(saved["engine"])
        self._seat(policy_of)

    def packed(self) -> bytes:
        """What :meth:`save` saves, for the way between the processes of a run: a hundred times as fast, and pickled."""
        return pickle.dumps((self.engine, self.others.policy_of, self.rng))

    def unpack(self, packed: bytes) -> None:
        """The reverse of :meth:`packed`."""
        self.engine, policy_of, self.rng = pickle.loads(packed)
        self._seat(policy_of)

    def _seat(self, policy_of: np.ndarray) -> None:
        """Seats these players in all games, in the middle of which they may be."""
        self.others.start(np.ones(len(policy_of), bool), policy_of)


def sample(log_probs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One action per row from log-probabilities, by the Gumbel trick. (rows, actions) -> (rows,)"""
    noise = -np.log(-np.log(rng.random(log_probs.shape) + 1e-20) + 1e-20)
    return (log_probs + noise).argmax(-1)


def seat_returns(
    seats: np.ndarray,
    learns: np.ndarray,
    values: np.ndarray,
    estimates: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Lambda-returns (gamma 1) along each seat's own decisions.

    Args:
        seats: the seat that decided, (steps, games).
        learns: whether the learner played that seat, (steps, games).
        values: what the learner expects before it chooses an action, (steps, games).
        estimates: what it expects after that, (steps, games); the same as ``values`` where actions have no values of
            their own.
        rewards: payoffs of all seats after each step, (steps, games, seats).
        dones: whether the game ended with the step, (steps, games).
        gae_lambda: 0 trusts the values, 1 the payoffs.

    Returns:
        returns (steps, games), and usable (steps, games): False for a decision whose seat neither decides again nor is
        paid within the round, so that nothing says how it turned out.
    """
    steps, games = seats.shape
    num_seats = rewards.shape[2]
    rows = np.arange(games)
    returns = np.zeros((steps, games), np.float32)
    usable = np.zeros((steps, games), bool)
    next_value = np.zeros((games, num_seats), np.float32)
    next_trace = np.zeros((games, num_seats), np.float32)
    payoff = np.zeros((games, num_seats), np.float32)
    known = np.zeros((games, num_seats), bool)
    for t in reversed(range(steps)):
        over = dones[t]
        # the last decision of every seat, whoever moved last, is paid with that seat's own payoff
        next_value[over], next_trace[over] = 0, 0
        payoff[over], known[over] = rewards[t][over], True
        s = seats[t]
        trace = payoff[rows, s] + next_value[rows, s] - estimates[t] + gae_lambda * next_trace[rows, s]
        returns[t] = estimates[t] + trace
        usable[t] = known[rows, s]
        mine = learns[t]
        at = rows[mine], s[mine]
        next_trace[at] = np.where(known[at], trace[mine], 0)
        next_value[at], payoff[at], known[at] = values[t][mine], 0, True
    return returns, usable
