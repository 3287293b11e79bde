"""Every constructor refuses a keyword that it does not know, and says where an argument of another place belongs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import gymnasium
import pytest

import bluff_env
from bluff_env import (
    Engine,
    Position,
    RulesError,
    bluff_the_bullet_v0,
    cheat_v0,
    conformance,
    deception,
    evaluate,
    exact,
    gym,
    make_rules,
    study,
    tournament,
)
from bluff_env.core.keywords import BELONGS

# Each with the arguments that it cannot do without. Of those in modules that may be missing, the names alone.
CONSTRUCTORS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "cheat_v0.env": (cheat_v0.env, ()),
    "cheat_v0.raw_env": (cheat_v0.raw_env, ()),
    "bluff_the_bullet_v0.env": (bluff_the_bullet_v0.env, ()),
    "bluff_the_bullet_v0.raw_env": (bluff_the_bullet_v0.raw_env, ()),
    "CheatEnv": (gym.CheatEnv, ()),
    "CheatVectorEnv": (gym.CheatVectorEnv, ()),
    "BluffTheBulletEnv": (gym.BluffTheBulletEnv, ()),
    "BluffTheBulletVectorEnv": (gym.BluffTheBulletVectorEnv, ()),
    "Engine": (Engine, ()),
    "Engine of a list": (Engine, ([("pagat", 3)],)),
    "Position": (Position, ()),
    "conformance.check": (conformance.check, ("pagat",)),
    "deception": (deception, ("pagat", ["random"])),
    "evaluate": (evaluate, ("random", "random")),
    "exact.Tree": (exact.Tree, ("mini-pairs",)),
    "exact.best_response": (exact.best_response, ("random", "mini-pairs")),
    "exact.cfr_plus": (exact.cfr_plus, ("mini-pairs",)),
    "exact.extensive_form": (exact.extensive_form, ("mini-pairs",)),
    "exact.nash_conv": (exact.nash_conv, ("random", "mini-pairs")),
    "exact.tabulate": (exact.tabulate, ("random", "mini-pairs")),
    "exact.values": (exact.values, ("random", "mini-pairs")),
    "study": (study, ("random",)),
    "tournament": (tournament, (["random", "honest"],)),
}
ELSEWHERE = ("sb3", "BatchedVecEnv"), ("torchrl", "EngineEnv"), ("rllib", "CheatSeatsEnv"), ("open_spiel", "load_game")


def optional() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The constructors of the modules whose libraries are installed."""
    found = {}
    for module, name in ELSEWHERE:
        try:
            constructor = getattr(import_module(f"bluff_env.{module}"), name)
        except ImportError:
            continue
        found[name] = constructor, (("pagat",) if module == "open_spiel" else ())
    return found


ALL = CONSTRUCTORS | optional()
RULES_ALONE = ("CheatSeatsEnv", "load_game")  # one takes a table of arguments, the other is to follow


def arguments(constructor: Callable[..., Any]) -> list[str]:
    """The names of a constructor's arguments, without those that ``**`` takes."""
    parameters = inspect.signature(constructor).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]


NAMES = sorted({name for constructor, _ in ALL.values() for name in arguments(constructor)})


@pytest.mark.parametrize("place", [place for place in ALL if place not in RULES_ALONE])
def test_arguments_of_other_places_are_refused_and_sent_there(place: str) -> None:
    """They were swallowed on the way through several signatures, or called no rules with themselves as the nearest."""
    constructor, given = ALL[place]
    for name in set(NAMES) - set(arguments(constructor)):
        with pytest.raises(TypeError) as caught:
            constructor(*given, **{name: 1})
        assert isinstance(caught.value, RulesError)
        assert str(caught.value) == f"unexpected keyword argument {name!r}: {BELONGS[name]}"


