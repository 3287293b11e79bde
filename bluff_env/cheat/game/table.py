"""Seats, the event log, and cards that change hands: the small steps that all phases share."""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import FELL, JOKER, JOKER_FACE, MAX_EVENTS, NUM_FACES, NUM_KINDS
from bluff_env.cheat.rules import MAX_CARDS, NUM_RANKS, NUM_SUITS, End
from bluff_env.core.jit import kernel


@kernel
def left_of(g, r, seat):
    """Return the next seat in the direction of play."""
    seat += r.direction
    if seat >= r.num_players:
        return 0
    if seat < 0:
        return r.num_players - 1
    return seat


@kernel
def still_in(g, r, seat):
    """Return the seat itself, or the next one in the direction of play whose player has not fallen."""
    while g.out[seat] == FELL:
        seat = left_of(g, r, seat)
    return seat


@kernel
def with_cards(g, r, seat):
    """Return the seat itself if it holds cards, else the next one in the direction of play that does (S8)."""
    for _ in range(r.num_players):
        if g.hand_size[seat] > 0:
            return seat
        seat = left_of(g, r, seat)
    return seat


@kernel
def num_with_cards(g, r):
    """Return how many players hold cards."""
    n = 0
    for p in range(r.num_players):
        if g.hand_size[p] > 0:
            n += 1
    return n


@kernel
def must_call(g, r, seat):
    """Return whether ``seat`` is the last player with cards in a deal that a call ends, who has to call (S37)."""
    return r.end == End.FIRST_CALL and g.hand_size[seat] > 0 and num_with_cards(g, r) == 1


@kernel
def log(g, event, player, face, count, other):
    """Write one public event into the ring, in front of the earlier ones."""
    at = g.latest_event - 1 if g.latest_event > 0 else MAX_EVENTS - 1
    for copy in (at, at + MAX_EVENTS):
        g.events[0, copy] = event
        g.events[1, copy] = player + 1
        g.events[2, copy] = face + 1
        g.events[3, copy] = min(MAX_CARDS, count)  # announced numbers may add up to more than there is
        g.events[4, copy] = other + 1
    g.latest_event = at
    g.num_events += 1


@kernel
def give(g, seat, kind):
    """Add a card to a hand. (The caller changes the public size of the hand.)"""
    g.hand[seat, kind] += 1
    g.hand_ranks[seat, kind // NUM_SUITS] += 1


@kernel
def take(g, seat, kind):
    """Take a card out of a hand. (The caller changes the public size of the hand.)"""
    g.hand[seat, kind] -= 1
    g.hand_ranks[seat, kind // NUM_SUITS] -= 1


@kernel
def is_forced(claims):
    """Return whether a bit mask has exactly one bit."""
    return claims & (claims - 1) == 0


@kernel
def only_claim(claims):
    """Return the position of the only bit of a mask."""
    face = 0
    while claims > 1:
        claims >>= 1
        face += 1
    return face


@kernel
def count_face(g, r, seat, face):
    """Return how many cards of a face a hand holds, not counting wild jokers."""
    if not r.suited or face == JOKER_FACE:
        return g.hand_ranks[seat, face]
    n = 0
    for rank in range(NUM_RANKS):
        n += g.hand[seat, rank * NUM_SUITS + face]
    return n


@kernel
def lowest_suit_held(g, seat, rank):
    """Return the card of a rank that is placed first if suits have no effect: that of the lowest suit (D7)."""
    if rank == JOKER_FACE:
        return JOKER
    kind = rank * NUM_SUITS
    while g.hand[seat, kind] == 0:
        kind += 1
    return kind


@kernel
def chosen_card(g, seat, kind, argument):
    """Return the card of a hand that an action of this kind and argument names."""
    return lowest_suit_held(g, seat, argument) if kind == Action.PLACE else argument


@kernel
def latest_play(g, seat):
    """Return the index in the pile of a seat's latest play, or -1."""
    play = g.num_plays - 1
    while play >= 0 and g.play_player[play] != seat:
        play -= 1
    return play


@kernel
def is_callable(g, seat):
    """Return whether the latest play of a seat may be called; last cards may be, until their player is out (S12)."""
    return g.out[seat] == 0 and latest_play(g, seat) >= 0


@kernel
def matches(r, kind, claimed):
    """Return whether a card is what a claim says (S4)."""
    return r.face[kind] == claimed or (r.wild_ranks >> (kind // NUM_SUITS)) & 1


@kernel
def clear_shown(g):
    """Clear the list of cards that were turned over last."""
    for kind in range(NUM_KINDS):
        g.shown[kind] = 0
    for rank in range(NUM_FACES):
        g.shown_ranks[rank] = 0


@kernel
def show_card(g, kind):
    """Show a card to everybody."""
    g.shown[kind] += 1
    g.shown_ranks[kind // NUM_SUITS] += 1
