"""Habits that scripted players share: routine moves, and answers to the plays of others."""

from bluff_env.cheat.game.actions import MAX_BID, Action
from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.observe import ObservedPhase
from bluff_env.cheat.rules import NUM_RANKS, Follow, Turns
from bluff_env.cheat.scripted.doubting import NOBODY, believes, chance_of_lie, is_rarely_called, uniform
from bluff_env.cheat.scripted.placing import NOTHING, best_claim, can_be_true, place_any, place_face
from bluff_env.cheat.scripted.sight import (
    at_stake,
    cannot_be_true,
    claimed_face,
    held,
    is_ally,
    may_follow,
    players_with_cards,
    total,
    wild_jokers,
)
from bluff_env.core.jit import kernel

WORTH_A_LOOK = 0.25  # a play is looked at if it is more likely a lie than this
SOMEBODY_LIES = 0.9  # probability that a player jumps in with a lie if no player has a true card


@kernel
def routine(o, seen, mask):
    """Return the routine action of every thoughtful player: bid truly, set full sets aside, use no sleights."""
    if seen[o.phase] == ObservedPhase.BID:
        return bid_truly(o, seen, mask)
    if seen[o.phase] == ObservedPhase.REVEAL:
        return Action.CHECK.value  # the whole play shows every lie that a part of it shows
    if seen[o.phase] == ObservedPhase.GIVE:
        return place_any(o, seen, mask)
    if seen[o.phase] == ObservedPhase.FORCED:
        action = place_any(o, seen, mask)
        return action if action != NOTHING else Action.KEEP.value
    if mask[Action.WAIT.value] and seen[o.rules_turns] == Turns.ORDERED:
        return Action.WAIT.value
    for action in (Action.KEEP.value, Action.ACCEPT.value, Action.DEAL.value):
        if mask[action]:
            return action
    for rank in range(NUM_RANKS):
        if mask[Action.SET_ASIDE + rank]:
            return Action.SET_ASIDE + rank
    if o.wide and seen[o.rules_first_face_up]:
        return lead_face_up(o, seen, mask)
    return NOTHING


@kernel
def lead_face_up(o, seen, mask):
    """Lead with a card of the face that the hand holds most of; NOTHING where no card is laid face up."""
    may_claim = total(seen, o.claims, NUM_FACES)
    if seen[o.phase] != ObservedPhase.TURN or not seen[o.leading] or may_claim < 2:
        return NOTHING
    best, most = NOTHING, 0
    for face in range(NUM_FACES):
        action = place_face(o, seen, mask, face)
        if action != NOTHING and held(o, seen, face) > most:
            best, most = action, held(o, seen, face)
    return best


@kernel
def bid_truly(o, seen, mask):
    """Bid the number of cards held of the highest rank; if that is not enough, call, or open with one."""
    rank = 0
    if not seen[o.rules_ranks]:
        rank = NUM_RANKS - 1
        while rank > 0 and not seen[o.rules_ranks + rank]:
            rank -= 1
    n = min(seen[o.hand + rank], MAX_BID)
    if n > 0 and mask[Action.BID + n - 1]:
        return Action.BID + n - 1
    return Action.CALL.value if mask[Action.CALL.value] else Action.BID.value


# --- answers ---------------------------------------------------------------------------------------------------------


@kernel
def call_of(o, seen, mask, seat):
    """Return the action that calls the play of a seat; NOTHING if it may not be called."""
    if seat <= 0:
        return NOTHING
    if mask[Action.CALL_PLAYER + seat - 1]:
        return Action.CALL_PLAYER + seat - 1
    return Action.CALL.value if mask[Action.CALL.value] and seat == seen[o.claimant] - 1 else NOTHING


@kernel
def call_or_let(o, seen, mask, seat):
    """Return the plain answer to the last play: call ``seat`` unless NOBODY; without turns jump in with a true card.

    Return NOTHING on one's own turn, where not calling means playing on.
    """
    action = call_of(o, seen, mask, seat)
    if action != NOTHING:
        return action
    if mask[Action.WAIT.value]:
        return Action.JUMP.value if mask[Action.JUMP.value] and has_true_card(o, seen) else Action.WAIT.value
    return Action.LET.value if mask[Action.LET.value] else NOTHING


