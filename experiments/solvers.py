"""Measures how near to an equilibrium OpenSpiel's algorithms come in the small games.

    pip install -c constraints.txt -e ".[train,open-spiel]" dm-tree cvxpy
    python -m experiments.solvers [--game G ...] [--algorithm A ...] [--seeds 1 2 3] [--effort 0.01]

Each algorithm is OpenSpiel's own, with settings near those of its examples, and plays the whole tree of the
game in C++ (``bluff_env.open_spiel.load_tree``). Its average strategy is read back as a
table, whose NashConv is exact. ``--effort`` shortens every run to that share, for a trial.

Runs that ``experiments/solvers.json`` holds are not repeated. The algorithms in Python take hours in mini-joker. ``make
docs`` makes a part of docs/generated/exact.md from it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from bluff_env import exact
from bluff_env.open_spiel import load_tree, read_strategy
from bluff_env.utils.jobs import Report
from experiments.runs import for_runs, make_missing

RESULTS = Path(__file__).with_name("solvers.json")
GAMES = {"mini-pairs, 2 players": ("mini-pairs", 2), "mini-joker, 2 players": ("mini-joker", 2)}
ONCE = "iterations"  # the unit of algorithms without chance, which have one run


def cfr_plus(game: Any, iterations: int, seed: int) -> Any:
    """CFR+, in C++ (Tammelin 2014)."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def mccfr(game: Any, iterations: int, seed: int) -> Any:
    """MCCFR with external sampling, in C++ (Lanctot and others 2009)."""
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed)
    for _ in range(iterations):
        solver.run_iteration()
    return _Kept(solver)


class _Kept:
    """The average policy of a solver in C++: it does not survive the solver."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.action_probabilities = solver.average_policy().action_probabilities


def fictitious_play(game: Any, iterations: int, seed: int) -> Any:
    """Extensive-form fictitious play, XFP (Heinrich, Lanctot and Silver 2015)."""
    from open_spiel.python.algorithms.fictitious_play import XFPSolver

    solver = XFPSolver(game)
    for _ in range(iterations):
        solver.iteration()
    return solver.average_policy()


def mmd(game: Any, iterations: int, seed: int) -> Any:
    """Magnetic mirror descent over the sequence form, its average (Sokota and others 2023)."""
    from open_spiel.python.algorithms.mmd_dilated import MMDDilatedEnt

    # payoffs of the sequence form are weighted with the chance of the deal, so steps are longer than in the example
    solver = MMDDilatedEnt(game, alpha=0, stepsize=20)
    for _ in range(iterations):
        solver.update_sequences()
    return solver.get_avg_policies()


def psro(game: Any, iterations: int, seed: int) -> Any:
    """PSRO with exact best responses and projected replicator dynamics (Lanctot and others 2017)."""
    from open_spiel.python.algorithms import policy_aggregator
    from open_spiel.python.algorithms.psro_v2 import best_response_oracle, psro_v2
    from open_spiel.python.policy import UniformRandomPolicy

    np.random.seed(seed)  # noqa: NPY002 - what the library draws from
    oracle = best_response_oracle.BestResponseOracle(game=game, policy=None, best_response_backend="cpp")
    solver = psro_v2.PSROSolver(
        game, oracle, initial_policies=[UniformRandomPolicy(game)] * 2, meta_strategy_method="prd",
        training_strategy_selector="probabilistic", sample_from_marginals=True, sims_per_entry=200,
    )  # fmt: skip
    for _ in range(iterations):
        solver.iteration()
    aggregator = policy_aggregator.PolicyAggregator(game)
    return aggregator.aggregate(range(2), solver.get_policies(), solver.get_meta_strategies())


def nfsp(game: Any, episodes: int, seed: int) -> Any:
    """Neural fictitious self-play, its average networks (Heinrich and Silver 2016); settings of the Leduc example."""
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp as library

    env = rl_environment.Environment(game, chance_event_sampler=rl_environment.ChanceEventSampler(seed))
    agents = [
        library.NFSP(
            seat, env.observation_spec()["info_state"][0], env.action_spec()["num_actions"], [128],
            seed=seed + 10 * seat,
            reservoir_buffer_capacity=int(2e6), replay_buffer_capacity=int(2e5), anticipatory_param=0.1,
            update_target_network_every=19_200, discount_factor=1.0, epsilon_decay_duration=20 * episodes,
            epsilon_start=0.06, epsilon_end=0.001,
        )
        for seat in range(2)
    ]  # fmt: skip
    for _ in range(episodes):
        step = env.reset()
        while not step.last():
            player = step.observations["current_player"]
            step = env.step([agents[player].step(step).action])
        for agent in agents:
            agent.step(step)
    return _Average(agents, library.MODE.AVERAGE_POLICY)


class _Average:
    """The average policies of agents of NFSP."""

    def __init__(self, agents: list[Any], mode: Any) -> None:
        self.agents, self.mode = agents, mode

    def action_probabilities(self, state: Any) -> dict[int, float]:
        """The probability of each legal action."""
        from open_spiel.python import rl_environment

        player, legal = state.current_player(), state.legal_actions()
        seen: dict[str, Any] = {"info_state": [None, None], "legal_actions": [None, None], "current_player": player}
        seen["info_state"][player], seen["legal_actions"][player] = state.information_state_tensor(player), legal
        step = rl_environment.TimeStep(observations=seen, rewards=None, discounts=None, step_type=None)
        with self.agents[player].temp_mode_as(self.mode):
            shares = self.agents[player].step(step, is_evaluation=True).probs
        return {action: float(shares[action]) for action in legal}


# Each algorithm with its name in the table, the length of a run, and what that counts.
ALGORITHMS: dict[str, tuple[Callable[[Any, int, int], Any], int, str]] = {
    "CFR+": (cfr_plus, 1000, ONCE),
    "MCCFR": (mccfr, 300_000, "samples"),
    "XFP": (fictitious_play, 100, ONCE),
    "MMD": (mmd, 200, ONCE),
    "PSRO": (psro, 40, "rounds"),
    "NFSP": (nfsp, 100_000, "games"),
}


def measure(job: tuple[str, str, int, float], report: Report) -> dict[str, Any]:
    """Runs an algorithm once. The seconds are those of the processor, of the algorithm alone.

    Args:
        job: a game, an algorithm, a seed, and the share of the whole length.
    """
    game, algorithm, seed, effort = job
    tree = exact.Tree(*GAMES[game])
    run, length, unit = ALGORITHMS[algorithm]
    length, loaded = max(1, round(length * effort)), load_tree(tree)
    started = time.process_time()
    found = run(loaded, length, seed)
    seconds = time.process_time() - started
    nash_conv = exact.nash_conv(read_strategy(tree, loaded, found), tree)
    return {"length": length, "unit": unit, "seconds": round(seconds), "nash_conv": round(nash_conv, 6)}


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=list(GAMES), default=list(GAMES), metavar="GAME")
    every = list(ALGORITHMS)
    parser.add_argument("--algorithm", nargs="+", choices=every, default=every, metavar="ALGORITHM")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], help="of algorithms that draw lots")
    parser.add_argument("--effort", type=float, default=1.0, help="share of the whole length of each run")
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    wanted = [
        ({"game": game, "algorithm": algorithm, "seed": seed}, (game, algorithm, seed, args.effort))
        for game in args.game
        for algorithm in args.algorithm
        for seed in (args.seeds[:1] if ALGORITHMS[algorithm][2] == ONCE else args.seeds)
    ]
    for run in make_missing(wanted, measure, 0, args.out, game=GAMES, algorithm=ALGORITHMS):
        print(json.dumps(run), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
