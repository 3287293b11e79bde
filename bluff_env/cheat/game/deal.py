"""Everything before the first turn: the dealer, the deal, demands for a new one, bids, and the starter."""

from bluff_env.cheat.game.ending import is_decided
from bluff_env.cheat.game.full_sets import set_all_aside
from bluff_env.cheat.game.notices import draw_notices
from bluff_env.cheat.game.sequence import begin_turn
from bluff_env.cheat.game.state import JOKER, JOKER_FACE, NOBODY, NUM_FACES, NUM_KINDS, Event, Pending, Phase, Sleight
from bluff_env.cheat.game.table import give, left_of, log, still_in
from bluff_env.cheat.game.window import contest
from bluff_env.cheat.rules import MAX_PLAYERS, NUM_SUITS, FullSet, Starter, Surplus
from bluff_env.core.jit import kernel


@kernel
def start_game(g, r):
    """Prepare a cleared state: the whole deck is undealt, and dealer and starter are open."""
    g.phase = Phase.DEALER
    g.to_act = NOBODY
    g.turn = NOBODY
    g.dealer = NOBODY
    g.starter = NOBODY
    g.claim_face = NOBODY
    g.claimant = NOBODY
    g.own_claim = NOBODY
    g.caught_seat = NOBODY
    g.challenger = NOBODY
    g.late_accuser = NOBODY
    g.bidder = NOBODY
    g.not_asked = NOBODY
    g.slipped = NOBODY
    g.deal_loser = NOBODY
    g.rightful_seat = NOBODY
    for p in range(MAX_PLAYERS):
        g.checked_player[p] = NOBODY
    g.deck_size = r.num_cards
    for kind in range(NUM_KINDS):
        g.deck[kind] = r.deck[kind]
        g.deck_ranks[kind // NUM_SUITS] += r.deck[kind]


@kernel
def choose_dealer(g, r, seat):
    """Let ``seat`` deal; first face up until a jack falls, if that finds the starter and none is forced."""
    g.dealer = seat
    if r.starter == Starter.JACK and g.starter == NOBODY:
        g.deal_seat = left_of(g, r, seat)
        g.phase = Phase.JACK
    else:
        begin_deal(g, r)


@kernel
def turn_up(g, r, is_jack):
    """Turn up one natural card; the first jack makes the starter, and the same dealer deals again (S19)."""
    if is_jack:
        g.starter = g.deal_seat
        begin_deal(g, r)
    else:
        g.turned_up += 1
        g.deal_seat = left_of(g, r, g.deal_seat)


@kernel
def begin_deal(g, r):
    """Begin the deal at the dealer's left."""
    g.deal_seat = still_in(g, r, left_of(g, r, g.dealer))
    g.phase = Phase.DEAL
    if g.deck_size == 0 or g.deal_settled:
        g.deal_settled = 1  # a forced deal
        end_deal(g, r)
        return
    g.to_burn = r.burn
    if r.sleights & Sleight.SHORT_DEAL:
        g.phase = Phase.SHORT_DEAL
        g.to_act = g.dealer


@kernel
def suit_to_deal(g, rank):
    """Return the suit of a dealt card if suits have no effect (D7): any would do; the cut makes it look shuffled."""
    dealt = 0
    for p in range(MAX_PLAYERS):
        dealt += g.hand_ranks[p, rank]
    first = (g.suit_cut >> (2 * rank)) + dealt
    for s in range(NUM_SUITS):
        suit = (first + s) & 3
        if g.deck[rank * NUM_SUITS + suit] > 0:
            return suit
    return 0


@kernel
def deal_card(g, r, outcome):
    """Deal one card to the next seat. The outcome is its kind, or its rank if suits have no effect."""
    kind = outcome
    if not r.deal_by_card:
        kind = JOKER if outcome == JOKER_FACE else outcome * NUM_SUITS + suit_to_deal(g, outcome)
    g.deck[kind] -= 1
    g.deck_ranks[kind // NUM_SUITS] -= 1
    g.deck_size -= 1
    if g.to_burn > 0:
        g.to_burn -= 1
        g.removed[kind] += 1
        return
    if g.to_draw > 0:
        draw_card(g, kind)
        return
    give(g, g.deal_seat, kind)
    g.hand_size[g.deal_seat] += 1
    g.deal_seat = still_in(g, r, left_of(g, r, g.deal_seat))
    honest_share = r.num_cards // r.num_players
    if g.cards_short and g.deal_seat == g.dealer and g.hand_size[g.dealer] == honest_share - g.cards_short:
        g.deal_seat = left_of(g, r, g.deal_seat)
    if g.deck_size == r.left_over + g.num_fallen * r.cards_each:
        lay_surplus(g, r)
        end_deal(g, r)


@kernel
def draw_card(g, kind):
    """Give the loser of a call a card of the stock; after the last one the call is settled."""
    give(g, g.deal_seat, kind)
    g.hand_size[g.deal_seat] += 1
    g.apparent_hand[g.deal_seat] += 1
    g.picked_up |= 1 << g.deal_seat
    g.to_draw -= 1
    if g.to_draw == 0:
        g.pending = Pending.RIGHT_CALL if g.call_was_right else Pending.WRONG_CALL


@kernel
def lay_surplus(g, r):
    """Lay the cards that are not dealt out of the game or down as the first pile; a stock stays where it is."""
    if r.surplus == Surplus.DEAL or r.surplus == Surplus.STOCK:
        return
    for kind in range(NUM_KINDS):
        n = g.deck[kind]
        if r.surplus == Surplus.OUT:
            g.removed[kind] += n
        else:
            for _ in range(n):
                g.pile_cards[g.pile_size] = kind
                g.pile_size += 1
        g.deck[kind] = 0
    for rank in range(NUM_FACES):
        g.deck_ranks[rank] = 0
    g.deck_size = 0
    g.apparent_pile = g.pile_size


@kernel
def end_deal(g, r):
    """End the deal: publish the hand sizes of an honest deal, then ask for demands of a new one (S25)."""
    seat = g.dealer
    for i in range(r.num_players):
        seat = left_of(g, r, seat)
        g.apparent_hand[seat] = g.hand_size[seat]
        if g.cards_short:
            g.apparent_hand[seat] = r.num_cards // r.num_players + (i < r.num_cards % r.num_players)
    if r.sleights & Sleight.SHORT_DEAL and not g.deal_settled:
        draw_notices(g, r, g.dealer)
    else:
        g.pending = Pending.START


@kernel
def settle_deal(g, r):
    """Fix the hands, draw the first claim if the rules say so, and find the starter."""
    g.claims = r.first_claims
    g.leading = 1
    if r.drawn_claim:
        g.phase = Phase.FIRST_CLAIM
        g.to_act = NOBODY
    else:
        settle_starter(g, r)


@kernel
def draw_first_claim(g, r, face):
    """Turn up the claim that the first play has to make (S37)."""
    g.claims = 1 << face
    log(g, Event.CLAIM_DRAWN, NOBODY, face, 0, NOBODY)
    settle_starter(g, r)


@kernel
def settle_starter(g, r):
    """Find the starter, by bids if the rules say so (S18); in a match, the first deal alone does."""
    if r.starter == Starter.BID and g.starter == NOBODY:
        g.turn = left_of(g, r, g.dealer)
        g.to_act = g.turn
        g.phase = Phase.BID
        return
    if r.starter != Starter.RANDOM and g.deals_over == 0:
        g.starter = find_starter(g, r)  # before sets go aside: they may take the starting card with them
    begin_play(g, r)


@kernel
def bid(g, r, number):
    """Bid: the player in turn says that they hold this number of cards of the highest rank (S18)."""
    seat = g.turn
    g.bid = number
    g.bidder = seat
    log(g, Event.BID, seat, NOBODY if r.suited else r.bid_rank, number, NOBODY)
    g.turn = left_of(g, r, seat)
    g.to_act = g.turn


@kernel
def call_bid(g, r):
    """Call the bid: the bidder shows their cards of the rank. They start if they hold enough, else the caller (S18)."""
    caller = g.turn
    bidder = g.bidder
    held = g.hand_ranks[bidder, r.bid_rank]
    g.bid_shown = held
    log(g, Event.BID_CALLED, caller, NOBODY if r.suited else r.bid_rank, held, bidder)
    if not r.suited:
        for p in range(r.num_players):
            if p != bidder:
                g.certain[p, bidder, r.bid_rank] = held
    g.starter = bidder if held >= g.bid else caller
    begin_play(g, r)


@kernel
def begin_play(g, r):
    """Set full sets aside if the rules do so at once; then begin the first turn, or let chance pick the starter."""
    if r.full_set == FullSet.AUTOMATIC:
        seat = g.dealer
        for _ in range(r.num_players):
            seat = left_of(g, r, seat)
            set_all_aside(g, r, seat)
            if is_decided(g):
                return
    if g.starter == NOBODY:
        g.phase = Phase.STARTER
    else:
        begin_turn(g, r, g.starter)


@kernel
def find_starter(g, r):
    """Return the holder of the named card nearest the dealer's left, a forced starter, or the dealer's left (S5)."""
    if r.starter == Starter.CARD:
        seat = g.dealer
        for _ in range(r.num_players):
            seat = left_of(g, r, seat)
            if g.hand[seat, r.starter_kind] > 0:
                return seat
    if g.starter != NOBODY:
        return g.starter
    return left_of(g, r, g.dealer)


@kernel
def close_demands(g, r):
    """Deal anew, honestly, if a short deal was demanded back; after an honest deal the demand was wrong (S25)."""
    g.deal_settled = 1
    if g.accusers == 0:
        g.pending = Pending.START
    elif g.cards_short == 0:
        contest(g, r, g.accusers)
    else:
        log(g, Event.RIGHT_DEMAND, NOBODY, NOBODY, 0, g.dealer)
        g.cards_short = 0
        gather_cards(g, r)
        g.deal_seat = left_of(g, r, g.dealer)
        g.phase = Phase.DEAL
        g.to_act = NOBODY


@kernel
def gather_cards(g, r):
    """Take all hands back; the whole deck is undealt."""
    g.deck_size = r.num_cards
    for p in range(r.num_players):
        g.hand_size[p] = 0
        for kind in range(NUM_KINDS):
            g.hand[p, kind] = 0
        for rank in range(NUM_FACES):
            g.hand_ranks[p, rank] = 0
    for rank in range(NUM_FACES):
        g.deck_ranks[rank] = 0
    for kind in range(NUM_KINDS):
        g.deck[kind] = r.deck[kind]
        g.deck_ranks[kind // NUM_SUITS] += r.deck[kind]


@kernel
def demand_wrongly(g, r, seat):
    """Give a player who demanded wrongly a card of the dealer's choice, if that leaves the dealer one."""
    log(g, Event.WRONG_DEMAND, seat, NOBODY, 0, g.dealer)
    if g.hand_size[g.dealer] > 1:
        g.challenger = seat
        g.phase = Phase.GIVE
        g.to_act = g.dealer
    else:
        g.pending = Pending.START
