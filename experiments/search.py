"""Measure search at the moment of decision (``bluff_env/policies/search.py``): what it wins, and what it may lose.

    python -m experiments.search games [--policy P ...] [--against A ...] [--worlds 0 16 64] [--step 0.02] [--deals 40]
    python -m experiments.search exact [--policy P ...] [--worlds 0 64] [--step 0.02]

`games` seats one player who searches among copies of the policy (``itself``) or of a scripted player, on duplicate
deals; with 0 worlds it is the policy as it is. A figure is the payoff, with the seconds of a searched decision.
`exact` asks the search at every information set of a small game, and says how far from an equilibrium the
player is that plays so (NashConv as a share of random play's).

Rows that ``experiments/search.json`` holds are not repeated. docs/experiments.md has what came out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bluff_env import exact, load_policy
from bluff_env.core.engine import Engine
from bluff_env.core.parts import NOBODY
from bluff_env.core.registry import family_of, make_rules
from bluff_env.core.single_game import SingleGame
from bluff_env.envs.position import Position
from bluff_env.evaluation.estimates import bootstrap_mean
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.policies import SeatPolicies
from bluff_env.policies.search import TRIED, Search
from bluff_env.policies.trained import NetworkPolicy
from bluff_env.utils.provenance import commit
from experiments.runs import Run, for_runs, is_there, read_runs, write_runs

RESULTS = Path(__file__).with_name("search.json")
GAMES = ("cheat/bullshit/2p", "cheat/chinese/3p", "cheat/bullshit/4p")
SMALL = ("cheat/mini-pairs/2p", "cheat/mini-single/2p", "cheat/mini-joker/2p")
ITSELF = "itself"
AGAINST = (ITSELF, "scripted/honest", "scripted/counter", "scripted/always-call", "scripted/sharp")


def one_searches(policy: NetworkPolicy, against: str, worlds: int, step: float, deals: int, seed: int) -> Run:
    """Return the payoff of a seat that searches, each deal played from each seat, and the time that it took."""
    rules, n = make_rules(policy.meta["variant"]), int(policy.meta["num_players"])
    others = policy if against == ITSELF else load_policy(against, rules=rules)
    engine = Engine(rules, deals * n, num_players=n, autoreset=False)
    engine.reset(seeds=np.repeat(np.arange(deals) + 1000 * seed, n))
    mine = np.tile(np.arange(n), deals)
    seats = SeatPolicies([policy, others], np.where(np.arange(n) == mine[:, None], 0, 1))
    rng, search = np.random.default_rng(seed), Search(policy, max(1, worlds), step)
    game = SingleGame(family_of(rules), *engine.rule_sets[0])
    seconds: list[float] = []
    while (running := engine.to_act != NOBODY).any():
        rows, actions = np.flatnonzero(running), np.zeros(engine.num_games, np.int64)
        actions[rows] = seats.act(engine, rows, rng)
        own = rows[engine.to_act[rows] == mine[rows]] if worlds else rows[:0]
        is_open = (policy.probabilities(engine.observations[own], engine.action_masks[own]) >= TRIED).sum(1) > 1
        for row in own[is_open]:
            started = time.perf_counter()
            game.states[0] = engine._games[row]
            game.write_mask()
            shares = search.probabilities(game, rng)
            actions[row] = rng.choice(len(shares), p=shares)
            seconds.append(time.perf_counter() - started)
        engine.step(actions, running)
    payoffs = engine.results()["payoffs"][np.arange(len(mine)), mine].reshape(deals, n)
    gain = bootstrap_mean(payoffs.mean(1), np.random.default_rng(0), (-1.0, 1.0))
    return {
        "payoff": [round(x, 4) for x in (gain.value, gain.low, gain.high)],
        "seconds": round(float(np.mean(seconds or [0.0])), 3),
    }


def exactly(policy: NetworkPolicy, worlds: int, step: float) -> Run:
    """Return NashConv of the player that searches at each information set of a small game, as random play's share."""
    rules, n = make_rules(policy.meta["variant"]), int(policy.meta["num_players"])
    tree = exact.Tree(rules, n)
    random = exact.nash_conv("random", tree)
    if not worlds:
        return {"nash_conv": round(exact.nash_conv(policy, tree) / random, 4)}
    search, found = Search(policy, worlds, step), games_by_view(rules, n)
    shares = np.zeros(tree.action_masks.shape)
    for i, observation in enumerate(tree.observations):
        shares[i] = search.probabilities(found[observation.tobytes()], i)
    weights = np.concatenate([np.ones(tree.num_players), shares[np.nonzero(tree.action_masks)][tree.choices]])
    searching = TabularPolicy(tree, tree.strategy(weights), name="searching")
    return {"nash_conv": round(exact.nash_conv(searching, tree) / random, 4)}


def games_by_view(rules: Any, n: int) -> dict[bytes, SingleGame]:
    """Return a game for each observation that the player to act can have, by the observation."""
    found: dict[bytes, SingleGame] = {}
    left, seen = [Position(rules, n)], set()
    while left:
        position = left.pop()
        if position.is_terminal() or (key := position.game.states.tobytes()) in seen:
            continue
        seen.add(key)
        if position.is_player_node():
            view = position.game.observe(position.current_player())
            found.setdefault(view.tobytes(), position.game)
            names = position.legal_actions()
        else:
            names = [name for name, _ in position.chance_outcomes()]
        left += map(position.child, names)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the rows that are missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=("games", "exact"))
    parser.add_argument("--policy", nargs="+", help="by default all that are measured")
    parser.add_argument("--against", nargs="+", choices=AGAINST, default=[ITSELF], metavar="PLAYER")
    parser.add_argument("--worlds", type=int, nargs="+", default=[0, 16, 64], help="0: no search")
    parser.add_argument("--step", type=float, nargs="+", default=[0.02], help="the payoff that makes e times as likely")
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    names = args.policy or (GAMES if args.kind == "games" else SMALL)
    for name, against, worlds, step in product(names, args.against, args.worlds, args.step):
        policy: Any = load_policy(name)
        run: Run = {"kind": args.kind, "policy": name, "worlds": worlds, "step": step if worlds else 0.0, "seed": 1}
        if args.kind == "games":
            run |= {"against": against, "deals": args.deals}
        if is_there(run, read_runs(args.out)):
            continue
        if args.kind == "games":
            run |= one_searches(policy, against, worlds, step, args.deals, run["seed"])
        else:
            run |= exactly(policy, worlds, step)
        run["commit"] = commit()
        write_runs(args.out, [*read_runs(args.out), run])
        print(json.dumps(run), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
