"""Measure whether a score of the benchmark predicts strength against players that are in no population.

    python -m experiments.outsiders [--agent NAME ...] [--game GAME ...] [--deals 50]

Every agent with a result of ``bluff-1/tables`` meets policies that the benchmark does not have: those of the other
baselines. In each game it sits alone among copies of one, and one sits alone among copies of it. Rows that
``experiments/outsiders.json`` holds are not repeated. ``make docs`` sets them beside the scores, in
docs/generated/benchmark.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from bluff_env import evaluate
from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.result import read_result
from bluff_env.benchmark.version import Game, load_version
from bluff_env.policies.document import read_document
from bluff_env.utils.jobs import Report
from experiments.outsiders_page import TRACK, method_of, result_files
from experiments.players import rounded
from experiments.runs import Run, for_runs, make_missing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("outsiders.json")
OUTSIDERS = ("self-play-ppo", "rllib-ppo", "recurrent-ppo", "dqn")
SEED = 0  # of the deals, and of the training of the outsiders: 1 + SEED
Job = tuple[str, str, Game, int]


def meet(job: Job, report: Report) -> dict[str, Any]:
    """Return what an agent gets alone among copies of an outsider, and an outsider alone among copies of it."""
    agent, outsider, game, deals = job
    policy, other = Agent(agent.split(" + ")).load(game), outsider_file(outsider, game.name)
    rules, n = game.spec.rules, game.num_players
    alone = evaluate(policy, other, rules, n, deals, SEED, progress=lambda share: report(share / 2)).payoff
    among = evaluate(other, policy, rules, n, deals, SEED, progress=lambda share: report((1 + share) / 2)).payoff
    return {"alone": rounded(*astuple(alone)), "among": rounded(*astuple(among))}


def outsider_file(method: str, game: str) -> Path:
    """Return the checkpoint of a baseline for a game of the track."""
    return ROOT / "benchmarks" / "policies" / f"{method}-{1 + SEED}" / f"{game}.safetensors"


def check_outside(game: Game) -> None:
    """Raise AssertionError if an outsider is in the population of a game."""
    known = {member.digest for member in game.population}
    for method in OUTSIDERS:
        if read_document(outsider_file(method, game.name))["weights_sha256"] in known:
            raise AssertionError(f"{method} is in the population of {game.name}")


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the rows that are missing."""
    agents = {name: read_result(path).agent for name, path in result_files(ROOT).items()}
    games = {game.name: game for game in load_version().games(TRACK)}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agent", nargs="+", choices=agents, default=list(agents), metavar="AGENT")
    parser.add_argument("--game", nargs="+", choices=games, default=list(games), metavar="GAME")
    parser.add_argument("--deals", type=int, default=50, help="each is played from every seat")
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    for game in args.game:
        check_outside(games[game])
    wanted: list[tuple[Run, Job]] = []
    for name in args.agent:
        for outsider in (method for method in OUTSIDERS if method != method_of(name)):
            for game in args.game:
                row = {"agent": name, "outsider": outsider, "game": game, "deals": args.deals, "seed": SEED}
                wanted.append((row, (agents[name], outsider, games[game], args.deals)))
    order = {"agent": agents, "outsider": OUTSIDERS, "game": games}
    for run in make_missing(wanted, meet, 0, args.out, **order):
        print(run["agent"], run["outsider"], run["game"], run["alone"], run["among"], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
