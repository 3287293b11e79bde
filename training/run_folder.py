"""The folder of a run: what may lie in it, and what is refused before anything is trained."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bluff_env.policies.document import CheckpointError, read_document
from bluff_env.utils.errors import printable, quoted
from bluff_env.utils.files import check_open

from .config import Config, ConfigError

STATE_FILE = "state.safetensors"
POLICY_FILE = "policy.safetensors"
# what a run leaves besides, also if its state is deleted so that it begins anew
EXPLOITERS = "exploiters"  # the folder of their runs
EVALUATION = "evaluation.json"
OTHER_FILES = ("curves.csv", "tensorboard", EVALUATION, "curves-*.png", EXPLOITERS, ".*")
LENGTH = "total_timesteps"  # a run can be extended
MAY_CHANGE = (LENGTH, "device")  # the keys that a run may change; another device rounds otherwise, and no more
# keys with defaults under which runs are what they were before these keys existed
NEWER = (
    "workers", "device", "deals", "symmetric", "exploit_every", "exploit_timesteps", "max_exploiters",
    "exploiters_go_on", "shared_payoff",
)  # fmt: skip


def check_folder(config: Config, folder: Path) -> None:
    """Checks that a folder is new or empty, or holds a run of this configuration; of its length, any.

    Raises:
        ConfigError: if it holds something else, such as the policy of another training, or a link.
    """
    _check_open(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigError(f"{folder} is a file, not the folder of a run: name a new folder with --out")
    check_links(folder, (STATE_FILE, POLICY_FILE, *OTHER_FILES))
    check_links(folder / EXPLOITERS, ("round-*",))
    names = sorted(path.name for path in folder.iterdir())
    if POLICY_FILE in names and (differs := difference(_config_of(folder), config)):
        path = folder / POLICY_FILE
        raise ConfigError(f"{path} is of another configuration ({differs}): choose another --out, or delete it")
    if STATE_FILE not in names:
        _refuse_strangers(folder, (POLICY_FILE, *OTHER_FILES))


def _check_open(folder: Path) -> None:
    """Raise OSError if nothing can be written to a folder, or to the nearest one above it that is there."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path())
    if there.is_dir():
        check_open(there)


def check_strangers(folder: Path, patterns: Iterable[str]) -> None:
    """Check that a folder is new, or holds nothing but files and folders of these names, and no links among them.

    Raises:
        ConfigError: if it is a file, or holds something else, which is not to be mixed with what is written there.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file, not a folder: name a new folder with --out")
    check_links(folder, patterns)
    _refuse_strangers(folder, (*patterns, ".*"))


def _refuse_strangers(folder: Path, patterns: Iterable[str]) -> None:
    """Raise ConfigError if a folder that may be there holds files or folders of other names."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if strange := [name for name in names if not any(fnmatch(name, pattern) for pattern in patterns)]:
        raise ConfigError(f"{folder} holds something else ({quoted(strange[0])}): name a new folder with --out")


def check_links(folder: Path, patterns: Iterable[str]) -> None:
    """Check that nothing in a folder that a run writes to or deletes is a link, which would lead out of the folder.

    Args:
        folder: that of a run; there may be none.
        patterns: of the names.

    Raises:
        ConfigError: if something is a link.
    """
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_symlink() and any(fnmatch(path.name, pattern) for pattern in patterns):
            raise ConfigError(
                f"{path} is a link, and links are not followed: delete it, or name a new folder with --out"
            )


def policy_timesteps(folder: Path) -> int | None:
    """Return the timesteps of the policy in the folder of a run, or None if there is no policy."""
    path = folder / POLICY_FILE
    return read_document(path).get("timesteps") if os.path.lexists(path) else None


def difference(saved: Any, config: Config) -> str | None:
    """Describe the first setting in which a saved configuration differs (those in MAY_CHANGE ignored), or None."""
    here = plain(config)
    if not isinstance(saved, dict):
        return "it has none"
    return first_change({**{key: getattr(Config, key) for key in NEWER}, **saved}, here, MAY_CHANGE)


def first_change(saved: Mapping[str, Any], here: Mapping[str, Any], may_change: Container[str] = ()) -> str | None:
    """Describe the first setting in which two tables of settings differ, those that may change aside, or None."""
    for key in {**here, **saved}:
        if key not in may_change and saved.get(key) != here.get(key):
            return f"{printable(key)} was {quoted(saved.get(key))}, here it is {quoted(here.get(key))}"
    return None


def plain(config: Config) -> dict[str, Any]:
    """A configuration as JSON gives it back."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    return values


def _config_of(folder: Path) -> Any:
    """Return the configuration that the policy in a folder was trained with, if it says one.

    Raises:
        ConfigError: for a file that is no policy.
    """
    try:
        return read_document(folder / POLICY_FILE).get("config")
    except CheckpointError as error:
        raise ConfigError(f"{error}: delete it, or choose another --out") from None
