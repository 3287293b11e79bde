"""The same games without compilation: the rules as plain Python, with every overflow or invalid number an error."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bluff_env.cheat.variants import VARIANTS
from bluff_env.engine import Engine

STEPS = 60
TABLES = [(name, 2 if name.startswith("mini-") else 3, {}) for name in VARIANTS] + [
    ("pagat", 3, {"reveal": "one", "count": "any", "packs": 4, "jokers": 3}),
    ("i-doubt-it", 3, {"reveal": "announced", "window": "in_turn", "direction": "anticlockwise"}),
    ("bullshit", 3, {"full_set": "automatic", "suits": ("C", "D"), "slaps": True, "drinks_weight": 0.5}),
    ("bluff-the-bullet", 4, {"straights": True}),
]


def play(variant: str, num_players: int, house_rules: dict, steps: int = STEPS) -> str:
    """A digest of all that ``steps`` decisions in two rows show: views of all seats, masks, actions, rewards, seeds."""
    engine = Engine(variant, num_games=2, num_players=num_players, seed=2**61 + 5, **house_rules)
    out = hashlib.sha256()
    for step in range(steps):
        actions = []
        for row in range(2):
            legal = np.flatnonzero(engine.action_masks[row])
            bits = int.from_bytes(hashlib.blake2b(f"{row} {step}".encode(), digest_size=4).digest(), "big")
            actions.append(int(legal[bits % len(legal)]))
            out.update(f"{engine.to_act[row]} {engine.action_names[actions[-1]]} {engine.game_seeds[row]}".encode())
        for seat in range(num_players):
            out.update(engine.observe(np.arange(2), np.full(2, seat)).tobytes())
        out.update(engine.action_masks.tobytes())
        rewards, dones = engine.step(np.array(actions))
        out.update(rewards.tobytes() + dones.tobytes())
    engine.play_random(2)
    out.update(engine.observations.tobytes())
    return out.hexdigest()[:16]


def digests() -> list[str]:
    """One line a table."""
    return [f"{variant} {sorted(house_rules)} {play(variant, n, house_rules)}" for variant, n, house_rules in TABLES]


@pytest.mark.slow
def test_without_compilation_the_games_are_the_same() -> None:
    """NUMBA_DISABLE_JIT=1, numpy's warnings as errors: the same digest for the same seeds."""
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])]),
    }
    command = [sys.executable, "-W", "error::RuntimeWarning", str(here / "test_jit_off.py")]
    plain = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert plain.returncode == 0, plain.stderr[-3000:]
    first, *lines = plain.stdout.splitlines()
    assert first == "compiled: False"
    assert lines == digests()


if __name__ == "__main__":
    from bluff_env.jit import JIT_DISABLED

    np.seterr(all="raise")
    print(f"compiled: {not JIT_DISABLED}")
    print("\n".join(digests()))
