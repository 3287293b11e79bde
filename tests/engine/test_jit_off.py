"""The same games without compilation: the rules as plain Python, with every overflow or invalid number an error."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env.cheat.variants import VARIANTS
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import environment_of
from bluff_env.envs.position import Position
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

SEED = 2**61 + 5
STEPS = 16
TABLES = [(name, 2 if name.startswith("mini-") else 3, {}) for name in list(VARIANTS)[::3]] + [
    ("pagat", 3, {"reveal": "one", "count": "any", "packs": 4, "jokers": 3}),
    ("i-doubt-it", 3, {"reveal": "announced", "window": "in_turn", "direction": "anticlockwise"}),
    ("bullshit", 3, {"full_set": "automatic", "suits": ("C", "D"), "slaps": True, "drinks_weight": 0.5}),
    ("bluff-the-bullet", 4, {"straights": True}),
]


def chosen(options: Sequence[Any], *moment: int) -> Any:
    """One of the options, always the same one at the same moment of the test."""
    text = " ".join(map(str, moment))
    bits = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
    return options[bits % len(options)]


def through_engine(variant: str, num_players: int, house_rules: dict) -> str:
    """A digest of all that decisions in two rows show: views of all seats, masks, actions, rewards, seeds."""
    engine = Engine(variant, num_games=2, num_players=num_players, seed=SEED, **house_rules)
    out = hashlib.sha256()
    for step in range(STEPS):
        actions = []
        for row in range(2):
            actions.append(int(chosen(np.flatnonzero(engine.action_masks[row]), row, step)))
            out.update(f"{engine.to_act[row]} {engine.action_names[actions[-1]]} {engine.game_seeds[row]}".encode())
        for seat in range(num_players):
            out.update(engine.observe(np.arange(2), np.full(2, seat)).tobytes())
        out.update(engine.action_masks.tobytes())
        rewards, dones = engine.step(np.array(actions))
        out.update(rewards.tobytes() + dones.tobytes())
    engine.play_random(2)
    out.update(engine.observations.tobytes())
    return out.hexdigest()[:16]


def through_environment(variant: str, num_players: int, house_rules: dict) -> str:
    """A digest of all that the PettingZoo environment shows: views, masks, rewards, the state, saved and restored."""
    env = environment_of(family_of(variant))(variant, num_players, **house_rules)
    env.reset(seed=SEED)
    out = hashlib.sha256()
    for step in range(STEPS):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            out.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
        if env.is_over:
            out.update(str(env.rewards).encode())
            env.reset()
            continue
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(chosen(np.flatnonzero(mask), step)))
        out.update(env.state().tobytes())
    env.restore(env.snapshot())
    out.update(env.observe("player_1")["observation"].tobytes())
    return out.hexdigest()[:16]


def through_position(variant: str, num_players: int, house_rules: dict) -> str:
    """A digest of what all seats see in a game whose chance the caller draws, from its first chance on."""
    rules = family_of(variant).variants.make_rules(variant, **house_rules)
    position = Position(rules, num_players)
    out = hashlib.sha256()
    decisions = moves = 0
    while decisions < STEPS // 2:
        if position.is_chance_node():
            position.apply_action(chosen(sorted(position.chance_weights()), moves))
        elif position.is_player_node():
            position.apply_action(chosen(position.legal_actions(), moves))
            decisions += 1
        else:
            out.update(str(position.returns()).encode())
            position = Position(rules, num_players)
        moves += 1
        if position.is_player_node():
            for seat in range(num_players):
                out.update(position.observe(seat).tobytes())
            out.update(" ".join(position.legal_actions()).encode())
    return out.hexdigest()[:16]


def through_scripted_players(variant: str, num_players: int, house_rules: dict) -> str:
    """A digest of what every scripted player would do in the games of two rows."""
    engine = Engine(variant, num_games=2, num_players=num_players, seed=SEED, **house_rules)
    players = [ScriptedPolicy(name, engine.family) for name in scripted_names(engine.family)]
    out = hashlib.sha256()
    for step in range(STEPS // 2):
        rng = np.random.default_rng(step)
        seen = engine.observations, engine.action_masks
        actions = [player.predict(seen[0], action_masks=seen[1], rng=rng)[0] for player in players]
        out.update(np.array(actions).tobytes())
        engine.step(actions[step % len(players)])
    return out.hexdigest()[:16]


WAYS: dict[str, Callable[[str, int, dict], str]] = {
    "engine": through_engine,
    "environment": through_environment,
    "position": through_position,
    "scripted players": through_scripted_players,
}


def digests(way: str) -> list[str]:
    """One line a table."""
    return [f"{variant} {sorted(rules)} {WAYS[way](variant, n, rules)}" for variant, n, rules in TABLES]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_without_compilation_the_games_are_the_same(way: str) -> None:
    """NUMBA_DISABLE_JIT=1, numpy's warnings as errors: the same digest for the same seeds."""
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])]),
    }
    command = [sys.executable, "-W", "error::RuntimeWarning", str(here / "test_jit_off.py"), way]
    plain = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert plain.returncode == 0, plain.stderr[-3000:]
    first, *lines = plain.stdout.splitlines()
    assert first == "compiled: False"
    assert lines == digests(way)


if __name__ == "__main__":
    from bluff_env.core.jit import JIT_DISABLED

    np.seterr(all="raise")
    print(f"compiled: {not JIT_DISABLED}")
    print("\n".join(digests(sys.argv[1])))
