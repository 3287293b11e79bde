"""The libraries that only an extra of this package installs, as ``pip install 'bluff-env[train]'`` does."""

from __future__ import annotations

# the extra of each module
EXTRAS = {
    **dict.fromkeys(("torch", "tensorboard", "matplotlib", "openskill", "stable_baselines3", "sb3_contrib"), "train"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "table"),
    **dict.fromkeys(("pyspiel", "open_spiel"), "open-spiel"),
    **dict.fromkeys(("resvg_py", "PIL"), "render"),
    "pyarrow": "data",
    **dict.fromkeys(("torchrl", "tensordict"), "torchrl"),
    "minari": "minari",
    "ray": "ray",
    "textarena": "text",
    "verifiers": "verifiers",
}


def missing_library(module: str | None, besides: str = "") -> str | None:
    """The sentence about a library that is not there, with the command that installs it; None for any other module.

    Args:
        module: whose import failed.
        besides: another extra that its user needs.
    """
    library = (module or "").partition(".")[0]
    if library in EXTRAS:
        extras = ",".join(dict.fromkeys(filter(None, (besides, EXTRAS[library]))))
        small = " (with -c constraints.txt a small build without CUDA)" if library == "torch" else ""
        return f"{library} is not installed; pip install 'bluff-env[{extras}]' installs it{small}"
    return None
