"""Choice of the game: the requested one, or the one that a trained policy was made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bluff_env.core.registry import (
    CUSTOM,
    DEFAULT_VARIANT,
    FAMILIES,
    family_of,
    find_variant,
    full_name,
    make_rules,
    title_of,
)
from bluff_env.utils.errors import InputError, RulesError, quoted

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy
    from bluff_env.policies.source import AnySpec

DEFAULT_POLICY = "scripted/counter"


@dataclass(frozen=True)
class GameSpec:
    """A rule set with a number of players.

    Attributes:
        variant: the preset as it was named, or ``"custom"``.
        rules: the rules, house rules included, resolved for ``num_players``.
        num_players: number of players.
        is_preset: whether these are the rules of the preset itself.
    """

    variant: str
    rules: Any
    num_players: int
    is_preset: bool

    @property
    def title(self) -> str:
        """The preset's own name, or ``"custom"``."""
        return self.variant if self.variant == CUSTOM else find_variant(self.variant).name

    @property
    def preset(self) -> str:
        """The preset as it was named, or ``"custom"`` with house rules too."""
        return self.variant if self.is_preset else CUSTOM

    @property
    def in_words(self) -> str:
        """The game for people, with every house rule: ``royals with 3 players, jokers=2``."""
        plain = self.settings()
        return title_of(plain["variant"], self.num_players, plain["rules"])

    def load(self, spec: AnySpec) -> Policy:
        """Return a policy that plays this game. Raise what :func:`bluff_env.load_policy` raises."""
        from bluff_env.policies.source import source_of

        return source_of(spec).load(self.rules, self.num_players)

    def settings(self) -> dict[str, Any]:
        """Return ``variant``, ``rules`` (house rules) and ``num_players``, as a configuration has them.

        They make the same game again. ``rules`` is short where it can be: what differs from the preset.
        """
        variant = _preset_of(self.rules, self.num_players) if self.variant == CUSTOM else self.variant
        variant = family_of(self.rules).default if variant == CUSTOM else variant
        plain = (_resolved(variant, self.num_players) or make_rules(variant)).to_dict()
        every = self.rules.to_dict()
        changed = {name: value for name, value in every.items() if plain[name] != value}
        if _resolved(variant, self.num_players, **changed) != self.rules:
            changed = every  # a changed rule decides another one that the preset leaves open, as packs the length limit
        return {"variant": variant, "rules": changed, "num_players": self.num_players}

    def to_dict(self) -> dict[str, Any]:
        """Return the game as results tell it: in words, and with all its rules."""
        return {"game": self.in_words, **self.settings(), "rules": self.rules.to_dict()}


def choose_game(
    variant: Any, num_players: int | None, house_rules: Mapping[str, Any], policies: Sequence[AnySpec]
) -> GameSpec:
    """Return the game that was asked for. What is left open comes from the first policy that was made for a game.

    Args:
        variant: a preset, rules, or a game that was chosen already; None for those of that policy, or the default
            preset if there is none.
        num_players: None for that of the policy, or the usual number of the preset.
        house_rules: changes of the rules.
        policies: as :func:`bluff_env.load_policy` takes them, or their sources; names that mean nothing are passed
            over. No weights are read.

    Raises:
        RulesError: for rules that do not exist, contradict one another or do not allow the number of players.
        CheckpointError: for a policy whose document is damaged.
        InputError: if no game is named, and a model of Stable-Baselines3 plays that does not know its own.
    """
    from bluff_env.policies.source import source_of

    if isinstance(variant, GameSpec):
        return variant
    own = None
    if variant is None or num_players is None:
        family = family_of(DEFAULT_VARIANT if variant is None else variant)
        sources = [source_of(policy) for policy in policies]
        games = (source.game(family, num_players) for source in sources)
        own = next((game for game in games if game is not None), None)
        if own is None and variant is None and (untold := [s.name for s in sources if s.must_be_told]):
            raise InputError(
                f"the {untold[0]} was loaded without an environment, which would know its game: name what it was "
                'trained for, as in variant="pagat", num_players=4'
            )
    if own is not None and variant is None:
        preset = own.variant or _preset_of(own.rules, own.num_players)
        rules, name = own.rules.replace(**house_rules), preset
    else:
        variant = DEFAULT_VARIANT if variant is None else variant
        rules, name = make_rules(variant, **house_rules), variant if isinstance(variant, str) else CUSTOM
    n = num_players
    if n is None:
        n = own.num_players if own is not None else family_of(rules).usual_players(variant)
    rules = rules.resolve(n)
    n = int(n)  # resolve knows which numbers are whole
    return GameSpec(name, rules, n, name != CUSTOM and rules == _resolved(name, n))


def own_game(name: str, num_players: int | None = None, house_rules: Mapping[str, Any] | None = None) -> GameSpec:
    """Return the game that the policy of this name was trained for, with house rules on top.

    Raises:
        InputError: if it does not say, or if it is a scripted player, who plays any rules.
        CheckpointError: if there is none, or it is damaged.
    """
    from bluff_env.policies.source import source_of

    if plays_any_rules(name):
        raise InputError(f"{quoted(name)} plays any rules: choose them with --variant")
    source = source_of(name)
    game = choose_game(None, num_players, house_rules or {}, [source])
    if source.game(num_players=num_players) is None:
        source.load(num_players=game.num_players)  # if there is none, this says so
        raise InputError(f"{quoted(name)} does not say which rules it was trained for: choose them with --variant")
    return game


def plays_any_rules(name: str) -> bool:
    """Return whether a name is that of a scripted player of some family."""
    from bluff_env.policies.source import is_scripted

    return any(is_scripted(name, family) for family in FAMILIES.values())


def trained_policy(game: GameSpec) -> str:
    """Return the name of the published policy that plays this preset, made for it or the generalist.

    Under house rules it is the default policy, which may be stronger than the generalist there
    (docs/generated/policies.md).
    """
    from bluff_env.policies.published import published_file

    name = f"{full_name(game.variant)}/{game.num_players}p"
    return name if game.is_preset and published_file(name) else DEFAULT_POLICY


def _resolved(variant: str, num_players: int, **house_rules: Any) -> Any:
    """Return the rules of a preset with house rules for this number of players, or None if they are impossible."""
    try:
        return make_rules(variant, **house_rules).resolve(num_players)
    except RulesError:
        return None


def _preset_of(rules: Any, num_players: int) -> str:
    """Return the preset that these rules are; ``"custom"`` if there is none."""
    names = family_of(rules).variants
    return next((name for name in names if _resolved(name, num_players) == rules), CUSTOM)
