"""A whole training, as `make train` and `bluff-env train` run it: train, load as opponents, evaluate, draw the curves.

It first says what it is going to do, and how long that takes.

    python -m training.main_job [--config configs/cheat-main.yaml] [--out runs/main] [--deals 400]

1. Trains a policy by self-play from the configuration and saves it as a checkpoint.
2. Loads the checkpoint as the opponents of one seat in the PettingZoo environment and plays a game.
3. Evaluates it on duplicate deals, with 95% intervals: against every scripted player, and against the exploiters and
   snapshots in its pool, to which it would lose if it had forgotten how to play against them.
4. Draws the curves.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bluff_env import load_policy
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import environment_of
from bluff_env.evaluation.duplicates import FIGURES, Evaluation
from bluff_env.evaluation.games import GameSpec, choose_game
from bluff_env.evaluation.pairs import evaluate_pairs
from bluff_env.policies import Policy
from bluff_env.policies.checkpoint import add_results
from bluff_env.policies.policy import State
from bluff_env.policies.scripted import scripted_players
from bluff_env.utils.errors import printable
from bluff_env.utils.numerals import signed

from .command_line import check_deals, configuration, exit_code, run_script
from .config import Config
from .display import title
from .pictures import draw_curves
from .run_folder import EVALUATION, check_folder, policy_timesteps
from .run_state import resume_run
from .selfplay_ppo import new_run, train

console = Console(markup=False)  # names in a configuration may contain brackets
DEALS = 400
FAST, SLOW = 55_000, 15_000  # timesteps a second on one idle core: between these lie the machines that were tried


def play_one_game(policy_folder: Path, config: Config) -> str:
    """Play the checkpoint in every seat but that of player_0, who plays at random; return the payoffs as text."""
    env = environment_of(family_of(config.variant))(config.variant, config.num_players, **config.rules)
    opponent, newcomer = load_policy(policy_folder), load_policy("random", rules=config.variant)
    rng = np.random.default_rng(config.seed)
    env.reset(seed=config.seed)
    rewards, memory = dict.fromkeys(env.possible_agents, 0.0), dict[str, State]()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        rewards[agent] = max(rewards[agent], reward, key=abs)
        if termination or truncation:
            env.step(None)
            continue
        policy, (seen, mask) = newcomer if agent == "player_0" else opponent, observation.values()
        action, memory[agent] = policy.predict(seen, memory.get(agent), action_masks=mask, rng=rng)
        env.step(int(action))
    return ", ".join(f"{agent} {signed(reward, 2)}" for agent, reward in rewards.items())


def networks_of(config: Config, out: Path) -> list[Policy]:
    """Return the exploiters and snapshots in the pool of the run that this folder holds."""
    run = new_run(replace(config, kickstart=""))  # nothing is learnt, so no teacher is looked for
    resume_run(run, config, out)
    return [run.pool.policies[index] for index in run.pool.networks]


def results_table(results: list[Evaluation], opponents: str) -> Table:
    """Return a table of 80 columns with a row per opponent; ``opponents`` is their kind. The file has all intervals."""
    n = results[0].num_players
    copies = "one copy" if n == 2 else f"{n - 1} copies"
    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=f"against {copies} of each {opponents}; an average player wins {1 / n:.3f}",
        title_justify="left",
    )
    table.add_column("opponent", min_width=14, overflow="fold")
    table.add_column("win share", no_wrap=True)
    for name in FIGURES[1:]:
        table.add_column(name.replace("_", "\n"))
    table.add_column("above\nchance")
    for e in results:
        figures = (f"{getattr(e, name).value:.3f}" for name in FIGURES[1:])
        opponent = printable(e.opponent.removeprefix("scripted/"))
        table.add_row(opponent, str(e.win_share), *figures, "yes" if e.beats_chance else "NO")
    return table


def main(argv: list[str] | None = None) -> int:
    """Parse the options and run all four steps. Return the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Train, load as opponents, evaluate, draw.")
    parser.add_argument("--config", type=Path, default=Path("configs/cheat-main.yaml"), help="a YAML file")
    parser.add_argument("--out", type=Path, default=Path("runs/main"), help="folder of the run; resumes a run there")
    parser.add_argument("--deals", type=int, default=DEALS, help="deals of each evaluation; 0 for none")
    args = parser.parse_args(argv)
    return exit_code(lambda: run(*configuration(args.config, out=args.out), args.deals))


def run(config: Config, out: Path, deals: int = DEALS) -> None:
    """Train, play, evaluate and draw.

    Args:
        config: of the run.
        out: its folder.
        deals: of each evaluation; 0 leaves the evaluation out.

    Raises:
        ConfigError, OSError, DivergedError, Stopped: as :func:`training.selfplay_ppo.train` does.
    """
    check_deals(deals)
    check_folder(config, out)
    say(plan(config, out, deals))
    before = policy_timesteps(out)
    policy = train(config, out)
    if policy_timesteps(out) != before:
        (out / EVALUATION).unlink(missing_ok=True)  # of the policy that was here before
    say(f"the checkpoint {policy} as opponents in PettingZoo: {play_one_game(policy, config)}")
    if deals:
        say("evaluation on duplicate deals with rotated seats, 95% intervals")
        game = choose_game(config.variant, config.num_players, config.rules, [policy])
        evaluate(policy, game, out, deals, config.seed, networks_of(config, out))
        say(f"figures: {out / EVALUATION}")
    say(f"curves: {draw_curves([out])}, {out / 'curves.csv'}, tensorboard --logdir {out / 'tensorboard'}")


def plan(config: Config, out: Path, deals: int) -> str:
    """Return what :func:`run` is going to do, and how long the training takes, in words."""
    low, high = (max(1, round(config.total_timesteps / speed / 60)) for speed in (FAST, SLOW))
    minutes = f"{low} to {high} minutes" if low < high else "a minute"
    measured = f", evaluates it on {deals} deals against each scripted player" if deals else ""
    return (
        f"Trains a policy by self-play in {out}: {title(config)}, {config.total_timesteps:,} timesteps, about "
        f"{minutes} of an idle core. Then plays a game with it{measured}, and draws its curves. Ctrl-C saves, and the "
        "same command resumes."
    )


def say(sentence: str) -> None:
    """Print a sentence, which may name files, on one line."""
    console.print(printable(sentence), soft_wrap=True, highlight=False)


def evaluate(path: Path, game: GameSpec, out: Path, deals: int, seed: int, networks: Sequence[Policy] = ()) -> None:
    """Evaluate a policy against scripted players and the networks of its pool. Ctrl-C keeps the figures so far.

    Args:
        path: its checkpoint, into which the figures against scripted players go.
        game: what it plays.
        out: folder of ``evaluation.json``, which has all figures.
        deals: of each evaluation.
        seed: of the run.
        networks: those of its pool.
    """
    scripted = scripted_players(family_of(game.rules))
    others = {policy.name: policy for policy in networks}
    policies = {str(path): game.load(path), **{name: game.load(name) for name in scripted}, **others}
    results: list[Evaluation] = []
    pairs = [(str(path), name) for name in (*scripted, *others)]
    evaluate_pairs(pairs, policies, game, deals, 10_000 + seed, results, out / EVALUATION)
    against, earlier = results[: len(scripted)], results[len(scripted) :]
    add_results(path, [e.to_dict() for e in against])
    console.print(results_table(against, "scripted player"))
    if earlier:
        console.print(results_table(earlier, "network of the pool, named by its round"))


if __name__ == "__main__":
    run_script(main)
