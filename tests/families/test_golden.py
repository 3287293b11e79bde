"""Golden games: games as text, in which any change of the rules, of the actions or of what is public shows.

``python -m pytest tests/families/test_golden.py --write-golden`` writes the files anew. Chance and decisions come from
Python's generator, so that the games do not depend on the engine's own. ``tests/cheat/cheat_golden.py`` and
``tests/bullet/bullet_golden.py`` say which games each family has, and how they are told.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bullet_golden
import cheat_golden
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "golden"
MATERIAL: dict[str, ModuleType] = {"cheat": cheat_golden, "bullet": bullet_golden}
GAMES = [(family, name) for family, material in MATERIAL.items() for name in sorted(material.GAMES)]


def golden_file(family: str, name: str) -> Path:
    """Where a game is kept."""
    return FOLDER / family / f"{name}.txt"


@pytest.mark.parametrize(("family", "name"), GAMES)
def test_golden_game(family: str, name: str, request: pytest.FixtureRequest) -> None:
    """The game runs as it is written; the first line that differs is named."""
    path = golden_file(family, name)
    played = list(MATERIAL[family].playthrough(name))
    if request.config.getoption("--write-golden", default=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(played) + "\n", encoding="utf-8")
    kept = path.read_text(encoding="utf-8").splitlines()
    for number, (old, new) in enumerate(zip(kept, played, strict=False), start=1):
        assert old == new, f"{path.name}, line {number}:\n  kept:   {old}\n  played: {new}"
    assert len(kept) == len(played), f"{path.name} has {len(kept)} lines, the game {len(played)}"


@pytest.mark.parametrize("family", MATERIAL)
def test_every_preset_has_a_golden_game_and_no_file_is_left_over(family: str) -> None:
    material = MATERIAL[family]
    assert set(material.GAMES) == material.NAMES == {path.stem for path in (FOLDER / family).glob("*.txt")}


@pytest.mark.parametrize(("family", "name"), GAMES)
def test_a_golden_game_shows_something(family: str, name: str) -> None:
    MATERIAL[family].check_what_it_shows(name, golden_file(family, name).read_text(encoding="utf-8"))
