"""Random rule sets, over every dimension of Cheat.

The distribution is the table ``DIMENSIONS``. It has one line for each field, in the order in which they are drawn, with
the relative weights of its values. A line sees what was drawn before it and avoids contradictions. Rule sets that turn
out impossible all the same (a count above the largest announcement, more players than cards) are drawn again as a
whole. The values that most tables play have the most weight.

Rules that came later are drawn by a generator of their own, and change one rule set in eight: what a seed gives
otherwise stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bluff_env.cheat.rules import JOKER_NAME, RANK_NAMES, SLEIGHTS, SUIT_NAMES, Follow, Rules
from bluff_env.utils.arguments import seed_number
from bluff_env.utils.errors import RulesError

_TOP = ("A", "T", "J", "Q", "K")  # every deck with ranks="auto" has these
_FOLLOW = dict.fromkeys((member.name.lower() for member in Follow), 1)
_STEPS = {(1,): 6, (-1,): 2, (0,): 3, (-1, 1): 2, (-1, 0, 1): 3, (-1, 0): 1, (0, 1): 1, "any": 2, "at_least": 1}

Drawn = Mapping[str, Any]
Draw = Callable[[np.random.Generator, Drawn], Any]


def sample_rules(rng: np.random.Generator | int, num_players: int = 4) -> Rules:
    """Return a random rule set that this number of players can play. The same seed gives the same rules.

    Args:
        rng: a NumPy generator, or a seed for one.
        num_players: number of players, 2 to 10.

    Raises:
        RulesError: for any other number of players.
        ValueError: for what is neither a generator nor a seed.
    """
    if not isinstance(rng, np.random.Generator):
        rng = np.random.default_rng(seed_number("rng", rng))
    newer = rng.spawn(1)[0]  # draws nothing from the generator itself
    newest = newer.spawn(1)[0]
    Rules().resolve(num_players)  # raises for an impossible number
    while True:
        drawn: dict[str, Any] = {"num_players": num_players}
        for field, draw in DIMENSIONS:
            drawn[field] = draw(rng, drawn)
        del drawn["num_players"]
        try:
            rules = Rules(**drawn)
            rules.resolve(num_players)
        except RulesError:
            continue
        return _with_newest(_with_newer(rules, newer, num_players), newest, num_players)


def _with_newer(rules: Rules, rng: np.random.Generator, num_players: int) -> Rules:
    """Return the rules, one time in eight with some of the rules that came later where these make sense."""
    if rng.random() < 7 / 8:
        return rules
    changes: dict[str, Any] = {}
    if rng.random() < 0.5:
        changes |= {"end": "first_call", "re_entry": False, "revolver": bool(rng.random() < 0.5)}
        changes |= {"sleights": ()} if changes["revolver"] else {}
    if rng.random() < 0.5:
        changes["first_claim"] = "drawn"
    return changed(rules, changes, num_players) or rules


def _with_newest(rules: Rules, rng: np.random.Generator, num_players: int) -> Rules:
    """Return the rules, one time in twelve with a rule that came later still where it makes sense."""
    if rng.random() < 11 / 12:
        return rules
    changes: dict[str, Any] = {"force": True, "sleights": ()}
    if rng.random() < 0.5:
        changes = {"reveal": "choice", "count": "any" if rng.random() < 0.3 else "more", "max_extra": None}
    return changed(rules, changes, num_players) or rules


def changed(rules: Rules, changes: Mapping[str, Any], num_players: int) -> Rules | None:
    """Return the rules with some fields changed; None if they make no sense then."""
    try:
        found = rules.replace(**changes)
        found.resolve(num_players)
    except RulesError:
        return None
    return found


def _one(weights: Mapping[Any, float]) -> Draw:
    """Draw one of these values by weight."""
    values, total = list(weights), sum(weights.values())
    bounds = np.cumsum([w / total for w in weights.values()])
    return lambda rng, drawn: values[min(int(np.searchsorted(bounds, rng.random(), "right")), len(values) - 1)]


def _flag(chance: float) -> Draw:
    return lambda rng, drawn: bool(rng.random() < chance)


def _if(condition: Callable[[Drawn], bool], draw: Draw, otherwise: Any = False) -> Draw:
    """Draw if the condition holds for the fields drawn before; otherwise return ``otherwise``."""
    return lambda rng, drawn: draw(rng, drawn) if condition(drawn) else otherwise


def _some(rng: np.random.Generator, names: tuple[str, ...], least: int) -> tuple[str, ...]:
    """Draw at least ``least`` of the names, in their order."""
    chosen = rng.permutation(len(names))[: rng.integers(least, len(names) + 1)]
    return tuple(name for i, name in enumerate(names) if i in chosen)


def _faces(d: Drawn) -> tuple[str, ...]:
    """Return the ranks or suits that could be claimed with the deck drawn so far."""
    if d["claim_kind"] == "suit":
        return tuple(d["suits"])
    ranks = _TOP if d["ranks"] == "auto" else d["ranks"]
    return (*ranks, JOKER_NAME) if d["jokers"] and d["joker_role"] == "rank" else tuple(ranks)


def _ranks(rng: np.random.Generator, drawn: Drawn) -> Any:
    return {0: RANK_NAMES, 1: "auto", 2: _some(rng, RANK_NAMES, 2)}[_one({0: 5, 1: 1, 2: 3})(rng, drawn)]


def _first_claim(rng: np.random.Generator, drawn: Drawn) -> str:
    return "free" if rng.random() < 0.5 else str(rng.choice(drawn["claimable"] or _faces(drawn)))


def _starter_card(rng: np.random.Generator, drawn: Drawn) -> str:
    return str(rng.choice(_TOP if drawn["ranks"] == "auto" else drawn["ranks"]) + rng.choice(drawn["suits"]))


def _has_turns(d: Drawn) -> bool:
    return d["turns"] == "ordered"


def _everybody_calls(d: Drawn) -> bool:
    return d["callers"] != "next"


def _has_sleights(d: Drawn) -> bool:
    return bool(d["sleights"])


def _starter(rng: np.random.Generator, d: Drawn) -> str:
    weights = {"random": 4, "left_of_dealer": 4, "card": 2}
    if _has_turns(d):
        weights |= {"bid": 1} if d["ranks"] == "auto" or len(d["ranks"]) > 1 else {}
        weights |= {"jack": 1} if d["ranks"] == "auto" or "J" in d["ranks"] else {}
    return str(_one(weights)(rng, d))


def _raises(d: Drawn) -> bool:
    return bool(d["steps"] == "raise")


def _count(rng: np.random.Generator, d: Drawn) -> str:
    if _raises(d) or d["reveal"] == "announced":
        return "exact" if _raises(d) else "more"
    return str(_one({"exact": 5, "more": 2, "any": 1})(rng, d))


def _next_claim(rng: np.random.Generator, d: Drawn) -> str:
    weights = {"free": 3} if _raises(d) else {"continue": 3, "repeat": 3, "free": 3}
    another = len(d["claimable"] or _faces(d)) > 1
    return str(_one(weights | {"other": 1} if another else weights)(rng, d))


def _callers(rng: np.random.Generator, d: Drawn) -> str:
    weights = {"all": 8, "pile": 1}
    return str(_one(weights | {"next": 2} if _has_turns(d) else weights)(rng, d))


def _window(rng: np.random.Generator, d: Drawn) -> str:
    if not _everybody_calls(d):
        return "race"
    weights = {"race": 6, "in_turn": 2}
    return str(_one(weights | {"rush": 1} if _has_turns(d) and not _raises(d) else weights)(rng, d))


def _sleights(rng: np.random.Generator, d: Drawn) -> tuple[str, ...]:
    """Draw sleights in one of eight rule sets; those that need a window only if there is one (S22, S24)."""
    if not _has_turns(d) or _raises(d) or rng.random() < 0.875:
        return ()
    return _some(rng, SLEIGHTS if _everybody_calls(d) else ("hide", "switch", "peek", "short deal"), 1)


def _deals_all(d: Drawn) -> bool:
    """Return whether the starter or a short deal needs that all cards are dealt."""
    return d["starter"] == "card" or "short deal" in d["sleights"]


def _surplus(rng: np.random.Generator, d: Drawn) -> str:
    weights = {"deal": 20, "out": 1, "pile": 1}
    if not d["sleights"] and _has_turns(d) and d["callers"] != "pile" and d["reveal"] == "all":
        weights["stock"] = 2
    return str(_one(weights)(rng, d))


def _missing(rng: np.random.Generator, d: Drawn) -> tuple[str, ...]:
    """Draw a card or two that the starter does not need, in one of twelve rule sets."""
    ranks = [rank for rank in (_TOP if d["ranks"] == "auto" else d["ranks"]) if rank != "J"]
    if d["starter"] == "card" or not ranks or rng.random() < 11 / 12:
        return ()
    return tuple({str(rng.choice(ranks) + rng.choice(d["suits"])) for _ in range(2)})


def _wild_ranks(rng: np.random.Generator, d: Drawn) -> tuple[str, ...]:
    """Draw wild ranks in one of twelve rule sets."""
    return () if rng.random() < 11 / 12 else tuple(sorted({str(rng.choice(d["ranks"])) for _ in range(2)}))


def _may_lead_face_up(d: Drawn) -> bool:
    return d["first_claim"] == "free" and _has_turns(d) and not d["sleights"]


def _teams(rng: np.random.Generator, d: Drawn) -> tuple[int, ...] | None:
    """Draw two teams in alternate seats, in one of twelve rule sets."""
    return tuple(seat % 2 for seat in range(d["num_players"])) if rng.random() < 1 / 12 else None


DIMENSIONS: tuple[tuple[str, Draw], ...] = (
    ("packs", _one({1: 8, 2: 3, 3: 1, 4: 1, "auto": 1})),
    ("ranks", _ranks),
    ("suits", lambda rng, d: SUIT_NAMES if rng.random() < 0.8 else _some(rng, SUIT_NAMES, 1)),
    ("claim_kind", _one({"rank": 9, "suit": 1})),
    ("jokers", _one({0: 6, 1: 1, 2: 3, 3: 1, 4: 1})),
    ("joker_role", _if(lambda d: d["claim_kind"] == "rank", _one({"wild": 2, "rank": 1}), "wild")),
    ("turns", _one({"ordered": 9, "jump_in": 1})),
    ("starter", _starter),
    ("starter_card", _if(lambda d: d["starter"] == "card", _starter_card, Rules().starter_card)),
    ("direction", _one({"clockwise": 3, "anticlockwise": 1})),
    ("claimable", lambda rng, d: None if rng.random() < 0.8 else _some(rng, _faces(d), 1)),
    ("first_claim", _first_claim),
    ("steps", lambda rng, d: _one(_STEPS | {"raise": 1} if _has_turns(d) else _STEPS)(rng, d)),
    ("reveal", lambda rng, d: _one({"all": 6, "one": 1} | ({} if _raises(d) else {"announced": 1}))(rng, d)),
    ("count", _count),
    ("max_extra", _if(lambda d: d["count"] != "exact", _one({None: 3, 0: 1, 1: 1, 2: 1, 3: 1}), None)),
    ("max_cards", _one({"set": 8, 1: 2, 2: 1, 3: 1, 4: 2, "set-1": 1, "unlimited": 2})),
    ("callers", _callers),
    ("window", _window),
    ("after_right", _one(_FOLLOW)),
    ("after_wrong", _one(_FOLLOW)),
    ("next_claim", _next_claim),
    ("passing", _if(_has_turns, _flag(0.25))),
    ("take_pile", _if(lambda d: not _raises(d), _flag(0.5))),
    ("check", _if(_everybody_calls, _flag(0.2))),
    ("believe", _if(lambda d: d["callers"] == "next", _flag(0.5))),
    ("full_set", _one({"keep": 8, "automatic": 2, "offer": 2, "may": 1})),
    ("end", _one({"first_out": 3, "last_loses": 1, "ranking": 2})),
    ("re_entry", _if(lambda d: d["end"] != "first_out" and _everybody_calls(d), _flag(0.3))),
    ("wrong_call_drinks", _one({None: 8, 0: 1, 3: 1})),
    ("drinks_weight", _one({0.0: 4, 0.01: 1})),
    ("sleights", _sleights),
    ("notice_prob", _if(_has_sleights, _one({0.25: 3, 0.0: 1, 1.0: 1}), Rules().notice_prob)),
    ("false_notice_prob", _if(_has_sleights, _one({0.02: 3, 0.0: 1, 0.3: 1}), Rules().false_notice_prob)),
    ("cup", _if(lambda d: d["passing"] and d["ranks"] != "auto" and "K" in d["ranks"], _flag(0.3))),
    ("cup_weight", _if(lambda d: d["cup"], _one({0.0: 1, 0.05: 1}), 0.0)),
    ("slaps", _flag(0.1)),
    ("slaps_weight", _if(lambda d: d["slaps"], _one({0.0: 1, 0.05: 1}), 0.0)),
    ("length_limit", _one({None: 8, 60: 1, 400: 1})),
    ("at_limit", _one({"fewest": 4, "draw": 1})),
    ("teams", _teams),
    ("missing", _missing),
    ("burn", _if(lambda d: not _deals_all(d), _one({0: 12, 1: 1, 2: 1}), 0)),
    ("surplus", _if(lambda d: not _deals_all(d), _surplus, "deal")),
    ("hand_size", _if(lambda d: d["surplus"] != "deal", _one({None: 1, 1: 1, 2: 1, 3: 1, 5: 1}), None)),
    ("penalty", _if(lambda d: d["surplus"] == "stock", _one({"draw 1": 1, "draw 3": 2, "pile+draw 2": 1}), "pile")),
    ("wild_ranks", _if(lambda d: d["ranks"] != "auto", _wild_ranks, ())),
    ("after_passes", _if(lambda d: d["passing"], _one({"claimant": 3, "last_passer": 1}), "claimant")),
    ("pass_advances", _if(lambda d: d["passing"] and d["steps"] in ((1,), (-1,)), _flag(0.3))),
    ("first_face_up", _if(_may_lead_face_up, _flag(0.1))),
)
