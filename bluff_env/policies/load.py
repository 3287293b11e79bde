"""From names, paths and functions to policies."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bluff_env.core.encoding import Encoder
from bluff_env.core.family import Family
from bluff_env.core.registry import DEFAULT_VARIANT, FAMILIES, family_of
from bluff_env.policies.checkpoint import load_checkpoint
from bluff_env.policies.document import SUFFIX, CheckpointError, find_checkpoint
from bluff_env.policies.fit import check_fit
from bluff_env.policies.policy import CallablePolicy
from bluff_env.policies.published import find_published, game_named, published, published_file
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names, scripted_players
from bluff_env.utils.errors import InputError, did_you_mean, one_line, shown

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy, PolicySpec


def load_policy(spec: PolicySpec, *, rules: Any = None, num_players: int | None = None) -> Policy:
    """A policy, ready to play: something with ``predict`` and ``act``, as :class:`bluff_env.policies.Policy` says.

    Args:
        spec: ``"random"``, ``"scripted/honest"`` and the like; a game, ``"cheat/bullshit"`` or ``"cheat/bullshit/4p"``,
            for the policy of the package that plays it; the path of a checkpoint, with or without ``.safetensors``
            (``"./cheat/bullshit"`` where it could be taken for a game); a policy, which is returned as it is; a model
            of Stable-Baselines3 (a :class:`bluff_env.policies.sb3_model.ModelPolicy`); a function
            ``(observation, mask) -> action``, or an object with such a method ``act``.
        rules: a preset or rules that the policy is to play. A scripted player is one of their family, Cheat by default;
            a checkpoint that does not fit them is refused.
        num_players: by default as many as the checkpoint has room for; for a game that is named without it, the
            preset's usual number.

    Raises:
        CheckpointError: for a checkpoint that is damaged, foreign or made for other rules (then a
            :class:`MisfitError`), and for an unknown name.
        ValueError: for a value of another type.
    """
    family = family_of(DEFAULT_VARIANT if rules is None else rules)
    policy: Any
    if isinstance(spec, (str, os.PathLike)):
        if is_scripted(spec, family):
            return ScriptedPolicy(str(spec).removeprefix("scripted/"), family)
        found = find_policy(spec, family, num_players)
        if found is None:
            raise CheckpointError(_unknown(str(spec), family, num_players))
        policy = load_checkpoint(found[1])
        policy.name = found[0]
        if isinstance(spec, str) and "variant" not in policy.meta and (game := game_named(found[0])):
            policy.plays(*game)
    elif is_sb3_model(spec):
        from bluff_env.policies.sb3_model import ModelPolicy

        model: Any = spec
        return ModelPolicy(model, rules, num_players)
    elif hasattr(spec, "predict"):
        policy = spec
    elif callable(act := getattr(spec, "act", None)):
        return CallablePolicy(act, name=type(spec).__name__)
    elif callable(spec):
        return CallablePolicy(spec)
    else:
        raise ValueError(f"a {type(spec).__name__} is not a policy: give a name, a path, a policy or a function")
    if rules is not None and isinstance(getattr(policy, "encoder", None), Encoder):
        players = policy.encoder.seats if num_players is None else num_players
        check_fit(policy, family.variants.make_rules(rules), players)
    return policy


def is_sb3_model(spec: Any) -> bool:
    """Whether this is a model of Stable-Baselines3, told without importing it."""
    kinds = {(kind.__module__, kind.__name__) for kind in type(spec).__mro__}
    return ("stable_baselines3.common.base_class", "BaseAlgorithm") in kinds


def is_scripted(spec: str | os.PathLike[str], family: Family) -> bool:
    """Whether a name is that of a scripted player of this family."""
    return str(spec).removeprefix("scripted/") in scripted_names(family)


def find_policy(
    spec: str | os.PathLike[str], family: Family, num_players: int | None = None
) -> tuple[str, Path] | None:
    """The name and the file of the trained policy that a name means; None for scripted players and unknown names."""
    if is_scripted(spec, family):
        return None
    name = find_published(spec, num_players) if isinstance(spec, str) else None
    if name is not None and (path := published_file(name)) is not None:
        return name, path
    path = find_checkpoint(spec)
    return None if path is None else (path.name.removesuffix(SUFFIX), path)


def _unknown(spec: str, family: Family, num_players: int | None) -> str:
    """Why there is no policy of this name."""
    if game := game_named(spec):
        players = game[1] or num_players
        of = f"{game[0]}/{players}p" if players else game[0]
        return f"there is no published policy {of}; there are: {', '.join(published())}"
    for other in FAMILIES.values():
        if is_scripted(spec, other):
            return f"{shown(spec)} plays {other.title}, not {family.title}"
    known = [*scripted_players(family), *published()]
    return f"{shown(spec)} is neither a scripted player nor a checkpoint{did_you_mean(spec[:100], known)}"


def is_own_player(spec: str) -> bool:
    """Whether a name has the form ``file.py:name``."""
    return spec.rpartition(":")[0].endswith(".py")


def own_object(spec: str) -> Any:
    """What ``file.py:name`` names; of a class, an object of it. None for a name of another form.

    Raises:
        InputError: if the file cannot be run or has no such name; one sentence says why.
    """
    if not is_own_player(spec):
        return None
    path, _, name = spec.rpartition(":")
    if not Path(path).is_file():
        raise InputError(f"there is no file {shown(path)}")
    try:
        found = runpy.run_path(path)
    except Exception as error:  # whatever it is that the file does wrong
        raise InputError(f"{path} cannot be run: {type(error).__name__}: {one_line(error)}") from error
    if name not in found:
        known = [known for known, value in found.items() if callable(value) or hasattr(value, "act")]
        raise InputError(f"{path} has no player {shown(name)}{did_you_mean(name, known)}")
    try:
        return found[name]() if isinstance(found[name], type) else found[name]
    except (TypeError, ValueError) as error:
        raise InputError(f"{spec} is no player: {one_line(error)}") from error


def own_player(spec: str) -> Any:
    """The policy that ``file.py:name`` means; None for a name of another form.

    The name is that of a function ``(observation, mask) -> action``, of an object with the method ``act`` or
    ``predict``, or of a class of such objects that takes no arguments.

    Raises:
        InputError: if the file cannot be run or has no such player; one sentence says why.
    """
    if not is_own_player(spec):
        return None
    from bluff_env.policies.load import load_policy

    player = own_object(spec)
    try:
        policy: Any = load_policy(player)
    except (TypeError, ValueError) as error:
        raise InputError(f"{spec} is no player: {one_line(error)}") from error
    policy.name = spec
    return policy
