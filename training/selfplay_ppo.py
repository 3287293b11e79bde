"""Self-play PPO for games of bluff, in one file that reads from top to bottom; `rounds.py` plays the games.

    python -m training.selfplay_ppo configs/cheat-main.yaml --out runs/cheat

    1. the loss         ppo_loss, value_losses, regularisers, kickstart_loss: one function for each group of terms
    2. the update       some epochs of minibatches over one round
    3. exploiters       best responses to the policy, which join its opponents
    4. a round          play, learn, average the weights, take a snapshot
    5. the run          rounds until the end, evaluations and saves between them

One network plays every seat. A round is: play `num_steps` decisions in each of `num_envs` parallel games, compute
advantages for every seat over that seat's own decisions (both in `rounds.py`), and improve the policy by a few epochs
of PPO. With `workers` other processes play, also on other machines (`workers.py`), and the learner waits for them all.
What matters for games of bluff (docs/training.md has sources and measurements):

* an entropy bonus that falls during the run, and penalties on the divergence from the policy that played and, with
  `magnet_coef`, from the averaged policy;
* one trajectory per seat, never one stream across seats, and every seat's last decision paid with its own payoff;
* illegal actions masked in play, in the update and in the entropy;
* some seats are played by earlier snapshots, by scripted players and, with `exploit_every`, by exploiters of the
  policy; the learner does not train on their decisions;
* where random play teaches nothing, the policy is drawn at first to what a scripted player would do;
* a running average of the weights is what is published, and it samples its actions.

A run saves itself after every `save_every` rounds, after every minute, and when Ctrl-C or SIGTERM ends it. Started
again it resumes from its last save, and ends with the weights that it would have had without the interruption.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from bluff_env.core.family import LAST_CLAIM_LIES
from bluff_env.policies import load_policy
from bluff_env.policies.network import ActorCritic, masked_logits
from bluff_env.utils.locks import held

from . import command_line
from .config import Config
from .curves import RESUMED, Curves, check_anchors, win_shares
from .device import fetch
from .display import Display, beginning
from .learner import Learner, make_learner, prepare_torch
from .pool import Pool
from .responses import response_configs
from .rounds import Collector, Decisions, Rollout
from .run_folder import EXPLOITERS, POLICY_FILE, check_folder, policy_timesteps
from .run_state import MOST_UNSAVED, RunState, check_finite, diverged, resume_run, save_policy, save_run, saved_teachers
from .stopping import Stopped, noted_signals
from .teacher import teachers_of
from .workers import Workers

# --- 1. the loss -----------------------------------------------------------------------------------------------------

# The loss of a minibatch is a sum of up to eight terms, and its gradient the sum of theirs:
#
#       policy_loss                                     ppo_loss
#     + 0.5 * (value_loss + suspicion_loss + q_loss)    value_losses
#     - ent_coef * entropy                              regularisers
#     + kl_coef * kl
#     + magnet_coef * magnet_kl
#     + kickstart * teacher_loss                        kickstart_loss
#
# Below, `log_p` are the log-probabilities of the policy that learns, float32 (decisions, outputs). Illegal actions have
# probability 0 and a log-probability of about -1e9 there, so they stay out of all sums over actions.


def ppo_loss(
    log_p: torch.Tensor, batch: Decisions, advantages: torch.Tensor, clip_coef: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return PPO's policy loss, and the share of the decisions whose ratio was clipped.

    Args:
        log_p: float32 (decisions, outputs).
        batch: these decisions.
        advantages: of the chosen actions, normalised over the round, float32 (decisions,).
        clip_coef: how far the ratio may move from 1.
    """
    # The clipped surrogate objective (Schulman et al. 2017, arXiv 1707.06347, equation 7). Once the probability of an
    # action has moved by clip_coef in the direction of its advantage, its gradient is 0.
    ratio = (log_p - batch.log_probs).gather(1, batch.actions[:, None]).squeeze(1).exp()
    clipped = ratio.clamp(1 - clip_coef, 1 + clip_coef)
    policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
    return policy_loss, (ratio != clipped).float().mean()


