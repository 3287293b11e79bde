"""From names, paths, models and functions to policies."""

from __future__ import annotations

from typing import Any

from bluff_env.core.registry import DEFAULT_VARIANT, family_of
from bluff_env.policies.policy import Policy, PolicySpec
from bluff_env.policies.source import source_of
from bluff_env.utils.arguments import whole_number


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
        ValueError: for a value of another type, and for a number of players that the family does not have.
    """
    if num_players is not None:
        family = family_of(DEFAULT_VARIANT if rules is None else rules)
        num_players = whole_number("num_players", num_players, 2, family.most_players)
    return source_of(spec).load(rules, num_players)
