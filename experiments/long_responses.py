"""The response from a policy itself, without the other two of ``bluff-env exploit``: half of the time.

    python -m experiments.long_responses cheat/royals/4p cheat/silent/4p --deals 400

From most policies that went on from another one this response has won more than the other two, and only long ones tell
how much. Where the taught one has won as much, use ``bluff-env exploit``. It is trained as long as that command does by
default, in the same folder (``runs/exploit-NAME``), and plays the same fresh deals. The figures go to
``experiments/exploitability.json``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bluff_env.core.registry import full_name
from bluff_env.policies.document import read_document
from bluff_env.utils.errors import InputError
from bluff_env.utils.provenance import commit
from experiments.exploitability import RESULTS, keep
from experiments.players import rounded
from experiments.runs import Run, for_runs, read_runs
from training.exploit import FRESH, evaluated
from training.responses import response_configs
from training.selfplay_ppo import train

START = "warm"


def measured(name: str, deals: int, seed: int, timesteps: int | None, folder: Path) -> Run:
    """Train the response to a published policy, or go on with it, and return its figures.

    Args:
        name: of the policy.
        deals: of the evaluation.
        seed: of all chance.
        timesteps: as for :func:`training.responses.response_configs`.
        folder: in which the folder of ``bluff-env exploit`` lies.
    """
    config = response_configs(name, seed=seed, timesteps=timesteps)[START]
    response = train(config, folder / f"exploit-{name.replace('/', '-')}" / START)
    found = evaluated(response, config, deals, FRESH + seed)
    win_share, payoff = (rounded(e.value, e.low, e.high) for e in (found.win_share, found.payoff))
    return {
        "policy": name, "game": f"{full_name(config.variant)}/{config.num_players}p", "seed": seed,
        "players": found.num_players, "timesteps": read_document(response)["timesteps"], "deals": deals, "start": START,
        "scripted_player": None, "weights": str(found.digests[name])[:16], "commit": commit(),
        START: win_share, "lower_bound": win_share, "payoff": payoff,
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Train responses. Returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("policy", nargs="+", help="published policies")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timesteps", type=int, help="by default as `bluff-env exploit`")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of the runs")
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    for name in args.policy:
        try:
            run = measured(name, args.deals, args.seed, args.timesteps, args.runs)
        except (InputError, OSError) as error:
            print(f"{parser.prog}: {error}", file=sys.stderr)
            return 2
        print(f"{name}: {run['lower_bound']}, payoff {run['payoff']}", flush=True)
        known = read_runs(args.out)
        same = {key: run[key] for key in ("policy", "game", "timesteps", "seed", "weights")}
        if any(same.items() <= other.items() and "taught" in other for other in known):
            print(f"{parser.prog}: {args.out} has all three responses of this length to {name}: they stay")
        else:
            keep(args.out, [*known, run])
    return 0


if __name__ == "__main__":
    sys.exit(main())
