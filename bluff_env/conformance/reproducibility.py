"""A game with the same seed and the same actions is the same everywhere."""

from __future__ import annotations

import json
import pickle

import numpy as np

from bluff_env.conformance.trial import Trial, broken, same_view
from bluff_env.core.engine import Engine
from bluff_env.envs.aec import RawEnv
from bluff_env.record import GameRecord, walk
from bluff_env.utils.numerals import number

COPY_MOMENTS = 2  # random decisions of each game at which it is restored, pickled and cloned


def seeds_reproduce(trial: Trial) -> None:
    """A game is the same again: replayed from its record as text, from a snapshot, from a pickle, and as a clone."""
    for record in trial.records:
        again = walk(GameRecord.from_text(record.to_text()))
        chosen = trial.rng.sample(range(len(record.steps)), min(COPY_MOMENTS, len(record.steps)))
        copies: list[tuple[str, RawEnv]] = []
        for step, env in enumerate(walk(record)):
            trial.here = env
            twins = [("replayed from its record", next(again)), *copies]
            for agent in dict.fromkeys((env.agent_selection, trial.rng.choice(env.possible_agents))):
                for how, twin in twins:
                    if not same_view(env.observe(agent), twin.observe(agent)) or env.rewards != twin.rewards:
                        raise broken(env, f"{agent} sees something else in the same game {how}")
            trial.tried["moments compared"] += len(twins)
            if step in chosen:
                restored = trial.begun(seed=0)
                restored.restore(json.loads(json.dumps(env.snapshot())))
                pickled = pickle.loads(pickle.dumps(env))
                copies = [("restored", restored), ("pickled", pickled), ("cloned", env.clone())]
            if step < len(record.steps):
                for _, twin in copies:
                    twin.step(env.action_index(record.steps[step][1]))


def batches_agree(trial: Trial) -> None:
    """Game i of a batch equals the game with its seed played alone, with one thread and with two."""
    rows = max(4, trial.games)
    engines = [
        Engine(trial.rules, num_games=rows, num_players=trial.num_players, seed=trial.seed, num_threads=threads,
               autoreset=False)
        for threads in (1, 2)
    ]  # fmt: skip
    engines[1].least_share = 1  # threads share even a batch this small
    alone = [trial.begun(int(seed)) for seed in engines[0].game_seeds]
    rng = np.random.default_rng(trial.seed)
    while (running := engines[0].to_act >= 0).any():
        _compare_batch(trial, engines, alone, np.flatnonzero(running).tolist())
        actions = (rng.random(engines[0].action_masks.shape) * engines[0].action_masks).argmax(1)
        for engine in engines:
            engine.step(actions, where=running)
        for row in np.flatnonzero(running).tolist():
            alone[row].step(int(actions[row]))
            trial.tried["decisions"] += 1
    for row, env in enumerate(alone):
        for engine in engines:
            payoffs = engine.results()["payoffs"][row][: trial.num_players].tolist()
            if not env.is_over or payoffs != list(env.rewards.values()):
                raise broken(env, f"in a batch with {engine.num_threads} threads this game ends with {payoffs}")
    trial.tried["games"] += rows
    trial.tried["threads"] = 2


def _compare_batch(trial: Trial, engines: list[Engine], alone: list[RawEnv], rows: list[int]) -> None:
    """The same player is to act in every engine as in the game played alone, with the same observation and mask."""
    for row in rows:
        env = alone[row]
        trial.here = env
        view = env.observe(env.agent_selection)
        for engine in engines:
            same = f"player_{engine.to_act[row]}" == env.agent_selection
            same = same and np.array_equal(view["observation"], engine.observations[row])
            if not same or not np.array_equal(view["action_mask"], engine.action_masks[row]):
                threads = number(engine.num_threads, "thread")
                raise broken(env, f"{env.agent_selection} sees something else in row {row} of a batch with {threads}")
