"""Random rule sets of both families in every view and against the oracle: the long version of test_sample.py.

    python tools/soak.py --draws 1000 --games 20 --first 0
    python tools/soak.py --only oracle --draws 5000         whole games against the oracle, and nothing else

For every draw of `sample_rules`, ``games`` whole games are compared with the oracle at every node, and some games of
random rules are held against what ``describe`` says of them (``tests/cheat/event_referee.py``); ``games`` are played
in the batched engine by random and ``games`` by scripted players; one is played in the PettingZoo environment (every
observation in its space, payoffs that add up to zero), and some steps in the Gymnasium and SB3 views. The same is done
for a table of Bluff the Bullet, except for the oracle (see tests/families/test_oracle.py). Every tenth rule set of each
family has to keep all promises of `bluff-env check`.

Draws of which 20 games agree with the oracle are recorded in ``tests/data/agreement.json`` for the present state of the
code (``tools/agreement.py``). What is recorded is not compared again, so an interrupted run resumes,
and several processes may share the work, each with a ``--first`` of its own.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import agreement
import gymnasium
import numpy as np

from bluff_env import conformance, sample_rules
from bluff_env.bullet.rules import Responses
from bluff_env.bullet.rules import Rules as BulletRules
from bluff_env.cheat.rules import Rules
from bluff_env.core.engine import Engine
from bluff_env.core.names import environment_id
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import environment_of
from bluff_env.evaluation.duplicates import play_out
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names
from bluff_env.sb3 import BatchedVecEnv

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / folder) for folder in ("cheat", "families")]
from cheat_whole_games import Comparison  # noqa: E402
from refereed_games import referee_games  # noqa: E402

VIEW_STEPS = 30
RECORDED = 10  # draws are recorded together
CHECKED = 10  # every tenth rule set goes through `conformance.check`


def against_the_oracle(rules: Rules, num_players: int, games: int, seed: int) -> int:
    """Whole games, compared at every node; returns the number of nodes."""
    rng, comparison = random.Random(f"soak {seed}"), Comparison(rules, num_players)
    return sum(comparison.game(rng) for _ in range(games))


def in_the_engine(rules: Any, num_players: int, games: int, seed: int, scripted: bool) -> int:
    """Whole games by random or by scripted players in random seats; returns the number of decisions."""
    engine = Engine(rules, num_games=games, num_players=num_players, seed=seed, autoreset=False)
    rng = np.random.default_rng(seed)
    family = family_of(rules)
    names = scripted_names(family) if scripted else ("random",)
    policies = [ScriptedPolicy(name, family) for name in names]
    who = rng.integers(len(policies), size=(games, num_players))
    over: list[float] = []  # the share of the games that are over, before every step
    play_out(engine, policies, who, rng, progress=over.append)
    assert np.abs(engine.results()["payoffs"].sum(1)).max() < 1e-9, "payoffs do not add up to 0"
    return round(sum(games * (1 - share) for share in over))


def in_pettingzoo(rules: Any, num_players: int, seed: int) -> int:
    """One game in which every observation lies in its space; returns the number of decisions."""
    env = environment_of(family_of(rules))(rules, num_players)
    rng, decisions = np.random.default_rng(seed), 0
    env.reset(seed=seed)
    assert env.state_space.contains(env.state())
    while not all(env.terminations.values()):
        observation, *_ = env.last()
        assert env.observation_space(env.agent_selection).contains(observation)
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += 1
    assert abs(sum(env.rewards.values())) < 1e-9, "payoffs do not add up to 0"
    return decisions


def in_single_learner_views(rules: Any, num_players: int, seed: int) -> int:
    """Some steps of one learner among random opponents; returns the number of decisions."""
    rng = np.random.default_rng(seed)
    name = environment_id(family_of(rules).name)
    env: Any = gymnasium.make(name, variant=rules, num_players=num_players, opponents=["random"]).unwrapped
    env.reset(seed=seed)
    vec = BatchedVecEnv(rules, num_envs=4, num_players=num_players, opponents=["random"], seed=seed)
    vec.reset()
    for _ in range(VIEW_STEPS):
        over = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))[2]
        if over:
            env.reset()
        masks = np.stack(vec.env_method("action_masks"))
        vec.step((rng.random(masks.shape) * masks).argmax(1))
    return 5 * VIEW_STEPS


def in_every_view(cheat: Rules, num_players: int, games: int, seed: int) -> Counter[str]:
    """A draw of Cheat and a table of Bluff the Bullet in the engine and all views; returns what was played."""
    played: Counter[str] = Counter()
    bullet, bullet_players = BulletRules(straights=bool(seed % 2), responses=Responses(seed // 2 % 2)), 2 + seed % 4
    for rules, n in ((cheat, num_players), (bullet, bullet_players)):
        for scripted in (False, True):
            played["games in the engine"] += games
            played["decisions in the engine"] += in_the_engine(rules, n, games, seed, scripted)
        played["decisions in PettingZoo"] += in_pettingzoo(rules, n, seed)
        played["decisions in Gymnasium and SB3"] += in_single_learner_views(rules, n, seed)
        if seed % CHECKED == 0:
            report = conformance.check(rules, n, games=4, seed=seed)
            assert report.ok, report
            played["rule sets checked"] += 1
    return played


def main(argv: list[str] | None = None) -> int:
    """Plays, prints what was played, and stops at the first rule set that fails, which it names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--games", type=int, default=agreement.GAMES, help="games of each draw (20)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no more draws after this time")
    parser.add_argument("--only", choices=("oracle", "views"), help="one half of the work (both)")
    args = parser.parse_args(argv)
    if not args.minutes >= 0:
        parser.error("--minutes has to be at least 0")
    played: Counter[str] = Counter()
    code, agreed = agreement.digest(), agreement.read()
    is_recorded = args.games == agreement.GAMES
    new: dict[int, int] = {}  # nodes by draw, not recorded yet
    started = time.time()
    for seed in range(args.first, args.first + args.draws):
        if time.time() - started > 60 * args.minutes:
            break
        num_players = 2 + seed % 5
        cheat = sample_rules(seed, num_players)
        try:
            if args.only != "views" and not (is_recorded and agreement.is_done(agreed, seed)):
                new[seed] = against_the_oracle(cheat, num_players, args.games, seed)
                played["games before the event referee"] += referee_games(seed)
                played["games against the oracle"] += args.games
                played["nodes against the oracle"] += new[seed]
            if args.only != "oracle":
                played += in_every_view(cheat, num_players, args.games, seed)
        except Exception:
            print(f"seed {seed}, {num_players} players of Cheat, fails: {cheat}", file=sys.stderr)
            raise
        played["rule sets"] += 1
        if is_recorded and len(new) == RECORDED:
            agreement.add(new, code=code)
            new.clear()
        if played["rule sets"] % 50 == 0:
            print(f"{time.time() - started:6.0f} s  {dict(played)}", flush=True)
    if is_recorded:
        agreement.add(new, code=code)
    print(f"all agree after {time.time() - started:.0f} s: {dict(played)}; recorded: {agreement.read()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
