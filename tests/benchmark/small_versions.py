"""A small version of the benchmark, in a folder of its own, for tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bluff_env.benchmark import scores, version
from bluff_env.core.registry import make_rules

SMALL = "bluff-0"


def player(name: str, half: str) -> dict[str, Any]:
    """A scripted member of a small population."""
    return {"name": name, "policy": f"scripted/{name}", "half": half, "digest": None, "about": "a scripted player"}


def game(
    name: str, preset: str, players: int, population: list[dict[str, Any]], deals: int = 8, **options: Any
) -> dict[str, Any]:
    """A game of the small version."""
    rules = make_rules(preset).resolve(players).to_dict()
    return {
        "name": name, "variant": f"cheat/{preset}", "rules": rules, "num_players": players, "deals": deals, "seed": 5,
        "population": population, "group": "", "options": options,
    }  # fmt: skip


def frozen(
    tracks: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch, added: dict[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """A version with these tracks, and perhaps with tracks that came later; the current folder is an empty one."""
    home = folder / "versions"
    home.mkdir()
    monkeypatch.setattr(version, "HOME", home)

    def write(name: str, some: dict[str, Any]) -> tuple[dict[str, Any], str]:
        table = {"version": SMALL, "package": ["0.1", "9"], "populations": {}, "tracks": some}
        data = json.dumps(table).encode()
        (home / f"{name}.json").write_bytes(data)
        return table, hashlib.sha256(data).hexdigest()

    table, digest = write(SMALL, tracks)
    monkeypatch.setitem(version.DIGESTS, SMALL, digest)
    if added is not None:
        monkeypatch.setitem(version.ADDED, SMALL, {"more": write("more", added)[1]})
    monkeypatch.setattr(scores, "RESAMPLES", 100)  # which takes most of the time
    monkeypatch.chdir(folder)
    version.loaded.cache_clear()
    yield table
    version.loaded.cache_clear()
