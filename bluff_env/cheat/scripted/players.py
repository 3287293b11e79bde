"""The strategies, one function for each player.

Each is asked only where :func:`bluff_env.cheat.scripted.habits.routine` has no answer (``reckless`` is asked always,
``sharp`` is asked first what sleights it does, and all but the plain players what they say about those of others). A
function that answers with an action returns NOTHING where it has none to offer.
"""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import NUM_FACES, Event
from bluff_env.cheat.observe import ObservedPhase
from bluff_env.cheat.rules import Count
from bluff_env.cheat.scripted.cheating import keeps_back, sleight, thick_stack
from bluff_env.cheat.scripted.doubting import NOBODY, suspect, uniform
from bluff_env.cheat.scripted.habits import (
    answer,
    call_or_let,
    last_claimant_if,
    pass_or_not,
    surely_lied,
)
from bluff_env.cheat.scripted.placing import (
    NOTHING,
    announce,
    announce_slyly,
    best_claim,
    can_be_true,
    cards_at_start,
    fitting,
    lies_at_once,
    num_false,
    place_planned,
    play_simply,
    play_slyly,
)
from bluff_env.cheat.scripted.sight import (
    cannot_be_true,
    coming_claim,
    copies,
    forced_step,
    num_placed,
    suited,
    turns_until_due,
    whole,
)
from bluff_env.core.chance import mix
from bluff_env.core.driver import random_legal
from bluff_env.core.jit import kernel

RECKLESS_CALLS = 0.3  # of the plays that can be called
SOON = 4  # own turns that play-ahead and collector plan for
DUMPS = 2  # the most useless cards that play-ahead lies with
COLLECTS = 3  # collector calls for this many useful cards, if they are two thirds of the pile
STEAL = 8  # cards in the pile from which on bluffer lies


# --- plain players ---------------------------------------------------------------------------------------------------


@kernel
def honest(o, seen, mask):
    """Plays every true card, rather passes or takes the pile than lies, and calls only what cannot be true."""
    if seen[o.phase] == ObservedPhase.COUNT:
        return announce(o, seen, mask, num_placed(o, seen))
    sure = seen[o.claimant] > 1 and cannot_be_true(o, seen, seen[o.claimant] - 1)
    action = call_or_let(o, seen, mask, last_claimant_if(o, seen, sure))
    if action == NOTHING and not can_be_true(o, seen, mask):
        if mask[Action.PASS.value]:
            return Action.PASS.value
        if mask[Action.TAKE_PILE.value]:
            return Action.TAKE_PILE.value
    return action if action != NOTHING else play_simply(o, seen, mask)


@kernel
def always_call(o, seen, mask):
    """Calls every play, and tells the truth if possible."""
    if seen[o.phase] == ObservedPhase.COUNT:
        return announce(o, seen, mask, num_placed(o, seen))
    action = call_or_let(o, seen, mask, last_claimant_if(o, seen, True))
    return action if action != NOTHING else play_simply(o, seen, mask)


@kernel
def reckless(o, seen, mask, bits):
    """Places random cards under random claims, two at a time if possible, and calls at random."""
    action = call_or_let(o, seen, mask, last_claimant_if(o, seen, uniform(bits) < RECKLESS_CALLS))
    if action != NOTHING:
        return action
    if mask[Action.COMMIT.value] and num_placed(o, seen) >= 2:
        return Action.COMMIT.value
    action = random_legal(mask, mix(bits))
    for attempt in range(8):
        if action not in (Action.COMMIT, Action.PASS, Action.TAKE_PILE, Action.CALL, Action.BELIEVE):
            break
        action = random_legal(mask, mix(bits + attempt + 1))
    return action


@kernel
def believer(o, seen, mask):
    """Lets almost everything pass: calls only last cards that cannot be what they are said to be.

    Believes where it may, and otherwise tells the truth if possible: the target that bluffers dream of.
    """
    if seen[o.phase] == ObservedPhase.COUNT:
        return announce(o, seen, mask, num_placed(o, seen))
    seat = seen[o.claimant] - 1
    absurd = seat > 0 and seen[o.final_play] != 0 and cannot_be_true(o, seen, seat)
    action = call_or_let(o, seen, mask, last_claimant_if(o, seen, absurd))
    if action == NOTHING and mask[Action.BELIEVE.value]:
        return Action.BELIEVE.value
    return action if action != NOTHING else play_simply(o, seen, mask)


# --- thoughtful players ----------------------------------------------------------------------------------------------


@kernel
def play(o, seen, mask, lies):
    """The thoughtful turn: passes rather than lies; a play with a plan; the number that serves it."""
    if seen[o.phase] == ObservedPhase.COUNT:
        return announce_slyly(o, seen, mask)
    return play_slyly(o, seen, mask, lies)


@kernel
def never_take(o, seen, mask, bits):
    """Calls only what cannot be true, and rather lies than passes or takes the pile."""
    action = answer(o, seen, mask, bits, surely_lied(o, seen, mask))
    return action if action != NOTHING else play(o, seen, mask, 1)


@kernel
def last_card(o, seen, mask, bits):
    """Calls every play that would empty a hand, and what cannot be true; tells the truth if possible."""
    seat = surely_lied(o, seen, mask)
    final = seen[o.claimant] > 1 and seen[o.hand_sizes + seen[o.claimant] - 1] == 0
    if final and not seen[o.allies + seen[o.claimant] - 1]:
        seat = seen[o.claimant] - 1
    action = answer(o, seen, mask, bits, seat)
    return action if action != NOTHING else play(o, seen, mask, 1)


