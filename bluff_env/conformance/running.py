"""Runs the tests of all promises, and turns whatever they find into a report."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from bluff_env.conformance.endings import games_end, payoffs_add_up_to_zero
from bluff_env.conformance.legality import cards_are_conserved, masks_are_legality
from bluff_env.conformance.libraries import gymnasium_check, pettingzoo_tests, sb3_check
from bluff_env.conformance.report import Report, Result
from bluff_env.conformance.reproducibility import batches_agree, seeds_reproduce
from bluff_env.conformance.secrecy import nothing_leaks, perfect_recall
from bluff_env.conformance.trial import BrokenPromise, Skipped, Trial
from bluff_env.core.registry import check_house_rules, family_of
from bluff_env.record import CUSTOM, of
from bluff_env.utils.arguments import MOST_DEALS, seed_number, whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules


class Promise(NamedTuple):
    """One promise, and the function that raises :class:`BrokenPromise` where it does not hold."""

    name: str
    sentence: str
    test: Callable[[Trial], None]


# The first one plays the games that most of the others look at.
PROMISES = (
    Promise("games end", "every game ends within its length limit", games_end),
    Promise("PettingZoo", "api_test and seed_test of PettingZoo pass", pettingzoo_tests),
    Promise("Gymnasium", "check_env of Gymnasium passes", gymnasium_check),
    Promise("Stable-Baselines3", "check_env of Stable-Baselines3 passes", sb3_check),
    Promise("masks", "what the mask allows is accepted, what it forbids is refused", masks_are_legality),
    Promise("cards", "every card of the deck is in exactly one place", cards_are_conserved),
    Promise("payoffs", "payoffs add up to zero, and come at the end", payoffs_add_up_to_zero),
    Promise("leaks", "no player sees what they cannot know", nothing_leaks),
    Promise("perfect recall", "what players have seen tells apart what happened in public", perfect_recall),
    Promise("seeds", "a game is the same again: record, snapshot, pickle, clone", seeds_reproduce),
    Promise("batches", "a game is the same alone and in a batch, with one thread and two", batches_agree),
)


def check(
    variant: Any,
    num_players: int | None = None,
    *,
    games: int = 12,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    found: Callable[[Result], None] | None = None,
    **house_rules: Unpack[HouseRules],
) -> Report:
    """Tests every promise on one rule set.

    Args:
        variant: the name of a preset of any family, or a rule set.
        num_players: the variant's usual number by default.
        games: how many games are played, half of them at random and half by scripted players; most promises are tested
            at random moments of these games.
        seed: of everything that is drawn; the same seed tests the same.
        progress: called with the share of the work that is done, from 0 to 1.
        found: called with the result of each promise as soon as it is there.
        **house_rules: changes to the variant's rules.

    Raises:
        RulesError: if the rule set cannot be played, or not by this number of players.
        ValueError: if ``games`` or ``seed`` is no whole number, or out of range.
    """
    check_house_rules(house_rules, variant)
    games, seed = whole_number("games", games, 1, MOST_DEALS), seed_number("seed", seed)
    family = family_of(variant)
    n = family.usual_players(variant) if num_players is None else num_players
    rules = family.variants.make_rules(variant, **house_rules).resolve(n)
    name = family.variants.find_variant(variant).name if isinstance(variant, str) else CUSTOM
    trial = Trial(name, rules, n, games, seed)
    results = []
    for tested, promise in enumerate(PROMISES):
        if progress is not None:
            progress(tested / len(PROMISES))
        results.append(_result(trial, promise))
        if found is not None:
            found(results[-1])
    return Report(name, rules, n, tuple(results))


def _result(trial: Trial, promise: Promise) -> Result:
    """Tests one promise. Whatever error a broken environment raises counts as a broken promise."""
    trial.tried, trial.here, trial.rng = Counter(), None, random.Random(f"{trial.seed} {promise.name}")
    failure, record, skipped = "", None, ""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            promise.test(trial)
    except Skipped as reason:
        skipped = str(reason)
    except BrokenPromise as broken:
        failure, record = str(broken), broken.record
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        if trial.here is not None and trial.here.history is not None:
            with contextlib.suppress(Exception):
                record = of(trial.here)
    if not (failure or skipped or trial.tried):
        skipped = "no game was played to its end"
    failure = " ".join(failure.split())
    if record is not None:
        note = "".join(c if c.isprintable() else "?" for c in f"{promise.name}: {failure}")
        record = replace(record, note=note[:2000])
    return Result(promise.name, promise.sentence, dict(trial.tried), failure, record, skipped)
