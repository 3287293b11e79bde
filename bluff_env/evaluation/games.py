"""Which game is played: the one that was asked for, or the one that a trained policy brings with it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bluff_env.core.registry import CUSTOM, DEFAULT_VARIANT, FAMILIES, family_of, find_variant, make_rules
from bluff_env.utils.errors import InputError, RulesError, shown

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy, PolicySpec


@dataclass(frozen=True)
class Game:
    """Rules and a number of players.

    Attributes:
        variant: the preset as it was named, or ``"custom"``.
        rules: the rules, house rules included, resolved for ``num_players``.
        num_players: number of players.
        is_preset: whether these are the rules of the preset itself.
        brought: whether a trained policy has said something of this game.
        loaded: the policies that were loaded to find the game, by name, so that none is loaded twice.
    """

    variant: str
    rules: Any
    num_players: int
    is_preset: bool
    brought: bool = False
    loaded: Mapping[str, Policy] = field(default_factory=dict, compare=False, repr=False)

    @property
    def title(self) -> str:
        """The preset's own name, or ``"custom"``."""
        return self.variant if self.variant == CUSTOM else find_variant(self.variant).name

    def load(self, spec: PolicySpec) -> Policy:
        """A policy that plays this game. Raises what :func:`bluff_env.load_policy` raises."""
        from bluff_env.policies.load import load_policy

        known = self.loaded.get(str(spec), spec) if isinstance(spec, (str, os.PathLike)) else spec
        return load_policy(known, rules=self.rules, num_players=self.num_players)

    def settings(self) -> dict[str, Any]:
        """The game as a configuration of a training has it: ``variant``, ``rules`` (house rules), ``num_players``."""
        variant = family_of(self.rules).default if self.variant == CUSTOM else self.variant
        plain = (_resolved(variant, self.num_players) or make_rules(variant)).to_dict()
        changed = {name: value for name, value in self.rules.to_dict().items() if plain[name] != value}
        return {"variant": variant, "rules": changed, "num_players": self.num_players}


def choose_game(
    variant: Any, num_players: int | None, house_rules: Mapping[str, Any], policies: Sequence[PolicySpec]
) -> Game:
    """The game that was asked for. What is left open comes from the first policy that carries its game.

    Args:
        variant: a preset or rules; None for those of that policy, or the default preset if there is none.
        num_players: None for that of the policy, or the usual number of the preset.
        house_rules: changes of the rules.
        policies: as :func:`bluff_env.load_policy` takes them; names that mean nothing are passed over.

    Raises:
        RulesError: for rules that do not exist, contradict one another or do not allow the number of players.
        CheckpointError: for a policy that is damaged.
    """
    loaded: dict[str, Policy] = {}
    own = next(filter(None, (trained(spec, variant, num_players, loaded) for spec in policies)), None)
    if own is not None and variant is None:
        rules, name = own.rules.replace(**house_rules), own.variant or _preset_of(own)
    else:
        variant = DEFAULT_VARIANT if variant is None else variant
        rules, name = make_rules(variant, **house_rules), variant if isinstance(variant, str) else CUSTOM
    n = num_players or (own.num_players if own else None) or family_of(rules).usual_players(variant)
    rules = rules.resolve(n)
    is_preset = name != CUSTOM and rules == _resolved(name, n)
    return Game(name, rules, n, is_preset, own is not None, loaded)


def own_game(name: str, num_players: int | None = None, house_rules: Mapping[str, Any] | None = None) -> Game:
    """The game that the policy of this name was trained for, with house rules on top.

    Raises:
        InputError: if it does not say, or if it is a scripted player, who plays any rules.
        CheckpointError: if there is none, or it is damaged.
    """
    if plays_any_rules(name):
        raise InputError(f"{shown(name)} plays any rules: choose them with --variant")
    game = choose_game(None, num_players, house_rules or {}, [name])
    if not game.brought:
        if name not in game.loaded:
            game.load(name)  # there is none: it says so
        raise InputError(f"{shown(name)} does not say which rules it was trained for: choose them with --variant")
    return game


def plays_any_rules(name: str) -> bool:
    """Whether a name is that of a scripted player of some family."""
    from bluff_env.policies.load import is_scripted

    return any(is_scripted(name, family) for family in FAMILIES.values())


def _resolved(variant: str, num_players: int) -> Any:
    """The rules of a preset for this number of players; None if it needs house rules to be played by them."""
    try:
        return make_rules(variant).resolve(num_players)
    except RulesError:
        return None


def _preset_of(policy: Any) -> str:
    """The preset whose rules a policy plays that does not name one; ``"custom"`` if there is none."""
    names = family_of(policy.rules).variants
    return next((name for name in names if _resolved(name, policy.num_players) == policy.rules), CUSTOM)


def trained(spec: PolicySpec, variant: Any, num_players: int | None, loaded: dict[str, Policy]) -> Any:
    """A policy if it says which rules it plays, else None. One that has to be loaded is put into ``loaded``."""
    from bluff_env.policies.load import find_policy, is_sb3_model, load_policy

    policy: Any = spec
    if isinstance(spec, (str, os.PathLike)):
        if find_policy(spec, family_of(DEFAULT_VARIANT if variant is None else variant), num_players) is None:
            return None
        policy = loaded[str(spec)] = load_policy(spec, num_players=num_players)
    elif is_sb3_model(spec) and policy.get_env() is not None:  # which knows the game
        policy = load_policy(spec)
    return policy if getattr(policy, "rules", None) is not None else None


DEFAULT_POLICY = "scripted/counter"


def trained_policy(game: Game) -> str:
    """The published policy that plays this preset, made for it or the generalist; else the default policy.

    Under house rules the generalist may be weaker than the default policy (docs/generated/policies.md).
    """
    from bluff_env.core.registry import full_name
    from bluff_env.policies.published import published_file

    name = f"{full_name(game.variant)}/{game.num_players}p"
    return name if game.is_preset and published_file(name) else DEFAULT_POLICY
