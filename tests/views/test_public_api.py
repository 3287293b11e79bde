"""The names that users import: all are listed, typed and lazy, and what they make says what it is."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import gymnasium
import pytest

import bluff_env
from bluff_env.core.names import class_prefix, environment_id, environment_module
from bluff_env.core.registry import FAMILIES, MOST_PLAYERS


def test_every_name_is_listed_and_can_be_imported() -> None:
    """A star imports what most installations have; the other views are listed, too."""
    names = set(bluff_env._HOMES)
    assert set(bluff_env.__all__) <= names <= set(dir(bluff_env))
    assert len(bluff_env.__all__) == len(set(bluff_env.__all__)) == len(names) - 4 == 36
    library = {"open_spiel": "pyspiel", "rllib": "ray"} | {name: name for name in ("textarena", "torchrl", "verifiers")}
    missing = {name for name, module in library.items() if find_spec(module) is None}
    for name in names - missing:
        home = import_module(bluff_env._HOMES[name])
        assert getattr(bluff_env, name) is getattr(home, name)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = bluff_env.no_such_name  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_name_whose_library_is_missing_says_what_to_install() -> None:
    """Without any extra, each public name is there, or one sentence names the library and the command."""
    code = """
import sys
from bluff_env.utils.extras import EXTRAS

class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition('.')[0] in EXTRAS else self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Hiding, sys.meta_path)
import bluff_env
for name in sorted(bluff_env._HOMES):
    try:
        getattr(bluff_env, name)
    except ModuleNotFoundError as error:
        print(error)
"""
    small = " (with -c constraints.txt a small build without CUDA)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines() == [
        f"bluff_env.export_mlp: torch is not installed; pip install 'bluff-env[train]' installs it{small}",
        "bluff_env.open_spiel: pyspiel is not installed; pip install 'bluff-env[open-spiel]' installs it",
        f"bluff_env.rllib: torch is not installed; pip install 'bluff-env[rllib,train]' installs it{small}",
        "bluff_env.sb3: stable_baselines3 is not installed; pip install 'bluff-env[train]' installs it",
        "bluff_env.textarena: textarena is not installed; pip install 'bluff-env[text]' installs it",
        f"bluff_env.torchrl: torch is not installed; pip install 'bluff-env[torchrl,train]' installs it{small}",
        "bluff_env.verifiers: verifiers is not installed; pip install 'bluff-env[verifiers]' installs it",
    ], result.stderr


@pytest.mark.slow
def test_import_needs_no_heavy_module() -> None:
    code = "import sys, bluff_env; print([m for m in ('numba', 'torch', 'stable_baselines3') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.slow
def test_import_works_where_pettingzoo_has_no_registry() -> None:
    """PettingZoo before 1.27 has none."""
    code = "import pettingzoo; vars(pettingzoo).pop('register', 0); import bluff_env; print(bluff_env.__version__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == bluff_env.__version__, result.stderr


def test_what_is_made_says_what_it_is() -> None:
    """``repr`` names the rules, the players, and what else tells one object from another."""
    env = bluff_env.cheat_v0.raw_env("bullshit", num_players=5, jokers=2)
    assert repr(env) == "<cheat_v0: bullshit with 5 players, jokers=2; not started>"
    env.reset(seed=7)
    assert repr(env) == f"<cheat_v0: bullshit with 5 players, jokers=2; {env.agent_selection} to act, seed=7>"
    engine = bluff_env.Engine(num_games=64, seed=3)
    assert repr(engine) == "<Engine: 64 games of pagat with 4 players; seed=3, num_threads=1>"
    mixed = bluff_env.Engine([("pagat", 2), (bluff_env.make_rules("cheat", jokers=1), 3)])
    assert repr(mixed).startswith("<Engine: 1 game of pagat with 2 players and custom rules with 3 players;")
    many = bluff_env.Engine([("pagat", n) for n in range(2, 7)])
    assert repr(many).startswith("<Engine: 1 game of 5 rule sets of Cheat;")
    learner = bluff_env.gym.BluffTheBulletEnv(num_players=3, opponents=["random", "scripted/honest"])
    assert repr(learner) == "<BluffTheBulletEnv: bluff-the-bullet with 3 players against random, scripted/honest>"
    vector = bluff_env.sb3.BatchedVecEnv("pagat", num_envs=8, num_players=3)
    assert repr(vector) == "<BatchedVecEnv: 8 games of pagat with 3 players against scripted/counter>"


def test_every_family_has_its_classes_and_environments() -> None:
    """They follow from the entry in the registry; who unpickles one finds it by its name."""
    for family in FAMILIES.values():
        prefix, name = class_prefix(family.name), environment_id(family.name)
        single = getattr(bluff_env.gym, f"{prefix}Env")
        assert pickle.loads(pickle.dumps(single)) is single and single.family_name == family.name
        assert issubclass(getattr(bluff_env.gym, f"{prefix}VectorEnv"), bluff_env.gym.LearnerVectorEnv)
        assert isinstance(gymnasium.make(name).unwrapped, single)
        assert family.environment == environment_module(family.name)
    assert max(family.most_players for family in FAMILIES.values()) == MOST_PLAYERS
