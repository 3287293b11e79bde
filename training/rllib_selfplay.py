"""RLlib's PPO learns by self-play, against scripted players and against its own snapshots.

    pip install "bluff-env[train,rllib]"
    python -m training.rllib_selfplay                                    # one process
    python -m training.rllib_selfplay --env-runners 2                    # games in two more processes
    RAY_ADDRESS=auto python -m training.rllib_selfplay --env-runners 64 --learners 1    # on a cluster of Ray

Tried with Ray 2.60.0, PyTorch 2.13.0 and Python 3.11. The 60,000 timesteps take two minutes in one process; a second
and a third one only help where they have processors of their own. The expected win share against a copy, .500 for an
average player: .66 [.65, .68] against `honest` and .81 [.79, .84] against `counter` (`mini-pairs`, seed 0).

A cluster is started by `ray start --head` on one machine and `ray start --address=HEAD:6379` on the others, all with
this package installed. The result is a checkpoint: `bluff-env evaluate`, `play` and `watch` take it.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

import torch

from bluff_env import make_rules
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import evaluate, write_json
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.utils.arguments import seed_number, whole_number
from bluff_env.utils.errors import printable
from bluff_env.utils.jobs import start_ray
from bluff_env.utils.locks import held
from bluff_env.utils.numerals import signed

from .command_line import check_deals, exit_code
from .config import ConfigError
from .run_folder import STATE_FILE
from .stopping import Stopped, noted_signals

OPPONENTS = ["scripted/honest", "scripted/counter"]
ITERATION = 2048  # steps of learners in an iteration
SNAPSHOT_EVERY = 5  # iterations


def algorithm_of(game: dict[str, Any], env_runners: int, learners: int, seed: int) -> Any:
    """RLlib's PPO for a game; ``game`` is an ``env_config`` of :mod:`bluff_env.rllib`."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from bluff_env import rllib

    rllib.register()
    family = family_of(game["variant"])
    name = next(name for name, env in rllib.ENVIRONMENTS.items() if env.family_name == family.name)
    config = PPOConfig().environment(name, env_config=game)
    config.env_runners(num_env_runners=env_runners, num_envs_per_env_runner=16)
    config.learners(num_learners=learners)
    config.multi_agent(policies={rllib.LEARNER_ID}, policy_mapping_fn=lambda agent, episode, **_: rllib.LEARNER_ID)
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=rllib.MaskedModule))
    config.training(
        gamma=1.0,
        lambda_=0.95,
        lr=1e-3,
        entropy_coeff=0.02,
        train_batch_size_per_learner=ITERATION // max(1, learners),
        minibatch_size=256,
        num_epochs=4,
    )
    config.debugging(seed=seed, log_level="ERROR")
    return config.build_algo()


def train(game: dict[str, Any], total_timesteps: int, env_runners: int, learners: int, seed: int, out: Path) -> Path:
    """Trains, with a snapshot among the opponents every few iterations.

    Args:
        game: an ``env_config`` of :mod:`bluff_env.rllib`.
        total_timesteps: steps of learners, rounded up to whole iterations.
        env_runners: processes that play; 0: this one does.
        learners: processes that learn; 0: this one does.
        seed: of all chance.
        out: folder of the run.

    Returns:
        The checkpoint, ``out/policy.safetensors``.

    Raises:
        Stopped: after Ctrl-C or SIGTERM, when what was learnt so far is written.
        RayError: if a cluster cannot be reached.
    """
    import ray

    from bluff_env import rllib

    own_ray = start_ray()
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    algorithm = algorithm_of(game, env_runners, learners, seed)
    snapshots, done = rllib.Snapshots(algorithm), 0
    try:
        with noted_signals() as signals:
            while done < total_timesteps and not signals:
                result = algorithm.train()
                done = int(result["num_env_steps_sampled_lifetime"])
                payoff = (
                    result["env_runners"].get("module_episode_returns_mean", {}).get(rllib.LEARNER_ID, float("nan"))
                )
                print(f"{done:,} timesteps, mean payoff of the learner {signed(payoff, 3)}", flush=True)
                if algorithm.iteration % SNAPSHOT_EVERY == 0:
                    snapshots.take()
            path = rllib.export_policy(algorithm, out / "policy")
    finally:
        algorithm.stop()
        if own_ray:
            ray.shutdown()
    if signals:
        raise Stopped(signals[0], f"stopped after {done} timesteps; {path} is the policy so far")
    return path


def measure(policy: Path, deals: int, seed: int, out: Path) -> None:
    """Plays the checkpoint in the evaluation of this package, against copies of each opponent; prints the win shares.

    Raises:
        OSError: if the figures cannot be written.
    """
    results = [evaluate(policy, name, deals=deals, seed=seed) for name in OPPONENTS]
    for result in results:
        print(f"win share against copies of {result.opponent}: {result.win_share}")
    write_json(results, out / "evaluation.json")
    print(printable(f"an average player's is {1 / results[0].num_players:.3f}; policy: {policy}"))


def game_of(variant: str, players: int, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the game as an ``env_config`` of :mod:`bluff_env.rllib`. Raises RulesError for impossible rules."""
    make_rules(variant, **changes).resolve(players)
    return {"variant": variant, "num_players": players, "opponents": OPPONENTS, **changes}


def main(argv: list[str] | None = None) -> int:
    """Parse the options, train and evaluate. Return the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Self-play with RLlib's PPO.")
    parser.add_argument("--variant", default="mini-pairs", help="a preset, see `bluff-env list`")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rule", action="append", metavar="FIELD=VALUE", help="a house rule on top; may be repeated")
    parser.add_argument("--timesteps", type=int, default=60_000, help="steps of learners")
    parser.add_argument("--env-runners", type=int, default=0, help="processes that play (default 0: this one)")
    parser.add_argument("--learners", type=int, default=0, help="processes that learn (default 0: this one)")
    parser.add_argument("--deals", type=int, default=300, help="deals of each evaluation; 0 for none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/rllib"), help="folder of the run")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)

    def work() -> None:
        if (args.out / STATE_FILE).exists():  # its policy would be replaced
            raise ConfigError(f"{args.out} holds a run of self-play: name another --out")
        whole_number("timesteps", args.timesteps, 1)
        whole_number("env_runners", args.env_runners, 0)
        whole_number("learners", args.learners, 0)
        seed_number("seed", args.seed)
        check_deals(args.deals)
        game = game_of(args.variant, args.players, house_rules(args.rule))
        args.out.mkdir(parents=True, exist_ok=True)
        with held(args.out):
            policy = train(game, args.timesteps, args.env_runners, args.learners, args.seed, args.out)
            if args.deals:
                measure(policy, args.deals, args.seed + 1, args.out)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())
