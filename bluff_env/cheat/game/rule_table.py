"""A rule set as one row of numbers, as the kernels read it."""

import numpy as np

from bluff_env.cheat.game.state import (
    ANY_STEP,
    AT_LEAST_STEP,
    FACE_NAMES,
    JOKER,
    JOKER_FACE,
    NOBODY,
    NOTICE_SCALE,
    NUM_FACES,
    NUM_KINDS,
    RAISE_STEP,
    Sleight,
    accusable_bits,
    kind_of,
    sleight_bits,
)
from bluff_env.cheat.rules import (
    MAX_PLAYERS,
    NUM_SUITS,
    RANK_NAMES,
    SUIT_NAMES,
    Callers,
    ClaimKind,
    Direction,
    Follow,
    JokerRole,
    Rules,
    Starter,
    Surplus,
    Turns,
    Window,
)
from bluff_env.core.jit import records

RULE = np.dtype(
    [
        ("num_players", "i8"),
        ("direction", "i8"),  # +1 clockwise, -1 anticlockwise
        ("starter", "i8"),
        ("starter_kind", "i8"),
        ("num_cards", "i8"),
        ("set_size", "i8"),  # natural cards of one rank
        ("wild", "i8"),  # jokers match every claim
        ("wild_ranks", "i8"),  # bit mask over ranks and jokers: cards that match every claim
        ("suited", "i8"),  # claims name suits; cards are chosen by rank and suit
        ("deal_by_card", "i8"),  # chance deals cards, not ranks
        ("claimable", "i8"),  # bit mask over faces
        ("first_claims", "i8"),
        ("drawn_claim", "i8"),  # one of them is drawn
        ("up", "i8", (NUM_FACES,)),  # the claimable face above each face
        ("down", "i8", (NUM_FACES,)),
        ("step_up", "i8"),
        ("step_same", "i8"),
        ("step_down", "i8"),
        ("open_steps", "i8"),  # any claim, at least the last one, or a raise: ANY_STEP, AT_LEAST_STEP, RAISE_STEP
        ("max_announced", "i8"),
        ("max_extra", "i8"),
        ("count", "i8"),
        ("reveal", "i8"),
        ("callers", "i8"),
        ("window", "i8"),
        ("after_right", "i8"),
        ("after_wrong", "i8"),
        ("next_claim", "i8"),
        ("first_face_up", "i8"),
        ("passing", "i8"),
        ("after_passes", "i8"),
        ("pass_moves", "i8"),  # the step by which a pass moves the claim that is due: 1, -1 or 0
        ("take_pile", "i8"),
        ("check", "i8"),
        ("believe", "i8"),
        ("force", "i8"),
        ("full_set", "i8"),
        ("burn", "i8"),
        ("surplus", "i8"),
        ("left_over", "i8"),  # cards that are neither burnt nor dealt
        ("cards_each", "i8"),  # so many more are left over for each player who is dead; 0: all are dealt
        ("draws", "i8"),  # cards of the stock that the loser of a call draws; 0: there is no stock
        ("takes_pile", "i8"),  # and takes the pile too
        ("end", "i8"),
        ("at_limit", "i8"),
        ("revolver", "i8"),
        ("re_entry", "i8"),
        ("wrong_call_drinks", "i8"),  # -1: as many as cards
        ("slaps", "i8"),
        ("drinks_weight", "f8"),
        ("slaps_weight", "f8"),
        ("length_limit", "i8"),
        ("silent", "i8"),  # read only where the game is told in words
        ("bid_rank", "i8"),  # the rank that an opening bid counts
        ("cup", "i8"),
        ("cup_weight", "f8"),
        ("rarer", "i8"),  # has any of the rules whose parts of the observation are zero in most games
        ("num_teams", "i8"),  # 0: no teams
        ("team", "i8", (MAX_PLAYERS,)),
        ("turns", "i8"),
        ("sleights", "i8"),  # bits of Sleight
        ("accusable", "i8"),  # anybody may accuse in the window of a play, with or without a notice
        ("notices", "i8"),  # 1 if notices are drawn after a play
        ("unseen_losses", "i8"),  # the most cards that may leave a hand unseen before a play
        ("notice_weights", "i8", (5,)),  # weights of a notice if 0 to 4 things could be noticed
        ("face", "i8", (NUM_KINDS,)),  # the face of each kind of card in a claim
        ("deck", "i8", (NUM_KINDS,)),
    ],
    align=True,
)


OPEN_STEPS = {"any": ANY_STEP, "at_least": AT_LEAST_STEP, "raise": RAISE_STEP}


