"""The docstrings of the PettingZoo modules are their pages: their numbers and names are those of the code."""

from __future__ import annotations

import inspect
import re
from enum import IntEnum
from types import ModuleType

import module_docs
import numpy as np
import pytest

from bluff_env import bluff_the_bullet_v0, cheat_v0
from bluff_env.cheat.texts.rules import choices_of

KINDS = {cheat_v0: module_docs.CheatAction, bluff_the_bullet_v0: module_docs.BulletAction}
SECTIONS = ["At a glance", "The game", "Usage", "Observation", "Actions", "Rewards", "Arguments", "Versions"]


@pytest.mark.parametrize("module", module_docs.MODULES)
def test_tables_are_up_to_date(module: ModuleType) -> None:
    path = f"{module.__name__.replace('.', '/')}.py"
    text = module_docs.pages()[path]
    assert (module_docs.ROOT / path).read_text(encoding="utf-8") == text, "run `make docs`"
    with pytest.raises(ValueError, match="has lost its heading 'Actions'"):
        module_docs.updated(text.replace("## Actions", "## Moves"), module)


@pytest.mark.parametrize("module", module_docs.MODULES)
def test_the_page_is_what_libraries_take_for_the_rules(module: ModuleType) -> None:
    """PettingZoo's tutorial on language models gives the docstring of the environment's module to the model."""
    page = inspect.getmodule(module.env().unwrapped).__doc__ or ""
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS
    assert "was a lie" in " ".join(page.split())
    assert module.__name__.rpartition(".")[2] in page.split("## Versions")[1]


@pytest.mark.parametrize("module", module_docs.MODULES)
def test_every_kind_of_action_has_its_own_name(module: ModuleType) -> None:
    kinds: type[IntEnum] = KINDS[module]
    assert set(module_docs.ACTIONS[kinds]) == set(kinds.__members__)
    names = module.raw_env().action_names
    for kind in kinds:
        words = module_docs.ACTIONS[kinds][kind.name][0].split()
        fixed = [word for word in words if word.islower()]
        assert names[kind].split()[: len(fixed)] == fixed and len(names[kind].split()) == len(words), kind


@pytest.mark.parametrize("module", module_docs.MODULES)
def test_payoffs_are_in_the_range_that_the_page_says(module: ModuleType) -> None:
    assert "| Rewards | at the end of the game, from -1 to 1 |" in (module.__doc__ or "")
    env, rng = module.raw_env(num_players=3), np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        while not env.is_over:
            assert not any(env.rewards.values())
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask))))
        payoffs = list(env.rewards.values())
        assert sum(payoffs) == pytest.approx(0, abs=1e-6) and max(map(abs, payoffs)) <= 1


def test_an_illegal_action_pays_what_the_page_says() -> None:
    assert "ends the game; its player gets -1, the others 0" in (cheat_v0.__doc__ or "")
    env = cheat_v0.env()
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(int(env.last()[0]["action_mask"].argmin()))
    assert {name: reward for name, reward in env.rewards.items() if reward} == {agent: -1}
    assert all(env.terminations.values())


def test_the_ends_that_the_page_names_exist() -> None:
    named = set(re.findall(r'`end="(\w+)"`', cheat_v0.__doc__ or ""))
    assert named == set(choices_of("end"))
