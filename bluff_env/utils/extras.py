"""The libraries that only an extra of this package installs, as ``pip install 'bluff-env[train]'`` does."""

from __future__ import annotations

# the extra of each module
EXTRAS = {
    **dict.fromkeys(("torch", "tensorboard", "matplotlib", "openskill", "stable_baselines3", "sb3_contrib"), "train"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "table"),
    **dict.fromkeys(("pyspiel", "open_spiel"), "open-spiel"),
    "pyarrow": "data",
    "minari": "minari",
}


def missing_library(module: str | None) -> str | None:
    """The sentence about a library that is not there, with the command that installs it; None for any other module."""
    library = (module or "").partition(".")[0]
    if extra := EXTRAS.get(library):
        return f"{library} is not installed; pip install 'bluff-env[{extra}]' installs it"
    return None
