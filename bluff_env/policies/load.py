"""From names, paths and functions to policies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bluff_env.errors import did_you_mean, shown
from bluff_env.family import DEFAULT_VARIANT, family_of
from bluff_env.policies.checkpoint import CheckpointError, find_checkpoint, load_checkpoint
from bluff_env.policies.encoding import Encoder
from bluff_env.policies.fit import check_fit
from bluff_env.policies.policy import CallablePolicy
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy, PolicySpec


def load_policy(spec: PolicySpec, *, rules: Any = None, num_players: int | None = None) -> Policy:
    """A policy, ready to play: something with ``predict`` and ``act``, as :class:`bluff_env.policies.Policy` says.

    Args:
        spec: ``"random"``, ``"scripted/honest"`` and the like; the path of a checkpoint, with or without
            ``.safetensors``; a policy, which is returned as it is; or a function ``(observation, mask) -> action``.
        rules: a preset or rules that the policy is to play. A scripted player is one of their family, Cheat by default;
            a checkpoint that does not fit them is refused.
        num_players: by default as many as the checkpoint has room for.

    Raises:
        CheckpointError: for a checkpoint that is damaged, foreign or made for other rules, and for an unknown name.
        ValueError: for a value of another type.
    """
    family = family_of(DEFAULT_VARIANT if rules is None else rules)
    policy: Any
    if isinstance(spec, (str, os.PathLike)):
        name = str(spec).removeprefix("scripted/")
        if name in scripted_names(family):
            return ScriptedPolicy(name, family)
        path = find_checkpoint(spec)
        if path is None:
            near = did_you_mean(str(spec)[:100], [f"scripted/{n}" for n in scripted_names(family)])
            raise CheckpointError(f"{shown(str(spec))} is neither a scripted player nor a checkpoint{near}")
        policy = load_checkpoint(path)
    elif hasattr(spec, "predict"):
        policy = spec
    elif callable(spec):
        return CallablePolicy(spec)
    else:
        raise ValueError(f"a {type(spec).__name__} is not a policy: give a name, a path, a policy or a function")
    if rules is not None and isinstance(getattr(policy, "encoder", None), Encoder):
        players = policy.encoder.seats if num_players is None else num_players
        check_fit(policy, family.variants.make_rules(rules), players)
    return policy