def value_losses(learner: Learner, batch: Decisions) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the losses of all that is estimated: value_loss, suspicion_loss and q_loss, 0 for what is not estimated.

    These estimates share no weight with the policy, so their losses do not move it.
    """
    network, critic = learner.network, learner.critic
    suspicion_loss = q_loss = batch.returns.new_zeros(())
    # The value loss: the squared error of the expected payoff. It is not clipped as in many implementations
    # of PPO, because that made results worse in the study of Andrychowicz et al. (2021, arXiv 2006.05990).
    estimates = network.critic(batch.inputs)
    value_loss = nn.functional.mse_loss(estimates[:, 0], batch.returns)
    if network.suspects and critic is not None:
        # Auxiliary lie prediction (after the auxiliary tasks of Jaderberg et al. 2017, arXiv 1611.05397): the second
        # output is the logit of lie_prob, how probable it is that the last claim is a lie. The truth is a hidden
        # feature, which only the centralised critic may read.
        lie_logit, lie = estimates[:, 1], batch.hidden[:, LAST_CLAIM_LIES]
        suspicion_loss = nn.functional.binary_cross_entropy_with_logits(lie_logit, lie)
    if critic is not None:
        # The centralised critic learns the value of the action that was chosen (Q-boosting, arXiv 2605.19235).
        q = critic(batch.inputs, batch.hidden).gather(1, batch.actions[:, None]).squeeze(1)
        q_loss = nn.functional.mse_loss(q, batch.returns)
    return value_loss, suspicion_loss, q_loss


def regularisers(
    p: torch.Tensor, log_p: torch.Tensor, batch: Decisions, magnet: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what keeps the policy mixed and its steps small: entropy, kl and magnet_kl, in nats.

    Args:
        p, log_p: float32 (decisions, outputs); ``p`` is exp(log_p).
        batch: these decisions.
        magnet: the log-probabilities of the magnet, float32 (decisions, outputs); None if there is none.
    """
    legal = batch.masks.bool()
    # The entropy bonus (Mnih et al. 2016, arXiv 1602.01783). An equilibrium of a game of bluff is mixed, and plain PPO
    # with enough entropy comes near one (Rudolph et al. 2025, arXiv 2502.08938).
    entropy = -(p * log_p).masked_fill(~legal, 0).sum(1).mean()
    # The KL penalty of PPO (Schulman et al. 2017, section 4): the divergence of the policy from the one that played
    # this round. Clipping alone does not bound it, because it looks at the chosen actions only.
    kl = divergence(batch.log_probs.exp(), batch.log_probs, log_p, legal)
    magnet_kl = log_p.new_zeros(())
    if magnet is not None:
        # Magnetic mirror descent (Sokota et al. 2023, arXiv 2206.05825): the divergence from a magnet that moves
        # slowly, here the averaged policy. Without such a pull the policies run in circles around an equilibrium.
        magnet_kl = divergence(p, log_p, magnet, legal)
    return entropy, kl, magnet_kl


def kickstart_loss(log_p: torch.Tensor, batch: Decisions, smoothing: float) -> torch.Tensor:
    """Return the cross-entropy from what the teacher would do to the policy; it counts 0 where there is no teacher.

    Args:
        log_p: float32 (decisions, outputs).
        batch: these decisions.
        smoothing: the share of the teacher's choice that is spread over all legal actions.
    """
    # Kickstarting (Schmitt et al. 2018, arXiv 1803.03835), with label smoothing (Szegedy et al. 2016, arXiv 1512.00567)
    taught, legal = batch.teacher_actions, batch.masks.bool()
    said = log_p.gather(1, taught.clamp(min=0)[:, None]).squeeze(1)
    any_legal = log_p.masked_fill(~legal, 0).sum(1) / legal.sum(1)
    return -said.lerp(any_legal, smoothing).where(taught >= 0, 0.0).mean()


