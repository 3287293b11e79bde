"""Policies: who plays. Scripted players, networks and functions, loading and saving, and seating them at tables."""

from bluff_env.policies.checkpoint import add_results, save_checkpoint
from bluff_env.policies.document import CheckpointError
from bluff_env.policies.fit import MisfitError
from bluff_env.policies.load import load_policy
from bluff_env.policies.policy import BasePolicy, CallablePolicy, Policy, PolicySpec
from bluff_env.policies.seats import SeatPolicies

__all__ = [
    "BasePolicy", "CallablePolicy", "CheckpointError", "MisfitError", "Policy", "PolicySpec", "SeatPolicies",
    "add_results", "load_policy", "save_checkpoint",
]  # fmt: skip
