"""The games of a run that trains one policy for many of them, and those that it never plays.

A configuration has them under ``games``::

    games:
      players: [2, 3, 4, 4, 6]     # each preset with each of these numbers; what stands twice counts twice
      published: 8                 # times that each of these that has a published policy of its own counts more
      sampled: 200                 # rule sets drawn by sample_rules, besides the presets
      held_out:                    # never played: they tell how well the policy plays rules that it never saw
        presets: [silent, royals]
        pairs: [[check, jokers]]   # rule sets in which both rules differ from the defaults
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from bluff_env.core.family import Family
from bluff_env.core.registry import family_of, find_variant, make_rules
from bluff_env.policies import Policy, load_policy
from bluff_env.policies.held_out import held_out_by
from bluff_env.policies.published import game_named, published
from bluff_env.utils.errors import InputError, RulesError, quoted

Game = tuple[Any, int]
"""A rule set, resolved, and the number of players."""

MAX_PUBLISHED, MAX_SAMPLED = 100, 4096
TRAIN_HALF, BOTH_HALVES = "train", "both"
HALVES = (TRAIN_HALF, BOTH_HALVES)
KEYS = {"players": list, "published": int, "sampled": int, "held_out": dict}
HELD_OUT_KEYS = {"presets": list, "pairs": list}


def games_of(variant: Any, num_players: int, rules: Mapping[str, Any], more: Mapping[str, Any]) -> list[Game]:
    """The games of a run: the one that is configured, then those that ``more`` adds to it.

    Raises:
        RulesError: for rules that are impossible.
    """
    own = make_rules(variant, **rules).resolve(num_players)
    if not more:
        return [(own, num_players)]
    family, players = family_of(variant), more.get("players", [num_players])
    held_out = more.get("held_out", {})
    presets = [name for name in family.variants if name not in held_out.get("presets", ())]
    # the engine takes the games in turn, so a game that stands here twice is played twice as often
    named = [(make_rules(name).resolve(n), n) for n in players for name in presets if _allows(name, n)]
    policies = published_for() if more.get("published", 0) else {}
    again = [game for game in named if game in policies] * more.get("published", 0)
    # seed 0 whatever the seed of the run: runs that differ in their seed alone have to play the same games
    rng, seats = np.random.default_rng(0), cycle(players)
    sampled: list[Game] = []
    while family.sample_rules is not None and len(sampled) < more.get("sampled", 0):
        n = next(seats)
        drawn = family.sample_rules(rng, n)
        if not any(both_differ(pair, drawn, family) for pair in held_out.get("pairs", ())):
            sampled.append((drawn.resolve(n), n))
    return [(own, num_players), *named, *again, *sampled]


def published_for() -> dict[Game, str]:
    """The names of the published policies that were trained for one game, by this game."""
    found: dict[Game, str] = {}
    for name in published():
        match game_named(name):
            case variant, int(num_players):
                found[make_rules(variant).resolve(num_players), num_players] = name
    return found


def both_differ(pair: Sequence[str], rules: Any, family: Family) -> bool:
    """Return True if all of these rules differ from the family's defaults."""
    defaults = family.rules()
    return all(getattr(rules, field) != getattr(defaults, field) for field in pair)


def _allows(preset: str, num_players: int) -> bool:
    """Return True if the preset can be played with this number of players."""
    low, _, high = find_variant(preset).players
    try:
        make_rules(preset).resolve(num_players)
    except RulesError:
        return False
    return low <= num_players <= high


def check_games(games: Mapping[str, Any], family: Family) -> str:
    """Return the fault of the table ``games`` of a configuration as the end of a sentence, or an empty string."""
    held_out = games.get("held_out", {})
    for table, keys in ((games, KEYS), (held_out if isinstance(held_out, dict) else {}, HELD_OUT_KEYS)):
        for key, value in table.items():
            if key not in keys:
                return f"has the unknown key {quoted(key)}: there are {', '.join(keys)}"
            if not isinstance(value, keys[key]) or isinstance(value, bool):
                return f"{key}={quoted(value)} must be of type {keys[key].__name__}"
    players, most = games.get("players", [2]), family.most_players
    if not players or not all(type(n) is int and 2 <= n <= most for n in players):
        return f"players={quoted(players)} must be a list of numbers from 2 to {most}"
    for key, high in (("published", MAX_PUBLISHED), ("sampled", MAX_SAMPLED)):
        if not 0 <= games.get(key, 0) <= high:
            return f"{key}={quoted(games[key])} must be 0 to {high}"
    if games.get("sampled", 0) and family.sample_rules is None:
        return f"sampled: random rule sets do not exist for {family.title}"
    for name in held_out.get("presets", ()):
        if not isinstance(name, str) or name not in family.variants:
            return f"presets={quoted(name)} is no preset of {family.title}"
    fields = set(family.rules().to_dict())
    for pair in held_out.get("pairs", ()):
        if not isinstance(pair, list) or not pair or not all(isinstance(f, str) and f in fields for f in pair):
            return f"pairs={quoted(pair)} must be a list of names of rules"
    return ""


def named_policy(name: str, games: Sequence[Game], halves: str = TRAIN_HALF) -> Policy:
    """Return a policy that the configuration names.

    Args:
        name: as :func:`bluff_env.load_policy` takes it.
        games: that it has to play.
        halves: the halves of a benchmark's population that training may meet, one of :data:`HALVES`.

    Raises:
        CheckpointError: for one that does not fit the rules of each of these games.
        InputError: for a member of a test half.
    """
    rules, num_players = games[0]
    policy = load_policy(name, rules=rules, num_players=num_players)
    if halves == TRAIN_HALF and (benchmark := held_out_by(policy)):
        raise InputError(
            f"{name} is in the test half of {benchmark}, which nobody trains against; benchmark_halves: "
            f"{BOTH_HALVES} allows it, and no score of that benchmark counts for what is trained so"
        )
    for rules, num_players in games[1:]:
        load_policy(policy, rules=rules, num_players=num_players)
    return policy
