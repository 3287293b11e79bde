"""Evaluations of several policies against several opponents, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.duplicates import Evaluation
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.policies.source import AnySpec


def evaluate_pairs(
    pairs: Sequence[tuple[str, str]],
    policies: Mapping[str, AnySpec],
    game: GameSpec,
    deals: int,
    seed: int,
    results: list[Evaluation],
    path: Path | None = None,
) -> None:
    """Evaluate policies against copies of opponents, with a progress bar.

    Args:
        pairs: the names of each policy and its opponent.
        policies: by name, as :func:`bluff_env.load_policy` takes them, or their sources.
        game: what they play.
        deals: of each evaluation.
        seed: of all chance.
        results: every result is added as soon as there is one, so an interruption leaves those before.
        path: a JSON file that is written with each result.
    """
    from bluff_env.evaluation.duplicates import evaluate, write_json
    from bluff_env.policies.source import source_of

    sources = {name: source_of(policy) for name, policy in policies.items()}
    with progress() as bar:
        task = bar.add_task("evaluating", total=len(pairs))
        for done, (candidate, opponent) in enumerate(pairs):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            players = sources[candidate], sources[opponent]
            result = evaluate(*players, game, game.num_players, deals, seed, progress=report)
            digests = {name: sources[name].digest for name in (candidate, opponent)}
            results.append(replace(result, candidate=candidate, opponent=opponent, digests=digests))
            if path is not None:
                write_json(results, path)
