"""An example of Stable-Baselines3: MaskablePPO of sb3-contrib learns against loaded opponents, in `BatchedVecEnv`.

    python -m training.sb3_example --opponent scripted/counter --variant cheat/pagat --players 3

`exploit.py` is what measures how far a policy can be exploited; its learner goes further in the same time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import Progress

from bluff_env import make_rules, sb3
from bluff_env.cli.common import house_rules
from bluff_env.errors import printable
from bluff_env.evaluation import evaluate, write_json

from .command_line import exit_code
from .config import ConfigError
from .run_folder import STATE_FILE
from .stopping import Stopped, noted_signals


def train_against(
    opponent: str,
    variant: str,
    num_players: int,
    total_timesteps: int,
    seed: int,
    out: Path,
    num_envs: int = 128,
    rules: dict[str, Any] | None = None,
) -> Path:
    """Trains against ``num_players`` - 1 copies of ``opponent``.

    Args:
        opponent: a name or a path that ``load_policy`` takes.
        variant: a preset.
        num_players: the learner included.
        total_timesteps: the learner's decisions, rounded up to whole rollouts of 64 in each environment.
        seed: of all chance.
        out: folder of the run.
        num_envs: games played in parallel.
        rules: house rules on top of the variant.

    Returns:
        The checkpoint, ``out/policy.safetensors``.

    Raises:
        Stopped: after Ctrl-C or SIGTERM, when what was learnt so far is written.
        CheckpointError: if the weights are not finite any more.
    """
    from sb3_contrib import MaskablePPO

    env = sb3.BatchedVecEnv(
        variant, num_envs=num_envs, num_players=num_players, opponents=[opponent], seed=seed, **(rules or {})
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        gamma=1.0,
        gae_lambda=0.95,
        n_steps=64,
        batch_size=1024,
        n_epochs=4,
        learning_rate=lambda left: 7e-4 * left,
        ent_coef=0.02,
        policy_kwargs={"net_arch": {"pi": [256, 256], "vf": [256, 256]}, "activation_fn": torch.nn.ReLU},
        tensorboard_log=str(out / "tensorboard"),
        seed=seed,
        verbose=0,
    )
    with Progress(transient=True) as bar, noted_signals() as signals:  # SB3's own bar needs tqdm
        task = bar.add_task("training", total=total_timesteps)

        def report(*_: Any) -> bool:
            bar.update(task, completed=model.num_timesteps)
            return not signals  # whether to go on

        model.learn(total_timesteps, callback=report)
        path = sb3.export_policy(model, out / "policy")
    if signals:
        raise Stopped(signals[0], f"stopped after {model.num_timesteps} timesteps; {path} is the policy so far")
    return path


def main(argv: list[str] | None = None) -> int:
    """Parses the options, trains and evaluates. Returns the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Train sb3-contrib's MaskablePPO against copies of a policy.")
    parser.add_argument("--opponent", default="scripted/counter", help="a policy's name or path")
    parser.add_argument("--variant", default="cheat/pagat", help="a preset, see `bluff-env list`")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument(
        "--rule", action="append", metavar="FIELD=VALUE", help="a house rule on top; may be repeated: --rule jokers=2"
    )
    parser.add_argument("--total-timesteps", type=int, default=500_000, help="the learner's decisions")
    parser.add_argument("--deals", type=int, default=300, help="deals of the evaluation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/sb3-example"), help="folder of the run")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    return exit_code(lambda: run(args))


def run(args: argparse.Namespace) -> None:
    """Trains and evaluates. Raises ConfigError for the folder of a run of self-play, whose policy it would replace."""
    if (args.out / STATE_FILE).exists():
        raise ConfigError(f"{args.out} holds a run of self-play: name another --out")
    changes = house_rules(args.rule)
    rules = make_rules(args.variant, **changes)
    rules.resolve(args.players)  # rules that cannot be played are refused before anything starts
    policy = train_against(
        args.opponent, args.variant, args.players, args.total_timesteps, args.seed, args.out, rules=changes
    )
    played = rules if changes else args.variant
    result = evaluate(policy, args.opponent, played, args.players, args.deals, seed=args.seed + 1)
    write_json([result], args.out / "evaluation.json")
    Console(markup=False).print(
        f"win share of the learner: {result.win_share}; an average player's is {1 / args.players:.3f}\n"
        f"policy: {printable(str(policy))}, figures: {printable(str(args.out / 'evaluation.json'))}"
    )


if __name__ == "__main__":
    sys.exit(main())
