"""Every game ends in time, and its payoffs add up to zero."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from bluff_env.conformance.trial import Trial, broken
from bluff_env.core.engine import MAX_SEED
from bluff_env.core.payoffs import EQUAL
from bluff_env.envs.aec import RawEnv
from bluff_env.policies.load import load_policy
from bluff_env.policies.scripted import measured_names
from bluff_env.record import of, walk


def games_end(trial: Trial) -> None:
    """Plays the games that the other tests look at."""
    for number in range(trial.games):
        rng = np.random.default_rng([trial.seed, number])
        names = measured_names(trial.family)
        seats = ["random" if number % 2 == 0 else str(rng.choice(names)) for _ in range(trial.num_players)]
        policies = [load_policy(f"scripted/{name}", rules=trial.rules) for name in seats]
        env = trial.here = trial.env()
        env.reset(seed=int(rng.integers(MAX_SEED)))
        _play_out(trial, env, policies, rng)
        trial.records.append(of(env))
        trial.tried["games"] += 1
        trial.tried["decisions"] += len(trial.records[-1].steps)


def _play_out(trial: Trial, env: RawEnv, policies: list[Any], rng: np.random.Generator) -> None:
    """Plays a game to its end. If an action is refused, another one is taken: refusals are the business of "masks"."""
    n = trial.num_players
    cards = len(trial.family.states.deck_of(trial.family.game.rule_row(trial.rules, n)[0]))
    most_turns = (getattr(trial.rules, "length_limit", None) or cards) + n  # every turn draws a card, or is counted
    most_steps = 100 + 4 * cards + 20 * n  # in one turn: every card is placed, everybody is asked several times
    turns = -1
    while not env.is_over:
        agent = env.agent_selection
        view = env.observe(agent)
        action = policies[int(agent.removeprefix("player_"))].act(view["observation"], view["action_mask"], rng=rng)
        others = rng.permutation(np.flatnonzero(view["action_mask"]))
        for choice in (action, *others):
            with contextlib.suppress(ValueError):
                env.step(int(choice))
                break
        else:
            raise broken(env, f"{agent} is to act, and no action of the mask is accepted")
        if env.history is not None and len(env.history) % most_steps == 0:
            before, turns = turns, env.snapshot()["turns"]
            if turns == before:
                raise broken(env, f"{most_steps} decisions were made in one turn")
            if turns > most_turns:
                raise broken(env, f"{turns} turns were played, more than the limit")
    turns = env.snapshot()["turns"]
    if turns > most_turns:
        raise broken(env, f"the game ended after {turns} turns, more than the limit")


def payoffs_add_up_to_zero(trial: Trial) -> None:
    """Payoffs add up to zero at the end; before the end all rewards are zero."""
    for record in trial.records:
        for env in walk(record):
            trial.here = env
            rewards = list(env.rewards.values())
            if not env.is_over and any(rewards):
                raise broken(env, f"rewards are given before the end: {rewards}")
        if not all(map(math.isfinite, rewards)) or abs(sum(rewards)) > EQUAL:
            raise broken(env, f"the payoffs {rewards} add up to {sum(rewards)}")
        trial.tried["games"] += 1
