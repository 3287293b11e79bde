"""Choices for a new table: the games with their house rules as fields, and who plays them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import IntEnum
from threading import Lock
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from bluff_env.core.family import Family
from bluff_env.core.picture import Values
from bluff_env.core.registry import FAMILIES, family_of, full_name, make_rules
from bluff_env.core.rules import Variant
from bluff_env.evaluation.games import GameSpec, choose_game, trained_policy
from bluff_env.evaluation.house_rules import NAME_FIELDS, as_names
from bluff_env.play.levels import DEFAULT_LEVEL, LEVELS, NAMES, length_of, opponent, person_wins
from bluff_env.policies.document import CheckpointError, read_document
from bluff_env.policies.published import GENERALIST, actual_name, published, published_name, win_shares
from bluff_env.policies.scripted import scripted_names
from bluff_env.utils.errors import InputError, quoted
from bluff_env.utils.files import parse_yaml

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy

_YARDSTICKS = ("honest", "counter")  # scripted players, of whom people have an idea
QUICK = 5  # minutes that a quick game takes at most
MOST_QUICK = 4  # players of a quick game
_loading = Lock()  # a policy is loaded once, also if two tables ask for it at once


# --- games -----------------------------------------------------------------------------------------------------------


@functools.cache
def games() -> Values:
    """All that a page has to know to offer the games: families with presets and fields, and policies."""
    return {
        "families": [_family_values(family) for family in FAMILIES.values()],
        "levels": list(LEVELS),
        "default_level": DEFAULT_LEVEL,
        "names": list(NAMES),
    }


def _family_values(family: Family) -> Values:
    variants = family.variants.values()
    return {
        "name": family.name,
        "label": family.title,
        "default": family.variants.find_variant(family.default).name,
        "fields": _fields(family),
        "variants": [_variant_values(family, variant) for variant in variants],
        "policies": [policy for policy in _policies() if policy["plays"]["family"] == family.name],
    }


def _variant_values(family: Family, variant: Variant) -> Values:
    least, usual, most = variant.players
    plain, rules = family.rules().to_dict(), make_rules(variant.name).to_dict()
    changed = {field: value for field, value in rules.items() if field in plain and value != plain[field]}
    return {
        "name": variant.name,
        "aliases": list(variant.aliases),
        "summary": variant.summary,
        "usual_players": usual,
        "min_players": least,
        "max_players": most,
        "rules": changed,
        "opponents": {n: usual_policy(_preset(variant.name, n)) for n in range(least, most + 1)},
    }


def _preset(variant: str, num_players: int) -> GameSpec:
    """The game of a preset, for its name alone."""
    return GameSpec(variant, None, num_players, is_preset=True)


def _fields(family: Family) -> list[Values]:
    """The house rules of a family."""
    rules = family.rules()
    kinds, values = get_type_hints(type(rules)), rules.to_dict()
    docs = {field: meaning for field, _, meaning in family.texts.rules_table(rules)}
    return [
        {
            "name": field,
            "label": field.replace("_", " "),
            "doc": docs[field],
            "default": values[field],
            **_kind_of(family, field, kinds[field]),
        }
        for field in docs
    ]


def _kind_of(family: Family, field: str, hint: Any) -> Values:
    """Return how a page asks for a field."""
    kinds = get_args(hint) or (hint,)
    optional = NoneType in kinds
    if bool in kinds:
        return {"kind": "switch"}
    if choice := next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, IntEnum)), None):
        return {"kind": "choice", "choices": [member.name.lower() for member in choice], "optional": optional}
    if names := family.rules.several.get(field):
        return {"kind": "several", "choices": list(names)}
    if set(kinds) <= {int, float, NoneType}:
        return {"kind": "number", "whole": float not in kinds, "optional": optional}
    return {"kind": "text"}


def asked_game(asked: Mapping[str, Any]) -> GameSpec:
    """The game that a page asks for with ``variant``, ``players`` and ``rules``. Raises InputError."""
    variant, players, rules = asked.get("variant"), asked.get("players"), asked.get("rules") or {}
    if not isinstance(variant, str):
        raise InputError("variant must be the name of a preset")
    if players is not None and (isinstance(players, bool) or not isinstance(players, int)):
        raise InputError("players must be a whole number")
    if not isinstance(rules, dict):
        raise InputError("rules must be a table of house rules")
    if "variant" in rules:
        raise InputError("rules cannot change the variant: choose it itself")
    texts = {field["name"] for field in _fields(family_of(variant)) if field["kind"] == "text"}
    return choose_game(variant, players, {name: _value(name, value, texts) for name, value in rules.items()}, [])


def _value(field: str, value: Any, texts: set[str]) -> Any:
    """Return what was filled in for a field; a text as on the command line."""
    if field in texts and isinstance(value, str):
        try:
            value = parse_yaml(value)
        except ValueError as error:
            raise InputError(f"the value of {field} {error}") from None
    return as_names(value) if field in NAME_FIELDS else value


def described(game: GameSpec) -> Values:
    """A game in words, and who can play it."""
    texts = family_of(game.rules).texts
    return {
        "title": f"{game.title}, {game.num_players} players",
        "paragraphs": texts.describe(game.rules, game.num_players).split("\n\n"),
        "policies": [one["name"] for one in _policies() if _plays(one, game)],
        "default": usual_policy(game),
        "labels": _labels(game),
        "levels": {level: _level(game, level) for level in LEVELS},
    }


def _labels(game: GameSpec) -> dict[str, str]:
    """Return how a policy is called where it plays in place of one made for this game, by name."""
    alias = trained_policy(game)
    return {} if alias == usual_policy(game) else {usual_policy(game): actual_name(alias)}


def _level(game: GameSpec, level: str) -> Values:
    """Return who plays at a level, and how long a game takes then, in words; None where that was not measured."""
    length, wins = length_of(game, level), person_wins(game, level)
    return {
        "policy": level_policy(game, level),
        "wins": None if wins is None else round(wins, 4),
        "length": None if length is None else str(length),
    }


def quick_game() -> GameSpec:
    """Return a game for a person who wants to play at once: it ends by itself, within :data:`QUICK` minutes."""
    family = next(iter(FAMILIES.values()))
    for players in range(3, MOST_QUICK + 1):
        game = choose_game(family.default, players, {}, [])
        length = length_of(game)
        if length is not None and length.ends and length.minutes <= QUICK:
            return game
    return choose_game(family.default, 3, {}, [])


# --- policies --------------------------------------------------------------------------------------------------------


@functools.cache
def _policies() -> list[Values]:
    """The policies of the package: the scripted players of each family, and the trained ones."""
    found: list[Values] = []
    for family in FAMILIES.values():
        for name in scripted_names(family):
            plays = {"family": family.name, "variant": None, "players": None}
            found.append({"name": f"scripted/{name}", "label": f"{name} (scripted)", "plays": plays, "strength": ""})
    for name, path in published().items():
        document = read_document(path)
        if "variant" in document:
            family_name, variant = document["family"], document["variant"].rpartition("/")[2]
            plays = {"family": family_name, "variant": variant, "players": document["num_players"]}
        else:
            plays = {"family": document["family"], "variant": None, "players": None}
        label, strength = f"{name} (trained)", _strength(document)
        found.append({"name": name, "label": label, "plays": plays, "strength": strength})
    return found


def _strength(document: Mapping[str, Any]) -> str:
    """Return how strong a trained policy is, in words."""
    if "variant" not in document:
        return "plays every game that no other policy was made for"
    shares = {opponent: share["value"] for opponent, share in win_shares(document).items()}
    if not shares:
        return ""
    told = [f"{shares[name]:.0%} against {name}" for name in _YARDSTICKS if name in shares]
    hardest = min(shares, key=lambda name: shares[name])
    told += [f"{shares[hardest]:.0%} against {hardest}, its hardest"] if hardest not in _YARDSTICKS else []
    return f"wins {', '.join(told)}; an average player wins {1 / document['num_players']:.0%}"


def _plays(policy: Values, game: GameSpec) -> bool:
    """Return whether one of :func:`_policies` can play a game."""
    plays, own = policy["plays"], (game.title, game.num_players)
    if plays["variant"] is not None and (plays["variant"], plays["players"]) != own:
        return False
    return plays["family"] == family_of(game.rules).name and _can_play(policy["name"], game)


def _can_play(name: str, game: GameSpec) -> bool:
    """Return whether a policy can play a game."""
    try:
        load(name, game)
    except InputError:
        return False
    return True


def usual_policy(game: GameSpec) -> str:
    """Return the name of the policy that plays a game where no other is chosen."""
    return published_name(trained_policy(game))


def level_policy(game: GameSpec, level: str) -> str:
    """Return the name of the policy behind a level."""
    return published_name(opponent(game, level))


def load(name: str, game: GameSpec) -> Policy:
    """A policy of the package by its name, and nothing else: no path. Raises InputError if it cannot play the game."""
    family = family_of(game.rules)
    scripted = name.removeprefix("scripted/")
    if scripted in scripted_names(family):
        return _loaded(f"scripted/{scripted}", family.name)
    if name not in published():
        raise InputError(f"{quoted(name)} is no policy of the package for this game")
    with _loading:
        try:
            return game.load(_loaded(name, family.name))
        except CheckpointError as error:
            raise InputError(error) from None


@functools.lru_cache(maxsize=64)
def _loaded(name: str, family: str) -> Policy:
    """A policy that is loaded once for all tables."""
    from bluff_env.policies.load import load_policy

    return load_policy(name, rules=FAMILIES[family].default if name.startswith("scripted/") else None)


def adviser(game: GameSpec) -> Any:
    """The trained policy that knows a game best: the one made for it, else the generalist; None if none can play."""
    family = family_of(game.rules)
    own = [f"{full_name(game.variant)}/{game.num_players}p"] if game.is_preset else []
    for name in (*own, f"{family.name}/{GENERALIST}"):
        if name in published() and _can_play(name, game):
            return load(name, game)
    return None