def _bits(faces: tuple[str, ...], names: tuple[str, ...]) -> int:
    return sum(1 << names.index(f) for f in faces)


def _notice_weights(rules: Rules) -> list[int]:
    """Return the weights of a notice if 0 to 4 things can be noticed, each independently (at 0: a false notice)."""
    missed = [(1 - rules.false_notice_prob) * (1 - rules.notice_prob) ** k for k in range(5)]
    return [round(NOTICE_SCALE * (1 - m)) for m in missed]


def rule_row(rules: Rules, num_players: int) -> np.ndarray:
    """Return the row of the rule table, a structured array (1,). Raise RulesError if so many players cannot play."""
    rules = rules.resolve(num_players)
    row = records(1, RULE)
    r = row[0]
    names: tuple[str, ...] = SUIT_NAMES if rules.claim_kind == ClaimKind.SUIT else FACE_NAMES
    order = [names.index(f) for f in rules.faces]
    for i, face in enumerate(order):
        r["up"][face] = order[(i + 1) % len(order)]
        r["down"][face] = order[i - 1]
    steps = () if isinstance(rules.steps, str) else rules.steps
    jokers_wild = rules.jokers > 0 and rules.joker_role == JokerRole.WILD
    sleights = sleight_bits(rules)
    named_card = rules.starter == Starter.CARD and rules.turns == Turns.ORDERED
    values = {
        "num_players": num_players,
        "direction": 1 if rules.direction == Direction.CLOCKWISE else -1,
        # without turns the dealer's left counts as the starter: it only orders the first questions (D15)
        "starter": Starter.LEFT_OF_DEALER if rules.turns == Turns.JUMP_IN else rules.starter,
        "after_right": Follow.ROTATION if rules.turns == Turns.JUMP_IN else rules.after_right,
        "after_wrong": Follow.ROTATION if rules.turns == Turns.JUMP_IN else rules.after_wrong,
        "starter_kind": kind_of(rules.starter_card) if named_card else NOBODY,
        "wild": jokers_wild,
        "wild_ranks": _bits(rules.wild_ranks, RANK_NAMES) | jokers_wild << JOKER_FACE,
        "suited": rules.suits_matter,
        "deal_by_card": rules.suits_matter or named_card,
        "claimable": _bits(rules.faces, names),
        "first_claims": _bits(rules.faces if rules.first_claim in ("free", "drawn") else (rules.first_claim,), names),
        "drawn_claim": rules.first_claim == "drawn" and len(rules.faces) > 1,
        "step_up": 1 in steps,
        "step_same": 0 in steps,
        "step_down": -1 in steps,
        "open_steps": OPEN_STEPS.get(rules.steps, 0) if isinstance(rules.steps, str) else 0,
        "pass_moves": rules.steps[0] if rules.pass_advances else 0,
        "max_announced": rules.announced_limit,
        "max_extra": rules.extra_limit,
        "sleights": sleights,
        "accusable": accusable_bits(rules) & ~Sleight.OUT_OF_TURN != 0,
        "notices": accusable_bits(rules) != 0,
        "unseen_losses": sum(name in rules.sleights for name in ("hide", "slip")),
        "notice_weights": _notice_weights(rules) if sleights else 0,
        "wrong_call_drinks": -1 if rules.wrong_call_drinks is None else rules.wrong_call_drinks,
        "bid_rank": RANK_NAMES.index(rules.bid_rank),
        "left_over": rules.left_over(num_players),
        "cards_each": 0 if rules.surplus == Surplus.DEAL else rules.cards_each(num_players),
        "draws": rules.draws[1],
        "takes_pile": rules.draws[0],
        "num_teams": len(set(rules.teams or ())),
        "rarer": rules.starter == Starter.BID
        or rules.callers == Callers.PILE
        or rules.window == Window.RUSH
        or rules.cup
        or rules.teams is not None,
    }
    for name in RULE.names or ():
        if name in ("up", "down", "face", "deck", "team"):
            continue
        r[name] = values[name] if name in values else getattr(rules, name)
    r["team"][:num_players] = rules.teams or 0
    for kind in range(NUM_KINDS):
        rank, suit = divmod(kind, NUM_SUITS)
        if kind == JOKER:
            r["face"][kind], r["deck"][kind] = JOKER_FACE, rules.jokers
        else:
            r["face"][kind] = suit if rules.suits_matter else rank
            if RANK_NAMES[rank] in rules.ranks and SUIT_NAMES[suit] in rules.suits:
                r["deck"][kind] = int(rules.packs) - rules.missing.count(RANK_NAMES[rank] + SUIT_NAMES[suit])
    return row
