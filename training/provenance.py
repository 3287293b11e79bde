"""What a checkpoint says about the run that made it: rules, configuration, command, commit."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bluff_env.family import make_rules
from bluff_env.provenance import command, commit

from .config import Config


def describe_run(config: Config, rounds: int, lengths: list[list[int]]) -> dict[str, Any]:
    """The metadata of a checkpoint after so many rounds; ``lengths`` as in :class:`training.run_state.RunState`."""
    return {
        "variant": config.variant,
        "rules": make_rules(config.variant, **config.rules).resolve(config.num_players).to_dict(),
        "num_players": config.num_players,
        "config": asdict(config),
        "timesteps": rounds * config.num_envs * config.num_steps,
        **({"lengths": lengths} if lengths else {}),  # the configuration has only the last one
        "command": command(),
        "commit": commit(),
    }
