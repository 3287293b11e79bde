"""What a checkpoint says about the run that made it: rules, configuration, command, commit."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .config import Config


def describe_run(config: Config, rounds: int) -> dict[str, Any]:
    """The metadata of a checkpoint after so many rounds. The policy of a mixture has no game of its own."""
    rules, num_players = config.all_games[0]
    own_game = {"variant": config.variant, "rules": rules.to_dict(), "num_players": num_players}
    mixture = {"num_games": len(config.all_games), "skipped": list(config.skip_parts)}
    return {
        **(mixture if config.games else own_game),
        "config": asdict(config),
        "timesteps": rounds * config.num_envs * config.num_steps,
        "command": command(),
        "commit": commit(),
    }


def command() -> str:
    """The command line that started this process."""
    module = getattr(sys.modules["__main__"], "__spec__", None)
    program = ["python", "-m", module.name] if module else [Path(sys.argv[0]).name]
    return shlex.join([*program, *sys.argv[1:]])


def commit() -> str:
    """The commit of the clone that these scripts lie in, ``"unknown"`` elsewhere."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():  # an installation may lie within a repository of something else
        return "unknown"
    try:
        git = ["git", "rev-parse", "HEAD"]
        return subprocess.run(git, capture_output=True, text=True, check=True, cwd=root).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
