"""Dialogues with agents of text environments (TextArena, verifiers): what they are told, and how answers are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from bluff_env.core.words import harmless
from bluff_env.utils.errors import InputError

if TYPE_CHECKING:
    from bluff_env.envs.aec import RawEnv


def briefing(env: RawEnv, agent: str) -> str:
    """Return what an agent reads before its first decision: the rules, who it is, and how to answer."""
    texts = env.family.texts
    examples = "; ".join(f"[{example}] {meaning}" for example, meaning in texts.move_help)
    how = "Answer with a legal action in square brackets, such as [call], or with a whole move"
    return f"{texts.describe(env.rules, len(env.possible_agents))}\n\nYou are {agent}. {how}: {examples}."


def question(env: RawEnv, agent: str) -> str:
    """Return what an agent reads at each of its decisions: what its seat knows, and the legal actions."""
    return f"{env.observe_text(agent)}\n\nLegal actions:\n{env.legal_actions_text(agent)}"


def meant(env: RawEnv, agent: str, answer: str) -> list[int]:
    """The actions that an answer means, to be taken one after the other.

    The last text in square brackets counts, else the whole answer. Raises InputError if it cannot be read.
    """
    found = re.findall(r"\[([^\[\]]+)\]", answer)
    return env.parse_action(agent, found[-1] if found else answer)


def ask_again(error: InputError) -> str:
    """Return what an agent reads whose answer cannot be read."""
    return f"Your answer was not understood: {error}. Answer again."


def least_harm(env: RawEnv, agent: str) -> int:
    """The legal action that is taken for an agent whose answers cannot be read."""
    legal = np.flatnonzero(env.observe(agent)["action_mask"])
    return env.action_index(harmless([env.action_names[action] for action in legal]))
