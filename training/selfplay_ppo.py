"""Self-play PPO for games of bluff, in one file to be read from top to bottom.

    python -m training.selfplay_ppo configs/cheat-main.yaml --out runs/cheat

One network plays every seat. A round is: play `num_steps` decisions in each of `num_envs` parallel games, compute
advantages for every seat over that seat's own decisions, and improve the policy by a few epochs of PPO. What matters
for games of bluff (docs/training.md has sources and measurements):

* an entropy bonus that falls during the run, and a penalty on the divergence from the policy that played;
* one trajectory per seat, never one stream across seats, and every seat's last decision paid with its own payoff;
* illegal actions masked in play, in the update and in the entropy;
* some seats are played by earlier snapshots and by scripted players; nothing is learnt from their decisions;
* where random play teaches nothing, the policy is drawn at first to what a scripted player would do;
* a running average of the weights is what is published, and it samples its actions.

A run saves itself after every `save_every` rounds, after every minute, and when Ctrl-C or SIGTERM ends it. Started
again it resumes from its last save, and ends with the weights that it would have had without the interruption.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from bluff_env.engine import Engine
from bluff_env.policies import SeatPolicies
from bluff_env.policies.network import masked_logits
from bluff_env.policies.seats import LEARNER

from . import command_line
from .config import Config
from .curves import RESUMED, Curves, win_shares
from .display import Display, beginning
from .learner import Learner, make_learner, num_hidden_features
from .pool import Pool, named_policy
from .run_folder import POLICY_FILE, check_folder, policy_timesteps
from .run_state import MOST_UNSAVED, RunState, check_finite, diverged, resume_run, save_policy, save_run
from .stopping import Stopped, noted_signals

# --- 1. a round of play ----------------------------------------------------------------------------------------------


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
    teacher_actions: torch.Tensor  # the same as `actions` while no teacher is asked
    stats: dict[str, float]


class Collector:
    """Plays the parallel games, in which games of one round go on in the next.

    Attributes:
        others: the pool's policies at the seats that the learner does not play.
        teacher: for kickstarting, at every seat; None where there is no teacher.
        rng: draws opponents, the learner's actions and those of the opponents.
    """

    def __init__(self, config: Config, pool: Pool, learner: Learner, seed: int) -> None:
        self.config, self.pool, self.learner = config, pool, learner
        self.actions, encoder = np.array(learner.actions), learner.encoder
        self.rng = np.random.default_rng(seed)
        seed_of_games = int(self.rng.integers(2**62))
        self.engine = Engine(config.all_games, config.num_envs, seed=seed_of_games, num_threads=config.num_threads)
        self.others = SeatPolicies(pool.policies, pool.draw(self.rng, np.arange(config.num_envs)))
        self.inputs = torch.zeros(config.num_steps, config.num_envs, encoder.size)
        self.hidden = torch.zeros(config.num_steps, config.num_envs, num_hidden_features(config, encoder))
        self.teacher: SeatPolicies | None = None
        if config.kickstart:
            every_seat = np.zeros(self.others.policy_of.shape, np.int64)
            self.teacher = SeatPolicies([named_policy(config.kickstart, config)], every_seat)
        self.output_of = np.full(self.engine.num_actions, -1)  # the network's output for each action
        self.output_of[self.actions] = np.arange(len(self.actions))

    def collect(self, ask_teacher: bool) -> Rollout:
        """Plays one round with the network in the learner's seats, and asks the teacher what to do there.

        Raises FloatingPointError if the network does not give probabilities any more.
        """
        c, engine, rows = self.config, self.engine, np.arange(self.config.num_envs)
        num_seats = self.engine.seats
        encoder, network, critic = self.learner.encoder, self.learner.network, self.learner.critic
        shape = (c.num_steps, c.num_envs)
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
        actions = np.zeros(c.num_envs, np.int64)
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
                if critic is None:
                    values[t, mine] = estimates[t, mine] = network.value(x).numpy()
                else:
                    hidden = torch.from_numpy(engine.hidden_features(rows[mine]))
                    self.hidden[t, torch.from_numpy(mine)] = hidden
                    q = critic(x, hidden).numpy()
                    values[t, mine] = (np.exp(log_p) * q).sum(1)
                    estimates[t, mine] = q[np.arange(len(q)), chosen[t, mine]]
            actions[mine] = self.actions[chosen[t, mine]]
            teacher_actions[t, mine] = chosen[t, mine]
            if ask_teacher and self.teacher is not None:
                teacher_actions[t, mine] = self.output_of[self.teacher.act(engine, rows[mine], self.rng)]
            actions[~mine] = self.others.act(engine, rows[~mine], self.rng)
            reward, done = engine.step(actions)
            rewards[t], dones[t] = reward[:, :num_seats], done
            if done.any():
                over = np.flatnonzero(done)
                self.pool.record(over, self.others.policy_of[over], rewards[t, over])
                self.others.start(over, self.pool.draw(self.rng, over))
                if self.teacher is not None:
                    self.teacher.start(done)
        returns, usable = seat_returns(seats, learns, values, estimates, rewards, dones, c.gae_lambda)
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
            stats=round_stats(learns, dones, values, returns, keep),
        )

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


def round_stats(
    learns: np.ndarray, dones: np.ndarray, values: np.ndarray, returns: np.ndarray, keep: np.ndarray
) -> dict[str, float]:
    """What the curves say about a round of play."""
    explained = 1 - np.var(returns[keep] - values[keep]) / (np.var(returns[keep]) + 1e-8) if keep.any() else 0.0
    return {
        "learner_share": float(learns.mean()),
        "episodes": float(dones.sum()),
        "explained_variance": float(explained),
    }


# --- 2. the update ---------------------------------------------------------------------------------------------------


FIGURES = ("policy_loss", "value_loss", "suspicion_loss", "entropy", "kl", "clip_fraction")


def update(
    learner: Learner,
    rollout: Rollout,
    config: Config,
    ent_coef: float,
    kickstart: float,
    generator: torch.Generator,
) -> dict[str, float]:
    """Improves the networks by some epochs of PPO over one round; returns means over the minibatches."""
    network, critic, optimizer = learner.network, learner.critic, learner.optimizer
    n = len(rollout.actions)
    if n < 2:  # no game was decided in a very small round
        return dict.fromkeys(FIGURES, 0.0)
    advantages = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-8)
    sums = dict.fromkeys(FIGURES, 0.0)
    batches = 0
    for _ in range(config.update_epochs):
        order = torch.randperm(n, generator=generator)
        for part in order.split(config.minibatch_size):
            x, mask, action = rollout.inputs[part], rollout.masks[part], rollout.actions[part]
            log_p = torch.log_softmax(masked_logits(network.logits(x), mask), -1)
            p = log_p.exp()  # here: the place in the graph decides the order in which gradients are summed
            legal = mask.bool()
            old = rollout.log_probs[part]
            ratio = (log_p - old).gather(1, action[:, None]).squeeze(1).exp()
            clipped = ratio.clamp(1 - config.clip_coef, 1 + config.clip_coef)
            policy_loss = -torch.min(ratio * advantages[part], clipped * advantages[part]).mean()
            # illegal actions have probability 0 and stay out of both sums
            entropy = -(p * log_p).masked_fill(~legal, 0).sum(1).mean()
            kl = (old.exp() * (old - log_p)).masked_fill(~legal, 0).sum(1).mean()
            estimates = network.critic(x)
            value_loss = nn.functional.mse_loss(estimates[:, 0], rollout.returns[part])
            suspicion_loss = torch.zeros(())
            if network.suspects and critic is not None:
                lies = rollout.hidden[part, 1]
                suspicion_loss = nn.functional.binary_cross_entropy_with_logits(estimates[:, 1], lies)
            loss = policy_loss + 0.5 * (value_loss + suspicion_loss) - ent_coef * entropy + config.kl_coef * kl
            if critic is not None:
                q = critic(x, rollout.hidden[part]).gather(1, action[:, None]).squeeze(1)
                loss = loss + 0.5 * nn.functional.mse_loss(q, rollout.returns[part])
            if kickstart > 0:
                loss = loss - kickstart * log_p.gather(1, rollout.teacher_actions[part, None]).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
            if critic is not None:
                nn.utils.clip_grad_norm_(critic.parameters(), config.max_grad_norm)
            optimizer.step()
            figures = (policy_loss, value_loss, suspicion_loss, entropy, kl, (ratio != clipped).float().mean())
            for name, figure in zip(sums, figures, strict=True):
                sums[name] += float(figure.detach())
            batches += 1
    return {name: total / max(1, batches) for name, total in sums.items()}


# --- 3. the run ------------------------------------------------------------------------------------------------------


def new_run(config: Config) -> RunState:
    """A run before its first round.

    Raises:
        ConfigError, CheckpointError: if a policy that the configuration names cannot be loaded, or does not fit.
    """
    torch.manual_seed(config.seed)
    learner = make_learner(config)
    pool = Pool(config, learner)
    average = {k: v.clone() for k, v in learner.network.state_dict().items()}
    collector = Collector(config, pool, learner, seed=config.seed * 1_000_003)
    generator = torch.Generator().manual_seed(config.seed * 1_000_003 % 2**64)
    return RunState(learner, average, pool, collector, generator)


def train(config: Config, out: Path, quiet: bool = False) -> Path:
    """Trains, or resumes the run in the folder ``out``.

    While it trains, ``out/policy.safetensors`` is the averaged policy of the last save.

    Returns:
        The finished checkpoint, ``out/policy.safetensors``.

    Raises:
        ConfigError: if ``out`` holds something else, a run of another configuration, or a damaged save.
        OSError: if something cannot be written; what was saved before stays whole.
        DivergedError: if the loss or the weights are not finite any more; what was saved before stays.
        Stopped: after Ctrl-C or SIGTERM, when the round is finished and the run is saved.
    """
    torch.set_num_threads(config.num_threads)
    check_folder(config, out)
    run = new_run(config)
    learner = run.learner
    out.mkdir(parents=True, exist_ok=True)
    resume_run(run, config, out)
    first, round_size = run.round, config.num_envs * config.num_steps
    if first and policy_timesteps(out) != first * round_size:  # killed between the two files of a save
        save_policy(run, config, out)
    curves = Curves(out, first, round_size)
    saved = time.monotonic()
    with Display(config, first, quiet) as display, noted_signals() as signals:
        display.note(f"{out}: {beginning(run, config)}")
        while run.round < config.rounds and not signals:
            started = time.perf_counter()
            left = 1 - run.round / config.rounds
            learning_rate = config.learning_rate * left
            for group in learner.optimizer.param_groups:
                group["lr"] = learning_rate
            ent_coef, kickstart = config.ent_coef(left), config.kickstart_weight(left)

            try:
                rollout = run.collector.collect(ask_teacher=kickstart > 0)
            except FloatingPointError as error:
                raise diverged(run, str(error), out) from None
            played = time.perf_counter()
            figures = update(learner, rollout, config, ent_coef, kickstart, run.generator)
            for name, value in learner.network.state_dict().items():
                run.average[name].mul_(config.ema_decay).add_(value, alpha=1 - config.ema_decay)
            check_finite(run, figures, out)
            run.round += 1
            if run.round % config.snapshot_every == 0:
                run.pool.add(learner.network.state_dict(), run.round // config.snapshot_every - 1)

            figures |= rollout.stats | run.pool.figures() | {"learning_rate": learning_rate, "ent_coef": ent_coef}
            elapsed = time.perf_counter() - started
            figures["timesteps_per_second"] = round_size / elapsed
            figures["time_share_of_play"] = (played - started) / elapsed
            if 0 < first == run.round - 1:
                figures[RESUMED] = 1.0
            if run.round % config.eval_every == 0 or run.round == config.rounds:
                figures |= win_shares(config, learner.policy(run.average, "learner"))
            curves.add(run.round * round_size, figures)
            late = time.monotonic() - saved > MOST_UNSAVED
            if late or signals or run.round % config.save_every == 0 or run.round == config.rounds:
                curves.save()
                save_run(run, config, out)
                save_policy(run, config, out)
                saved = time.monotonic()
            display.update(run.round, figures)
        curves.close()
    if signals:
        raise Stopped(signals[0], f"stopped after round {run.round} of {config.rounds}; {out} holds the run so far")
    return out / POLICY_FILE


if __name__ == "__main__":
    sys.exit(command_line.main(train, "Self-play PPO: trains a policy from a configuration."))
