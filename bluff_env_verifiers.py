"""The games of bluff_env under the name by which verifiers finds them: it looks for a module of the top level."""

from bluff_env.verifiers import BluffEnv, BluffHarness, BluffTaskset

__all__ = ["BluffEnv", "BluffHarness", "BluffTaskset"]
