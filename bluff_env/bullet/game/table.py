"""Cards, seats, the event log, and what is cleared between turns: the small things that all phases share."""

from bluff_env.bullet.game.state import MAX_EVENTS, NO_CARD, NOBODY, Ability
from bluff_env.bullet.rules import FIN, NUM_VALUES
from bluff_env.core.jit import kernel


@kernel
def suit_of(kind):
    """Return 0 for a crow, 1 for a cup, 2 for a key, 3 for a bullet."""
    return int(kind) // NUM_VALUES


@kernel
def value_of(kind):
    """Return the value of a card, 1 to 7."""
    return int(kind) % NUM_VALUES + 1


@kernel
def seat_left_of(r, seat):
    """Return the next seat clockwise."""
    return seat + 1 if seat + 1 < r.num_players else 0


@kernel
def everybody(r):
    """Return the bit mask of all players."""
    return (1 << r.num_players) - 1


@kernel
def log(g, event, player, other, ability, card, first, second):
    """Write one public event into the ring, before the earlier ones; ``first`` and ``second`` are places."""
    at = g.latest_event - 1 if g.latest_event > 0 else MAX_EVENTS - 1
    for copy in (at, at + MAX_EVENTS):
        g.events[0, copy] = event
        g.events[1, copy] = player + 1
        g.events[2, copy] = other + 1
        g.events[3, copy] = ability
        g.events[4, copy] = card + 1
        g.events[5, copy] = first + 1
        g.events[6, copy] = second + 1
    g.latest_event = at
    g.num_events += 1


@kernel
def put_card(g, r, seat, slot, kind, face_up):
    """Put a card into a hand: all players know it if it lies face up, otherwise only its owner."""
    g.hand[seat, slot] = kind
    g.face_up[seat, slot] = face_up
    g.knowers[seat, slot] = everybody(r) if face_up else 1 << seat


@kernel
def take_action_card(g, seat, kind):
    """Give a player an Action Card."""
    g.action_cards[seat, g.num_action_cards[seat]] = kind
    g.num_action_cards[seat] += 1


@kernel
def draw_card(g):
    """Draw the top card of the deck. Fin goes to the discards; an empty deck counts as Fin (S30)."""
    if g.top == g.deck_size:
        return FIN
    kind = int(g.deck[g.top])
    g.top += 1
    if kind == FIN:
        g.discards[FIN] = 1
    return kind


@kernel
def clear_choice(g):
    """Forget what the player in turn has chosen."""
    g.own_card = NO_CARD
    g.own_ability = Ability.NONE
    g.own_slot = NOBODY


@kernel
def clear_announcement(g):
    """Forget the announcement."""
    g.stack_size = 0
    g.ability = Ability.NONE
    g.target_player = NOBODY
    g.targets[0] = NOBODY
    g.targets[1] = NOBODY


@kernel
def clear_penalty(g):
    """Forget the penalty."""
    g.chooser = NOBODY
    g.victim = NOBODY
    g.penalty_slot = NOBODY
