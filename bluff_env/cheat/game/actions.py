"""The action table of the family, and which of its actions a rule set can use."""

from bluff_env.cheat.game.state import _FACE_NAMES, ACCUSABLE, _sleight_bits
from bluff_env.cheat.rules import (
    JOKER_NAME,
    MAX_ANNOUNCED,
    MAX_PLAYERS,
    RANK_NAMES,
    SUIT_NAMES,
    Callers,
    Count,
    FullSet,
    NextClaim,
    Rules,
    Starter,
    Turns,
    Window,
)


def _action_table() -> tuple[tuple[str, ...], dict[str, int]]:
    """All action names of the family in their frozen order, and the first index of each group."""
    others = range(1, MAX_PLAYERS)
    groups = {
        "CLAIM": [f"claim {f}" for f in _FACE_NAMES],
        "CLAIM_SUIT": [f"claim suit {s}" for s in SUIT_NAMES],
        "PLACE": [f"place {f}" for f in _FACE_NAMES],
        "PLACE_CARD": [f"place {r}{s}" for r in RANK_NAMES for s in SUIT_NAMES],
        "COUNT": [f"count {n}" for n in range(1, MAX_ANNOUNCED + 1)],
        "COMMIT": ["commit"],
        "PASS": ["pass"],
        "TAKE_PILE": ["take pile"],
        "LET": ["let"],
        "CALL": ["call"],
        "BELIEVE": ["believe"],
        "CHECK": ["check"],
        "CALL_PLAYER": [f"call +{k}" for k in others],
        "SET_ASIDE": [f"set aside {r}" for r in RANK_NAMES],
        "BID": [f"bid {n}" for n in range(1, 17)],
        "WAIT": ["wait"],
        "JUMP": ["jump"],
        "HIDE": [f"hide {f}" for f in _FACE_NAMES],
        "SLIP": [f"slip {f}" for f in _FACE_NAMES],
        "TO": [f"to +{k}" for k in others],
        "PEEK": [f"peek +{k}" for k in others],
        "SWITCH": [f"switch {f}" for f in _FACE_NAMES],
        "KEEP": ["keep"],
        "SHORT_DEAL": [f"short deal {n}" for n in (1, 2, 3)],
        "DEAL": ["deal"],
        "DEMAND_REDEAL": ["demand redeal"],
        "ACCEPT": ["accept"],
        "ACCUSE": ["accuse"],
    }
    names: list[str] = []
    first = {}
    for group, members in groups.items():
        first[group] = len(names)
        names += members
    return tuple(names), first


ACTION_NAMES, _FIRST = _action_table()


NUM_ACTIONS = len(ACTION_NAMES)


ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}


CLAIM = _FIRST["CLAIM"]


CLAIM_SUIT = _FIRST["CLAIM_SUIT"]


PLACE = _FIRST["PLACE"]


PLACE_CARD = _FIRST["PLACE_CARD"]


COUNT = _FIRST["COUNT"]


COMMIT = _FIRST["COMMIT"]


PASS = _FIRST["PASS"]


TAKE_PILE = _FIRST["TAKE_PILE"]


LET = _FIRST["LET"]


CALL = _FIRST["CALL"]


BELIEVE = _FIRST["BELIEVE"]


CHECK = _FIRST["CHECK"]


SET_ASIDE = _FIRST["SET_ASIDE"]


BID = _FIRST["BID"]


CALL_PLAYER = _FIRST["CALL_PLAYER"]  # `call +1` and so on


WAIT = _FIRST["WAIT"]


JUMP = _FIRST["JUMP"]


HIDE = _FIRST["HIDE"]


SLIP = _FIRST["SLIP"]


TO = _FIRST["TO"]


PEEK = _FIRST["PEEK"]


SWITCH = _FIRST["SWITCH"]


KEEP = _FIRST["KEEP"]


SHORT_DEAL = _FIRST["SHORT_DEAL"]


DEAL = _FIRST["DEAL"]


DEMAND_REDEAL = _FIRST["DEMAND_REDEAL"]


ACCEPT = _FIRST["ACCEPT"]


ACCUSE = _FIRST["ACCUSE"]


def possible_actions(rules: Rules) -> list[int]:
    """Indices of the actions that can ever be legal under resolved rules: all that a policy for them has to know."""
    names = ["commit"]
    names += [f"place {r}" for r in rules.ranks] if not rules.suits_matter else []
    names += [f"place {r}{s}" for r in rules.ranks for s in rules.suits] if rules.suits_matter else []
    names += [f"place {JOKER_NAME}"] if rules.jokers else []
    several_steps = rules.steps == "any" or len(rules.steps) > 1
    if rules.first_claim == "free" or several_steps or rules.next_claim == NextClaim.FREE:
        names += [f"claim suit {f}" if rules.suits_matter else f"claim {f}" for f in rules.faces]
    if rules.count != Count.EXACT:
        names += [f"count {n}" for n in range(1, rules.announced_limit + 1)]
    names += ["call"] if rules.callers != Callers.PILE or rules.starter == Starter.BID else []
    if rules.turns == Turns.JUMP_IN:
        names += ["wait", "jump"]
    elif rules.callers != Callers.NEXT:
        names += ["let"]
    names += ["jump"] if rules.window == Window.RUSH else []
    optional = {"check": rules.check, "believe": rules.believe, "pass": rules.passing, "take pile": rules.take_pile}
    names += [name for name, allowed in optional.items() if allowed]
    names += [f"call +{k}" for k in range(1, MAX_PLAYERS)] if rules.callers == Callers.PILE else []
    names += [f"set aside {r}" for r in rules.ranks] if rules.full_set == FullSet.OFFER else []
    names += [f"bid {n}" for n in range(1, rules.set_size + 1)] if rules.starter == Starter.BID else []
    names += _sleight_actions(rules)
    return sorted(ACTION_INDEX[name] for name in names)


def _sleight_actions(rules: Rules) -> list[str]:
    """Names of the actions that the sleights in use add."""
    cards = [*rules.ranks, *([JOKER_NAME] if rules.jokers else [])]
    others = range(1, MAX_PLAYERS)
    names = {
        "hide": [f"hide {c}" for c in cards],
        "switch": [*(f"switch {c}" for c in cards), "keep", "accept", "accuse"],
        "slip": [*(f"slip {c}" for c in cards), *(f"to +{k}" for k in others)],
        "peek": [f"peek +{k}" for k in others],
        "short deal": [*(f"short deal {k}" for k in (1, 2, 3)), "deal", "accept", "demand redeal"],
        "out of turn": ["wait", "jump"],
    }
    used = {name for sleight in rules.sleights for name in names[sleight]}
    return sorted(used | ({"accuse"} if _sleight_bits(rules) & ACCUSABLE else set()))
