"""Strength of the published policies: each game's policy against every scripted player, both ways round.

    python -m experiments.policies [--game cheat/royals/4p ...] [--changed] [--deals 40] [--seed 0] [--out FILE]

The games: every preset with its usual number of players, every other number that a policy was trained for, and what the
generalist was never trained on. In each of them the policy that ``load_policy`` finds sits among copies of every
scripted player, and every scripted player among copies of the policy: ``--deals`` deals, each played once from every
seat. Where that is a policy of this game alone, the generalist of the family plays among the same copies as well, to be
compared with it. As many games among copies of the policy alone say how mixed it is, and how often nobody wins in time.
In the small games that :mod:`experiments.exact_games` solves, their NashConv is exact. It takes about half an hour on
one core.

The results go to ``experiments/policies.json``, from which ``make docs`` makes docs/generated/policies.md. With
``--game`` only these games are measured anew, with ``--changed`` only what was measured of other weights.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import torch
from scipy.special import entr

from bluff_env import Engine, exact, load_policy
from bluff_env.core.registry import FAMILIES, family_of, find_variant, full_name, make_rules
from bluff_env.evaluation.duplicates import Evaluation, evaluate, play_out
from bluff_env.policies.policy import Policy
from bluff_env.policies.published import GENERALIST, published
from bluff_env.policies.scripted import scripted_players
from bluff_env.utils.files import write_file
from bluff_env.utils.provenance import commit
from experiments.exact_games import GAMES as EXACT
from experiments.players import rounded
from experiments.runs import published_weights, writable

RESULTS = Path(__file__).with_name("policies.json")
# With house rules that the generalist was never trained on together, and with more players than usual; it never met 5.
PAIRS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("cheat/bullshit/4p", {"check": True, "jokers": 2}),
    ("cheat/chinese/4p", {"count": "more"}),
    ("cheat/kings-cup/4p", {"full_set": "automatic"}),
)
OTHER_NUMBERS = ("cheat/bullshit/6p", "cheat/pagat/5p", "cheat/chinese/5p")


@dataclass(frozen=True)
class Game:
    """A preset with its number of players, and house rules on top of it."""

    name: str  # cheat/royals/4p
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The game in a few words, by which its figures are found."""
        return " ".join([self.name, *(f"{rule}={value}" for rule, value in self.rules.items())])

    @property
    def variant(self) -> str:
        """The preset."""
        return self.name.rpartition("/")[0]

    @property
    def num_players(self) -> int:
        """The number of players."""
        return int(self.name.rpartition("/")[2].removesuffix("p"))


def all_games() -> list[Game]:
    """Every game that is measured."""
    presets = [full_name(name) for family in FAMILIES.values() for name in family.variants]
    usual = [f"{name}/{find_variant(name).players[1]}p" for name in presets]
    trained_for = [name for name in published() if not name.endswith(GENERALIST)]
    return [*map(Game, dict.fromkeys((*usual, *trained_for, *OTHER_NUMBERS))), *(Game(*pair) for pair in PAIRS)]


def policies_of(game: Game) -> tuple[str, str]:
    """The policy that ``load_policy`` finds, and the generalist that is compared with it, or no name."""
    general = f"{family_of(make_rules(game.variant)).name}/{GENERALIST}"
    if game.name not in published() or game.rules:
        return general, ""
    return game.name, general if general in published() else ""


def measured_anew(game: Game, found: dict[str, Any], deals: int, seed: int) -> dict[str, Any]:
    """The figures of one game after a policy was replaced: those of the same weights stay."""
    weights, (name, general) = published_weights(), policies_of(game)
    if found.get("weights") != weights[name]:
        return measure(game, deals, seed)
    if general and found.get("generalist") != weights[general]:
        return found | measure_generalist(general, game, deals, seed)
    return found


def measure(game: Game, deals: int, seed: int) -> dict[str, Any]:
    """All figures of one game: win shares as (figure, low, high), by scripted player."""
    rules, n = make_rules(game.variant, **game.rules), game.num_players
    name, general = policies_of(game)
    policy: Any = load_policy(name, rules=rules, num_players=n)
    players = scripted_players(family_of(rules))
    one = {player: evaluate(policy, player, rules, n, deals, seed) for player in players}
    many = {player: evaluate(player, policy, rules, n, deals, seed) for player in players}
    found = {
        "policy": name, "weights": policy.meta["weights_sha256"][:16], "commit": commit(), "deals": deals, "seed": seed,
        "players": n, "policy_among": win_shares(one), "among_policies": win_shares(many),
        "lies": rounded(mean(e.lies.value for e in one.values()))[0],
        "calls": rounded(mean(e.calls.value for e in one.values()))[0],
    }  # fmt: skip
    found |= outcomes(one, many) | among_itself(policy, rules, n, deals, seed) | nash_conv_of("nash_conv", policy, game)
    if general:
        found |= measure_generalist(general, game, deals, seed)
    return found


