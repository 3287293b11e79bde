"""The main job, as `make train` runs it: train, load as opponents, evaluate, draw the curves.

    python -m training.main_job [--config configs/cheat-main.yaml] [--out runs/main] [--deals 400]

1. Trains a policy by self-play from the configuration and saves it as a checkpoint.
2. Loads the checkpoint as the opponents of one seat in the PettingZoo environment and plays a game.
3. Evaluates it on duplicate deals, with 95% intervals: against every scripted player, and against the snapshots in its
   pool, to which it would lose if it had forgotten how to play against what it once was.
4. Draws the curves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bluff_env import load_policy
from bluff_env.aec import environment_of
from bluff_env.errors import printable
from bluff_env.evaluation import FIGURES, Evaluation, evaluate, write_json
from bluff_env.family import family_of, make_rules
from bluff_env.policies import Policy, PolicySpec
from bluff_env.policies.checkpoint import add_results
from bluff_env.policies.scripted import scripted_names

from .command_line import exit_code
from .config import Config, load_config
from .curves import draw_curves
from .run_state import resume_run
from .selfplay_ppo import new_run, train

console = Console(markup=False)  # names in a configuration may contain brackets


def play_one_game(policy_folder: Path, config: Config) -> str:
    """Plays the checkpoint in every seat but that of player_0, who plays at random; returns the payoffs as text."""
    env = environment_of(family_of(config.variant))(config.variant, config.num_players, **config.rules)
    opponent, newcomer = load_policy(policy_folder), load_policy("random", rules=config.variant)
    rng = np.random.default_rng(config.seed)
    env.reset(seed=config.seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        rewards[agent] = max(rewards[agent], reward, key=abs)
        policy = newcomer if agent == "player_0" else opponent
        over = termination or truncation
        env.step(None if over else policy.act(observation["observation"], observation["action_mask"], rng=rng))
    return ", ".join(f"{agent} {reward:+.2f}" for agent, reward in rewards.items())


def evaluate_all(
    policy: Path, opponents: Sequence[PolicySpec], config: Config, deals: int, results: list[Evaluation]
) -> None:
    """Evaluates the checkpoint against N-1 copies of each opponent, and puts what is finished into the list."""
    rules = make_rules(config.variant, **config.rules)
    with Progress(console=console) as bar:
        task = bar.add_task("evaluating", total=len(opponents))
        for done, opponent in enumerate(opponents):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            seed = 10_000 + config.seed
            results.append(evaluate(policy, opponent, rules, config.num_players, deals, seed, progress=report))


def snapshots_of(config: Config, out: Path) -> list[Policy]:
    """The snapshots in the pool of the run that this folder holds."""
    run = new_run(config)
    resume_run(run, config, out)
    return run.pool.policies[len(run.pool.scripted) :]


def results_table(results: list[Evaluation], opponents: str) -> Table:
    """One row per opponent, narrow enough for 80 columns. ``opponents`` says of what kind they are."""
    n = results[0].num_players
    table = Table(
        box=SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=f"against {n - 1} copies of each {opponents}; an average player wins {1 / n:.3f}",
    )
    table.add_column("opponent", no_wrap=True)
    for name in FIGURES:
        table.add_column(name.replace("_", " "))
    table.add_column("above chance")
    for e in results:
        table.add_row(
            printable(e.opponent.removeprefix("scripted/")),
            *(str(getattr(e, name)) for name in FIGURES),
            "yes" if e.beats_chance else "NO",
        )
    return table


def main(argv: list[str] | None = None) -> int:
    """Parses the options and runs all four steps. Returns the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Train, load as opponents, evaluate, draw.")
    parser.add_argument("--config", default="configs/cheat-main.yaml", help="a YAML file, as in configs/")
    parser.add_argument("--out", type=Path, default=Path("runs/main"), help="folder of the run; resumes a run there")
    parser.add_argument("--deals", type=int, default=400, help="deals of each evaluation")
    args = parser.parse_args(argv)
    return exit_code(lambda: run(args.config, args.out, args.deals))


def run(path: str, out: Path, deals: int) -> None:
    """All four steps. Ctrl-C in the evaluation keeps the figures so far."""
    config = load_config(path)
    size = f"{config.num_players} players, {config.total_timesteps:,} timesteps"
    console.print(f"1. training {printable(config.variant)}, {size}")
    policy = train(config, out)
    console.print(f"2. the checkpoint {printable(str(policy))} as opponents in PettingZoo: ", end="")
    console.print(play_one_game(policy, config))
    console.print("3. evaluation on duplicate deals with rotated seats, 95% intervals")
    scripted: list[Evaluation] = []
    snapshots: list[Evaluation] = []
    try:
        names = [f"scripted/{name}" for name in scripted_names(family_of(config.variant))]
        evaluate_all(policy, names, config, deals, scripted)
        evaluate_all(policy, snapshots_of(config, out), config, deals, snapshots)
    finally:
        if scripted:
            write_json([*scripted, *snapshots], out / "evaluation.json")
    add_results(policy, [e.to_dict() for e in scripted])
    console.print(results_table(scripted, "scripted player"))
    if snapshots:
        console.print(results_table(snapshots, "snapshot of the run, named by its round"))
    console.print(f"   written to {printable(str(out / 'evaluation.json'))}")
    console.print(f"4. curves: {printable(str(draw_curves(out, config.num_players)))}")


if __name__ == "__main__":
    sys.exit(main())
