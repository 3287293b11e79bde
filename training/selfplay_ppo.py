"""Self-play PPO for games of bluff, to be read from top to bottom after `rounds.py`, which plays the games.

    python -m training.selfplay_ppo configs/cheat-main.yaml --out runs/cheat

One network plays every seat. A round is: play `num_steps` decisions in each of `num_envs` parallel games, compute
advantages for every seat over that seat's own decisions (both in `rounds.py`), and improve the policy by a few epochs
of PPO. With `workers` other processes play, also on other machines (`workers.py`), and the learner waits for them all.
What matters for games of bluff (docs/training.md has sources and measurements):

* an entropy bonus that falls during the run, and penalties on the divergence from the policy that played and, with
  `magnet_coef`, from the averaged policy;
* one trajectory per seat, never one stream across seats, and every seat's last decision paid with its own payoff;
* illegal actions masked in play, in the update and in the entropy;
* some seats are played by earlier snapshots, by scripted players and, with `exploit_every`, by exploiters of the
  policy; nothing is learnt from their decisions;
* where random play teaches nothing, the policy is drawn at first to what a scripted player would do;
* a running average of the weights is what is published, and it samples its actions.

A run saves itself after every `save_every` rounds, after every minute, and when Ctrl-C or SIGTERM ends it. Started
again it resumes from its last save, and ends with the weights that it would have had without the interruption.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bluff_env.policies import load_policy
from bluff_env.policies.network import ActorCritic, masked_logits

from . import command_line
from .config import Config
from .curves import RESUMED, Curves, win_shares
from .display import Display, beginning
from .learner import Learner, make_learner, prepare_torch
from .pool import Pool
from .responses import response_configs
from .rounds import Collector, Rollout
from .run_folder import EXPLOITERS, POLICY_FILE, check_folder, policy_timesteps
from .run_state import MOST_UNSAVED, RunState, check_finite, diverged, resume_run, save_policy, save_run, saved_teachers
from .stopping import Stopped, noted_signals
from .teacher import teachers_of
from .workers import Workers

# --- 1. the update ---------------------------------------------------------------------------------------------------


FIGURES = ("policy_loss", "value_loss", "suspicion_loss", "entropy", "kl", "clip_fraction")


def update(
    learner: Learner,
    rollout: Rollout,
    config: Config,
    ent_coef: float,
    kickstart: float,
    generator: torch.Generator,
    magnet: torch.Tensor | None = None,
) -> dict[str, float]:
    """Improves the networks by some epochs of PPO over one round; returns means over the minibatches.

    Args:
        learner: what is improved.
        rollout: the round.
        config: of the run.
        ent_coef, kickstart: the coefficients of the entropy bonus and of kickstarting in this round.
        generator: of the order of the minibatches.
        magnet: float32 (decisions, outputs), log-probabilities to which the policy is drawn; None: to nothing.
    """
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
            # illegal actions have probability 0 and stay out of all sums
            entropy = -(p * log_p).masked_fill(~legal, 0).sum(1).mean()
            kl = divergence(old.exp(), old, log_p, legal)
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
            if magnet is not None:
                loss = loss + config.magnet_coef * divergence(p, log_p, magnet[part], legal)
            if kickstart > 0:
                taught = rollout.teacher_actions[part]
                said = log_p.gather(1, taught.clamp(min=0)[:, None]).squeeze(1)
                any_legal = log_p.masked_fill(~legal, 0).sum(1) / legal.sum(1)
                said = said.lerp(any_legal, config.kickstart_smoothing)
                loss = loss - kickstart * said.where(taught >= 0, 0.0).mean()
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


def divergence(p: torch.Tensor, log_p: torch.Tensor, log_q: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """The mean Kullback-Leibler divergence of policy q from policy p, all (decisions, outputs); ``p`` is exp(log_p)."""
    return (p * (log_p - log_q)).masked_fill(~legal, 0).sum(1).mean()


def averaged_log_probs(run: RunState, rollout: Rollout) -> torch.Tensor:
    """What the averaged policy would have done in a round: float32 (decisions, outputs), log-probabilities."""
    actor = {k.removeprefix("actor."): v for k, v in run.average.items() if k.startswith("actor.")}
    with torch.no_grad():
        logits = torch.func.functional_call(run.learner.network.actor, actor, (rollout.inputs,))
        return torch.log_softmax(masked_logits(logits, rollout.masks), -1)


# --- 2. exploiters ---------------------------------------------------------------------------------------------------


def exploiter_due(config: Config, rounds: int) -> bool:
    """Whether an exploiter is trained between this round and the next."""
    return config.exploit_every > 0 and rounds > 0 and rounds % config.exploit_every == 0


def trained_exploiter(config: Config, rounds: int, out: Path) -> Mapping[str, torch.Tensor]:
    """The weights of a best response to the policy in the folder of a run, from which it starts.

    It is trained as `exploit.py` does it: by a run of its own, in a folder within ``out``. So it is resumed like any
    other run, and is there at once if it was finished before an interruption.

    Args:
        config: of the run whose policy is exploited.
        rounds: how many of its rounds are finished.
        out: its folder.
    """
    name = str((out / POLICY_FILE).resolve())
    response = response_configs(name, timesteps=config.exploit_timesteps, seed=config.seed)["warm"]
    response = replace(response, num_threads=config.num_threads)
    policy: Any = load_policy(train(response, out / EXPLOITERS / f"round-{rounds}", quiet=True))
    return ActorCritic.of(policy.network).state_dict()


# --- 3. the run ------------------------------------------------------------------------------------------------------


def new_run(
    config: Config,
    learner_for: Callable[[Config], Learner] = make_learner,
    teachers: Sequence[str] | None = None,
) -> RunState:
    """A run before its first round.

    Args:
        config: of the run.
        learner_for: makes its learner; torch's global generator, which has the seed of the run, draws the weights.
        teachers: the teacher in each of its games; by default they are chosen now.

    Raises:
        ConfigError, CheckpointError: if a policy that the configuration names cannot be loaded, or does not fit.
    """
    torch.manual_seed(config.seed)
    learner = learner_for(config)
    pool = Pool(config, learner)
    average = {k: v.clone() for k, v in learner.network.state_dict().items()}
    seed = config.seed * 1_000_003
    teachers = teachers_of(config) if teachers is None else teachers
    collector = (Workers if config.workers else Collector)(config, pool, learner, seed, teachers=teachers)
    generator = torch.Generator().manual_seed(seed % 2**64)
    return RunState(learner, average, pool, collector, generator)


def play_and_learn(run: RunState, config: Config) -> dict[str, float]:
    """Plays one round, and learns from it; returns its figures.

    Raises:
        FloatingPointError: if something is not finite, before the round counts; the message names it.
    """
    learner = run.learner
    started = time.perf_counter()
    left = 1 - run.round / config.rounds
    learning_rate = config.learning_rate * left
    for group in learner.optimizer.param_groups:
        group["lr"] = learning_rate
    ent_coef, kickstart = config.ent_coef(left), config.kickstart_weight(left)

    rollout = run.collector.collect(ask_teacher=kickstart > 0)
    played = time.perf_counter()
    magnet = averaged_log_probs(run, rollout) if config.magnet_coef > 0 else None
    figures = update(learner, rollout, config, ent_coef, kickstart, run.generator, magnet)
    for name, value in learner.network.state_dict().items():
        run.average[name].mul_(config.ema_decay).add_(value, alpha=1 - config.ema_decay)
    check_finite(run, figures)
    run.round += 1
    if run.round % config.snapshot_every == 0:
        run.pool.add(run.pool.snapshots, learner.network.state_dict())

    figures |= rollout.stats() | run.pool.figures() | {"learning_rate": learning_rate, "ent_coef": ent_coef}
    elapsed = time.perf_counter() - started
    figures["timesteps_per_second"] = config.round_size / elapsed
    figures["time_share_of_play"] = (played - started) / elapsed
    return figures


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
    prepare_torch(config.num_threads)
    check_folder(config, out)
    run = new_run(config, teachers=saved_teachers(config, out))
    out.mkdir(parents=True, exist_ok=True)
    resume_run(run, config, out)
    first, round_size = run.round, config.round_size
    if first == 0:
        for old in (out / EXPLOITERS).glob("round-*"):  # of a run whose state was deleted
            shutil.rmtree(old)
    if first and policy_timesteps(out) != first * round_size:  # killed between the two files of a save
        save_policy(run, config, out)
    curves = Curves(out, first, round_size)
    saved = time.monotonic()
    with Display(config, first, quiet) as display, run.collector, noted_signals() as signals:
        display.note(f"{out}: {beginning(run, config)}")
        while run.round < config.rounds and not signals:
            if exploiter_due(config, run.round):
                display.note(f"after round {run.round} learning stops until an exploiter of the policy is trained")
                run.pool.add(run.pool.exploiters, trained_exploiter(config, run.round, out))
            try:
                figures = play_and_learn(run, config)
            except FloatingPointError as error:
                raise diverged(run, str(error), out) from None
            if 0 < first == run.round - 1:
                figures[RESUMED] = 1.0
            if run.round % config.eval_every == 0 or run.round == config.rounds:
                figures |= win_shares(config, run.learner.policy(run.average, "learner"))
            curves.add(run.round * round_size, figures)
            due = time.monotonic() - saved > MOST_UNSAVED or exploiter_due(config, run.round)
            if due or signals or run.round % config.save_every == 0 or run.round == config.rounds:
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