def outcomes(one: dict[str, Evaluation], many: dict[str, Evaluation]) -> dict[str, list[str]]:
    """Who is stronger, by what the game pays: 0 is an average player's. Where one player wins, win shares say the same.

    Args:
        one: the policy among copies of each scripted player.
        many: each scripted player among copies of the policy.

    Returns:
        ``beaten``: the players whose copies the policy beats beyond chance; ``losing``: those that lose among its
        copies beyond chance; ``gaining``: those that gain there, by chance or not.
    """
    return {
        "beaten": [player.removeprefix("scripted/") for player, e in one.items() if e.beats_chance],
        "losing": [player.removeprefix("scripted/") for player, e in many.items() if e.payoff.high < 0],
        "gaining": [player.removeprefix("scripted/") for player, e in many.items() if e.payoff.value > 0],
    }


def among_itself(policy: Any, rules: Any, num_players: int, deals: int, seed: int) -> dict[str, float]:
    """How games among copies of a policy go.

    Args:
        policy: a trained one.

    Returns:
        ``entropy``: the mean over decisions, in nats; ``length_limit``: the share of games that end there.
    """
    engine = Engine(rules, deals * num_players, num_players, seed=seed, autoreset=False)
    entropies: list[np.ndarray] = []

    def step(actions: np.ndarray, running: np.ndarray) -> None:
        entropies.append(entr(policy.probabilities(engine.observations[running], engine.action_masks[running])).sum(1))
        engine.step(actions, running)

    seats = np.zeros((engine.num_games, num_players), np.int64)
    play_out(engine, [policy], seats, np.random.default_rng(seed), step=step)
    entropy, limit = rounded(np.concatenate(entropies).mean(), engine.results()["length_limit"].mean())
    return {"entropy": entropy, "length_limit": limit}


def measure_generalist(general: str, game: Game, deals: int, seed: int) -> dict[str, Any]:
    """Return the generalist's win share among the same copies as the policy of the game."""
    rules, n = make_rules(game.variant, **game.rules), game.num_players
    policy: Any = load_policy(general, rules=rules, num_players=n)
    players = scripted_players(family_of(rules))
    among = {player: evaluate(policy, player, rules, n, deals, seed) for player in players}
    found = {"generalist": policy.meta["weights_sha256"][:16], "generalist_among": win_shares(among)}
    return found | nash_conv_of("generalist_nash_conv", policy, game)


def nash_conv_of(key: str, policy: Policy, game: Game) -> dict[str, float]:
    """A policy's exact NashConv under this key, or nothing where the game is too large to be solved."""
    preset = game.variant.partition("/")[2]
    if (preset, game.num_players) not in EXACT or game.rules:
        return {}
    return {key: round(exact.nash_conv(policy, preset, game.num_players), 4)}


def win_shares(found: dict[str, Evaluation]) -> dict[str, list[float]]:
    """The win shares by scripted player, each as (figure, low, high)."""
    shares = {player.removeprefix("scripted/"): e.win_share for player, e in found.items()}
    return {player: rounded(share.value, share.low, share.high) for player, share in shares.items()}


def read(path: Path) -> dict[str, Any]:
    """Earlier results, or none."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measures game by game; each is written as soon as it is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    games = {game.title: game for game in all_games()}
    parser.add_argument("--game", nargs="+", default=list(games), choices=list(games), metavar="GAME", help="the games")
    parser.add_argument("--changed", action="store_true", help="keep the figures of the weights that are published")
    parser.add_argument("--deals", type=int, default=40, help="deals for each player and direction")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=writable, default=RESULTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    started, found = time.perf_counter(), read(args.out)
    for title in args.game:
        known = found.get(title, {}) if args.changed else {}
        found[title] = measured_anew(games[title], known, args.deals, args.seed)
        kept = {name: found[name] for name in games if name in found}
        write_file(args.out, (json.dumps(kept) + "\n").replace("}, ", "},\n").encode())
        print(f"{title:45} {time.perf_counter() - started:7.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
