"""What a checkpoint says about the run that made it: rules, configuration, command, commit."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from bluff_env.utils.provenance import command, commit

from .config import Config
from .pool import num_joined


def describe_run(config: Config, rounds: int, lengths: list[list[int]], teacher: str) -> dict[str, Any]:
    """The metadata of the checkpoint that a run saves.

    The policy of a mixture has no game of its own.

    Args:
        config: of the run.
        rounds: how many are finished.
        lengths: as in :class:`training.run_state.RunState`.
        teacher: as :func:`training.teacher.teacher_of_all` returns it.
    """
    rules, num_players = config.all_games[0]
    own_game = {"variant": config.variant, "rules": rules.to_dict(), "num_players": num_players}
    mixture = {"num_games": len(config.all_games), "skipped": list(config.skip_parts)}
    return {
        **(mixture if config.games else own_game),
        "config": asdict(config),
        "timesteps": rounds * config.round_size,
        **({"exploiter_timesteps": exploiter_timesteps(config, rounds)} if config.exploit_every else {}),
        **({"teacher": teacher} if teacher else {}),
        **({"lengths": lengths} if lengths else {}),  # the configuration has only the last one
        "command": command(),
        "commit": commit(),
    }


def exploiter_timesteps(config: Config, rounds: int) -> int:
    """The timesteps of all exploiters that have joined the pool within the first ``rounds`` rounds of a run."""
    of_each = replace(config, total_timesteps=config.exploit_timesteps).rounds * config.round_size
    return num_joined(config, rounds)["exploiter"] * of_each