@kernel
def counter(o, seen, mask, bits):
    """Counts cards, and calls what is probably a lie by everything that can be seen, if it falls to it to do so.

    Tells the truth if possible, and otherwise lies: with several cards while the pile is small.
    """
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, False))
    if action == NOTHING:
        action = pass_or_not(o, seen, mask)
    return action if action != NOTHING else play(o, seen, mask, lies_at_once(o, seen))


@kernel
def auditor(o, seen, mask, bits):
    """Calls every play that cannot be true (counter leaves many of these calls to others); otherwise as counter."""
    seat = surely_lied(o, seen, mask)
    if seat != NOBODY:
        return answer(o, seen, mask, bits, seat)
    return counter(o, seen, mask, bits)


@kernel
def adaptive(o, seen, mask, bits):
    """As counter, but learns how often each opponent lies from the plays that calls have turned over."""
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, True))
    if action == NOTHING:
        action = pass_or_not(o, seen, mask)
    return action if action != NOTHING else play(o, seen, mask, lies_at_once(o, seen))


@kernel
def play_ahead(o, seen, mask, bits):
    """Works out which ranks it will have to claim soon, and lies with up to two cards that will not be needed.

    Calls as counter does.
    """
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, False))
    if action == NOTHING:
        action = pass_or_not(o, seen, mask)
    return action if action != NOTHING else play(o, seen, mask, cards_not_needed(o, seen))


@kernel
def cards_not_needed(o, seen):
    """Return with how many cards to lie: those not due soon, but at least one and not more than it takes."""
    n = 0
    for rank in range(num_false(o, seen)):
        if rank != coming_claim(o, seen) and turns_until_due(o, seen, rank) > SOON:
            n += whole(o, seen, rank)
    return max(1, min(n, DUMPS, copies(o, seen, coming_claim(o, seen))))


@kernel
def collector(o, seen, mask, bits):
    """Calls, or takes the pile, to get cards that it will have to claim soon, where the sequence tells which.

    Otherwise it plays as counter, but never lies with several cards.
    """
    foreseen = forced_step(o, seen) != 0 and not suited(o, seen) and not seen[o.final_play]
    if foreseen and (mask[Action.CALL.value] or mask[Action.TAKE_PILE.value]):
        needed = needed_in_pile(o, seen)
        if needed >= COLLECTS and 3 * needed >= 2 * seen[o.pile_size]:
            ally = seen[o.claimant] > 0 and seen[o.allies + seen[o.claimant] - 1] != 0
            if mask[Action.CALL.value] and not ally:
                return Action.CALL.value
            if mask[Action.TAKE_PILE.value]:
                return Action.TAKE_PILE.value
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, False))
    if action == NOTHING:
        action = pass_or_not(o, seen, mask)
    return action if action != NOTHING else play(o, seen, mask, 1)


@kernel
def needed_in_pile(o, seen):
    """Count cards of the pile that have to be claimed soon: known ones, and plays of others if they are true."""
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


# --- bluffers --------------------------------------------------------------------------------------------------------


@kernel
def bluffer(o, seen, mask, bits):
    """Honest until the pile is worth stealing, then lies with as many cards as it may.

    A large pile frightens callers, for who calls wrongly picks it up; so the bluff is to claim all cards of a rank just
    when the pile is large (also while laying fewer, where the number may be a lie). Calls as counter does.
    """
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, False))
    if action != NOTHING:
        return action
    if seen[o.phase] == ObservedPhase.COUNT:
        full = copies(o, seen, coming_claim(o, seen))
        steals = seen[o.pile_size] >= STEAL and seen[o.rules_count] == Count.ANY
        return announce(o, seen, mask, full if steals else min(full, num_placed(o, seen)))
    if seen[o.pile_size] < STEAL or suited(o, seen):
        return honest(o, seen, mask)
    action = best_claim(o, seen, mask)
    if action != NOTHING:
        return action
    truths = min(fitting(o, seen), seen[o.rules_max_cards])
    most = min(seen[o.rules_max_cards], copies(o, seen, coming_claim(o, seen))) + seen[o.rules_max_extra]
    lies = max(0, min(most, cards_at_start(o, seen) - 1) - truths)
    action = place_planned(o, seen, mask, truths, lies)
    return action if action != NOTHING else play_simply(o, seen, mask)


@kernel
def sharp(o, seen, mask, bits):
    """Cheats where it is allowed, the rather the less it has to fear from those who may notice; otherwise as counter.

    It hides, slips and peeks before a play, lays more cards than it announces, and lies with a useless card in place of
    a true one that it can still switch in when it is called. (``sleight_step`` has what it does outside of plays.)
    """
    action = answer(o, seen, mask, bits, suspect(o, seen, mask, bits, False))
    if action == NOTHING:
        action = pass_or_not(o, seen, mask)
    if action == NOTHING and not seen[o.own_claim] and num_placed(o, seen) == 0:
        action = sleight(o, seen, mask, bits)
    if action != NOTHING:
        return action
    if seen[o.phase] == ObservedPhase.COUNT:
        return announce_slyly(o, seen, mask)
    truths = min(fitting(o, seen), seen[o.rules_max_cards])
    kept = keeps_back(o, seen, truths)
    more = thick_stack(o, seen, truths)
    if best_claim(o, seen, mask) == NOTHING and not suited(o, seen) and kept + more > 0 and truths > 0:
        action = place_planned(o, seen, mask, truths - kept, kept if kept > 0 else more)
    return action if action != NOTHING else play(o, seen, mask, lies_at_once(o, seen))