def divergence(p: torch.Tensor, log_p: torch.Tensor, log_q: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the mean Kullback-Leibler divergence KL(p || q); all are (decisions, outputs), and ``p`` is exp(log_p)."""
    return (p * (log_p - log_q)).masked_fill(~legal, 0).sum(1).mean()


# --- 2. the update ---------------------------------------------------------------------------------------------------

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
    """Improve the networks by some epochs of PPO over one round; return the means of FIGURES over the minibatches.

    Args:
        learner: what is improved.
        rollout: the round.
        config: of the run.
        ent_coef, kickstart: the coefficients of the entropy bonus and of kickstarting in this round.
        generator: of the order of the minibatches.
        magnet: float32 (decisions, outputs), log-probabilities to which the policy is drawn; None: to nothing.
    """
    n = len(rollout.actions)
    if n < 2:  # no game was decided in a very small round
        return dict.fromkeys(FIGURES, 0.0)
    decisions = rollout.to(learner.device)
    # normalised over the round and not over each minibatch, whose few decisions would make the scale a matter of luck
    advantages = (decisions.advantages - decisions.advantages.mean()) / (decisions.advantages.std() + 1e-8)
    figures: list[torch.Tensor] = []  # of each minibatch, on the device until the end: fetching them would wait for it
    for _ in range(config.update_epochs):
        order = torch.randperm(n, generator=generator)
        for part in order.split(config.minibatch_size):
            part = part.to(learner.device)
            batch = decisions.at(part)
            # forward: a new policy from the weights of the last step
            logits = learner.network.logits(batch.inputs)
            log_p = torch.log_softmax(masked_logits(logits, batch.masks), -1)
            p = log_p.exp()  # before the terms: autograd sums their gradients in an order that depends on its place
            # the terms, as section 1 lists them
            policy_loss, clip_fraction = ppo_loss(log_p, batch, advantages[part], config.clip_coef)
            value_loss, suspicion_loss, q_loss = value_losses(learner, batch)
            entropy, kl, magnet_kl = regularisers(p, log_p, batch, None if magnet is None else magnet[part])
            loss = policy_loss + 0.5 * (value_loss + suspicion_loss + q_loss)
            loss = loss - ent_coef * entropy + config.kl_coef * kl + config.magnet_coef * magnet_kl
            if kickstart > 0:
                loss = loss + kickstart * kickstart_loss(log_p, batch, config.kickstart_smoothing)
            # backward
            learner.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            # each network by itself: an error of the critic is no reason for a smaller step of the policy
            for network in learner.networks:
                nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
            learner.optimizer.step()
            each = (policy_loss, value_loss, suspicion_loss, entropy, kl, clip_fraction)
            figures.append(torch.stack([figure.detach() for figure in each]))
    means = fetch(torch.stack(figures)).astype(np.float64).sum(0) / len(figures)
    return dict(zip(FIGURES, means.tolist(), strict=True))


def averaged_log_probs(run: RunState, rollout: Rollout) -> torch.Tensor:
    """Return the magnet: the averaged policy's log-probabilities in the decisions of a round, (decisions, outputs)."""
    actor = {k.removeprefix("actor."): v for k, v in run.average.items() if k.startswith("actor.")}
    with torch.no_grad():
        inputs, masks = rollout.inputs.to(run.learner.device), rollout.masks.to(run.learner.device)
        logits = torch.func.functional_call(run.learner.network.actor, actor, (inputs,))
        return torch.log_softmax(masked_logits(logits, masks), -1)


# --- 3. exploiters ---------------------------------------------------------------------------------------------------


def exploiter_due(config: Config, rounds: int) -> bool:
    """Return whether an exploiter is trained between this round and the next."""
    return config.exploit_every > 0 and rounds > 0 and rounds % config.exploit_every == 0


def exploiter_folder(out: Path, rounds: int) -> Path:
    """Return the folder of the exploiter that is trained after this number of rounds, by the run in ``out``."""
    return out / EXPLOITERS / f"round-{rounds}"


def trained_exploiter(config: Config, rounds: int, out: Path) -> Mapping[str, torch.Tensor]:
    """Return the weights of a best response to the policy in the folder of a run.

    It starts from that policy, or with `exploiters_go_on` from the exploiter before it. It is trained as `exploit.py`
    does it: by a run of its own, in a folder within ``out``. So it is resumed like any other run, and is there at once
    if it was finished before an interruption.

    Args:
        config: of the run whose policy is exploited.
        rounds: how many of its rounds are finished.
        out: its folder.
    """
    name = str((out / POLICY_FILE).resolve())
    response = response_configs(name, timesteps=config.exploit_timesteps, seed=config.seed)["warm"]
    response = replace(response, num_threads=config.num_threads, device=config.device)
    if config.exploiters_go_on and rounds > config.exploit_every:
        before = exploiter_folder(out, rounds - config.exploit_every) / POLICY_FILE
        response = replace(response, start_from=str(before.resolve()))
    policy: Any = load_policy(train(response, exploiter_folder(out, rounds), quiet=True))
    return ActorCritic.of(policy.network).state_dict()


# --- 4. a round ------------------------------------------------------------------------------------------------------


def play_and_learn(run: RunState, config: Config) -> dict[str, float]:
    """Play one round, and learn from it; return its figures.

    Raises:
        FloatingPointError: if something is not finite, before the round counts; the message names it.
    """
    learner = run.learner
    started = time.perf_counter()
    # schedules: three coefficients fall linearly with the share of the run that is left
    left = 1 - run.round / config.rounds
    learning_rate = config.learning_rate * left
    for group in learner.optimizer.param_groups:
        group["lr"] = learning_rate
    ent_coef, kickstart = config.ent_coef(left), config.kickstart_weight(left)

    # play, then learn
    rollout = run.collector.collect(ask_teacher=kickstart > 0)
    played = time.perf_counter()
    magnet = averaged_log_probs(run, rollout) if config.magnet_coef > 0 else None
    figures = update(learner, rollout, config, ent_coef, kickstart, run.generator, magnet)

    # a running average of the weights is what is published: self-play swings back and forth, and the average moves less
    for name, value in learner.network.state_dict().items():
        run.average[name].mul_(config.ema_decay).add_(value, alpha=1 - config.ema_decay)

    # the round counts only now, so that a run whose weights are not finite is not saved
    check_finite(run, figures)
    run.round += 1
    if run.round % config.snapshot_every == 0:
        run.pool.add(run.pool.snapshots, learner.network.state_dict())

    figures |= rollout.stats() | run.pool.figures() | {"learning_rate": learning_rate, "ent_coef": ent_coef}
    elapsed = time.perf_counter() - started
    figures["timesteps_per_second"] = config.round_size / elapsed
    figures["time_share_of_play"] = (played - started) / elapsed
    return figures


# --- 5. the run ------------------------------------------------------------------------------------------------------


def new_run(
    config: Config,
    learner_for: Callable[[Config], Learner] = make_learner,
    teachers: Sequence[str] | None = None,
) -> RunState:
    """Make a run before its first round.

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


def train(config: Config, out: Path, quiet: bool = False) -> Path:
    """Train, or resume the run in the folder ``out``.

    While it trains, ``out/policy.safetensors`` is the averaged policy of the last save.

    Returns:
        The finished checkpoint, ``out/policy.safetensors``.

    Raises:
        ConfigError: if ``out`` holds something else, a run of another configuration, or a damaged save.
        InputError: if another process trains in it.
        OSError: if something cannot be written; what was saved before stays whole.
        DivergedError: if the loss or the weights are not finite any more; what was saved before stays.
        Stopped: after Ctrl-C or SIGTERM, when the round is finished and the run is saved.
    """
    prepare_torch(config.num_threads)
    check_folder(config, out)
    check_anchors(config)
    run = new_run(config, teachers=saved_teachers(config, out))
    out.mkdir(parents=True, exist_ok=True)
    with held(out):
        resume_run(run, config, out)
        return _all_rounds(run, config, out, quiet)


def _all_rounds(run: RunState, config: Config, out: Path, quiet: bool) -> Path:
    """Train a run from where it is to its end; return the finished checkpoint."""
    first = run.round
    _mend_folder(run, config, out)
    curves = Curves(out, first, config.round_size)
    saved = time.monotonic()
    with Display(config, first, quiet) as display, run.collector, noted_signals() as signals:
        display.note(f"{out}: {beginning(run, config)}")
        while run.round < config.rounds and not signals:
            # exploiters: learning waits, so that an exploiter is one of the policy that it will meet
            if exploiter_due(config, run.round):
                display.note(f"after round {run.round} learning stops until an exploiter of the policy is trained")
                run.pool.add(run.pool.exploiters, trained_exploiter(config, run.round, out))
            # a round
            try:
                figures = play_and_learn(run, config)
            except FloatingPointError as error:
                raise diverged(run, str(error), out) from None
            # its figures, sometimes with an evaluation of the averaged policy
            if 0 < first == run.round - 1:
                figures[RESUMED] = 1.0
            if run.round % config.eval_every == 0 or run.round == config.rounds:
                figures |= win_shares(config, run.learner.policy(run.average, "learner"))
            curves.add(run.round * config.round_size, figures)
            # save: the curves first, because those after the last state are dropped when a run resumes
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


def _mend_folder(run: RunState, config: Config, out: Path) -> None:
    """Make the folder of a run that begins or resumes fit its state."""
    if run.round == 0:
        for old in (out / EXPLOITERS).glob("round-*"):  # of a run whose state was deleted
            shutil.rmtree(old)
    elif policy_timesteps(out) != run.round * config.round_size:  # killed between the two files of a save
        save_policy(run, config, out)


if __name__ == "__main__":
    command_line.run_script(lambda: command_line.main(train, "Self-play PPO: trains a policy from a configuration."))
