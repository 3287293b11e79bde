"""Card games of bluff as environments for reinforcement learning.

Everything that users import is here: environments (``cheat_v0``, ``bluff_the_bullet_v0``, ``gym``, ``sb3``), the
batched :class:`Engine`, rule sets, policies, evaluation (also exact, of small games), game records and drawings of
tables. Each name is imported when it is first used, so ``import bluff_env`` is quick and needs neither numba nor torch.
The import registers the environments with Gymnasium and PettingZoo.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from bluff_env.core.names import class_prefix, environment_id, environment_module
from bluff_env.core.registry import FAMILIES
from bluff_env.utils.extras import missing_library
from bluff_env.utils.settings import working_directory

with working_directory():
    import gymnasium
    import pettingzoo

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """Return the module of every public name, as ``__init__.pyi`` has it for type checkers and editors.

    A public name is imported there as itself, or with an underscore where the stub gives it a type of its own.
    """
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    named = [(alias, node.module or "") for node in imports for alias in node.names]
    return {alias.name: home for alias, home in named if alias.asname in (alias.name, f"_{alias.name}")}


_HOMES = _homes()
# views of libraries that few have, and the extra that installs them; a star leaves these out
_APART = {"rllib": "rllib", "textarena": "text", "torchrl": "torchrl", "verifiers": "verifiers"}
__all__ = [name for name in _HOMES if name not in _APART]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bluff_env' has no attribute {name!r}")
    try:
        if _HOMES[name] == "bluff_env":
            return import_module(f"bluff_env.{name}")
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if advice := missing_library(error.name, _APART.get(name, "")):
            raise ModuleNotFoundError(f"bluff_env.{name}: {advice}", name=error.name) from None
        raise


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


for _family in FAMILIES:
    gymnasium.register(
        environment_id(_family),
        entry_point=f"bluff_env.gym:{class_prefix(_family)}Env",
        vector_entry_point=f"bluff_env.gym:{class_prefix(_family)}VectorEnv",
    )
    if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and newer
        pettingzoo.register("aec", environment_id(_family), entry_point=f"{environment_module(_family)}:env")
