"""What algorithms of OpenSpiel reach in the small games for two, by exact NashConv.

    python -m experiments.open_spiel_baselines [--game mini-pairs] [--algorithm NAME ...] [--seed 1 ...]

CFR+, external sampling, fictitious play, magnetic mirror descent and PSRO go through the whole tree: the game is
written out as an extensive form, which OpenSpiel then plays at full speed. NFSP learns from games, as self-play of this
project does. PSRO needs ``pip install cvxpy``, and NFSP PyTorch and ``pip install dm-tree``. R-NaD is no longer in
OpenSpiel.

Runs that ``experiments/open_spiel_baselines.json`` holds are not repeated. ``make docs`` makes a part of
docs/generated/exact.md from it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import exploitability, fictitious_play, gambit, mmd_dilated, policy_aggregator
from open_spiel.python.algorithms.psro_v2 import best_response_oracle, psro_v2

from bluff_env.open_spiel import load_game
from bluff_env.utils.provenance import commit
from experiments.runs import Run, is_there, read_runs, write_runs

RESULTS = Path(__file__).with_name("open_spiel_baselines.json")
GAMES = ("mini-pairs", "mini-joker")  # with two players; the trees of the others are too large to be written out
Found = Iterator[tuple[int, Any]]  # how many iterations or timesteps, and the policy after them


def cfr_plus(game: Any, seed: int) -> Found:
    """CFR+ (Tammelin 2014), the average strategy."""
    solver = pyspiel.CFRPlusSolver(game)
    yield from _every(solver.evaluate_and_update_policy, solver.average_policy, (100, 1000))


def external_sampling(game: Any, seed: int) -> Found:
    """Monte Carlo CFR by external sampling (Lanctot and others 2009), the average strategy."""
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed)
    yield from _every(solver.run_iteration, solver.average_policy, (10_000, 100_000))


def fictitious(game: Any, seed: int) -> Found:
    """Fictitious play in extensive form (Heinrich, Lanctot and Silver 2015)."""
    solver = fictitious_play.XFPSolver(game)
    yield from _every(solver.iteration, solver.average_policy, (10, 30))


def magnetic(game: Any, seed: int) -> Found:
    """Magnetic mirror descent (Sokota and others 2023) in sequence form; it ends near a quantal equilibrium."""
    solver = mmd_dilated.MMDDilatedEnt(game, alpha=0.01, stepsize=0.1)
    yield from _every(solver.update_sequences, solver.get_policies, (20, 100))


def psro(game: Any, seed: int) -> Found:
    """PSRO (Lanctot and others 2017): exact best responses to the equilibrium of the meta-game, and its mixture."""
    np.random.seed(seed)  # noqa: NPY002 - what OpenSpiel draws from
    uniform = policies.TabularPolicy(game)
    solver = psro_v2.PSROSolver(
        game, best_response_oracle.BestResponseOracle(game=game, policy=uniform),
        initial_policies=[uniform.__copy__() for _ in range(2)], training_strategy_selector="probabilistic",
        sims_per_entry=200, meta_strategy_method="nash", sample_from_marginals=True,
    )  # fmt: skip

    def mixture() -> Any:
        aggregator = policy_aggregator.PolicyAggregator(game)
        return aggregator.aggregate(range(2), solver.get_policies(), solver.get_meta_strategies())

    yield from _every(solver.iteration, mixture, (5, 15))


def nfsp(game: Any, seed: int) -> Found:
    """Neural fictitious self-play (Heinrich and Silver 2016), the average network. It counts timesteps."""
    import torch
    from open_spiel.python.pytorch.nfsp import MODE, NFSP

    np.random.seed(seed)  # noqa: NPY002 - what OpenSpiel draws from
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = rl_environment.Environment(game)
    size, actions = env.observation_spec()["info_state"], env.action_spec()["num_actions"]
    agents = [
        NFSP(
            player, size, actions, [128, 128], 200_000, 0.1, batch_size=256, rl_learning_rate=0.1,
            sl_learning_rate=0.01, min_buffer_size_to_learn=1000, learn_every=64, seed=seed,
            replay_buffer_capacity=20_000, epsilon_decay_duration=500_000, epsilon_start=0.06, epsilon_end=0.001,
        )
        for player in range(2)
    ]  # fmt: skip
    done = 0
    for goal in (100_000, 300_000):
        while done < goal:
            at = env.reset()
            while not at.last():
                at = env.step([agents[at.observations["current_player"]].step(at).action])
                done += 1
            for agent in agents:
                agent.step(at)
        yield done, _Average(game, agents, MODE.AVERAGE_POLICY)


class _Average(policies.Policy):  # type: ignore[misc]
    """The average networks of NFSP as a policy of OpenSpiel."""

    def __init__(self, game: Any, agents: list[Any], mode: Any) -> None:
        super().__init__(game, [0, 1])
        self._agents, self._mode = agents, mode

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = state.current_player()
        seen: dict[str, Any] = {"current_player": player, "legal_actions": [None, None], "info_state": [None, None]}
        seen["info_state"][player] = state.information_state_tensor(player)
        seen["legal_actions"][player] = state.legal_actions(player)
        at = rl_environment.TimeStep(observations=seen, rewards=None, discounts=None, step_type=None)
        with self._agents[player].temp_mode_as(self._mode):
            probabilities = self._agents[player].step(at, is_evaluation=True).probs
        return {action: float(probabilities[action]) for action in state.legal_actions()}


def _every(iteration: Callable[[], Any], policy: Callable[[], Any], at: tuple[int, ...]) -> Found:
    """Yield the policy after so many iterations."""
    done = 0
    for goal in at:
        while done < goal:
            iteration()
            done += 1
        yield done, policy()


# whether the algorithm walks the tree, and so plays the extensive form; whether chance has a part in it
ALGORITHMS: dict[str, tuple[Callable[[Any, int], Found], bool, bool]] = {
    "CFR+": (cfr_plus, True, False),
    "external sampling": (external_sampling, True, True),
    "fictitious play": (fictitious, True, False),
    "MMD": (magnetic, True, False),
    "PSRO": (psro, True, True),
    "NFSP": (nfsp, False, True),
}


def measure(name: str, variant: str, seed: int, games: dict[str, Any]) -> Iterator[Run]:
    """Run an algorithm, and evaluate exactly what it has found; seconds are those of the processor."""
    algorithm, on_tree, _ = ALGORITHMS[name]
    game = games[variant] if on_tree else load_game(variant, 2)
    seconds, started = 0.0, time.process_time()
    for amount, policy in algorithm(game, seed):
        seconds += time.process_time() - started
        found = nash_conv(game, policy)
        yield {
            "game": variant, "algorithm": name, "seed": seed, "amount": amount, "seconds": round(seconds, 1),
            "nash_conv": round(found, 4), "open_spiel": version("open_spiel"), "commit": commit(),
        }  # fmt: skip
        started = time.process_time()


def nash_conv(game: Any, policy: Any) -> float:
    """Return what both seats together could gain by best responses; policies of OpenSpiel come in several forms."""
    if isinstance(policy, list):  # one for each seat
        policy = policies.tabular_policy_from_callable(game, lambda s: policy[s.current_player()](s))
    if isinstance(policy, pyspiel.Policy):
        policy = policies.tabular_policy_from_callable(game, policy.get_state_policy_as_map)
    return float(exploitability.nash_conv(game, policy))


def main() -> int:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", action="append", choices=GAMES)
    parser.add_argument("--algorithm", action="append", choices=ALGORITHMS)
    parser.add_argument("--seed", action="append", type=int, help="of those that draw by chance (default: 1, 2 and 3)")
    args = parser.parse_args()
    names, runs = args.algorithm or list(ALGORITHMS), read_runs(RESULTS)
    games: dict[str, Any] = {}
    for variant in args.game or GAMES:
        for name in names:
            _, on_tree, by_chance = ALGORITHMS[name]
            for seed in (args.seed or [1, 2, 3]) if by_chance else [0]:
                if is_there({"game": variant, "algorithm": name, "seed": seed}, runs):
                    continue
                if on_tree and variant not in games:
                    games[variant] = pyspiel.load_efg_game(gambit.export_gambit(load_game(variant, 2)))
                found = list(measure(name, variant, seed, games))
                print(*found, sep="\n", flush=True)
                runs = [*read_runs(RESULTS), *found]
                write_runs(RESULTS, runs, game=GAMES, algorithm=ALGORITHMS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
