"""An oracle for Cheat: the rules of ``docs/rules-cheat.md`` in plain Python, slow and meant to be read.

It was written from the rule documents alone, without looking at the engine, so that a game played by both
(``tests/families/test_oracle.py``) shows where the two readings differ. S- and D-numbers are those of the document.
Cards are texts such as ``"7D"``; the joker is ``"JK"``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bluff_env.cheat.rules import (
    AfterPasses,
    AtLimit,
    Callers,
    ClaimKind,
    Count,
    Direction,
    End,
    Follow,
    FullSet,
    JokerRole,
    NextClaim,
    Reveal,
    Rules,
    Starter,
    Surplus,
    Turns,
    Window,
)

JOKER = "JK"
RANKS = "A23456789TJQK"
SUITS = "CDHS"
ORDER = {rank + suit: (i, j) for i, rank in enumerate(RANKS) for j, suit in enumerate(SUITS)} | {JOKER: (len(RANKS), 0)}
FULL_SET_DRINKS = 10

CHANCE = (
    "dealer", "jack", "burn", "deal", "first claim", "starter", "peek", "notice", "race", "reveal", "draw", "trigger",
)  # fmt: skip
CHAMBERS = 6
NOTICEABLE = ("hide", "slip", "peek", "out of turn")  # what gives the hands away (D17)
NOTICE_SCALE = 1_000_000

Claim = dict[str, Any]


def rank_of(card: str) -> str:
    """``"7"`` of ``"7D"``; a joker's rank is ``"JK"``."""
    return JOKER if card == JOKER else card[0]


def card_order(card: str) -> tuple[int, int]:
    """The order in which cards are placed: A 2 ... K, then jokers; C D H S within a rank."""
    return ORDER[card]


def in_order(cards: Iterable[str]) -> list[str]:
    """Cards in the order in which they are placed."""
    return sorted(cards, key=ORDER.__getitem__)


@dataclass
class Play:
    """Cards face down, and what was said of them."""

    player: int
    cards: list[str]
    face: str
    number: int
    checked_by: set[int] = field(default_factory=set)  # who has looked at it, or seen it face up


@dataclass
class Bidding:
    """The opening bids (S18): who is asked now, and the last bid."""

    asked: int
    bidder: int | None = None
    bid: int = 0


@dataclass
class Slipped:
    """A card on its way into another hand: its receiver sees it when the window has closed (S22)."""

    card: str
    receiver: int


@dataclass
class Sleights:
    """What one player did in one turn besides playing (S21)."""

    done: set[str] = field(default_factory=set)
    hidden: list[str] = field(default_factory=list)
    slipped: Slipped | None = None


@dataclass
class Watch:
    """Chance for one player to notice something (S21, S23, S25, S26)."""

    seat: int
    what: str
    things: int  # how many there are to notice


@dataclass
class Due:
    """Whose turn it is by right, and what his claim goes on from, while another plays out of turn (S24)."""

    seat: int
    freedom: str
    last_face: str | None
    last_claim: Claim | None
    last_claimant: int | None
    leading: bool
    moved_on: int


