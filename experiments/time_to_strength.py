"""Time until learning beats scripted players: self-play as `make train` configures it, beside MaskablePPO.

    python -m experiments.time_to_strength [--minutes 10] [--every 20] [--deals 100] [--contender C ...] [--out FILE]

Both learn the game of ``configs/cheat-main.yaml`` in one thread. From time to time the clock stops and the policy sits
at a table of copies of each anchor of the configuration. It is *strong* when the lower end of the 95% interval of its
win share is above an average player's share against every one of them, twice in a row on different deals. Time is
processor time of the training, which on an idle core is time by the clock; what the clock showed is in the results too.
After ``--minutes`` of it a contender that is not strong yet is evaluated for the last time.

MaskablePPO (sb3-contrib) learns in one seat of ``BatchedVecEnv``; all others are drawn from the scripted players of the
configuration's pool, the anchors among them. As in `make train`, the network does not read the log of events. The other
settings are those of ``examples/sb3_maskable_ppo.py``, with more games at once. The results go to
``experiments/time_to_strength.json``, from which ``make docs`` makes a table of docs/generated/speed.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from benchmarks.report import machine, version
from bluff_env.core.registry import make_rules
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.evaluation.estimates import Estimate
from bluff_env.utils.files import write_file
from experiments.runs import writable
from training import selfplay_ppo
from training.config import Config, load_config
from training.learner import prepare_torch
from training.run_folder import POLICY_FILE

RESULTS = Path(__file__).with_name("time_to_strength.json")
CONFIG = Path(__file__).resolve().parent.parent / "configs" / "cheat-main.yaml"
ENVS, STEPS = 256, 64  # of MaskablePPO: games, and decisions in each between two updates


class Finished(Exception):
    """The contender is strong, or its time is over."""


class Watch:
    """Looks at a policy while it learns, and stops the clocks meanwhile.

    Args:
        config: of the game, with the anchors.
        seconds: of processor time that the contender has.
        every: seconds of processor time between two evaluations.
        deals: of each evaluation.
        by_clock: whether these seconds are by the clock instead.
    """

    def __init__(self, config: Config, seconds: float, every: float, deals: int, by_clock: bool = False) -> None:
        self._config, self._seconds, self._every, self._deals = config, seconds, every, deals
        self._which = int(by_clock)
        self._spent = [0.0, 0.0]  # seconds of the processor and of the clock
        self._next = every
        self.evaluations: list[dict[str, Any]] = []
        self.strong = False
        self._began = _clocks()

    def look(self, policy: Any, timesteps: int, over: bool = False) -> None:
        """Evaluates the policy if it is time, or if the training is over.

        Raises:
            Finished: if nothing more is to be learnt.
        """
        self._spent = [t + now - began for t, now, began in zip(self._spent, _clocks(), self._began, strict=True)]
        spent = self._spent[self._which]
        over = over or spent >= self._seconds
        if spent >= self._next or over:
            self._next = spent + self._every
            self.strong = self._beats_all(policy, timesteps) and self._beats_all(policy, timesteps)
            if self.strong or over:
                raise Finished
        self._began = _clocks()

    def _beats_all(self, policy: Any, timesteps: int) -> bool:
        """Evaluates on deals of its own; whether all lower ends are above an average player's share."""
        config, seed = self._config, 40_000 + len(self.evaluations)
        rules = make_rules(config.variant, **config.rules)
        shares: dict[str, Estimate] = {}
        for anchor in config.anchors:
            shares[anchor] = evaluate(policy, anchor, rules, config.num_players, self._deals, seed).win_share
        row = {name: [round(x, 4) for x in (share.value, share.low, share.high)] for name, share in shares.items()}
        processor, clock = (round(spent, 1) for spent in self._spent)
        self.evaluations.append({"processor": processor, "clock": clock, "timesteps": timesteps, "win_shares": row})
        print(json.dumps(self.evaluations[-1]), flush=True)
        return all(share.low > 1 / config.num_players for share in shares.values())


def _clocks() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def self_play(config: Config, watch: Watch) -> None:
    """The run of `make train`, which is looked at whenever it saves its policy."""
    save = selfplay_ppo.save_policy

    def save_and_look(run: Any, config: Config, out: Path) -> None:
        save(run, config, out)
        timesteps = run.round * config.round_size
        watch.look(out / POLICY_FILE, timesteps, over=run.round == config.rounds)

    config = replace(config, eval_every=10**9)  # the clock stands still while policies are evaluated
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(selfplay_ppo, "save_policy", save_and_look):
        selfplay_ppo.train(config, Path(folder) / "run", quiet=True)


def maskable_ppo(config: Config, watch: Watch) -> None:
    """MaskablePPO against the scripted players of the pool, looked at after each update."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from bluff_env.sb3 import BatchedVecEnv

    class Look(BaseCallback):
        def _on_rollout_start(self) -> None:
            watch.look(self.model, self.num_timesteps)

        def _on_step(self) -> bool:
            return True

    env = BatchedVecEnv(
        config.variant, ENVS, config.num_players, dict.fromkeys(config.scripted, 1.0), trim=True, events=False,
        seed=config.seed, **config.rules,
    )  # fmt: skip
    model = MaskablePPO(
        "MlpPolicy", env, gamma=1.0, n_steps=STEPS, batch_size=config.minibatch_size, n_epochs=4, learning_rate=1e-3,
        ent_coef=0.01, seed=config.seed, device="cpu",
        policy_kwargs={"net_arch": list(config.hidden_sizes), "activation_fn": torch.nn.ReLU},
    )  # fmt: skip
    model.learn(10**12, callback=Look())


# name: package, what learns
CONTENDERS: dict[str, tuple[str, Callable[[Config, Watch], None]]] = {
    "self-play PPO, as `make train`": ("bluff-env", self_play),
    "MaskablePPO, BatchedVecEnv": ("sb3_contrib", maskable_ppo),
}


def measure(name: str, config: Config, seconds: float, every: float, deals: int) -> dict[str, Any]:
    """Return one contender's win shares over time, in the form of the results."""
    package, learn = CONTENDERS[name]
    evaluate("scripted/honest", config.anchors[0], config.variant, config.num_players, 2)  # loads compiled code
    watch = Watch(config, seconds, every, deals)
    with suppress(Finished):
        learn(config, watch)
    return {
        "name": name, "package": package, "version": version(package), "seed": config.seed, "deals": deals,
        "strong": watch.strong, "evaluations": watch.evaluations, "machine": machine(),
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measures one contender after the other; the results of those that are not named stay."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="of processor time for each contender")
    parser.add_argument("--every", type=float, default=20.0, help="seconds of it between two evaluations")
    parser.add_argument("--deals", type=int, default=100, help="of each evaluation")
    parser.add_argument("--contender", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS), metavar="NAME")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--out", type=writable, default=RESULTS)
    args = parser.parse_args(argv)
    prepare_torch(1)
    config = load_config(args.config)
    for name in args.contender:
        found = read(args.out)
        found[name] = measure(name, config, 60 * args.minutes, args.every, args.deals)
        rows = [found[name] for name in CONTENDERS if name in found]
        text = (
            json.dumps({"contenders": rows}).replace('{"name"', '\n{"name"').replace('{"processor"', '\n {"processor"')
        )
        write_file(args.out, (text + "\n").encode())
    return 0


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The results so far, by the name of the contender."""
    rows = json.loads(path.read_text(encoding="utf-8"))["contenders"] if path.exists() else []
    return {row["name"]: row for row in rows}


if __name__ == "__main__":
    sys.exit(main())