@pytest.mark.parametrize("place", [place for place in ALL if place not in RULES_ALONE])
def test_a_keyword_that_nobody_knows_is_both_errors(place: str) -> None:
    """Libraries try ``frameskip`` and expect a TypeError of these words."""
    constructor, given = ALL[place]
    for name in ("frameskip", "num_player", "jokrs"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}': no .* is called so") as caught:
            constructor(*given, **{name: 1})
        assert isinstance(caught.value, RulesError)
        assert name != "num_player" or "; the nearest are: num_players" in str(caught.value)


def test_every_public_function_that_takes_house_rules_is_tried() -> None:
    """``make_rules`` has sentences of its own; the classes of ``gym`` for both families are not made by themselves."""
    tried = {constructor for constructor, _ in CONSTRUCTORS.values()} | {make_rules}
    places = [bluff_env, bluff_the_bullet_v0, cheat_v0, conformance, exact]
    found = [getattr(place, name) for place in places for name in getattr(place, "__all__", dir(place))]
    found += [value for name, value in vars(gym).items() if name.startswith(("Cheat", "BluffTheBullet"))]
    ours = [one for one in found if callable(one) and getattr(one, "__module__", "").startswith("bluff_env.")]
    takes = {one for one in ours if "house_rules" in inspect.signature(one).parameters}
    assert cheat_v0.env in takes and takes <= tried


def test_every_argument_has_a_place() -> None:
    assert set(NAMES) <= set(BELONGS)
    rules = {name for variant in ("pagat", "bluff-the-bullet") for name in make_rules(variant).field_names()}
    assert not rules & set(BELONGS), "a rule is never an argument of something else"


def test_rules_by_themselves_take_rules() -> None:
    with pytest.raises(TypeError, match="no rule is called 'seed': an environment takes it in reset") as caught:
        make_rules("pagat", seed=3)
    assert isinstance(caught.value, RulesError)
    with pytest.raises(RulesError, match="no rule is called 'jokrs'; the nearest are: joker"):
        make_rules("pagat", jokrs=3)


@pytest.mark.parametrize("variant", ["pagat", "bluff-the-bullet", "liars-deck"])
def test_names_of_other_places_are_suggested_only_for_a_slip(variant: str) -> None:
    """Bluff the Bullet has no jokers, and was said to have workers; then these were said to belong elsewhere."""
    known = make_rules(variant).field_names()
    for name in {"jokers", "foo", "Jokers", "cards", "decks", "worker"} - set(known):
        with pytest.raises(RulesError) as caught:
            make_rules(variant, **{name: 2})
        near = str(caught.value).partition("the nearest are: ")[2].split(", ")
        elsewhere = set(near) & set(BELONGS)
        assert not elsewhere or name in ("decks", "worker"), str(caught.value)
    with pytest.raises(RulesError, match="the rule revolver=False makes a single deal"):
        make_rules("liars-deck", deals=1)


def test_gymnasium_hands_the_error_on() -> None:
    """It makes another of the same type, with its own words around it."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make("bluff_env/Cheat-v0", frameskip=4)
    with pytest.raises(RulesError, match="unexpected keyword argument 'num_threads': Engine, vector environments"):
        gymnasium.make("bluff_env/Cheat-v0", num_threads=4)


def test_torchrl_makes_the_environment_of_gymnasium() -> None:
    """It tries ``frameskip`` first."""
    pytest.importorskip("torchrl")
    from torchrl.envs import GymEnv

    env = GymEnv("bluff_env/Cheat-v0", variant="mini-pairs")
    assert env.reset()["observation"].ndim == 1


def test_a_render_mode_of_the_vector_environment_is_an_argument_and_no_rule() -> None:
    with pytest.raises(
        RulesError, match="'render_mode': PettingZoo's environments and Gymnasium's single ones have it"
    ):
        gymnasium.make_vec(
            "bluff_env/Cheat-v0", num_envs=2, vectorization_mode="vector_entry_point", render_mode="rgb_array"
        )
