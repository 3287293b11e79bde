"""The strategies, one function for each player; what they have in common is in ``habits``.

Each is asked only where :func:`bluff_env.cheat.scripted.habits.routine` has no answer (``reckless`` is asked always).
"""

from bluff_env.chance import mix
from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, NUM_STATS, Event, Stat
from bluff_env.cheat.scripted.habits import (
    NOTHING,
    TIRED,
    best_claim,
    call_lies,
    call_or_let,
    can_be_true,
    chance_of_lie,
    may_call,
    place_lies,
    play_cards,
    uniform,
    useless_card,
    worth_a_call,
)
from bluff_env.cheat.scripted.sight import (
    cannot_be_true,
    coming_claim,
    copies,
    forced_step,
    num_placed,
    suited,
    time_left,
    turns_until_due,
)
from bluff_env.driver import random_legal
from bluff_env.jit import kernel

RECKLESS_CALLS = 0.3  # of the plays that can be called
SOON = 4  # own turns that play-ahead and collector plan for
DUMPS = 2  # the most useless cards that play-ahead lies with
COLLECTS = 3  # collector calls for this many useful cards, if they are two thirds of the pile
ADAPTIVE_DOUBT = 0.9  # adaptive calls what is more likely a lie than this


@kernel
def honest(o, seen, mask):
    """Plays every true card, rather passes or takes the pile than lies, and calls only what cannot be true."""
    sure = seen[o.claimant] > 1 and cannot_be_true(o, seen)
    action = call_or_let(o, seen, mask, sure)
    if action == NOTHING and not can_be_true(o, seen, mask):
        if mask[Action.PASS]:
            return Action.PASS
        if mask[Action.TAKE_PILE]:
            return Action.TAKE_PILE
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def never_take(o, seen, mask):
    """As honest, but rather lies than passes or takes the pile."""
    sure = seen[o.claimant] > 1 and cannot_be_true(o, seen)
    action = call_or_let(o, seen, mask, sure)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def always_call(o, seen, mask):
    """Calls every play, and tells the truth if possible."""
    action = call_or_let(o, seen, mask, True)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def reckless(o, seen, mask, bits):
    """Places random cards under random claims, two at a time if possible, and calls at random."""
    action = call_or_let(o, seen, mask, uniform(bits) < RECKLESS_CALLS)
    if action != NOTHING:
        return action
    if mask[Action.COMMIT] and num_placed(o, seen) >= 2:
        return Action.COMMIT
    action = random_legal(mask, mix(bits))
    for attempt in range(8):
        if action not in (Action.COMMIT, Action.PASS, Action.TAKE_PILE, Action.CALL, Action.BELIEVE):
            break
        action = random_legal(mask, mix(bits + attempt + 1))
    return action


@kernel
def last_card(o, seen, mask):
    """Calls every play that would empty a hand, and what cannot be true; tells the truth if possible."""
    doubt = False
    if may_call(o, seen, mask):
        doubt = seen[o.hand_sizes + seen[o.claimant] - 1] == 0 or cannot_be_true(o, seen)
    action = call_or_let(o, seen, mask, doubt)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def counter(o, seen, mask, bits):
    """Counts cards, and calls what is probably a lie by everything that can be seen.

    Tells the truth if possible, and otherwise lies with one card, or with several once the others tire of calling.
    """
    action = call_lies(o, seen, mask, bits)
    if action == NOTHING and TIRED * time_left(o, seen) < 2.0 and best_claim(o, seen, mask) == NOTHING:
        action = place_lies(o, seen, mask)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def play_ahead(o, seen, mask, bits):
    """Works out which ranks it will have to claim soon, and lies with two cards that will not be needed.

    Calls as counter does.
    """
    action = call_lies(o, seen, mask, bits)
    if action != NOTHING or best_claim(o, seen, mask) != NOTHING or suited(o, seen):
        return action if action != NOTHING else play_cards(o, seen, mask)
    placed = num_placed(o, seen)
    fitting = seen[o.placed + coming_claim(o, seen)] + seen[o.placed + JOKER_FACE]
    if placed > 0 and fitting == 0 and placed < min(DUMPS, copies(o, seen, coming_claim(o, seen))):
        dump = useless_card(o, seen, mask)
        if dump != NOTHING and turns_until_due(o, seen, dump - Action.PLACE) > SOON:
            return dump
    return play_cards(o, seen, mask)


@kernel
def collector(o, seen, mask, bits):
    """Calls to pick up cards that it will have to claim soon, where the sequence tells which; else plays as counter.

    Unlike counter it never lies with several cards.
    """
    foreseen = forced_step(o, seen) != 0 and not suited(o, seen)
    if mask[Action.CALL] and foreseen and not seen[o.final_play] and TIRED * time_left(o, seen) >= 2.0:
        needed = needed_in_pile(o, seen)
        if needed >= COLLECTS and 3 * needed >= 2 * seen[o.pile_size]:
            return Action.CALL
    action = call_lies(o, seen, mask, bits)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def needed_in_pile(o, seen):
    """How many cards of the pile will have to be claimed soon: known ones, and the plays of others if they are true."""
    n = 0
    for face in range(NUM_FACES):
        if seen[o.pile_known + face] > 0 and turns_until_due(o, seen, face) <= SOON:
            n += seen[o.pile_known + face]
    left = seen[o.pile_plays]
    for at in range(4 * o.seats):
        if left == 0:
            break
        if seen[o.event_kinds + at] == Event.PLAY:
            left -= 1
            mine = seen[o.event_players + at] == 1
            if not mine and turns_until_due(o, seen, seen[o.event_faces + at] - 1) <= SOON:
                n += seen[o.event_counts + at]
    return min(n, seen[o.pile_size])


@kernel
def adaptive(o, seen, mask, bits):
    """Learns how often each opponent lies from the plays that calls have turned over, and calls liars more.

    Laplace's rule turns the record into a rate; the odds of a lie by counting cards are weighed with it.
    """
    doubt = False
    if may_call(o, seen, mask) and worth_a_call(o, seen, bits):
        record = o.record + (seen[o.claimant] - 1) * NUM_STATS
        rate = (seen[record + Stat.LIES_SHOWN] + 1.0) / (seen[record + Stat.CALLED] + 2.0)
        chance = chance_of_lie(o, seen)
        doubt = chance * rate > ADAPTIVE_DOUBT * (chance * rate + (1.0 - chance) * (1.0 - rate))
    action = call_or_let(o, seen, mask, doubt)
    if action == NOTHING and mask[Action.PASS] and not can_be_true(o, seen, mask):
        return Action.PASS
    return action if action != NOTHING else play_cards(o, seen, mask)
