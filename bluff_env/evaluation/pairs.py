"""Evaluations of several policies against several opponents, one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bluff_env.evaluation.games import Game
from bluff_env.policies.load import is_own_player
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.matches import Evaluation
    from bluff_env.policies.policy import Policy


def evaluate_pairs(
    pairs: Sequence[tuple[str, str]],
    policies: Mapping[str, Policy],
    game: Game,
    deals: int,
    seed: int,
    results: list[Evaluation],
    path: Path | None = None,
) -> None:
    """Evaluates policies against copies of opponents, with a progress bar.

    Args:
        pairs: the names of each policy and its opponent.
        policies: by name.
        game: what they play.
        deals: of each evaluation.
        seed: of all chance.
        results: every result is added as soon as there is one, so an interruption leaves those before.
        path: a JSON file that is written with each result.
    """
    from bluff_env.evaluation.matches import evaluate, write_json

    rules = game.variant if game.is_preset else game.rules
    with progress() as bar:
        task = bar.add_task("evaluating", total=len(pairs))
        for done, (candidate, opponent) in enumerate(pairs):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            players = policies[candidate], policies[opponent]
            result = evaluate(*players, rules, game.num_players, deals, seed, progress=report)
            digests = {name: _digest(name, policies[name]) for name in (candidate, opponent)}
            results.append(replace(result, candidate=candidate, opponent=opponent, digests=digests))
            if path is not None:
                write_json(results, path)


def _digest(name: str, policy: Policy) -> str | None:
    """The SHA-256 of a policy's weights, or of the file of a player of one's own; None for scripted players."""
    from bluff_env.evaluation.matches import digest_of

    if is_own_player(name):
        return hashlib.sha256(Path(name.rpartition(":")[0]).read_bytes()).hexdigest()
    return digest_of(policy)
