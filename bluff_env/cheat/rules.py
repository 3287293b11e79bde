"""The rules of Cheat as data: every dimension in which tables differ, checked for sense.

A :class:`Rules` object is frozen and complete: two games with equal rules and as many players are the
same game. Values may be given as enum members or as their lower-case names (``reveal="announced"``).
Defaults are those of ``pagat``, the plainest form of the game. S-numbers (S1, S2 ...) are the settled
points of ``docs/rules-cheat.md``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from bluff_env.errors import RulesError, did_you_mean, shown

RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
SUIT_NAMES = ("C", "D", "H", "S")
JOKER_NAME = "JK"
NUM_RANKS = 13
NUM_SUITS = 4
MAX_PLAYERS = 10
MAX_PACKS = 4
MAX_JOKERS = 16
MAX_ANNOUNCED = 24  # the action list has `count 1` to `count 24`
MAX_CARDS = MAX_PACKS * NUM_RANKS * NUM_SUITS + MAX_JOKERS


class JokerRole(IntEnum):
    """What a joker is: it matches every claim, or it is a rank of its own between king and ace."""

    WILD = 0
    RANK = 1


class Starter(IntEnum):
    """Who makes the first play."""

    RANDOM = 0
    LEFT_OF_DEALER = 1
    CARD = 2  # holder of `starter_card`
    JACK = 3  # first player dealt a face-up Jack; then all is dealt again
    BID = 4  # winner of an opening bid


class Direction(IntEnum):
    """Which neighbour is next; "left" always means next in this direction."""

    CLOCKWISE = 0
    ANTICLOCKWISE = 1


class ClaimKind(IntEnum):
    """What a claim names."""

    RANK = 0
    SUIT = 1


class Count(IntEnum):
    """How honest the announced number must be."""

    EXACT = 0
    MORE = 1  # may place more than announced
    ANY = 2  # may place more or fewer


class Reveal(IntEnum):
    """What a call turns over."""

    ALL = 0
    ANNOUNCED = 1  # as many as announced, matching cards on top
    ONE = 2  # one card of the play at random


class Callers(IntEnum):
    """Who may call."""

    ALL = 0
    NEXT = 1  # only the player whose turn it is, as his turn
    PILE = 2  # anybody against anybody's latest play still in the pile


class Window(IntEnum):
    """Whose call counts when several call."""

    RACE = 0
    IN_TURN = 1
    RUSH = 2  # a race that the next player may enter too, by playing at once


class Follow(IntEnum):
    """Who plays after a call."""

    ROTATION = 0  # left of the claimant
    LOSER = 1
    WINNER = 2
    CHALLENGER = 3
    CLAIMANT = 4
    LEFT_OF_CHALLENGER = 5


class NextClaim(IntEnum):
    """What may be claimed after a call."""

    CONTINUE = 0  # the sequence goes on from the last claim
    REPEAT = 1  # the same rank again
    FREE = 2  # a new round with a free choice


class FullSet(IntEnum):
    """What becomes of all natural cards of a rank in one hand."""

    KEEP = 0
    AUTOMATIC = 1  # set aside at once
    OFFER = 2  # may be set aside before a play; leading one loses (S17)


class End(IntEnum):
    """When the game is over and what it pays."""

    FIRST_OUT = 0
    LAST_LOSES = 1
    RANKING = 2


class Turns(IntEnum):
    """Whether players take turns."""

    ORDERED = 0
    JUMP_IN = 1  # no turns: at any moment anybody may play


SLEIGHTS = ("hide", "switch", "slip", "peek", "short deal", "out of turn")

_ENUMS: dict[str, type[IntEnum]] = {
    "joker_role": JokerRole,
    "starter": Starter,
    "direction": Direction,
    "claim_kind": ClaimKind,
    "count": Count,
    "reveal": Reveal,
    "callers": Callers,
    "window": Window,
    "after_right": Follow,
    "after_wrong": Follow,
    "next_claim": NextClaim,
    "full_set": FullSet,
    "end": End,
    "turns": Turns,
}

E = TypeVar("E", bound=IntEnum)


def _enum(field: str, kind: type[E], value: object) -> E:
    """Turns a member, its name or its number into a member of ``kind``."""
    if isinstance(value, str):
        name = value.strip().upper().replace("-", "_").replace(" ", "_")
        if name in kind.__members__:
            return kind[name]
    elif isinstance(value, int) and not isinstance(value, bool) and value in kind._value2member_map_:
        return kind(value)
    names = ", ".join(m.name.lower() for m in kind)
    raise RulesError(f"{field}={shown(value)} is not one of: {names}")


def card_name(rank: int, suit: int) -> str:
    """``AS``, ``TD``; the joker, rank 13, is ``JK``."""
    return JOKER_NAME if rank == NUM_RANKS else RANK_NAMES[rank] + SUIT_NAMES[suit]


def parse_card(name: str) -> tuple[int, int]:
    """The (rank, suit) of a card name; the joker is (13, 0). Raises RulesError for anything else."""
    text = name.strip().upper() if isinstance(name, str) else ""
    if text == JOKER_NAME:
        return NUM_RANKS, 0
    if len(text) == 2 and text[0] in RANK_NAMES and text[1] in SUIT_NAMES:
        return RANK_NAMES.index(text[0]), SUIT_NAMES.index(text[1])
    raise RulesError(f"{shown(name)} is not a card: write rank then suit, as AS 2C TD JH, or JK for a joker")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule set of the Cheat family. Build a changed one with :meth:`replace`.

    Raises:
        RulesError: if the values contradict one another; the sentence names the fields.
    """

    packs: int | str = 1
    """Packs shuffled together, 1 to 4; ``"auto"``: one up to six players, two from seven (document 2)."""
    ranks: tuple[str, ...] | str = RANK_NAMES
    """Ranks in the deck, at least two; ``"auto"``: the highest (players + 2), ace high, 5 to 13 (Eightshit)."""
    suits: tuple[str, ...] = SUIT_NAMES
    """Suits in the deck: fewer of them make the small decks of the ``mini-*`` rule sets."""
    jokers: int = 0
    """Jokers in the deck, all packs together, 0 to 16."""
    joker_role: JokerRole | str = JokerRole.WILD
    """Wild jokers match every claim; otherwise they are a rank of their own between king and ace."""
    starter: Starter | str = Starter.RANDOM
    """Who makes the first play."""
    starter_card: str = "2C"
    """The card whose holder starts, where ``starter`` is ``card``."""
    direction: Direction | str = Direction.CLOCKWISE
    """The direction of dealing, bidding and play."""
    first_claim: str = "A"
    """The claim that opens the game: a rank (a suit where suits are claimed), or ``"free"``."""
    steps: tuple[int, ...] | str = (1,)
    """Steps allowed from the last claim to the next, out of -1, 0 and 1; or ``"any"``. They wrap round (S2)."""
    claimable: tuple[str, ...] | None = None
    """Ranks (or suits) that may be claimed; None: all in the deck."""
    claim_kind: ClaimKind | str = ClaimKind.RANK
    """Whether a claim names a rank or a suit."""
    max_cards: int | str = "set"
    """Most cards that may be announced: a number; ``"set"``: all natural cards of a rank and the wild jokers;
    ``"set-1"``: one natural card fewer; ``"unlimited"`` (S3)."""
    count: Count | str | None = None
    """Honesty of the announced number; None: exact, or ``more`` where only the announced number is revealed."""
    max_extra: int | None = None
    """Most cards placed beyond the announced number; None: 1 where only the announced number is revealed,
    else as many as the hand holds (S3)."""
    reveal: Reveal | str = Reveal.ALL
    """What a call turns over. A play that empties the hand is always judged whole where ``announced`` applies."""
    callers: Callers | str = Callers.ALL
    """Who may call."""
    window: Window | str = Window.RACE
    """Whose call counts when several call."""
    after_right: Follow | str = Follow.ROTATION
    """Who plays after a call that was right."""
    after_wrong: Follow | str = Follow.ROTATION
    """Who plays after a call that was wrong."""
    next_claim: NextClaim | str = NextClaim.CONTINUE
    """What may be claimed after a call."""
    passing: bool = False
    """Whether a player who does not lead may pass (S11)."""
    take_pile: bool = False
    """Whether who holds nothing that fits a forced claim may take the pile before he plays (S10)."""
    check: bool = False
    """Whether the last play may be looked at privately instead of called (S13)."""
    believe: bool = False
    """Whether the player whose turn it is may believe the last play (S14); needs callers ``next``."""
    full_set: FullSet | str = FullSet.KEEP
    """What becomes of a full natural set in hand."""
    end: End | str = End.FIRST_OUT
    """When the game is over and what it pays."""
    re_entry: bool = False
    """Whether players who are out may still call, and are back in the game if wrong (S15)."""
    turns: Turns | str = Turns.ORDERED
    """Whether players take turns. Where they do not, nobody starts and anybody may go on after a call: ``starter``,
    ``after_right`` and ``after_wrong`` decide nothing (S20)."""
    sleights: tuple[str, ...] = ()
    """Sleights of hand in use, any of: hide, switch, slip, peek, short deal, out of turn (S21 to S26)."""
    notice_prob: float = 0.25
    """Probability that another player notices a sleight, or a play of more cards than announced."""
    false_notice_prob: float = 0.02
    """Probability of a false notice each time something could be noticed, for each player."""
    wrong_call_drinks: int | None = None
    """Drinks of a wrong challenger; None: one per card picked up, as for everybody else (S27)."""
    drinks_weight: float = 0.0
    """Weight of the drinks ledger in the reward."""
    cup: bool = False
    """Whether Kings picked up pour into a cup that who first passes in a round drinks (S28); needs passing."""
    cup_weight: float = 0.0
    """Weight of the King's cup ledger in the reward."""
    slaps: bool = False
    """Whether a claimant caught lying is slapped by each other player."""
    slaps_weight: float = 0.0
    """Weight of the slaps ledger in the reward."""
    length_limit: int | None = None
    """Turns after which the game is a draw (S29); None: 50 x players x packs."""
    teams: tuple[int, ...] | None = None
    """The team of each seat, as (0, 1, 0, 1), or None; team members receive the mean of their payoffs (S29)."""
    silent: bool = False
    """Whether a call is made without a word, by turning the play over: only the telling of the game differs."""

    def __post_init__(self) -> None:
        for field, kind in _ENUMS.items():
            value = getattr(self, field)
            if field == "count" and value is None:
                value = Count.MORE if _enum("reveal", Reveal, self.reveal) == Reveal.ANNOUNCED else Count.EXACT
            object.__setattr__(self, field, _enum(field, kind, value))
        for field in ("ranks", "suits", "claimable", "steps", "sleights", "teams"):
            value = getattr(self, field)
            if isinstance(value, (list, set, frozenset)):
                object.__setattr__(self, field, tuple(value))
        _check_types(self)
        _check_values(self)
        _check_sense(self)

    def replace(self, **changes: Any) -> Rules:
        """These rules with some fields changed; an unknown field is a RulesError with the nearest names."""
        check_field_names(changes)
        return dataclasses.replace(self, **changes)

    def resolve(self, num_players: int) -> Rules:
        """The rules with everything that depends on the number of players filled in, checked for that number.

        Raises:
            RulesError: if that many players cannot play by these rules.
        """
        if not isinstance(num_players, int) or not 2 <= num_players <= MAX_PLAYERS:
            raise RulesError(f"num_players={shown(num_players)} must be a number from 2 to {MAX_PLAYERS}")
        packs = (1 if num_players <= 6 else 2) if self.packs == "auto" else int(self.packs)
        ranks = _highest_ranks(num_players + 2) if self.ranks == "auto" else self.ranks
        length = 50 * num_players * packs if self.length_limit is None else self.length_limit
        resolved = dataclasses.replace(self, packs=packs, ranks=ranks, length_limit=length)
        deck = resolved.num_cards
        if deck < num_players:
            raise RulesError(f"num_players={num_players} is more than the {deck} cards of the deck")
        if self.teams is not None and len(self.teams) != num_players:
            raise RulesError(f"teams names {len(self.teams)} seats, but num_players={num_players}")
        return resolved

    @property
    def set_size(self) -> int:
        """Natural cards of one rank in the deck (packs must be a number, as after :meth:`resolve`)."""
        return int(self.packs) * len(self.suits)

    @property
    def bid_rank(self) -> str:
        """The rank that an opening bid counts: the highest in the deck, ace high (after :meth:`resolve`)."""
        return "A" if "A" in self.ranks else max(self.ranks, key=RANK_NAMES.index)

    @property
    def num_cards(self) -> int:
        """Cards in the deck, jokers included (after :meth:`resolve`)."""
        return self.set_size * len(self.ranks) + self.jokers

    @property
    def faces(self) -> tuple[str, ...]:
        """What a claim may name, in the order of the steps (after :meth:`resolve`)."""
        return _faces(self, tuple(self.ranks))

    @property
    def announced_limit(self) -> int:
        """Most cards that may be announced in one play (after :meth:`resolve`)."""
        if isinstance(self.max_cards, int):
            return self.max_cards
        if self.max_cards == "unlimited":
            return self.num_cards
        if self.claim_kind == ClaimKind.SUIT:
            natural = int(self.packs) * len(self.ranks)
        else:
            natural = self.set_size
        if self.joker_role == JokerRole.WILD:
            jokers = self.jokers
        else:
            natural, jokers = max(natural, self.jokers), 0
        return max(1, natural + jokers - (self.max_cards == "set-1"))

    @property
    def extra_limit(self) -> int:
        """Most cards that may be placed beyond the announced number."""
        if self.count == Count.EXACT:
            return 0
        if self.max_extra is not None:
            return self.max_extra
        return 1 if self.reveal == Reveal.ANNOUNCED else MAX_CARDS

    @property
    def suits_matter(self) -> bool:
        """Whether a card's suit can decide anything, so that suits are dealt, chosen and seen."""
        return self.claim_kind == ClaimKind.SUIT

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON and YAML can hold; ``Rules(**d)`` reads them back."""
        out: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, IntEnum):
                value = value.name.lower()
            elif isinstance(value, tuple):
                value = list(value)
            out[field.name] = value
        return out


FIELD_NAMES = tuple(f.name for f in dataclasses.fields(Rules))


def check_field_names(changes: dict[str, Any]) -> None:
    """Raises RulesError for a key that is no field of :class:`Rules`, with the nearest names."""
    for name in changes:
        if name not in FIELD_NAMES:
            raise RulesError(f"no rule is called {shown(name)}{did_you_mean(name, FIELD_NAMES)}")


def _highest_ranks(n: int) -> tuple[str, ...]:
    """The n highest ranks, ace high, at least 5 and at most 13, in the order A 2 ... K."""
    n = min(max(n, 5), NUM_RANKS)
    by_height = ("A", *reversed(RANK_NAMES[1:]))
    chosen = by_height[:n]
    return tuple(r for r in RANK_NAMES if r in chosen)


def _faces(rules: Rules, ranks: tuple[str, ...]) -> tuple[str, ...]:
    """What a claim may name if the deck has these ranks, in the order of the steps."""
    if rules.claim_kind == ClaimKind.SUIT:
        all_faces: tuple[str, ...] = tuple(s for s in SUIT_NAMES if s in rules.suits)
    else:
        all_faces = tuple(r for r in RANK_NAMES if r in ranks)
        if rules.jokers and rules.joker_role == JokerRole.RANK:
            all_faces += (JOKER_NAME,)
    if rules.claimable is None:
        return all_faces
    return tuple(f for f in all_faces if f in rules.claimable)


_BOOLEANS = ("passing", "take_pile", "check", "believe", "re_entry", "cup", "slaps", "silent")
_WHOLE_NUMBERS = ("jokers", "max_extra", "wrong_call_drinks", "length_limit")
_REALS = ("notice_prob", "false_notice_prob", "drinks_weight", "cup_weight", "slaps_weight")
_OPTIONAL = ("max_extra", "wrong_call_drinks", "length_limit")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_types(r: Rules) -> None:
    """Every field has a value of its kind."""
    for field in _BOOLEANS:
        if not isinstance(getattr(r, field), bool):
            raise RulesError(f"{field}={shown(getattr(r, field))} must be true or false")
    for field in _WHOLE_NUMBERS:
        value = getattr(r, field)
        if not _is_whole(value) and not (value is None and field in _OPTIONAL):
            raise RulesError(f"{field}={shown(value)} must be a whole number")
    for field in _REALS:
        value = getattr(r, field)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1e6 < value < 1e6:
            raise RulesError(f"{field}={shown(value)} must be a number")
    for field, names in (("ranks", RANK_NAMES), ("suits", SUIT_NAMES), ("sleights", SLEIGHTS)):
        value = getattr(r, field)
        if field == "ranks" and value == "auto":
            continue
        if not isinstance(value, tuple) or len(set(map(shown, value))) != len(value):
            raise RulesError(f"{field}={shown(value)} must be a list of different names")
        for name in value:
            if name not in names:
                raise RulesError(f"{field} has {shown(name)}, which is not one of: {' '.join(names)}")


def _check_values(r: Rules) -> None:
    """Every field is within its bounds."""
    if r.packs != "auto" and not (_is_whole(r.packs) and 1 <= int(r.packs) <= MAX_PACKS):
        raise RulesError(f"packs={shown(r.packs)} must be 1 to {MAX_PACKS}, or 'auto'")
    if len(r.ranks) < 2:
        raise RulesError("ranks must name at least two ranks")
    if not r.suits:
        raise RulesError("suits must name at least one suit")
    if not 0 <= r.jokers <= MAX_JOKERS:
        raise RulesError(f"jokers={shown(r.jokers)} must be 0 to {MAX_JOKERS}")
    if r.steps != "any" and (
        not isinstance(r.steps, tuple)
        or not r.steps
        or not all(_is_whole(s) for s in r.steps)
        or not set(r.steps) <= {-1, 0, 1}
    ):
        raise RulesError(f"steps={shown(r.steps)} must be some of -1, 0 and 1, or 'any'")
    if _is_whole(r.max_cards):
        if not 1 <= int(r.max_cards) <= MAX_CARDS:
            raise RulesError(f"max_cards={shown(r.max_cards)} must be 1 to {MAX_CARDS}")
    elif r.max_cards not in ("set", "set-1", "unlimited"):
        raise RulesError(f"max_cards={shown(r.max_cards)} must be a number, 'set', 'set-1' or 'unlimited'")
    for field in ("max_extra", "wrong_call_drinks"):
        value = getattr(r, field)
        if value is not None and not 0 <= value <= MAX_CARDS:
            raise RulesError(f"{field}={shown(value)} must be 0 to {MAX_CARDS}")
    if r.length_limit is not None and not 1 <= r.length_limit <= 30000:
        raise RulesError(f"length_limit={shown(r.length_limit)} must be 1 to 30000")
    for field in ("notice_prob", "false_notice_prob"):
        if not 0 <= getattr(r, field) <= 1:
            raise RulesError(f"{field}={shown(getattr(r, field))} must be a probability")
    if r.teams is not None and (
        not isinstance(r.teams, tuple) or not all(_is_whole(t) and 0 <= t < MAX_PLAYERS for t in r.teams)
    ):
        raise RulesError(f"teams={shown(r.teams)} must name a team, 0 to {MAX_PLAYERS - 1}, for each seat")


def _check_sense(r: Rules) -> None:
    """The fields agree with one another."""
    if r.teams is not None and len(set(r.teams)) < 2:
        raise RulesError(f"teams={shown(r.teams)} puts everybody into one team: all payoffs would be 0")
    if r.claim_kind == ClaimKind.SUIT and r.jokers and r.joker_role == JokerRole.RANK:
        raise RulesError("joker_role='rank' contradicts claim_kind='suit': such a joker could never be claimed")
    _check_claims(r)
    _check_counts(r)
    _check_starter(r)
    if r.believe and r.callers != Callers.NEXT:
        raise RulesError("believe=True needs callers='next': only the player whose turn it is may believe")
    if r.check and r.callers == Callers.NEXT:
        raise RulesError("check=True contradicts callers='next': there is no window in which to check")
    if r.re_entry and r.end == End.FIRST_OUT:
        raise RulesError("re_entry=True contradicts end='first_out': nobody plays on after the first is out (S15)")
    if r.re_entry and r.callers == Callers.NEXT:
        raise RulesError("re_entry=True contradicts callers='next': who is out has no turn in which to call")
    if r.full_set == FullSet.AUTOMATIC and r.packs == 1 and len(r.suits) == 1:
        raise RulesError("full_set='automatic' contradicts packs=1 with one of suits: every single card is a full set")
    if r.cup and not r.passing:
        raise RulesError("cup=True needs passing=True: only who passes drinks the cup (S28)")
    if r.cup and r.ranks != "auto" and "K" not in r.ranks:
        raise RulesError("cup=True needs rank K, but ranks has no K: nothing would ever pour (S28)")
    if r.callers == Callers.NEXT and r.window != Window.RACE:
        raise RulesError("window is set, but callers='next' has no window")
    if r.turns == Turns.JUMP_IN:
        _check_jump_in(r)
    if r.callers == Callers.NEXT and "slip" in r.sleights:
        raise RulesError("sleights has 'slip', but callers='next' has no window after which the card is seen (S22)")
    if r.callers == Callers.NEXT and "out of turn" in r.sleights:
        raise RulesError("sleights has 'out of turn', but callers='next' has no window in which to accuse it (S24)")


def _check_jump_in(r: Rules) -> None:
    """What needs turns is not on where there are none."""
    if r.sleights:
        raise RulesError("sleights contradict turns='jump_in': there is no turn in which to do them (S20)")
    if r.callers == Callers.NEXT:
        raise RulesError("callers='next' contradicts turns='jump_in': nobody is next")
    if r.callers == Callers.PILE:
        raise RulesError("callers='pile' contradicts turns='jump_in': there is no window in which to call older plays")
    if r.starter in (Starter.BID, Starter.JACK):
        raise RulesError(f"starter={r.starter.name.lower()!r} contradicts turns='jump_in': nobody starts")
    if r.window == Window.RUSH:
        raise RulesError("window='rush' contradicts turns='jump_in': everybody may play at once already")
    if r.passing:
        raise RulesError("passing=True contradicts turns='jump_in': who does not want to play waits")


def _check_claims(r: Rules) -> None:
    suited = r.claim_kind == ClaimKind.SUIT
    known = SUIT_NAMES if suited else (*RANK_NAMES, JOKER_NAME)
    word = "suit" if suited else "rank"
    if r.claimable is not None and not isinstance(r.claimable, tuple):
        raise RulesError(f"claimable={shown(r.claimable)} must be a list of names")
    for name in r.claimable or ():
        if name not in known:
            raise RulesError(f"claimable has {shown(name)}, which is not a {word}")
    fixed = _faces(r, _highest_ranks(5) if r.ranks == "auto" else tuple(r.ranks))
    if not fixed:
        raise RulesError(f"claimable leaves no {word} of the deck that may be claimed")
    if r.first_claim != "free" and r.first_claim not in fixed:
        raise RulesError(f"first_claim={shown(r.first_claim)} is not a {word} that may be claimed (S2)")


def _check_counts(r: Rules) -> None:
    if r.count == Count.EXACT:
        if r.reveal == Reveal.ANNOUNCED:
            raise RulesError("reveal='announced' contradicts count='exact': there would be nothing left to hide")
        if r.max_extra is not None:
            raise RulesError("max_extra is set, but count='exact' allows no extra card")
        return
    packs = 2 if r.packs == "auto" else int(r.packs)
    if r.max_cards == "unlimited":
        raise RulesError(
            f"max_cards='unlimited' with count={r.to_dict()['count']!r} could need an announcement above "
            f"{MAX_ANNOUNCED}, the largest there is"
        )
    largest = r.max_cards
    if not isinstance(largest, int):
        one = packs * (NUM_RANKS if r.claim_kind == ClaimKind.SUIT else len(r.suits))
        largest = one + r.jokers
    if largest > MAX_ANNOUNCED:
        raise RulesError(
            f"max_cards allows {largest} cards, but an announced number that may be a lie ends at {MAX_ANNOUNCED}"
        )


def _check_starter(r: Rules) -> None:
    rank, suit = parse_card(r.starter_card)
    ranks = _highest_ranks(5) if r.ranks == "auto" else r.ranks
    if r.starter == Starter.JACK and "J" not in ranks:
        raise RulesError("starter='jack' needs rank J, but ranks has no J: no jack could fall face up (S19)")
    if r.starter != Starter.CARD:
        return
    if rank == NUM_RANKS or RANK_NAMES[rank] not in ranks or SUIT_NAMES[suit] not in r.suits:
        raise RulesError(f"starter_card={shown(r.starter_card)} is not a natural card of the deck")
