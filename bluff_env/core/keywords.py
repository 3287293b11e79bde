"""Keywords that a constructor does not know: the error for them, which says where an argument of another place belongs.

House rules reach the rules by ``**``, through constructors of several layers. So each of them checks at its top what it
was given, before an inner one takes a misplaced argument for its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bluff_env.utils.errors import KeywordError, nearest, quoted

MOST_LISTED = 20  # names that a sentence lists where no name is near

_ENVIRONMENTS = "environments have it"
_LEARNERS = "environments of one learner have it: Gymnasium, BatchedVecEnv and EngineEnv"
_VECTORS = "BatchedVecEnv, EngineEnv and Gymnasium's vector environment have it"
_RUNS = "evaluate, study, tournament and deception have it"
_EXACT = "the functions of bluff_env.exact have it"
_FORCED = "a forced deal goes to reset(options=...)"

# Where each argument besides the house rules belongs.
BELONGS = {
    "autoreset": "Engine has it; Gymnasium's vector environment has autoreset_mode",
    "autoreset_mode": "Gymnasium's vector environment has it; Engine has autoreset",
    "config": "the environments of bluff_env.rllib have it",
    "csv": "study has it",
    "deal": f"bluff_env.exact.Tree has it; {_FORCED} of an environment",
    "dealer": f"{_FORCED} of an environment",
    "deals": f"environments, Engine and play have it, but not games of OpenSpiel; {_RUNS}, for duplicates; "
    "the rule revolver=False makes a single deal of a match with revolvers",
    "deck": f"{_FORCED} of an environment",
    "device": "EngineEnv of bluff_env.torchrl has it",
    "draws": _EXACT,
    "encoding": f"{_ENVIRONMENTS}, and Engine",
    "events": f"{_ENVIRONMENTS}, and Engine",
    "found": "bluff_env.conformance.check has it",
    "frozen_share": "the environments of bluff_env.rllib have it",
    "games": "bluff_env.conformance.check has it; evaluate has deals, Engine num_games",
    "hands": f"{_FORCED} of an environment",
    "instructions": "deception has it",
    "iterations": "bluff_env.exact.cfr_plus has it",
    "learner_seat": _LEARNERS,
    "mask": _ENVIRONMENTS,
    "max_nodes": _EXACT,
    "memory": "bluff_env.open_spiel.load_game has it",
    "num_envs": f"{_VECTORS}; Engine has num_games",
    "num_games": "Engine has it; vector environments have num_envs",
    "num_players": "rules are for any number of players; environments, Engine and evaluate have it",
    "num_threads": "Engine, vector environments and evaluate have it; a single game has one thread",
    "opponents": f"{_LEARNERS}; so do evaluate and study",
    "pad_turns": "cheat_v0.env has it",
    "players": "deception has it; a number of players is num_players",
    "policies": "tournament has it; environments have opponents",
    "policy": "evaluate, study and the functions of bluff_env.exact have it",
    "progress": f"{_RUNS}; it is a function that is called with the share that is done",
    "render_mode": "PettingZoo's environments and Gymnasium's single ones have it",
    "seat": "bluff_env.exact.best_response has it; environments have learner_seat",
    "seats": "Engine has it; a number of players is num_players",
    "seed": "an environment takes it in reset(seed=...); Engine, BatchedVecEnv, EngineEnv and evaluate have it",
    "transcript": "deception has it",
    "trim": f"{_ENVIRONMENTS}, and Engine",
    "variant": "it comes first, or names a preset",
    "workers": "tournament has it",
}


def check_keywords(given: Iterable[str], known: Collection[str], noun: str = "rule") -> None:
    """Raise KeywordError for a keyword that is none of the known names.

    Args:
        given: the names that a constructor took by ``**``.
        known: what it may take so, such as the names of the rules.
        noun: what messages call one of them.
    """
    for name in given:
        if name not in known:
            where = BELONGS.get(name) or f"no {noun} is called so{near_names(name, known)}"
            raise KeywordError(f"unexpected keyword argument {quoted(name)}: {where}")


def near_names(name: str, known: Collection[str]) -> str:
    """Return the end of a sentence: the nearest names, of arguments of other places too, or a short list of all."""
    slips = nearest(name, BELONGS, cutoff=0.8)  # arguments of other places only if hardly a letter is wrong
    if near := list(dict.fromkeys([*slips, *nearest(name, known)]))[:3]:
        return f"; the nearest are: {', '.join(near)}"
    return f"; there are: {', '.join(known)}" if len(known) <= MOST_LISTED else ""