class Oracle:
    """One game of Cheat, node by node: chance, decisions, and the end.

    Args:
        rules: any rule set that this version plays.
        num_players: 2 to 10.
        hands, starter, dealer: a forced deal; what is given is not drawn (D3).
    """

    def __init__(
        self,
        rules: Rules,
        num_players: int,
        *,
        hands: list[list[str]] | None = None,
        starter: int | None = None,
        dealer: int | None = None,
    ) -> None:
        self.rules = rules.resolve(num_players)
        self.num_players = num_players
        self.seats = list(range(num_players))
        self.faces = self.rules.faces
        self.set_size = self.rules.set_size
        self.suits_matter = self.rules.suits_matter
        self.dealt_by_card = self.suits_matter or (self.rules.starter == Starter.CARD and not self.jump_in)
        self.announced_limit = self.rules.announced_limit
        self.extra_limit = self.rules.extra_limit
        self.deck = self._full_deck()
        self.forced_starter = starter
        self.dealer = dealer

        self.hands: list[list[str]] = [[] for _ in self.seats]
        self.drawn_face: str | None = None
        self.pulls = [0] * num_players  # of the trigger, each by the loser of a deal (S37)
        self.deal_loser: int | None = None
        self.begins: int | None = None  # who begins a later deal of a match
        self.pile: list[Play] = []
        self.took_cards: set[int] = set()  # since their last play, or since the deal
        self.moved_on = 0  # by how many steps passes have moved the claim that is due
        self.first_pile: list[str] = []  # at its bottom, of no play: the surplus of the deal
        self.takes_pile, self.draws = self.rules.draws  # the penalty
        self.to_draw = 0
        self.drawn = 0  # after the last call
        self.verdict_due = False  # whether the call for which cards are drawn was right
        self.removed: list[str] = []
        self.finished: list[int] = []  # places from the top
        self.sunk: list[int] = []  # places from the bottom: led a full set (S17), or died
        self.drinks = [0] * num_players
        self.slaps = [0] * num_players
        self.cup = 0  # poured and not yet drunk (S28)
        self.cup_drunk = [0] * num_players
        self.circle_broken = False  # somebody has passed in this round
        self.turns = 0
        self.payoffs = [0.0] * num_players

        # What the next claim depends on.
        self.freedom = "first"  # first | free | repeat | steps (D6)
        self.last_face: str | None = None
        self.last_claim: Claim | None = None
        self.last_claimant: int | None = None
        self.leading = True  # S11
        self.passed: set[int] = set()  # since the last play
        self.last_passer: int | None = None
        self.caught: tuple[int, str] | None = None  # S9: who was caught once, and on what claim
        self.open_play = False  # S14: callers=next, and the last play may still be called

        # What others believe of hands and pile, where the announced number may be a lie (S7).
        self.seen_hands = [0] * num_players
        self.seen_pile = 0

        # The turn under way.
        self.turn: int | None = None
        self.took_pile = False
        self.face: str | None = None
        self.placed: list[str] = []
        self.window: list[int] = []  # seats still to be asked
        self.checkers: list[int] = []  # who wants to look at the play of the open window
        self.callers: dict[int, int] = {}  # in the order of asking: whom each of them calls
        self.jumper: int | None = None  # the next player, if he plays at once (window=rush)
        self.must_play = False  # he did
        self.challenger: int | None = None
        self.called: Play | None = None  # the play that is turned over
        self.forcers: set[int] = set()  # those of the callers who force the claimant (S39)
        self.forced = False  # the challenger did
        self.all_turned_over = False  # what the challenger chose, where they choose how much of it (S38)
        self.face_up = 0  # cards of the deal that looks for a Jack
        self.bidding: Bidding | None = None
        self.jumpers: list[int] = []  # who wants to play in this tick (jump-in), or out of turn
        self.check_in_tick = False
        self.idle_ticks = 0  # jump-in: ticks in which all waited, in a row

        # Sleights of hand.
        self.laps: list[list[str]] = [[] for _ in self.seats]
        self.sleights = Sleights()  # of the turn under way
        self.accusable = Sleights()  # of the turn of the last play, until the next one
        self.slipping: str | None = None  # a card whose receiver is not named yet
        self.peeked_at: int | None = None
        self.accusers: list[int] = []
        self.caller: int | None = None  # whose call counts, while an accuser is still to be drawn (S30)
        self.accuser: int | None = None  # whose accusation is judged after the call
        self.watches: list[Watch] = []
        self.noticed: set[int] = set()  # to whom the hands looked suspicious in the turn of the last play
        self.short = 0  # how many cards the dealer deals himself too few
        self.deal_is_settled = False
        self.due: Due | None = None
        self.switching: str | None = None  # the card that leaves the play
        self.switched: tuple[str, str] | None = None  # out of the play, into it

        self.known_legal: list[str] | None = None  # until something happens
        self.stock = list(self.deck)
        self.is_forced = hands is not None
        if hands is not None:
            self._lay_down(hands)
        self.phase = "dealer"
        if dealer is not None:
            self._dealer_is_known()
            self._skip_forced_steps()

    # ------------------------------------------------------------------ what users see

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.phase == "over"

    def is_chance_node(self) -> bool:
        """Return whether chance moves next."""
        return self.phase in CHANCE

    def is_player_node(self) -> bool:
        """Return whether a player decides next."""
        return not self.is_terminal() and not self.is_chance_node()

    @property
    def jump_in(self) -> bool:
        """Return whether anybody may play at any time (S20)."""
        return self.rules.turns == Turns.JUMP_IN

    def current_player(self) -> int:
        """The seat that decides; -1 at chance nodes and -4 at the end, as in OpenSpiel."""
        if not self.is_player_node():
            return -4 if self.is_terminal() else -1
        if self.bidding is not None:
            return self.bidding.asked
        if self.phase == "short deal" or (self.phase == "penalty" and not self.pile):
            assert self.dealer is not None
            return self.dealer
        if self.phase in ("switch", "switch in", "penalty", "show"):
            return self._called_play().player
        if self.phase in ("verdict", "turn over"):
            assert self.challenger is not None
            return self.challenger
        return self.window[0] if self.phase in ("window", "tick", "demand", "out of turn") else self._player()

    def legal_actions(self) -> list[str]:
        """Names of everything the seat to act may do, or of what chance may draw."""
        if self.known_legal is None:
            self.known_legal = self._work_out_legal_actions()
        return list(self.known_legal)

    def _work_out_legal_actions(self) -> list[str]:
        actions = {
            "bid": self._bidding_actions,
            "turn": self._turn_actions,
            "place": self._placing_actions,
            "count": self._count_actions,
            "slip": self._receivers,
            "switch": self._switch_actions,
            "switch in": self._switch_in_actions,
            "short deal": self._short_deals,
            "demand": lambda: ["accept", "demand redeal"],
            "out of turn": lambda: ["wait", "jump"],
            "verdict": lambda: ["accept", "accuse"],
            "turn over": lambda: ["accept", "check"],
            "show": lambda: [*self._cards_to_show(), "keep"],
            "penalty": self._penalty_actions,
            "window": self._window_actions,
            "tick": self._tick_actions,
        }.get(self.phase)
        return actions() if actions else list(self.chance_weights())

    def apply_action(self, name: str) -> None:
        """One decision or one outcome of chance; then all steps of a player's own turn that leave no choice.

        Raises:
            ValueError: if it is not legal here.
        """
        if name not in self.legal_actions():
            raise ValueError(f"{name!r} is not legal here; legal: {self.legal_actions()}")
        if self.is_chance_node():
            self._draw(name)
        else:
            self._do(name)
        self._skip_forced_steps()

    def chance_weights(self) -> dict[str, int]:
        """The possible outcomes of a chance node with their weights; none elsewhere."""
        if self.phase in ("dealer", "starter"):
            return {f"player_{seat}": 1 for seat in self.seats}
        if self.phase == "jack":
            natural = sum(card != JOKER for card in self.deck)
            weights = {"J": self.set_size, "no J": natural - self.set_size - self.face_up}
            return {name: weight for name, weight in weights.items() if weight}
        if self.phase in ("deal", "burn", "draw"):
            return dict(Counter(self._dealt_name(card) for card in self.stock))
        if self.phase == "first claim":
            return dict.fromkeys(self.faces, 1)
        if self.phase == "trigger":
            assert self.deal_loser is not None
            left = CHAMBERS - 1 - self.pulls[self.deal_loser]  # empty chambers
            return {"a shot": 1} | ({"an empty chamber": left} if left else {})
        if self.phase == "peek":
            assert self.peeked_at is not None
            return dict(Counter(self._played_name(card) for card in self.hands[self.peeked_at]))
        if self.phase == "notice":
            return self._notices()
        if self.phase == "race":
            return {f"player_{seat}": 1 for seat in self._racers()}
        if self.phase == "reveal":
            return dict(Counter(self._played_name(card) for card in self._called_play().cards))
        return {}

    def _draw(self, name: str) -> None:
        self.known_legal = None
        if self.phase == "dealer":
            self.dealer = int(name.removeprefix("player_"))
            self._dealer_is_known()
        elif self.phase == "jack":
            self._draw_face_up(name == "J")
        elif self.phase == "burn":
            self._burn(name)
        elif self.phase == "draw":
            self._draw_from_stock(name)
        elif self.phase == "deal":
            self._deal_card(name)
        elif self.phase == "first claim":
            self.drawn_face = name
            self._find_starter()
        elif self.phase == "trigger":
            self._pull_trigger(name == "a shot")
        elif self.phase == "peek":
            self.phase = "turn"
        elif self.phase == "notice":
            watch = self.watches.pop(0)
            if watch.what == "hands" and name.endswith("something"):
                self.noticed.add(watch.seat)
            self._next_watch()
        elif self.phase == "starter":
            self._begin_turn(int(name.removeprefix("player_")))
        elif self.phase == "race":
            seat = int(name.removeprefix("player_"))
            if not self.deal_is_settled and self.accusers:
                self._demand_wrongly(seat)
            elif self.jump_in and not self.callers:
                self._jump(seat)
            elif self.due is not None and self.jumpers:
                self._play_out_of_turn(seat)
            else:
                self._race_is_won(seat)
        else:
            play = self._called_play()
            shown = next(card for card in play.cards if self._played_name(card) == name)
            self._judge(right=not self._matches(shown, play.face))

    def returns(self) -> list[float]:
        """The payoff of each seat, zeros before the end."""
        return list(self.payoffs)

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain values."""
        return {
            "phase": self.phase,
            "to_act": self.current_player(),
            "turn": self.turn,
            "hands": [in_order(hand) for hand in self.hands],
            "pile": [
                {"player": p.player, "cards": list(p.cards), "claim": self._claim(p.face, p.number)} for p in self.pile
            ],
            "first_pile": list(self.first_pile),
            "deck": list(self.stock),
            "removed": list(self.removed),
            "laps": [in_order(lap) for lap in self.laps],
            "claim": None if self.last_claim is None else dict(self.last_claim),
            "finished": list(self.finished),
            **({"pulls": list(self.pulls)} if self.rules.revolver else {}),
            "ledgers": {
                "drinks": list(self.drinks),
                "cup": self.cup,
                "cup_drunk": list(self.cup_drunk),
                "slaps": list(self.slaps),
            },
            "turns": self.turns,
            "done": self.phase == "over",
            "rewards": self.returns(),
            "apparent_hands": self._apparent_hands(),
            "apparent_pile": self._apparent_pile(),
        }

    # ------------------------------------------------------------------ the deal and the start

    def _full_deck(self) -> list[str]:
        packs = int(self.rules.packs)
        natural = [rank + suit for rank in RANKS for suit in SUITS if rank in self.rules.ranks]
        deck = [c for c in natural if c[1] in self.rules.suits for _ in range(packs)] + [JOKER] * self.rules.jokers
        for card in self.rules.missing:
            deck.remove(card)
        return deck

    def _lay_down(self, hands: list[list[str]]) -> None:
        """A forced deal. Cards that it leaves out are out of the game."""
        left_out = Counter(self.deck)
        left_out.subtract(card for hand in hands for card in hand)
        if len(hands) != self.num_players or not all(hands) or min(left_out.values()) < 0:
            raise ValueError("the forced deal is impossible: one hand per player, none empty, only cards of the deck")
        self.hands = [list(hand) for hand in hands]
        self._lay_surplus(list(left_out.elements()))

    def _lay_surplus(self, cards: list[str]) -> None:
        """Lay down what is not dealt: the first pile, the stock, or out of the game."""
        self.stock = []
        if self.rules.surplus == Surplus.PILE:
            self.first_pile = cards
            self.seen_pile = len(cards)
        elif self.rules.surplus == Surplus.STOCK:
            self.stock = cards
        else:
            self.removed += cards

    def _dealer_is_known(self) -> None:
        """Canadian: a first deal, face up, finds the starter (S19). Nothing of it is kept."""
        if self.rules.starter == Starter.JACK and self.forced_starter is None and not self.jump_in:
            self.phase = "jack"
        else:
            self._before_deal()

    def _before_deal(self) -> None:
        """The dealer decides how honest the deal will be; a forced deal is (S25)."""
        if "short deal" in self.rules.sleights and not self.is_forced:
            self.phase = "short deal"
        else:
            self.deal_is_settled = True
            self._deal()

    def _short_deals(self) -> list[str]:
        """He keeps at least one card."""
        most = min(3, len(self.deck) // self.num_players - 1)
        return ["deal"] + [f"short deal {number}" for number in range(1, most + 1)]

    def _draw_face_up(self, is_jack: bool) -> None:
        """The next card of the face-up deal; jokers are ignored (S19)."""
        if is_jack:
            self.forced_starter = self._seats_from_left_of(self.dealer)[self.face_up % self.num_players]
            self._before_deal()
        self.face_up += 1

    def _deal(self) -> None:
        """Now the cards, one by one, unless they lie there already. Some may be burnt before."""
        self.phase = "burn" if self.rules.burn else "deal"
        if self.is_forced:
            self._deal_is_done()

    def _burn(self, name: str) -> None:
        """A card leaves the game unseen."""
        self.removed.append(self._out_of_stock(name))
        if len(self.removed) == self.rules.burn:
            self.phase = "deal"

    def _out_of_stock(self, name: str) -> str:
        card = next(card for card in self.stock if self._dealt_name(card) == name)
        self.stock.remove(card)
        return card

    def _dealt_name(self, card: str) -> str:
        return card if self.dealt_by_card else rank_of(card)

    def _deal_card(self, name: str) -> None:
        card = self._out_of_stock(name)
        self.hands[self._next_in_deal()].append(card)
        if len(self.stock) == self._surplus():
            self._lay_surplus(self.stock)
            self._deal_is_done()

    def _surplus(self) -> int:
        """How many cards are left when all have their hands."""
        if self.rules.surplus == Surplus.DEAL:
            return 0
        cards = len(self.deck) - self.rules.burn
        return cards - len(self._alive()) * (self.rules.hand_size or cards // self.num_players)

    def _next_in_deal(self) -> int:
        """One card at a time from the dealer's left; what a short deal keeps from the dealer goes to the others."""
        seats = [seat for seat in self._seats_from_left_of(self.dealer) if seat in self._alive()]
        given = min(len(self.hands[seat]) for seat in seats[:-1])
        due = [seat for seat in seats[:-1] if len(self.hands[seat]) == given]
        if len(due) == len(seats) - 1:  # a new round: the dealer had his card of the last one, or goes without
            share = len(self.deck) // len(seats) - self.short
            if len(self.hands[seats[-1]]) < min(given, share):
                return seats[-1]
        return due[0]

    def _decide_on_demand(self, name: str) -> None:
        seat = self.window.pop(0)
        if name == "demand redeal":
            self.accusers.append(seat)
        if self.window:
            return
        if self.short and self.accusers:  # dealt again, honestly this time
            self.deal_is_settled = True
            self.accusers, self.short = [], 0
            self.stock = list(self.deck)
            self.hands = [[] for _ in self.seats]
            self._deal()
        elif len(self.accusers) > 1:
            self.phase = "race"
        elif self.accusers:
            self._demand_wrongly(self.accusers[0])
        else:
            self.deal_is_settled = True
            self._deal_is_accepted()

    def _demand_wrongly(self, seat: int) -> None:
        """Who demands after an honest deal gets a card from the dealer, who chooses it and keeps at least one."""
        assert self.dealer is not None
        self.challenger, self.accusers, self.deal_is_settled = seat, [], True
        if len(self.hands[self.dealer]) > 1:
            self.phase = "penalty"
        else:
            self._deal_is_accepted()

    def _deal_is_done(self) -> None:
        """All but the dealer may demand a new deal, once, unseen by one another (S25)."""
        self._see_honest_deal()
        if self.deal_is_settled:
            return self._deal_is_accepted()
        others = self._seats_from_left_of(self.dealer)[:-1]
        return self._watch([Watch(seat, "deal", bool(self.short)) for seat in sorted(others)])

    def _see_honest_deal(self) -> None:
        """A short deal looks like any other (S7)."""
        share, extra = divmod(len(self.deck), self.num_players)
        for place, seat in enumerate(self._seats_from_left_of(self.dealer)):
            self._see_exactly(seat)
            if self.short:
                self.seen_hands[seat] = share + (place < extra)

    def _ask_for_demands(self) -> None:
        self.window = self._seats_from_left_of(self.dealer)[:-1]
        self.accusers = []
        self.phase = "demand"

    def _deal_is_accepted(self) -> None:
        if self.rules.first_claim == "drawn" and len(self.faces) > 1:
            self.phase = "first claim"
        else:
            self._find_starter()

    def _find_starter(self) -> None:
        if self.begins is not None:
            self._start()
        elif self.rules.starter == Starter.BID and self.forced_starter is None and not self.jump_in:
            self.bidding = Bidding(self._left(self.dealer))
            self.phase = "bid"
        else:
            self._start()

    def _start(self) -> None:
        holder = self._holder_of_starter_card()  # as dealt, even if he then sets the card aside
        for seat in self._seats_from_left_of(self.dealer):
            self._set_aside_automatically(seat)
            if self._end_reached():
                return self._end_by_rule()
        if self.jump_in:
            self._begin_tick()
        elif self.begins is not None:
            self._begin_turn(self.begins)
        elif self.rules.starter == Starter.CARD and holder is not None:
            self._begin_turn(holder)  # also if a starter is forced: he is for deals without the card (S5)
        elif self.forced_starter is not None:
            self._begin_turn(self.forced_starter)
        elif self.rules.starter == Starter.RANDOM:
            self.phase = "starter"
        else:
            self._begin_turn(self._left(self.dealer))

    def _holder_of_starter_card(self) -> int | None:
        """The holder nearest the dealer's left (S5)."""
        for seat in self._seats_from_left_of(self.dealer):
            if self.rules.starter_card in self.hands[seat]:
                return seat
        return None

    # ------------------------------------------------------------------ the opening bids

    def _highest_rank(self) -> str:
        """Ace high."""
        return "A" if "A" in self.rules.ranks else max(self.rules.ranks, key=RANKS.index)

    def _bidding_actions(self) -> list[str]:
        """Higher than the last bid, up to the natural cards of the rank in the deck; or call it (S18)."""
        assert self.bidding is not None
        higher = range(self.bidding.bid + 1, self.set_size + 1)
        return [f"bid {number}" for number in higher] + (["call"] if self.bidding.bid else [])

    def _bid(self, number: int) -> None:
        assert self.bidding is not None
        self.bidding = Bidding(self._left(self.bidding.asked), self.bidding.asked, number)

    def _call_bid(self) -> None:
        """The bidder's number is shown; with at least that many he leads, else the caller does. No card moves."""
        assert self.bidding is not None and self.bidding.bidder is not None
        held = sum(rank_of(card) == self._highest_rank() for card in self.hands[self.bidding.bidder])
        self.forced_starter = self.bidding.bidder if held >= self.bidding.bid else self.bidding.asked
        self.bidding = None
        self._start()

    # ------------------------------------------------------------------ seats

    def _left(self, seat: int | None) -> int:
        assert seat is not None
        step = 1 if self.rules.direction == Direction.CLOCKWISE else -1
        return (seat + step) % self.num_players

    def _seats_from_left_of(self, seat: int | None) -> list[int]:
        """All seats in the direction of play; the seat itself comes last."""
        order = [self._left(seat)]
        while len(order) < self.num_players:
            order.append(self._left(order[-1]))
        return order

    def _player(self) -> int:
        assert self.turn is not None
        return self.turn

    def _with_cards(self, seat: int) -> int:
        """The seat, or if he holds no cards the next in the direction of play who does (S8)."""
        while not self.hands[seat]:
            seat = self._left(seat)
        return seat

    def _is_out(self, seat: int) -> bool:
        return seat in self.finished or seat in self.sunk

    # ------------------------------------------------------------------ a turn

    def _begin_turn(self, seat: int) -> None:
        """The turn of ``seat``, or if he holds no cards of the next who does (S8). The limit is looked at here (D1)."""
        self.must_play = False
        self._deliver(self.sleights)  # of a turn without a play, hence without a window
        if self.jump_in:
            return self._begin_tick()
        if self._limit_reached():
            return self._end_by_length()
        seat = self._with_cards(seat)
        others = [other for other in self._seats_from_left_of(seat)[:-1] if self.hands[other]]
        if "out of turn" in self.rules.sleights and others:
            self._ask_who_plays_out_of_turn(seat, others)
        else:
            self._enter_turn(seat)

    def _ask_who_plays_out_of_turn(self, seat: int, others: list[int]) -> None:
        """S24: before each turn."""
        state = (self.freedom, self.last_face, self.last_claim, self.last_claimant, self.leading, self.moved_on)
        self.due = Due(seat, *state)
        self.turn = None
        self.window, self.jumpers = others, []
        self.phase = "out of turn"

    def _decide_out_of_turn(self, name: str) -> None:
        seat = self.window.pop(0)
        if name == "jump":
            self.jumpers.append(seat)
        if self.window:
            return
        assert self.due is not None
        if not self.jumpers:
            self._enter_turn(self.due.seat)
        elif len(self.jumpers) > 1:
            self.phase = "race"
        else:
            self._play_out_of_turn(self.jumpers[0])

    def _play_out_of_turn(self, seat: int) -> None:
        self.jumpers = []
        self._enter_turn(seat)
        self.sleights.done.add("out of turn")

    def _turn_returns(self) -> None:
        """The play out of turn was accused: claim and turn are again what they were."""
        due = self.due
        assert due is not None
        self.freedom, self.last_face, self.last_claim = due.freedom, due.last_face, due.last_claim
        self.last_claimant, self.leading, self.moved_on = due.last_claimant, due.leading, due.moved_on
        self._begin_turn(due.seat)

    def _limit_reached(self) -> bool:
        return self.rules.length_limit is not None and self.turns >= self.rules.length_limit

    def _enter_turn(self, seat: int) -> None:
        self.sleights = Sleights()
        self.turn = seat
        self.took_pile = False
        self.placed = []
        self.face = None
        self.phase = "turn"

    def _skip_forced_steps(self) -> None:
        """Within a player's own turn a step with one legal action is not asked, unless it is a call."""
        while (
            self.phase in ("turn", "slip", "place", "count")
            and len(self.legal_actions()) == 1
            and self.legal_actions() != ["call"]
        ):
            self._do(self.legal_actions()[0])

    def _do(self, name: str) -> None:
        self.known_legal = None
        if self.phase == "window":
            self._decide_in_window(name)
        elif self.phase == "tick":
            self._decide_in_tick(name)
        elif self.phase in ("switch", "switch in"):
            self._switch(name)
        elif self.phase == "short deal":
            self.short = 0 if name == "deal" else int(name.removeprefix("short deal "))
            self._deal()
        elif self.phase == "demand":
            self._decide_on_demand(name)
        elif self.phase == "out of turn":
            self._decide_out_of_turn(name)
        elif self.phase == "verdict":
            self._verdict(accused=name == "accuse")
        elif self.phase == "show":
            self._settle_call(right=name == "keep")
        elif self.phase == "turn over":
            self.all_turned_over = name == "check"
            self._judge(right=self._call_is_right())
        elif self.phase == "penalty":
            self._penalty(name.removeprefix("place "))
        elif name.startswith("hide "):
            self._hide(name.removeprefix("hide "))
        elif name.startswith("slip "):
            self._slip(name.removeprefix("slip "))
        elif name.startswith("to "):
            self._slip_to(int(name.removeprefix("to +")))
        elif name.startswith("peek "):
            self._peek(int(name.removeprefix("peek +")))
        elif name.startswith("bid "):
            self._bid(int(name.removeprefix("bid ")))
        elif self.phase == "bid":
            self._call_bid()
        elif name == "commit":
            self._commit()
        elif name == "pass":
            self._pass()
        elif name == "take pile":
            self._take_pile()
        elif name == "call" or (name == "accuse" and self.rules.force):
            self.forcers = {self._player()} if name == "accuse" else set()
            self._challenge(self._player())
        elif name == "accuse":
            self._accuse(self._player())
        elif name == "believe":
            self._believe()
        elif name.startswith("set aside "):
            self._set_aside(name.removeprefix("set aside "))
        elif name.startswith("claim "):
            self._name_claim(name.removeprefix("claim ").removeprefix("suit "))
        elif name.startswith("place "):
            self._place(name.removeprefix("place "))
        else:
            self._announce(int(name.removeprefix("count ")))

    def _turn_actions(self) -> list[str]:
        """The start of a turn."""
        if self._must_call(self._player()):
            return ["call"]
        claims = self._claims_of_player()
        if self._leads_face_up():
            actions = list(dict.fromkeys(f"place {self._played_name(card)}" for card in self._leads()))
        elif not claims:
            actions = []
        elif len(self._claims_allowed()) > 1:
            word = "claim suit" if self.rules.claim_kind == ClaimKind.SUIT else "claim"
            actions = [f"{word} {face}" for face in claims]
        else:
            actions = self._place_actions()
        actions += self._sleight_actions()
        if self.sleights.done:
            return actions  # a sleight comes before a play: who did one, or plays out of turn, must play
        actions += [f"set aside {rank}" for rank in self._ranks_to_offer()]
        if self._may_take_pile():
            actions.append("take pile")
        if self._may_pass():
            actions.append("pass")
        if self._may_call_in_turn():
            actions.append("call")
            if self.rules.believe:
                actions.append("believe")
            if self._may_accuse(self._player()):
                actions.append("accuse")
        return actions

    # ------------------------------------------------------------------ the claim

    def _claims_allowed(self) -> list[str]:
        """Return what may be claimed now (D6, S2)."""
        faces = list(self.faces)
        if self.freedom == "free" and self.rules.next_claim == NextClaim.OTHER:
            return [face for face in faces if face != self.last_face]
        if self.freedom == "first":
            if self.rules.first_claim == "drawn":
                return faces if self.drawn_face is None else [self.drawn_face]
            return faces if self.rules.first_claim == "free" else [self.rules.first_claim]
        if self.freedom == "free":
            return faces
        assert self.last_face is not None
        here = faces.index(self.last_face)
        if self.freedom == "repeat":
            return [faces[(here + self._moved()) % len(faces)]]
        if self.rules.steps == "any":
            return faces
        if self.rules.steps == "at_least":
            return faces[here:]
        if self.rules.steps == "raise":
            assert self.last_claim is not None
            return faces[here + (self.last_claim["count"] >= self.announced_limit) :]
        here += self._moved()
        reached = {faces[(here + int(step)) % len(faces)] for step in self.rules.steps}
        return [face for face in faces if face in reached]

    def _moved(self) -> int:
        """By how many ranks passes have moved the claim that is due on."""
        step = self.rules.steps[0] if self.rules.pass_advances else 0
        return int(step) * self.moved_on

    def _must_raise(self) -> bool:
        return self.rules.steps == "raise" and not self.leading

    def _claims_of_player(self) -> list[str]:
        """Who cannot lay more cards than the last play cannot raise it by its own face."""
        allowed = self._claims_allowed()
        if not self._must_raise():
            return allowed
        return [face for face in allowed if len(self.hands[self._player()]) >= self._least_of(face)]

    def _least_of(self, face: str | None) -> int:
        """The fewest cards of a play with this claim."""
        if self._must_raise() and face == self.last_face:
            assert self.last_claim is not None
            return int(self.last_claim["count"]) + 1
        return 1

    def _leads(self) -> list[str]:
        """Cards that a leader may lay face up: those that set a claim."""
        allowed = self._claims_allowed()
        hand = in_order(self.hands[self._player()])
        of_suits = self.rules.claim_kind == ClaimKind.SUIT
        named = {card: JOKER if card == JOKER else card[1] if of_suits else card[0] for card in hand}
        return [card for card in hand if named[card] in allowed]

    def _leads_face_up(self) -> bool:
        free = self.leading and len(self._claims_allowed()) > 1
        return self.rules.first_face_up and free and bool(self._leads())

    def _lay_face_up(self, name: str) -> None:
        """One card that everybody sees and nobody may call."""
        player = self._player()
        card = next(card for card in self._leads() if self._played_name(card) == name)
        self.hands[player].remove(card)
        self.placed = [card]
        self.face = JOKER if card == JOKER else card[1] if self.rules.claim_kind == ClaimKind.SUIT else card[0]
        if self.rules.full_set == FullSet.OFFER and self._holds_set(self.placed):
            return self._lead_full_set()
        self._make_play(1)
        self.pile[-1].checked_by = set(self.seats)
        if self._goes_out_unharmed(player):
            return self._end_by_rule()
        return self._begin_turn(self._left(player))

    def _name_claim(self, face: str) -> None:
        self.face = face
        self.phase = "place"

    def _matches(self, card: str, face: str) -> bool:
        """A wild joker matches every claim (S4), and so does a card of a wild rank."""
        if rank_of(card) in self.rules.wild_ranks:
            return True
        if card == JOKER and self.rules.joker_role == JokerRole.WILD:
            return True
        if self.rules.claim_kind == ClaimKind.SUIT:
            return card[1] == face
        return rank_of(card) == face

    def _claim(self, face: str, number: int) -> Claim:
        return {"suit" if self.rules.claim_kind == ClaimKind.SUIT else "rank": face, "count": number}

    # ------------------------------------------------------------------ placing, commit, count

    def _played_name(self, card: str) -> str:
        """A card is named whole only where its suit matters (D7)."""
        return card if self.suits_matter else rank_of(card)

    def _announceable(self, placed: int) -> list[int]:
        """Numbers that may be announced of so many placed cards (S3)."""
        most = self.announced_limit
        if placed == 0:
            return []
        if self.rules.count == Count.EXACT:
            return [placed] if placed <= most else []
        least = max(1, placed - self.extra_limit)
        if self.rules.count == Count.MORE:
            most = min(most, placed)
        return list(range(least, most + 1))

    def _place_actions(self) -> list[str]:
        """Cards in non-decreasing order, as long as some legal announcement remains."""
        if not self._announceable(len(self.placed) + 1):
            return []
        hand = in_order(self.hands[self._player()])
        if self.placed:
            last = self.placed[-1]
            if self.suits_matter:
                hand = [card for card in hand if card_order(card) >= card_order(last)]
            else:
                hand = [card for card in hand if card_order(card)[0] >= card_order(last)[0]]
        missing = self._least_of(self.face or self._claims_allowed()[0]) - len(self.placed)
        order = [card_order(card) if self.suits_matter else card_order(card)[0] for card in hand]
        hand = [card for card, own in zip(hand, order, strict=True) if sum(one >= own for one in order) >= missing]
        return [f"place {name}" for name in dict.fromkeys(self._played_name(card) for card in hand)]

    def _placing_actions(self) -> list[str]:
        enough = len(self.placed) >= self._least_of(self.face)
        commit = ["commit"] if enough and self._announceable(len(self.placed)) else []
        return self._place_actions() + commit

    def _place(self, name: str) -> None:
        if self.phase == "turn" and self._leads_face_up():
            return self._lay_face_up(name)
        if self.face is None:
            (self.face,) = self._claims_allowed()
        hand = in_order(self.hands[self._player()])
        card = next(card for card in hand if self._played_name(card) == name)
        self.hands[self._player()].remove(card)
        self.placed.append(card)
        self.phase = "place"
        return None

    def _commit(self) -> None:
        if self.rules.full_set == FullSet.OFFER and self.leading and self._holds_set(self.placed):
            self._lead_full_set()
        else:
            self.phase = "count"  # with one number to announce this is not asked
            if len(self._count_numbers()) == 1:
                self._announce(self._count_numbers()[0])

    def _count_numbers(self) -> list[int]:
        return self._announceable(len(self.placed))

    def _count_actions(self) -> list[str]:
        return [f"count {number}" for number in self._count_numbers()]

    def _announce(self, number: int) -> None:
        """The play is made: it lies on the pile under its claim. A play that was open till now is safe first (S14)."""
        if self._close_play():
            return self._end_by_rule()
        self._make_play(number)
        if self.jump_in:
            self.open_play = True
            self._open_tick()  # the window of this play, whatever the limit says (D1)
        else:
            self.open_play = self.rules.callers == Callers.NEXT
            self.called = None
            self._watch_play()

    def _make_play(self, number: int) -> None:
        player = self._player()
        assert self.face is not None
        self.accusable, self.sleights = self.sleights, Sleights()
        self.took_cards.discard(player)
        self.moved_on = 0
        self.pile.append(Play(player, self.placed, self.face, number))
        self.placed = []
        self.turns += 1
        self.seen_hands[player] = max(1, self.seen_hands[player] - number) if self.hands[player] else 0  # S7
        self.seen_pile += number
        self.last_face, self.last_claim, self.last_claimant = self.face, self._claim(self.face, number), player
        self.freedom = "steps"
        self.leading = False
        self.passed = set()
        self._end_count_of_caught(player, self.face)

    def _end_count_of_caught(self, player: int, face: str | None) -> None:
        """S9: a play by another player, or on another claim, sets the count of the one who was caught to nought."""
        if self.caught != (player, face):
            self.caught = None

    def _lead_full_set(self) -> None:
        """S17: who leads all natural cards of a rank loses; hand and play leave the game, the next player leads."""
        player = self._player()
        self.removed += self.placed + self.hands[player]
        self.placed, self.hands[player] = [], []
        self.turns += 1
        self.drinks[player] += FULL_SET_DRINKS
        if self.rules.end == End.FIRST_CALL:
            return self._lose_deal(player)
        self.sunk.append(player)
        self._end_count_of_caught(player, self.face)
        if self.rules.end in (End.FIRST_OUT, End.LAST_LOSES):
            return self._end_with_loser(player)
        if self._end_reached():
            return self._end_by_rule()
        self._begin_turn(self._left(player))

    # ------------------------------------------------------------------ full sets in hand

    def _holds_set(self, cards: list[str]) -> list[str]:
        """Ranks of which these are all natural cards of the deck."""
        held = Counter(map(rank_of, cards))
        return [rank for rank in RANKS if held[rank] == self.set_size]

    def _ranks_to_offer(self) -> list[str]:
        may = self.rules.full_set == FullSet.MAY and self._player() in self.took_cards
        may = may or self.rules.full_set == FullSet.OFFER
        return self._holds_set(self.hands[self._player()]) if may else []

    def _remove_set(self, seat: int, rank: str) -> None:
        """Who is emptied by setting aside is out at once, unless his own play is open: then when it stands (S17)."""
        self.removed += [card for card in self.hands[seat] if rank_of(card) == rank]
        self.hands[seat] = [card for card in self.hands[seat] if rank_of(card) != rank]
        self.seen_hands[seat] = max(1, self.seen_hands[seat] - self.set_size) if self.hands[seat] else 0
        if not self.hands[seat] and not (self.open_play and seat == self.last_claimant):
            self._goes_out(seat)

    def _set_aside(self, rank: str) -> None:
        """Not a turn of its own: the player goes on, unless he is out."""
        self._remove_set(self._player(), rank)
        if not self.hands[self._player()]:
            if self._end_reached():
                return self._end_by_rule()
            self._next_player()

    def _set_aside_automatically(self, seat: int) -> None:
        if self.rules.full_set == FullSet.AUTOMATIC:
            for rank in self._holds_set(self.hands[seat]):
                self._remove_set(seat, rank)

    # ------------------------------------------------------------------ pass and take the pile

    def _may_pass(self) -> bool:
        """S11: nobody may on an empty pile, so neither who leads nor who has just taken the pile (S10)."""
        leads = self.leading or not self.pile  # a pile of which no card was played is not passed on either
        may = self.rules.passing or (self._must_raise() and not self._claims_of_player())
        return may and not leads and not self.must_play and not self.jump_in

    def _pass(self) -> None:
        player = self._player()
        self.turns += 1
        self.passed.add(player)
        self.last_passer = player
        self.moved_on += 1
        if self.rules.cup and not self.circle_broken:
            self.circle_broken = True
            self.cup_drunk[player] += self.cup
            self.cup = 0
        self._next_player()

    def _next_player(self) -> None:
        """After a turn without a play: on to the left, unless all others have passed since the last play (S11)."""
        others = [seat for seat in self.seats if self.hands[seat] and seat != self.last_claimant]
        if not self.leading and all(seat in self.passed for seat in others):
            self._all_passed()
        else:
            self._begin_turn(self._left(self._player()))

    def _all_passed(self) -> None:
        if self._close_play():
            return self._end_by_rule()
        assert self.last_claimant is not None
        leader = self.last_claimant
        if self.rules.after_passes == AfterPasses.LAST_PASSER and self.last_passer in self.passed:
            leader = self.last_passer
        self._remove_pile()
        if self.rules.next_claim in (NextClaim.FREE, NextClaim.OTHER):
            self.freedom = "free"
        self._begin_turn(leader)

    def _remove_pile(self) -> None:
        """The pile leaves the game; whoever is next leads."""
        self.removed += self.first_pile + [card for play in self.pile for card in play.cards]
        self.pile, self.first_pile = [], []
        self.seen_pile = 0
        self.circle_broken = False
        self.leading = True
        self.passed = set()

    def _may_take_pile(self) -> bool:
        """S10: once a turn, and only if the play could not but be a lie; a jumper in a rush has to play (S16)."""
        open_to_player = self.rules.take_pile and not self.took_pile and not self.must_play
        return open_to_player and bool(self.pile or self.first_pile) and not self._could_be_honest()

    def _could_be_honest(self) -> bool:
        """Return whether some card in hand matches some claim that is allowed now."""
        hand = self.hands[self._player()]
        return any(self._matches(card, face) for face in self._claims_allowed() for card in hand)

    def _take_pile(self) -> None:
        """The taker then plays in the same turn with the same choice of claims."""
        player = self._player()
        if self._close_play():
            return self._end_by_rule()
        self.turns += 1
        self.drinks[player] += self._pick_up_pile(player)
        self.took_pile = True
        if not self.hands[player]:  # all of it was set aside
            if self._end_reached():
                return self._end_by_rule()
            self._next_player()

    def _pick_up_pile(self, seat: int, tidy: bool = True) -> int:
        """The number of cards picked up. Who was out is back in the game (S15)."""
        cards = self.first_pile + [card for play in self.pile for card in play.cards]
        self.pile, self.first_pile = [], []
        self.seen_pile = 0
        self.passed = set()
        self.hands[seat] += cards
        self.took_cards.add(seat)
        self.circle_broken = False
        if self.rules.cup:
            self.cup += sum(rank_of(card) == "K" for card in cards)  # S28: each of them
        if seat in self.finished:
            self.finished.remove(seat)
        self._see_exactly(seat)
        if tidy:
            self._set_aside_automatically(seat)
        return len(cards)

    # ------------------------------------------------------------------ the window

    def _open_window(self) -> None:
        """Everybody else with cards, with re-entry also who is out, from the claimant's left.

        Where any play in the pile may be called, the claimant is asked too, last of all (S12), if there is one for him.
        """
        claimant = self._player()
        self.window = [seat for seat in self._seats_from_left_of(claimant)[:-1] if self._is_asked(seat)]
        if self.rules.callers == Callers.PILE and self._callable_by(claimant):
            self.window.append(claimant)  # after a final play too: he is not out yet
        self.callers, self.forcers = {}, set()
        self.checkers = []
        self.accusers = []
        self.caller = self.accuser = self.jumper = None
        self.phase = "window"

    def _is_asked(self, seat: int) -> bool:
        return bool(self.hands[seat]) or (self.rules.re_entry and seat in self.finished)

    def _window_actions(self) -> list[str]:
        seat, claimant = self.window[0], self._player()
        actions = ["let"]
        if self.rules.callers == Callers.PILE:
            actions += [f"call +{(other - seat) % self.num_players}" for other in self._callable_by(seat)]
        else:
            actions.append("call")
        if self.rules.check and seat != claimant:
            actions.append("check")
        if seat != claimant and self._may_accuse(seat):
            actions.append("accuse")
        if self.rules.window == Window.RUSH and seat == self._with_cards(self._left(claimant)):
            actions.append("jump")
        return self._only_calls(seat, actions)

    def _must_call(self, seat: int) -> bool:
        """The last player with cards, in a deal that a call ends (S37)."""
        holders = [other for other in self.seats if self.hands[other] or (other == self.turn and self.placed)]
        return self.rules.end == End.FIRST_CALL and holders == [seat]

    def _only_calls(self, seat: int, actions: list[str]) -> list[str]:
        return [name for name in actions if name.startswith("call")] if self._must_call(seat) else actions

    def _callable_by(self, seat: int) -> list[int]:
        """All others with a play in the pile that the seat has not looked at (S13); who is out is safe (S12)."""
        others = {play.player for play in self.pile if play.player != seat and not self._is_out(play.player)}
        return [other for other in sorted(others) if seat not in self._latest_play_of(other).checked_by]

    def _latest_play_of(self, seat: int) -> Play:
        return next(play for play in reversed(self.pile) if play.player == seat)

    def _decide_in_window(self, name: str) -> None:
        """All are asked, also after one has called (S16)."""
        seat = self.window.pop(0)
        if name == "call":
            self.callers[seat] = self._player()
        elif name.startswith("call +"):
            self.callers[seat] = (seat + int(name.removeprefix("call +"))) % self.num_players
        elif name == "check":
            self.checkers.append(seat)
        elif name == "jump":
            self.jumper = seat
        elif name == "accuse" and self.rules.force:
            self.callers[seat] = self._player()
            self.forcers.add(seat)
        elif name == "accuse":
            self.accusers.append(seat)
        if not self.window:
            self._close_window()

    def _racers(self) -> list[int]:
        if not self.deal_is_settled and self.accusers:
            return self.accusers
        if self.jump_in:
            return list(self.callers) or self.jumpers
        if self.due is not None and self.jumpers:
            return self.jumpers
        if self.caller is not None:  # S30: first one of the callers was chosen, now one of the accusers
            return self.accusers
        racers = list(self.callers) or list(self.accusers)
        if self.jumper is not None:
            racers.append(self.jumper)
        return racers

    def _close_window(self) -> None:
        if self._racers():
            self._race()
        else:
            self._play_stands()

    def _race(self) -> None:
        """One is drawn if there are several; in turn the first from the claimant's left counts."""
        racers = self._racers()
        if len(racers) == 1 or self.rules.window == Window.IN_TURN:
            self._race_is_won(racers[0])
        else:
            self.phase = "race"

    def _race_is_won(self, seat: int) -> None:
        """Playing at once closes the window: calls and accusations lapse. They are next anyway, but must play now."""
        if seat == self.jumper:
            self._play_stands()
            self.must_play = True
        elif self.caller is not None:
            self.accuser = seat
            self._challenge(self.caller)
        elif seat in self.accusers:
            self._accuse(seat)
        elif self.accusers:
            self.caller = seat
            self._race()
        else:
            self._challenge(seat)

    def _play_stands(self) -> None:
        """Who checked has looked at the play now (S13)."""
        claimant = self._player()
        self.pile[-1].checked_by.update(self.checkers)
        if self._goes_out_unharmed(claimant):
            return self._end_by_rule()
        self._deliver(self.accusable)
        if self._end_reached():
            return self._end_by_rule()
        self._begin_turn(self._left(claimant))

    def _goes_out_unharmed(self, claimant: int | None) -> bool:
        """The claimant of a play that survived is out if it was his last. Whether that ends the game."""
        assert claimant is not None
        still_placing = claimant == self.turn and bool(self.placed)  # who must play twice running (S20)
        if not self.hands[claimant] and not still_placing and not self._is_out(claimant):
            self._goes_out(claimant)
            return self._end_reached()
        return False

    # ------------------------------------------------------------------ sleights of hand

    def _sleight_actions(self) -> list[str]:
        """Before the play, each kind once a turn; who hides or slips a card keeps another (S21)."""
        hand = in_order(self.hands[self._player()])
        ranks = dict.fromkeys(rank_of(card) for card in hand)
        actions: list[str] = []
        for kind in ("hide", "slip"):
            if self._may_still(kind) and len(hand) >= 2:
                actions += [f"{kind} {rank}" for rank in ranks]
        if self._may_still("peek"):
            actions += [name.replace("to", "peek") for name in self._receivers()]
        return actions

    def _may_still(self, kind: str) -> bool:
        return kind in self.rules.sleights and kind not in self.sleights.done

    def _receivers(self) -> list[str]:
        """Opponents who hold cards."""
        player = self._player()
        seats = [seat for seat in self.seats if seat != player and self.hands[seat]]
        return [f"to +{k}" for k in sorted((seat - player) % self.num_players for seat in seats)]

    def _leave_hand(self, rank: str) -> str:
        hand = self.hands[self._player()]
        card = next(card for card in in_order(hand) if rank_of(card) == rank)
        hand.remove(card)
        return card

    def _hide(self, rank: str) -> None:
        card = self._leave_hand(rank)
        self.laps[self._player()].append(card)
        self.sleights.hidden.append(card)
        self.sleights.done.add("hide")

    def _slip(self, rank: str) -> None:
        self.slipping = self._leave_hand(rank)
        self.sleights.done.add("slip")
        self.phase = "slip"

    def _slip_to(self, relative: int) -> None:
        assert self.slipping is not None
        self.sleights.slipped = Slipped(self.slipping, (self._player() + relative) % self.num_players)
        self.slipping = None
        self.phase = "turn"

    def _peek(self, relative: int) -> None:
        self.peeked_at = (self._player() + relative) % self.num_players
        self.sleights.done.add("peek")
        self.phase = "peek"

    def _deliver(self, sleights: Sleights) -> None:
        """The window of the turn has closed (S22). The card may complete a set."""
        slipped, sleights.slipped = sleights.slipped, None
        if slipped is not None:
            self.hands[slipped.receiver].append(slipped.card)
            if slipped.receiver in self.finished:
                self.finished.remove(slipped.receiver)
            self._set_aside_automatically(slipped.receiver)

    def _watch(self, watches: list[Watch]) -> None:
        self.watches = watches
        self._next_watch()

    def _next_watch(self) -> None:
        """Chance decides for one player after the other; then the game goes on."""
        if self.watches:
            self.phase = "notice"
        elif self.turn is None:
            self._ask_for_demands()
        elif self.called is not None:
            self._reveal()
        elif self.rules.callers == Callers.NEXT:
            self._begin_turn(self._left(self._player()))
        else:
            self._open_window()

    def _notices(self) -> dict[str, int]:
        """Each thing is noticed independently; besides, a player may notice what is not there."""
        watch = self.watches[0]
        missed = (1 - self.rules.false_notice_prob) * (1 - self.rules.notice_prob) ** watch.things
        weight = round(NOTICE_SCALE * (1 - missed))
        something, nothing = ("a thick stack", "no thick stack") if watch.what == "stack" else ("something", "nothing")
        who = f"player_{watch.seat} notices"
        weights = {f"{who} {something}": weight, f"{who} {nothing}": NOTICE_SCALE - weight}
        return {name: weight for name, weight in weights.items() if weight}

    def _watch_play(self) -> None:
        """After a play: sleights of that turn, and a stack that is thicker than announced (S26)."""
        play, watches = self.pile[-1], []
        self.noticed = set()
        for seat in self.seats:
            if seat == play.player or not self._is_asked(seat):
                continue
            if self._hands_may_betray():
                watches.append(Watch(seat, "hands", len(self.accusable.done & set(NOTICEABLE))))
            if self._stack_may_betray():
                watches.append(Watch(seat, "stack", self._holds_extra_cards(play)))
        self._watch(watches)

    def _hands_may_betray(self) -> bool:
        return bool(set(NOTICEABLE) & set(self.rules.sleights))

    def _stack_may_betray(self) -> bool:
        """S26: sleights are in use, and more cards may be placed than announced."""
        return bool(self.rules.sleights) and self.extra_limit > 0

    def _holds_extra_cards(self, play: Play) -> bool:
        return len(play.cards) > play.number

    def _watch_switch(self) -> None:
        claimant, switched = self._called_play().player, self.switched is not None
        seats = [seat for seat in self.seats if seat != claimant and self._is_asked(seat)]
        self._watch([Watch(seat, "switch", switched) for seat in seats])

    def _may_accuse(self, seat: int) -> bool:
        """Who plays out of turn is seen by all: where nothing else can be accused it takes a notice (D17).

        Where hands are forced, it means that; whoever holds no card is not forced (S39).
        """
        if self.rules.force:
            return bool(self.hands[self.pile[-1].player])
        if {"hide", "slip", "peek"} & set(self.rules.sleights) or self._stack_may_betray():
            return True
        return "out of turn" in self.rules.sleights and seat in self.noticed

    def _accuse(self, accuser: int) -> None:
        """An accusation without a call in its window. The play is not turned over (S21)."""
        self.challenger, self.called = accuser, self.pile[-1]
        right = self._accusation_is_right(accuser, self.called)
        if right:
            self._undo_sleights()
        self._settle_call(right, revealed=False)

    def _accusation_is_right(self, accuser: int, play: Play) -> bool:
        """S21: any sleight is enough, and so are cards too many; out of turn only for who noticed something (S24)."""
        by_hand = self.accusable.done - {"out of turn"}
        out_of_turn = "out of turn" in self.accusable.done and accuser in self.noticed
        return bool(by_hand) or out_of_turn or self._holds_extra_cards(play)

    def _judge_accusation_after_call(self, play: Play) -> bool:
        """S30: the call has taken the pile away already. Whether the accusation was right."""
        accuser, self.accuser = self.accuser, None
        if accuser is None:
            return False
        self.turns += 1  # D21
        right = self._accusation_is_right(accuser, play)
        if right:
            self._undo_sleights()
        else:
            self.drinks[accuser] += self.rules.wrong_call_drinks or 0
        return right

    def _undo_sleights(self) -> None:
        """Give back to its claimant what was hidden or slipped in the turn of the last play."""
        assert self.last_claimant is not None
        self._undo(self.last_claimant, self.accusable)

    def _undo(self, sinner: int, sleights: Sleights) -> None:
        for card in sleights.hidden:
            self.laps[sinner].remove(card)
            self.hands[sinner].append(card)
        if sleights.slipped is not None:
            self.hands[sinner].append(sleights.slipped.card)
        sleights.hidden, sleights.slipped = [], None

    def _switch_actions(self) -> list[str]:
        """The called claimant, before the reveal (S23)."""
        cards = in_order(self._called_play().cards)
        return [f"switch {rank}" for rank in dict.fromkeys(map(rank_of, cards))] + ["keep"]

    def _switch_in_actions(self) -> list[str]:
        hand = in_order(self.hands[self._called_play().player])
        return [f"place {name}" for name in dict.fromkeys(map(self._played_name, hand))]

    def _switch(self, name: str) -> None:
        play = self._called_play()
        if name == "keep":
            return self._watch_switch()
        if name.startswith("switch "):
            rank = name.removeprefix("switch ")
            self.switching = next(card for card in in_order(play.cards) if rank_of(card) == rank)
            self.phase = "switch in"
            return None
        out, self.switching = self.switching, None
        assert out is not None
        hand = in_order(self.hands[play.player])
        into = next(card for card in hand if self._played_name(card) == name.removeprefix("place "))
        self._exchange(out, into)
        self.switched = (out, into)
        return self._watch_switch()

    def _exchange(self, out: str, into: str) -> None:
        """One card of the play against one of the claimant's hand."""
        play = self._called_play()
        hand = self.hands[play.player]
        play.cards.remove(out)
        play.cards.append(into)
        hand.remove(into)
        hand.append(out)

    def _verdict(self, accused: bool) -> None:
        if not accused:
            return self._settle_call(right=False)
        if self.switched is not None:
            out, into = self.switched
            self._exchange(into, out)
            return self._settle_call(right=True)
        if self.hands[self._called_play().player]:
            self.phase = "penalty"
            return None
        return self._settle_call(right=False)

    def _penalty_actions(self) -> list[str]:
        """The claimant (S23) or the dealer (S25) chooses the card that who was wrong gets."""
        hand = in_order(self.hands[self.current_player()])
        return [f"place {name}" for name in dict.fromkeys(map(self._played_name, hand))]

    def _penalty(self, name: str) -> None:
        giver = self.current_player()
        assert self.challenger is not None
        hand = in_order(self.hands[giver])
        card = next(card for card in hand if self._played_name(card) == name)
        self.hands[giver].remove(card)
        self.hands[self.challenger].append(card)
        self.seen_hands[giver] = max(1, self.seen_hands[giver] - 1)
        self.seen_hands[self.challenger] += 1
        if self.turn is None:
            self._deal_is_accepted()
        else:
            self._settle_call(right=False)

    # ------------------------------------------------------------------ jump-in: no turns

    def _begin_tick(self) -> None:
        if self._limit_reached():
            self._end_by_length()
        else:
            self._open_tick()

    def _open_tick(self) -> None:
        """S20: everybody decides, unseen, to wait, to play or to call; the last claimant comes last."""
        self.turn = None
        self.placed, self.face, self.took_pile = [], None, False
        order = self._seats_from_left_of(self.dealer if self.last_claimant is None else self.last_claimant)
        self.window = [seat for seat in order if self.hands[seat] or self._may_answer_without_cards(seat)]
        self.callers, self.forcers = {}, set()
        self.jumpers = []
        self.check_in_tick = False
        self.phase = "tick"

    def _may_answer_without_cards(self, seat: int) -> bool:
        """While some play is open to them: who is out, with re-entry (S15), and who has placed the last cards (S12)."""
        if seat == self.last_claimant and self.open_play:  # not out yet
            return self.rules.callers == Callers.PILE and bool(self._callable_in_tick(seat))
        return self._is_asked(seat) and (self.open_play or bool(self._callable_in_tick(seat)))

    def _tick_actions(self) -> list[str]:
        """S20. Nobody calls a play that they have looked at (D15)."""
        seat = self.window[0]
        actions = ["wait"]
        if self.hands[seat]:
            actions.append("jump")
        callable_seats = self._callable_in_tick(seat)
        if self.rules.callers == Callers.PILE:
            actions += [f"call +{(other - seat) % self.num_players}" for other in callable_seats]
        elif callable_seats:
            actions.append("call")
            if self.rules.force and self._may_accuse(seat):
                actions.append("accuse")
        if self.rules.check and self._may_check_in_tick(seat):
            actions.append("check")
        return self._only_calls(seat, actions)

    def _callable_in_tick(self, seat: int) -> list[int]:
        """Whose play may be called: the last claimant's while it is open, or anybody's latest in the pile (S12)."""
        if self.rules.callers == Callers.PILE:
            return self._callable_by(seat)
        return [self.pile[-1].player] if self._may_check_in_tick(seat) else []

    def _may_check_in_tick(self, seat: int) -> bool:
        """Another player's last play, while it is open and not yet looked at; older plays are not looked at (D12)."""
        return self.open_play and seat != self.pile[-1].player and seat not in self.pile[-1].checked_by

    def _decide_in_tick(self, name: str) -> None:
        seat = self.window.pop(0)
        if name in ("call", "accuse"):
            assert self.last_claimant is not None
            self.callers[seat] = self.last_claimant
            if name == "accuse":
                self.forcers.add(seat)
        elif name.startswith("call +"):
            self.callers[seat] = (seat + int(name.removeprefix("call +"))) % self.num_players
        elif name == "jump":
            self.jumpers.append(seat)
        elif name == "check":
            self.pile[-1].checked_by.add(seat)
            self.check_in_tick = True
        if not self.window:
            self._close_tick()

    def _close_tick(self) -> None:
        """A call goes before a play. A final play is safe after a tick without a call."""
        self.turns += 1
        if not self.callers:
            claimant = self.last_claimant
            if claimant is not None and not self.hands[claimant] and self._close_play():
                return self._end_by_rule()
            if self._limit_reached():
                return self._end_by_length()
        racers = self._racers()
        if not racers:
            self._all_waited()
        elif len(racers) > 1 and not (self.callers and self.rules.window == Window.IN_TURN):
            self.phase = "race"
        elif self.callers:
            self._challenge(racers[0])
        else:
            self._jump(racers[0])

    def _jump(self, seat: int) -> None:
        self.idle_ticks = 0
        self._enter_turn(seat)

    def _all_waited(self) -> None:
        """After as many such ticks as there are players, the one with most cards must play."""
        self.idle_ticks = 0 if self.check_in_tick else self.idle_ticks + 1
        if self.idle_ticks < self.num_players:
            self._open_tick()
        else:
            sizes = self._apparent_hands()  # what all can see (S7)
            self._jump(max(self._seats_from_left_of(self.dealer), key=lambda seat: sizes[seat]))

    # ------------------------------------------------------------------ a call

    def _may_call_in_turn(self) -> bool:
        return self.open_play and self.last_claimant != self._player() and not self.jump_in

    def _close_play(self) -> bool:
        """S14: an open last play is safe now, before anything else of the moment. Whether that ends the game."""
        was_open, self.open_play = self.open_play, False
        self._deliver(self.accusable)
        return was_open and self._goes_out_unharmed(self.last_claimant)

    def _challenge(self, challenger: int) -> None:
        """The challenger's call counts: turn the latest play of the called player over."""
        self.idle_ticks = 0
        self.challenger = challenger
        called_seat = self.callers.get(challenger, self.last_claimant)
        assert called_seat is not None
        self.called = self._latest_play_of(called_seat)
        self.switched = None
        self.forced = challenger in self.forcers
        if self.forced:
            self.phase = "show"
        elif "switch" in self.rules.sleights and self.hands[self.called.player]:
            self.phase = "switch"
        else:
            self._reveal()

    def _cards_to_show(self) -> list[str]:
        """Who is forced shows a card that matches the claim, or none (S39)."""
        play = self._called_play()
        cards = [card for card in in_order(self.hands[play.player]) if self._matches(card, play.face)]
        return [f"place {name}" for name in dict.fromkeys(map(self._played_name, cards))]

    def _reveal(self) -> None:
        if self.rules.reveal == Reveal.ONE:
            self.phase = "reveal"
        elif self.rules.reveal == Reveal.CHOICE and self.hands[self._called_play().player]:
            self.phase = "turn over"  # the challenger chooses; last cards are turned over whole anyway (S38)
        else:
            self._judge(right=self._call_is_right())

    def _judge(self, right: bool) -> None:
        """All have seen the play. A challenger who is about to lose may say that cards were switched (S23)."""
        if self._is_revealed_whole():
            self._see_exactly(self._called_play().player)
        if not right and "switch" in self.rules.sleights and self.hands[self._called_play().player]:
            self.phase = "verdict"
        else:
            self._settle_call(right)

    def _is_true(self, play: Play) -> bool:
        """Seen whole: every card matches, and the number is right."""
        return len(play.cards) == play.number and all(self._matches(card, play.face) for card in play.cards)

    def _called_play(self) -> Play:
        assert self.called is not None
        return self.called

    def _is_revealed_whole(self) -> bool:
        """Return whether a call shows the whole play, and all players know that (S6)."""
        play = self._called_play()
        in_part = self.rules.reveal == Reveal.CHOICE and not self.all_turned_over
        if self.rules.reveal == Reveal.ANNOUNCED or in_part:
            return not self.hands[play.player] or len(play.cards) < play.number
        if self.rules.reveal == Reveal.CHOICE:
            return True
        return self.rules.reveal == Reveal.ALL

    def _call_is_right(self) -> bool:
        """S6, for `all` and `announced`: matching cards lie on top."""
        play = self._called_play()
        if self._is_revealed_whole():
            return not self._is_true(play)
        return sum(self._matches(card, play.face) for card in play.cards) < play.number

    def _settle_call(self, right: bool, revealed: bool = True) -> None:
        """The loser draws first, if the penalty is to draw; what the stock has not, is not drawn (S32)."""
        self.drawn = self.to_draw = min(self.draws, len(self.stock))
        self.verdict_due = right
        if self.to_draw:
            self.phase = "draw"
        else:
            self._settle_after_drawing(right, revealed)

    def _draw_from_stock(self, name: str) -> None:
        assert self.challenger is not None
        loser = self._called_play().player if self.verdict_due else self.challenger
        self.hands[loser].append(self._out_of_stock(name))
        self.took_cards.add(loser)
        self.seen_hands[loser] += 1
        self.to_draw -= 1
        if not self.to_draw:
            self._settle_after_drawing(self.verdict_due)

    def _take_penalty(self, loser: int) -> int:
        """The pile too, unless cards were drawn instead of it. The number of cards taken."""
        if loser in self.finished and self.drawn:
            self.finished.remove(loser)
        if self.takes_pile or not self.drawn:
            return self.drawn + self._pick_up_pile(loser, tidy=False)
        self.passed = set()
        if not self.forced:  # all have seen the play (S7)
            play = self._called_play()
            self.seen_pile += len(play.cards) - play.number
        return self.drawn

    def _settle_after_drawing(self, right: bool, revealed: bool = True) -> None:
        """D2: pickup, an accusation after the call, a claimant without cards is out, full sets go aside, the end."""
        play, challenger, last_play = self._called_play(), self.challenger, self.pile[-1]
        claimant = play.player
        assert challenger is not None
        self.turns += 1
        self.open_play = False
        loser = claimant if right else challenger
        if self.rules.end == End.FIRST_CALL and revealed:  # nobody picks up
            if right and self.rules.slaps and not self.forced:
                self.slaps[claimant] += self.num_players - 1
            return self._lose_deal(loser)
        number = self._take_penalty(loser)
        wrong_drinks = self.rules.wrong_call_drinks
        self.drinks[loser] += number if right or wrong_drinks is None else wrong_drinks
        if right and revealed and self.rules.slaps and not self.forced:  # for a lie, not for a sleight
            self.slaps[claimant] += self.num_players - 1
        caught_cheating = self._judge_accusation_after_call(last_play) if revealed else right
        self._goes_out_unharmed(claimant)  # who gave the last card to a wrong accuser (S23)
        self._goes_out_unharmed(self.last_claimant)  # also if it was another's play that was called (S12)
        self._set_aside_automatically(loser)
        if self._end_reached():
            return self._end_by_rule()
        self._deliver(self.accusable)
        if self._end_reached():
            return self._end_by_rule()
        if caught_cheating and "out of turn" in self.accusable.done:
            return self._turn_returns()  # S24
        return self._go_on_after_call(right, play, challenger)

    def _go_on_after_call(self, right: bool, play: Play, challenger: int) -> None:
        """Who plays next, and on what claim."""
        claimant, face = play.player, play.face
        loser = claimant if right else challenger
        caught_twice = right and self.caught == (claimant, face)
        self.caught = (claimant, face) if right else None
        self._claim_after_call()
        follow = self.rules.after_right if right else self.rules.after_wrong
        follower = self._with_cards(self._follower(Follow(follow), claimant, challenger, loser))
        his_turn_again = follower == claimant and not self.jump_in  # where there are no turns nobody is due (D15)
        if self.rules.next_claim == NextClaim.REPEAT and caught_twice and his_turn_again:
            self.freedom = "steps"  # he does not play a third time (S9)
            follower = self._left(claimant)
        self._begin_turn(follower)

    def _claim_after_call(self) -> None:
        self.moved_on = 0
        if self.rules.next_claim in (NextClaim.FREE, NextClaim.OTHER):
            self.freedom = "free"
            self.leading = True
        elif self.rules.next_claim == NextClaim.REPEAT:
            self.freedom = "repeat"
        else:
            self.freedom = "steps"

    def _follower(self, follow: Follow, claimant: int, challenger: int, loser: int) -> int:
        winner = challenger if loser == claimant else claimant
        return {
            Follow.ROTATION: self._left(claimant),
            Follow.LOSER: loser,
            Follow.WINNER: winner,
            Follow.CHALLENGER: challenger,
            Follow.CLAIMANT: claimant,
            Follow.LEFT_OF_CHALLENGER: self._left(challenger),
        }[follow]

    # ------------------------------------------------------------------ believing

    def _believe(self) -> None:
        """S14: the play is turned face up for all."""
        believer, play = self._player(), self.pile[-1]
        if self._close_play():
            return self._end_by_rule()
        self.turns += 1
        self._see_exactly(play.player)
        right = self._is_true(play)
        if right:
            self._remove_pile()
        else:
            self.drinks[believer] += self._pick_up_pile(believer)
            if self._end_reached():
                return self._end_by_rule()
        self._claim_after_call()
        self._begin_turn(believer if right else self._left(believer))

    # ------------------------------------------------------------------ apparent sizes

    def _see_exactly(self, seat: int) -> None:
        """All know how many cards the seat holds."""
        self.seen_hands[seat] = len(self.hands[seat])

    def _apparent_hands(self) -> list[int]:
        """S7. Cards that are being placed still count as held: nobody sees them before the play is made."""
        sizes = []
        for seat in self.seats:
            held = len(self.hands[seat]) + (len(self.placed) if seat == self.turn else 0)
            if not self._sizes_may_lie() or held == 0 or self.phase in ("dealer", "burn", "deal"):
                sizes.append(held)
            else:
                sizes.append(max(1, self.seen_hands[seat]))  # 0 too, for who has got a hidden card back
        return sizes

    def _sizes_may_lie(self) -> bool:
        return self.rules.count != Count.EXACT or bool(self.rules.sleights)

    def _apparent_pile(self) -> int:
        if not self._sizes_may_lie():
            return len(self.first_pile) + sum(len(play.cards) for play in self.pile)
        return self.seen_pile

    # ------------------------------------------------------------------ the end

    def _goes_out(self, seat: int) -> None:
        self.finished.append(seat)

    def _end_reached(self) -> bool:
        """D4. Who has no cards but an open last play is not yet out (D5), so the game is not over for him."""
        if self.rules.end == End.FIRST_OUT:
            return bool(self.finished)
        return sum(not self._is_out(seat) for seat in self.seats) <= 1

    def _end_by_rule(self) -> None:
        if self.rules.end == End.FIRST_OUT:
            winner = self.finished[0]
            self._finish([1.0 if seat == winner else -1 / (self.num_players - 1) for seat in self.seats])
        elif self.rules.end == End.LAST_LOSES:
            still_in = [seat for seat in self.seats if not self._is_out(seat)]
            self._end_with_loser(still_in[0] if still_in else self.finished[-1])
        elif self.rules.end == End.FIRST_CALL:
            still_in = [seat for seat in self.seats if not self._is_out(seat)]
            self._lose_deal(still_in[0] if still_in else self.finished[-1])
        else:
            self._finish(self._ranking_payoffs())

    def _end_with_loser(self, loser: int) -> None:
        self._finish([-1.0 if seat == loser else 1 / (self.num_players - 1) for seat in self.seats])

    # ------------------------------------------------------------------ revolvers (S37)

    def _alive(self) -> list[int]:
        return [seat for seat in self.seats if not self.rules.revolver or seat not in self.sunk]

    def _next_alive(self, seat: int) -> int:
        """The seat itself, or the first on its left whose player is alive."""
        return next(s for s in (seat, *self._seats_from_left_of(seat)) if s in self._alive())

    def _lose_deal(self, loser: int) -> None:
        self.deal_loser = loser
        if self.rules.revolver:
            self.phase = "trigger"
        else:
            self._end_with_loser(loser)

    def _pull_trigger(self, shot: bool) -> None:
        """Who dies is out of the match with their cards; the last one alive wins."""
        seat = self.deal_loser
        assert seat is not None and self.dealer is not None
        self.pulls[seat] += 1
        if shot:
            self.removed += self.hands[seat]
            self.hands[seat] = []
            self.sunk.append(seat)
        if len(self._alive()) == 1:
            return self._end_match()
        self.begins, self.dealer = self._next_alive(seat), self._next_alive(self._left(self.dealer))
        self.hands, self.stock = [[] for _ in self.seats], list(self.deck)
        self.pile, self.removed, self.finished, self.passed = [], [], [], set()
        self.freedom, self.leading, self.caught, self.open_play = "first", True, None, False
        self.last_face = self.last_claim = self.last_claimant = self.turn = self.face = self.called = None
        self.placed, self.took_pile, self.must_play, self.idle_ticks = [], False, False, 0
        self.seen_hands, self.seen_pile = [0] * self.num_players, 0
        self.first_pile, self.is_forced, self.took_cards, self.moved_on = [], False, set(), 0
        return self._deal()

    def _end_match(self) -> None:
        self._finish(self._shared([seat in self._alive() for seat in self.seats], 1.0))

    def _end_by_length(self) -> None:
        """S29: a draw, though in a ranking places that are taken count; or the cards in hand decide."""
        if self.rules.revolver and self.rules.at_limit == AtLimit.FEWEST:
            return self._end_match()
        if self.rules.at_limit == AtLimit.FEWEST:
            return self._end_by_hands()
        ranking = self.rules.end == End.RANKING
        return self._finish(self._ranking_payoffs() if ranking else [0.0] * self.num_players)

    def _end_by_hands(self) -> None:
        """S29: the fewest cards win, the most lose, or all are ranked by their number; laps do not count."""
        sizes = [len(hand) for hand in self.hands]
        if self.rules.end == End.FIRST_OUT:
            self._finish(self._shared([size == min(sizes) for size in sizes], 1.0))
        elif self.rules.end in (End.LAST_LOSES, End.FIRST_CALL):
            self._finish(self._shared([size == max(sizes) for size in sizes], -1.0))
        else:
            self._finish(self._ranking_payoffs(sizes))

    def _shared(self, together: list[bool], prize: float) -> list[float]:
        """The m players share the prize and the others its opposite; nothing if all are equal."""
        m, n = sum(together), self.num_players
        if m == n:
            return [0.0] * n
        return [prize / m if among else -prize / (n - m) for among in together]

    def _ranking_payoffs(self, sizes: list[int] | None = None) -> list[float]:
        """Place k of N earns 1 - 2(k-1)/(N-1); who has no place takes one of the free ones, fewest cards first.

        Equals share the mean of their places; without sizes all are equal.
        """
        of_place = [1 - 2 * k / (self.num_players - 1) for k in range(self.num_players)]
        payoffs = [0.0] * self.num_players
        for place, seat in enumerate(self.finished):
            payoffs[seat] = of_place[place]
        for place, seat in enumerate(self.sunk):
            payoffs[seat] = of_place[-1 - place]
        free = of_place[len(self.finished) : self.num_players - len(self.sunk)]
        size_of = {seat: sizes[seat] if sizes else 0 for seat in self.seats if not self._is_out(seat)}
        ranked = sorted(size_of.values())
        for seat, size in size_of.items():
            places = [free[k] for k, other in enumerate(ranked) if other == size]
            payoffs[seat] = sum(places) / len(places)
        return payoffs

    def _finish(self, payoffs: list[float]) -> None:
        """Ledgers with a weight enter: -w x (own - mean); then each team shares what its members have."""
        rules = self.rules
        for ledger, weight in (
            (self.drinks, rules.drinks_weight),
            (self.cup_drunk, rules.cup_weight),
            (self.slaps, rules.slaps_weight),
        ):
            mean = sum(ledger) / self.num_players
            payoffs = [payoff - weight * (own - mean) for payoff, own in zip(payoffs, ledger, strict=True)]
        if rules.teams is not None:
            shared = {team: [p for p, t in zip(payoffs, rules.teams, strict=True) if t == team] for team in rules.teams}
            payoffs = [sum(shared[team]) / len(shared[team]) for team in rules.teams]
        self.payoffs = payoffs
        self.phase = "over"
