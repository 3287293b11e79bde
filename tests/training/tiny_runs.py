"""Training runs that take seconds."""

from __future__ import annotations

from pathlib import Path

import yaml

TINY = {
    "variant": "cheat/mini-pairs", "num_players": 2, "num_threads": 1, "num_envs": 32, "num_steps": 16,
    "total_timesteps": 32 * 16 * 12, "hidden_sizes": [16], "minibatch_size": 128, "snapshot_every": 3, "save_every": 2,
    "eval_every": 6, "eval_deals": 4, "scripted": ["random"], "anchors": ["random"],
    "critic": "observation", "kickstart": "", "skip_parts": [], "ent_coef_start": 0.2, "ent_coef_end": 0.05,
}  # fmt: skip


def tiny_config(tmp_path: Path, **changes) -> Path:
    """A configuration that runs in seconds."""
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump({**TINY, **changes}))
    return path
