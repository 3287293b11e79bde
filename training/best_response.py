"""A best response by sb3-contrib's MaskablePPO: one learner against loaded opponents, in the native vector environment.

    python -m training.best_response --opponent scripted/counter --variant cheat/pagat --players 3

The win share that the learner reaches is a lower bound of how far the opponents can be exploited, and is reported so.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from rich.console import Console

from bluff_env import make_rules, sb3
from bluff_env.evaluate import evaluate, write_json


def train_best_response(
    opponent: str, variant: str, num_players: int, decisions: int, seed: int, out: Path, num_envs: int = 128
) -> Path:
    """Trains against ``num_players`` - 1 copies of ``opponent`` and exports the policy to ``out/policy``."""
    from sb3_contrib import MaskablePPO

    env = sb3.BatchedVecEnv(variant, num_envs=num_envs, num_players=num_players, opponents=[opponent], seed=seed)
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
    model.learn(decisions, progress_bar=True)
    return sb3.export_policy(model, out / "policy")


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Train a best response to a policy with sb3-contrib's MaskablePPO.")
    parser.add_argument("--opponent", default="scripted/counter", help="a policy's name or the folder of a checkpoint")
    parser.add_argument("--variant", default="cheat/pagat")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--decisions", type=int, default=500_000)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/best-response"))
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    try:
        make_rules(args.variant).resolve(args.players)
        policy = train_best_response(args.opponent, args.variant, args.players, args.decisions, args.seed, args.out)
        result = evaluate(policy, args.opponent, args.variant, args.players, args.deals, seed=args.seed + 1)
        write_json([result], args.out / "evaluation.json")
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    Console().print(
        f"win share of the best response: {result.win_share} where {1 / args.players:.3f} is an average player's\n"
        f"(a lower bound of the exploitability); policy: {policy}, figures: {args.out / 'evaluation.json'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
