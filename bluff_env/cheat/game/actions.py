"""The actions of the family: their frozen order, their names, what each one means, and which a rule set can use."""

from enum import IntEnum

from bluff_env.cheat.game.state import FACE_NAMES, NUM_FACES, accusable_bits
from bluff_env.cheat.rules import (
    JOKER_NAME,
    MAX_ANNOUNCED,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_NAMES,
    SUIT_NAMES,
    Callers,
    Count,
    FullSet,
    NextClaim,
    Reveal,
    Rules,
    Starter,
    Turns,
    Window,
)
from bluff_env.core.actions import action_table

NUM_OTHERS = MAX_PLAYERS - 1
MAX_BID = 16


class Action(IntEnum):
    """The kinds of actions. A member is the index of the first action of its kind, and the order is frozen."""

    CLAIM = 0  # a rank or jokers, where there is a choice
    CLAIM_SUIT = CLAIM + NUM_FACES  # the same where claims name suits
    PLACE = CLAIM_SUIT + NUM_SUITS  # a card of a rank, or a joker
    PLACE_CARD = PLACE + NUM_FACES  # a card of a rank and a suit, where suits matter
    COUNT = PLACE_CARD + NUM_RANKS * NUM_SUITS  # announces a number, where it may differ from that of the cards
    COMMIT = COUNT + MAX_ANNOUNCED  # no more cards
    PASS = COMMIT + 1
    TAKE_PILE = PASS + 1
    LET = TAKE_PILE + 1
    CALL = LET + 1
    BELIEVE = CALL + 1
    CHECK = BELIEVE + 1
    CALL_PLAYER = CHECK + 1  # the latest play of another seat, where older plays may be called
    SET_ASIDE = CALL_PLAYER + NUM_OTHERS  # a full set
    BID = SET_ASIDE + NUM_RANKS
    WAIT = BID + MAX_BID
    JUMP = WAIT + 1
    HIDE = JUMP + 1
    SLIP = HIDE + NUM_FACES
    TO = SLIP + NUM_FACES  # the seat that a card is slipped to
    PEEK = TO + NUM_OTHERS
    SWITCH = PEEK + NUM_OTHERS
    KEEP = SWITCH + NUM_FACES
    SHORT_DEAL = KEEP + 1
    DEAL = SHORT_DEAL + 3
    DEMAND_REDEAL = DEAL + 1
    ACCEPT = DEMAND_REDEAL + 1
    ACCUSE = ACCEPT + 1


# The suffixes in the names of a kind, and the argument of its first action: a face, a kind of card, a number, or the
# distance of a seat to the left.
_OTHERS = ([f"+{k}" for k in range(1, MAX_PLAYERS)], 1)
_FACES = (FACE_NAMES, 0)

ACTION_NAMES, ACTION_KIND, ACTION_ARGUMENT = action_table(
    Action,
    {
        Action.CLAIM: _FACES,
        Action.CLAIM_SUIT: (SUIT_NAMES, 0),
        Action.PLACE: _FACES,
        Action.PLACE_CARD: ([r + s for r in RANK_NAMES for s in SUIT_NAMES], 0),
        Action.COUNT: ([str(n) for n in range(1, MAX_ANNOUNCED + 1)], 1),
        Action.CALL_PLAYER: _OTHERS,
        Action.SET_ASIDE: (RANK_NAMES, 0),
        Action.BID: ([str(n) for n in range(1, MAX_BID + 1)], 1),
        Action.HIDE: _FACES,
        Action.SLIP: _FACES,
        Action.TO: _OTHERS,
        Action.PEEK: _OTHERS,
        Action.SWITCH: _FACES,
        Action.SHORT_DEAL: (["1", "2", "3"], 1),
    },
    words={Action.PLACE_CARD: "place", Action.CALL_PLAYER: "call"},
)
NUM_ACTIONS = len(ACTION_NAMES)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}


def possible_actions(rules: Rules) -> list[int]:
    """Return the indices of the actions that can ever be legal under resolved rules: all that a policy needs."""
    names = ["commit"]
    names += [f"place {r}" for r in rules.ranks] if not rules.suits_matter else []
    names += [f"place {r}{s}" for r in rules.ranks for s in rules.suits] if rules.suits_matter else []
    names += [f"place {JOKER_NAME}"] if rules.jokers else []
    several_steps = isinstance(rules.steps, str) or len(rules.steps) > 1
    if rules.first_claim == "free" or several_steps or rules.next_claim in (NextClaim.FREE, NextClaim.OTHER):
        names += [f"claim suit {f}" if rules.suits_matter else f"claim {f}" for f in rules.faces]
    if rules.count != Count.EXACT:
        names += [f"count {n}" for n in range(1, rules.announced_limit + 1)]
    names += ["call"] if rules.callers != Callers.PILE or rules.starter == Starter.BID else []
    if rules.turns == Turns.JUMP_IN:
        names += ["wait", "jump"]
    elif rules.callers != Callers.NEXT:
        names += ["let"]
    names += ["jump"] if rules.window == Window.RUSH else []
    optional = {"check": rules.check, "believe": rules.believe, "pass": rules.passes, "take pile": rules.take_pile}
    names += [name for name, allowed in optional.items() if allowed]
    names += [f"call +{k}" for k in range(1, MAX_PLAYERS)] if rules.callers == Callers.PILE else []
    names += [f"set aside {r}" for r in rules.ranks] if rules.full_set in (FullSet.OFFER, FullSet.MAY) else []
    names += [f"bid {n}" for n in range(1, rules.set_size + 1)] if rules.starter == Starter.BID else []
    names += ["accept", "check"] if rules.reveal == Reveal.CHOICE else []
    names += ["accuse", "keep"] if rules.force else []
    names += _sleight_actions(rules)
    return sorted({ACTION_INDEX[name] for name in names})


def _sleight_actions(rules: Rules) -> list[str]:
    """Return the names of the actions that the sleights in use add."""
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
    return sorted(used | ({"accuse"} if accusable_bits(rules) else set()))
