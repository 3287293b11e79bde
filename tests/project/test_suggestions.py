"""Errors name what was probably meant, in every view and on the command line."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, find_variant, load_policy, make_rules
from bluff_env.cli import main
from bluff_env.core.registry import FAMILIES
from bluff_env.policies import CheckpointError
from bluff_env.utils.errors import RulesError


@pytest.mark.parametrize("make", [cheat_v0.env, bluff_the_bullet_v0.env, Engine])
def test_a_misspelt_argument_is_no_unknown_rule(make) -> None:
    default = "bluff-the-bullet" if make is bluff_the_bullet_v0.env else "pagat"
    with pytest.raises(RulesError, match="'num_player': no rule is called so; the nearest are: num_players"):
        make(default, num_player=3)


def test_presets_of_another_family_are_found() -> None:
    with pytest.raises(RulesError, match="another family has: bluff-the-bullet"):
        make_rules("bullet")


ASKING = [
    find_variant,
    make_rules,
    cheat_v0.env,
    bluff_the_bullet_v0.env,
    Engine,
    lambda name: main(["describe", name]),
]


@pytest.mark.parametrize("ask", ASKING)
@pytest.mark.parametrize("name", ["bluff-the-bulet", "bluf the bullet", "bluff-te-bullet"])
def test_a_misspelt_preset_is_looked_for_in_every_family(ask, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        ask(name)
        error = capsys.readouterr().err
    except RulesError as raised:
        error = str(raised)
    assert "no variant of" in error and "bluff-the-bullet" in error.partition(";")[2]


def test_every_preset_is_the_nearest_to_its_name_without_a_letter() -> None:
    """And a family is named only where it has something near."""
    for family in FAMILIES.values():
        for name in family.variants:
            with pytest.raises(RulesError, match=rf"(are|has): .*\b{name}\b") as error:
                find_variant(name[:-2] + name[-1])
            assert ("another family has" in str(error.value)) == ("bullet" in name)


@pytest.mark.parametrize("name", ["Bluff the Bullet", "bluff_the_bullet", "bluff-the-bullet"])
def test_a_preset_is_found_in_every_spelling(name: str) -> None:
    assert find_variant(name).name == bluff_the_bullet_v0.raw_env(name).variant == "bluff-the-bullet"
    assert gymnasium.make("bluff_env/BluffTheBullet-v0", variant=name) is not None
    with pytest.raises(RulesError, match="is of Bluff the Bullet, not of Cheat"):
        cheat_v0.raw_env(name)


def test_a_scripted_player_of_another_family_is_told() -> None:
    with pytest.raises(CheckpointError, match="'scripted/bold' plays Bluff the Bullet, not Cheat"):
        load_policy("scripted/bold", rules="pagat")
    with pytest.raises(CheckpointError, match="'sharp' plays Cheat, not Bluff the Bullet"):
        load_policy("sharp", rules="bluff-the-bullet")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("describe pagat --rule ranks=A,2,3", "ranks='A,2,3' must be a list of different names, such as [A, 2, 3]"),
        ("describe pagat --rule jokers=1 --rule jokers=2", "--rule 'jokers' is given twice"),
        ("watch --players 2 --policies random --policies honest --policies sharp", "3 policies are named for 2 seats"),
        ("evaluate scripted/honest --deals 2 --json {}/none/x.json", "there is no such folder"),
        ("watch --variant mini-pairs --save {}/none/x.jsonl", "there is no such folder"),
    ],
)
def test_commands_say_what_is_wrong_before_they_start(
    command: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [part.format(tmp_path) for part in command.split()]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and sentence in error and error.count("\n") == 1
    assert not (tmp_path / "none").exists()
