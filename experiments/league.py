"""Distance of a league from an equilibrium, beside plain self-play of the same number of timesteps.

    python -m experiments.league [--game G ...] [--row R ...] [--seeds 1 2] [--rounds N]

A league has ``configs/league.yaml`` with shorter runs, once with each meta-solver; self-play has ``configs/mini.yaml``.
In the rows with a long average the main policy is an average of 50 rounds, and a run of it has 15.
NashConv is exact: of the main policy after the last round, of the mixture of all members, and of each member.

Runs that ``experiments/league.json`` holds are not repeated. docs/experiments.md has what came out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from bluff_env import exact
from bluff_env.utils.provenance import commit
from experiments.minis import GAMES, PLAIN, configuration
from experiments.runs import for_runs, is_there, read_runs, write_runs
from training.league import SOLVERS, League, load_league, run_league
from training.selfplay_ppo import train

RESULTS = Path(__file__).with_name("league.json")
CONFIG = Path(__file__).resolve().parent.parent / "configs/league.yaml"
SELF_PLAY = "self-play"
SHORT, LONG = 0.8, 0.98  # decay of the average, for each round
ROWS = {solver: (solver, SHORT) for solver in SOLVERS}
ROWS |= {f"{solver}, long average": (solver, LONG) for solver in SOLVERS}
FIRST, ANSWER, RESPONSE = 500_000, 250_000, 250_000
"""Timesteps of the main policy before the first round (with self-play alone), and of each run in a round."""


def self_play(game: str, seed: int, timesteps: int, tree: exact.Tree, out: Path) -> dict[str, Any]:
    """Trains by self-play, and evaluates the policy exactly."""
    policy = train(configuration(game, PLAIN, seed, timesteps), out, quiet=True)
    return {"main": round(exact.nash_conv(policy, tree), 4)}


def league(game: str, row: str, seed: int, rounds: int, tree: exact.Tree, out: Path) -> dict[str, Any]:
    """Plays a league, and evaluates its policies exactly."""
    variant, players = GAMES[game]
    solver, decay = ROWS[row]
    config, settings = load_league(CONFIG, seed)
    config = replace(config, variant=f"cheat/{variant}", num_players=players, total_timesteps=ANSWER)
    config = replace(config, ema_decay=decay)
    settings = replace(settings, meta_solver=solver, response_timesteps=RESPONSE)
    # the main policy begins as self-play does, and longer than it goes on in a round
    begun = train(configuration(game, PLAIN, seed, FIRST - ANSWER), out / "begun", quiet=True)
    mixture = run_league(replace(config, start_from=str(begun)), settings, rounds, out / "league", quiet=True)
    figures = json.loads((out / "league/curves/league.json").read_text())
    found = League(config, settings, out / "league")
    members = {name: round(exact.nash_conv(found.policy(name), tree), 4) for name in figures["members"]}
    return {
        "main": members[f"main-{rounds}"],
        "mixture": round(exact.nash_conv(mixture, tree), 4),
        "members": members,
        "gains": [
            [figure["response_gains_from_main_before"]["payoff"]["value"],
             figure["response_gains_from_main_after"]["payoff"]["value"]] for figure in figures["rounds"]
        ],
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, seed by seed."""
    rows = [SELF_PLAY, *ROWS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=list(GAMES), default=[next(iter(GAMES))], metavar="GAME")
    parser.add_argument("--row", nargs="+", choices=rows, default=rows, metavar="ROW")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    timesteps = FIRST + args.rounds * (ANSWER + RESPONSE)
    for game in args.game:
        variant, players = GAMES[game]
        tree = exact.Tree(variant, players)
        random = exact.nash_conv("random", tree)
        for seed in args.seeds:
            for row in args.row:
                run: dict[str, Any] = {"game": game, "row": row, "seed": seed}
                if is_there(run, read_runs(args.out)):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    out = Path(folder)
                    if row == SELF_PLAY:
                        run |= self_play(game, seed, timesteps, tree, out)
                    else:
                        run |= league(game, row, seed, args.rounds, tree, out)
                run |= {"timesteps": timesteps, "random": round(random, 4), "commit": commit()}
                write_runs(args.out, [*read_runs(args.out), run], row=rows, game=GAMES)
                print(json.dumps(run), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