@kernel
def answer(o, seen, mask, bits, seat):
    """Return the thoughtful answer to the last play: call ``seat``, play at once, look at the play or let it stand."""
    action = call_of(o, seen, mask, seat)
    if action != NOTHING:
        return action
    if mask[Action.JUMP.value] and jumps(o, seen, mask, bits):
        return Action.JUMP.value
    if mask[Action.CHECK.value] and looks(o, seen):
        return Action.CHECK.value
    for action in (Action.WAIT.value, Action.LET.value):
        if mask[action]:
            return action
    if mask[Action.BELIEVE.value] and not can_be_true(o, seen, mask) and believes(o, seen):
        return Action.BELIEVE.value
    return NOTHING


@kernel
def looks(o, seen):
    """Return whether to look at the last play, which costs only a call that is not made anyway and informs later calls.

    A play that is hardly doubted counts as true.
    """
    seat = seen[o.claimant] - 1
    return seat > 0 and chance_of_lie(o, seen, seat) > WORTH_A_LOOK


@kernel
def pass_or_not(o, seen, mask):
    """Pass if no card fits and a lie would not pay at this table; otherwise return NOTHING."""
    if mask[Action.PASS.value] and best_claim(o, seen, mask) == NOTHING and place_any(o, seen, mask) == NOTHING:
        return Action.PASS.value  # who cannot raise
    if (
        not mask[Action.PASS.value]
        or can_be_true(o, seen, mask)
        or is_rarely_called(o, seen, 1.0, at_stake(o, seen) + 1.0)
    ):
        return NOTHING
    return Action.PASS.value


@kernel
def jumps(o, seen, mask, bits):
    """Return whether to play at once, in a game without turns or in a rush."""
    return jumps_in(o, seen, bits) if mask[Action.WAIT.value] else rushes(o, seen)


@kernel
def jumps_in(o, seen, bits):
    """Return whether to jump in: always with a true card, which costs nothing, and now and then with a lie.

    If all players waited for others to lie, the player with most cards would have to play.
    """
    if has_true_card(o, seen):
        return True
    k = max(1, players_with_cards(o, seen, -1))
    return uniform(bits) < 1.0 - (1.0 - SOMEBODY_LIES) ** (1.0 / k)


@kernel
def has_true_card(o, seen):
    """Return whether the hand has a card for one of the coming claims."""
    true = wild_jokers(o, seen) > 0
    for face in range(NUM_FACES):
        true = true or (seen[o.claims + face] != 0 and held(o, seen, face) > 0)
    return true


@kernel
def rushes(o, seen):
    """Return whether to jump in a rush: to save an ally, or with a true card for a turn that a call would lose."""
    if is_ally(o, seen, seen[o.claimant] - 1):
        return True
    if seen[o.rules_after_right] == Follow.ROTATION and seen[o.rules_after_wrong] == Follow.ROTATION:
        return False
    true = False
    for face in range(NUM_FACES):
        true = true or (held(o, seen, face) > 0 and may_follow(o, seen, face))
    return true


# --- what cannot be true ---------------------------------------------------------------------------------------------


@kernel
def surely_lied(o, seen, mask):
    """Return the seat of a play that can be called and cannot be true, but of no ally; or NOBODY."""
    for seat in range(1, seen[o.rules_num_players]):
        if call_of(o, seen, mask, seat) == NOTHING or claimed_face(o, seen, seat) < 0:
            continue
        if not is_ally(o, seen, seat) and cannot_be_true(o, seen, seat):
            return seat
    return NOBODY


@kernel
def last_claimant_if(o, seen, doubt):
    """Return the seat of the last play's player if in ``doubt``, otherwise NOBODY."""
    return seen[o.claimant] - 1 if doubt and seen[o.claimant] > 1 else NOBODY
