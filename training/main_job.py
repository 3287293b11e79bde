"""The main job, as `make train` runs it: train, load as opponents, evaluate, draw the curves.

    python -m training.main_job [--config configs/cheat-main.yaml] [--out runs/main] [--deals 400]

1. Trains a policy by self-play from the configuration and saves it as a checkpoint.
2. Loads the checkpoint as the opponents of one seat in the PettingZoo environment and plays a game.
3. Evaluates it against every scripted player on duplicate deals, with 95% intervals.
4. Draws the curves.
"""

from __future__ import annotations

import argparse
import sys
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
from bluff_env.policies.checkpoint import add_results
from bluff_env.policies.scripted import scripted_names

from .command_line import exit_code
from .config import Config, load_config
from .curves import draw_curves
from .selfplay_ppo import train

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


def evaluate_all(policy_folder: Path, config: Config, deals: int, results: list[Evaluation]) -> None:
    """Evaluates the checkpoint against N-1 copies of each scripted player, and puts what is finished into the list."""
    rules = make_rules(config.variant, **config.rules)
    names = scripted_names(family_of(rules))
    with Progress(console=console) as bar:
        task = bar.add_task("evaluating", total=len(names))
        for name in names:

            def report(share: float, finished: int = len(results)) -> None:
                bar.update(task, completed=finished + share)

            seed = 10_000 + config.seed
            results.append(
                evaluate(policy_folder, f"scripted/{name}", rules, config.num_players, deals, seed, progress=report)
            )


def results_table(results: list[Evaluation]) -> Table:
    """One row per opponent, narrow enough for 80 columns."""
    n = results[0].num_players
    table = Table(
        box=SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=f"against {n - 1} copies of each scripted player; an average player wins {1 / n:.3f}",
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
    results: list[Evaluation] = []
    try:
        evaluate_all(policy, config, deals, results)
    finally:
        if results:
            write_json(results, out / "evaluation.json")
    add_results(policy, [e.to_dict() for e in results])
    console.print(results_table(results))
    console.print(f"   written to {printable(str(out / 'evaluation.json'))}")
    console.print(f"4. curves: {printable(str(draw_curves(out, config.num_players)))}")


if __name__ == "__main__":
    sys.exit(main())
