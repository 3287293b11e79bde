"""The public names of the package and where each is found, for type checkers and for the imports of ``__init__.py``."""

from typing import Literal, TypeVar, overload

from typing_extensions import Unpack

from bluff_env import benchmark as benchmark
from bluff_env import bluff_the_bullet_v0 as bluff_the_bullet_v0
from bluff_env import cheat_v0 as cheat_v0
from bluff_env import conformance as conformance
from bluff_env import drawing as drawing
from bluff_env import exact as exact
from bluff_env import gym as gym
from bluff_env import open_spiel as open_spiel
from bluff_env import record as record
from bluff_env import rllib as rllib
from bluff_env import sb3 as sb3
from bluff_env import text as text
from bluff_env import textarena as textarena
from bluff_env import torchrl as torchrl
from bluff_env import verifiers as verifiers
from bluff_env.bullet.rules import Rules as _BulletRules
from bluff_env.cheat.rules import Rules as Rules
from bluff_env.cheat.sample import sample_rules as sample_rules
from bluff_env.core.encoding import Encoder as Encoder
from bluff_env.core.engine import Engine as Engine
from bluff_env.core.family import Family as Family
from bluff_env.core.house_rules import BulletHouseRules, CheatHouseRules, HouseRules
from bluff_env.core.registry import FAMILIES as FAMILIES
from bluff_env.core.registry import find_variant as find_variant
from bluff_env.core.registry import make_rules as _make_rules  # noqa: F401  typed below, by family
from bluff_env.core.rules import RuleSet
from bluff_env.core.view import View as View
from bluff_env.envs.position import Position as Position
from bluff_env.evaluation.deceptions import Deception as Deception
from bluff_env.evaluation.deceptions import deception as deception
from bluff_env.evaluation.duplicates import Evaluation as Evaluation
from bluff_env.evaluation.duplicates import evaluate as evaluate
from bluff_env.evaluation.studies import Study as Study
from bluff_env.evaluation.studies import study as study
from bluff_env.evaluation.tournaments import Tournament as Tournament
from bluff_env.evaluation.tournaments import tournament as tournament
from bluff_env.policies import CheckpointError as CheckpointError
from bluff_env.policies import Policy as Policy
from bluff_env.policies import load_policy as load_policy
from bluff_env.policies.export import export_mlp as export_mlp
from bluff_env.record import GameRecord as GameRecord
from bluff_env.record import RecordError as RecordError
from bluff_env.utils.errors import RulesError as RulesError

__version__: str

_R = TypeVar("_R", bound=RuleSet)

@overload
def make_rules(variant: _R, **house_rules: Unpack[HouseRules]) -> _R: ...
@overload
def make_rules(  # type: ignore[overload-overlap]  # other texts are presets of Cheat
    variant: Literal["bluff-the-bullet"], **house_rules: Unpack[BulletHouseRules]
) -> _BulletRules: ...
@overload
def make_rules(variant: str = ..., **house_rules: Unpack[CheatHouseRules]) -> Rules: ...
