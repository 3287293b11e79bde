"""The settings of a training run that differ from the defaults in Bluff the Bullet."""

from __future__ import annotations

from typing import Any

TRAINING: dict[str, Any] = {
    "total_timesteps": 32_000_000, "num_steps": 64, "ema_decay": 0.95, "ent_coef_start": 0.03, "ent_coef_end": 0.003,
    "critic": "observation",
    "skip_parts": (
        "event_kinds", "event_players", "event_others", "event_abilities", "event_values", "event_suits",
        "event_places", "event_second_places",
    ),
    "scripted": ("scripted/honest", "scripted/bold", "scripted/counter"),
    "kickstart": "scripted/bold", "kickstart_coef": 1.0, "kickstart_share": 0.1,
    "frozen_share": 0.5, "anchors": ("scripted/honest", "scripted/bold", "scripted/counter"),
    "eval_every": 40, "eval_deals": 100,
}  # fmt: skip
