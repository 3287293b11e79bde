"""What a golden game tells of each node: chances, and what every seat observes."""

from __future__ import annotations

import hashlib
import random

from bluff_env.envs.position import Position


def draw(position: Position, rng: random.Random) -> str:
    """Draws at a chance node; returns what was drawn, and of what: every outcome with its weight."""
    outcomes = position.chance_weights()
    name = rng.choices(list(outcomes), weights=list(outcomes.values()))[0]
    position.apply_action(name)
    return f"{name} of {', '.join(f'{weight} x {outcome}' for outcome, weight in outcomes.items())}"


def seen(position: Position) -> str:
    """The observations of all seats, each as the beginning of the SHA-256 of its little-endian int16 numbers."""
    seats = range(position.num_players)
    digests = (hashlib.sha256(position.observe(seat).astype("<i2").tobytes()).hexdigest()[:8] for seat in seats)
    return f"sees {' '.join(digests)}"
