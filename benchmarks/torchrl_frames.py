"""Frames per second of TorchRL's own wrapper of PettingZoo environments, and of this package's `EngineEnv`.

    python -m benchmarks.torchrl_frames [--seconds 10]

Needs `pip install -e ".[torchrl]"`. Both play the same game on one core, in turns, driven by the same code: by
`rollout`, with TorchRL's random legal actions, and by TorchRL's `Collector`, with the same small network. In the
wrapper a frame is one decision of one player; in `EngineEnv` it is one of the learner with all that follow of the other
players, who play at random.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from bluff_env import cheat_v0
from bluff_env.torchrl import EngineEnv

GAME: dict[str, Any] = {"variant": "cheat/pagat", "num_players": 4, "encoding": "float", "trim": True}
GAMES = 256
ROUNDS = 3
TABLE = "table"  # the group of the agents in the wrapper


def wrapper() -> EnvBase:
    """TorchRL's wrapper over the PettingZoo environment; its mask is an entry of the group of agents."""
    env = cheat_v0.env(**GAME)
    return PettingZooWrapper(env, use_mask=True, group_map={TABLE: list(env.possible_agents)}, device="cpu")


def engine() -> EnvBase:
    """This package's own."""
    return EngineEnv(num_envs=GAMES, opponents="random", **GAME)


def network(env: EnvBase) -> ProbabilisticActor:
    """A policy for either environment."""
    wrapped = isinstance(env, PettingZooWrapper)
    seen: Any = (TABLE, "observation", "observation") if wrapped else "observation"
    mask, logits = ((TABLE, name) if wrapped else name for name in ("action_mask", "logits"))
    inputs, outputs = env.observation_spec[seen].shape[-1], env.observation_spec[mask].shape[-1]
    layers = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))
    module = TensorDictModule(layers, in_keys=[seen], out_keys=[logits])
    return ProbabilisticActor(
        module,
        in_keys={"logits": logits, "mask": mask},
        out_keys=[env.action_key],
        distribution_class=MaskedCategorical,
    )


def rollouts(env: EnvBase, steps: int) -> Iterator[int]:
    """Plays for ever at random; yields how many frames came."""
    while True:
        yield env.rollout(steps, break_when_any_done=False).numel()


def collected(env: EnvBase, steps: int) -> Iterator[int]:
    """Plays for ever by a network."""
    frames = steps * (env.batch_size.numel() if env.batch_size else 1)
    for batch in Collector(env, network(env), frames_per_batch=frames, total_frames=-1):
        yield batch.numel()


def rate(frames: Iterator[int], seconds: float) -> float:
    """Frames per second."""
    began, count = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        count += next(frames)
    return count / (time.perf_counter() - began)


def main() -> None:
    """Prints the medians of three rounds and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for title, drive in (("rollout, random actions", rollouts), ("Collector, network", collected)):
        players = {"PettingZooWrapper": drive(wrapper(), 50), f"EngineEnv, {GAMES} games": drive(engine(), 20)}
        for frames in players.values():
            next(frames)  # warm
        rounds = [[rate(frames, args.seconds) for frames in players.values()] for _ in range(ROUNDS)]
        for name, found in zip(players, zip(*rounds, strict=True), strict=True):
            print(f"{title}: {name}: {median(found):,.0f} frames/s")
        print(f"{title}: {median(b / a for a, b in rounds):.0f} times as many")


if __name__ == "__main__":
    main()
