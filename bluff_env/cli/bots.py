"""Players of one's own on the command line: ``bot.py:player``.

Only who types a command can name one: no configuration, record or checkpoint can, because the file is run.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from bluff_env.errors import InputError, did_you_mean, one_line, shown


def is_own_player(spec: str) -> bool:
    """Whether a name has the form ``file.py:name``."""
    return spec.rpartition(":")[0].endswith(".py")


def own_object(spec: str) -> Any:
    """What ``file.py:name`` names; of a class, an object of it. None for a name of another form.

    Raises:
        InputError: if the file cannot be run or has no such name; one sentence says why.
    """
    if not is_own_player(spec):
        return None
    path, _, name = spec.rpartition(":")
    if not Path(path).is_file():
        raise InputError(f"there is no file {shown(path)}")
    try:
        found = runpy.run_path(path)
    except Exception as error:  # whatever it is that the file does wrong
        raise InputError(f"{path} cannot be run: {type(error).__name__}: {one_line(error)}") from error
    if name not in found:
        known = [known for known, value in found.items() if callable(value) or hasattr(value, "act")]
        raise InputError(f"{path} has no player {shown(name)}{did_you_mean(name, known)}")
    try:
        return found[name]() if isinstance(found[name], type) else found[name]
    except (TypeError, ValueError) as error:
        raise InputError(f"{spec} is no player: {one_line(error)}") from error


def own_player(spec: str) -> Any:
    """The policy that ``file.py:name`` means; None for a name of another form.

    The name is that of a function ``(observation, mask) -> action``, of an object with the method ``act`` or
    ``predict``, or of a class of such objects that takes no arguments.

    Raises:
        InputError: if the file cannot be run or has no such player; one sentence says why.
    """
    if not is_own_player(spec):
        return None
    from bluff_env.policies.load import load_policy

    player = own_object(spec)
    try:
        policy: Any = load_policy(player)
    except (TypeError, ValueError) as error:
        raise InputError(f"{spec} is no player: {one_line(error)}") from error
    policy.name = spec
    return policy
