"""The rules of Cheat as data: one field for every way in which tables differ, and a check that the fields agree.

A :class:`Rules` object is frozen and complete: games with equal rules and equally many players are the same game.
Choices may be given as enum members or as their lower-case names (``reveal="announced"``). The defaults are the rules
of the preset ``pagat``, the plainest form of the game; each preset says what it changes.

The docstring of a field and the comment beside an enum member are what ``bluff-env describe`` and the generated pages
print, so they are written for players. How the rules work together, and what the source texts leave open, is settled in
``docs/rules-cheat.md``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, TypeVar

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
    """What a joker counts as."""

    WILD = 0  # a joker matches every claim
    RANK = 1  # jokers are a rank of their own between king and ace


class Starter(IntEnum):
    """Who makes the first play."""

    RANDOM = 0  # a player drawn at random
    LEFT_OF_DEALER = 1  # the player on the dealer's left
    CARD = 2  # the player who holds `starter_card`
    JACK = 3  # the first player to be dealt a jack face up; then all cards are dealt again
    BID = 4  # the winner of an opening bid


class Direction(IntEnum):
    """Which neighbour is next; "left" always means next in this direction."""

    CLOCKWISE = 0
    ANTICLOCKWISE = 1


class ClaimKind(IntEnum):
    """What a claim names."""

    RANK = 0  # "two sevens"
    SUIT = 1  # "two hearts"


class Count(IntEnum):
    """Whether the announced number may differ from the number of cards placed."""

    EXACT = 0  # the announced number is the number placed
    MORE = 1  # more cards may be placed than announced, never fewer
    ANY = 2  # more or fewer cards may be placed than announced


class Reveal(IntEnum):
    """What a call turns over."""

    ALL = 0  # the whole play
    ANNOUNCED = 1  # as many cards as were announced, matching ones first
    ONE = 2  # one card of the play, drawn at random


class Callers(IntEnum):
    """Who may call a play."""

    ALL = 0  # every other player, right after the play
    NEXT = 1  # only the player whose turn it is, instead of playing
    PILE = 2  # every player, and any other player's latest play that is still in the pile


class Window(IntEnum):
    """Whose call counts if several players call the same play."""

    RACE = 0  # one of the callers, drawn at random
    IN_TURN = 1  # the first caller from the claimant's left
    RUSH = 2  # a race that the next player may also enter, by playing at once


class Follow(IntEnum):
    """Who plays after a call."""

    ROTATION = 0  # the player on the claimant's left, as if nobody had called
    LOSER = 1  # the player who picked up the pile
    WINNER = 2  # the claimant or the caller, whichever did not pick up the pile
    CHALLENGER = 3  # the player who called
    CLAIMANT = 4  # the player whose play was called
    LEFT_OF_CHALLENGER = 5  # the player on the caller's left


class NextClaim(IntEnum):
    """What may be claimed after a call."""

    CONTINUE = 0  # the sequence goes on from the last claim
    REPEAT = 1  # the last claim has to be made again
    FREE = 2  # a new round begins with any claim


class FullSet(IntEnum):
    """What happens to all natural cards of a rank in one hand."""

    KEEP = 0  # nothing
    AUTOMATIC = 1  # they leave the game face up at once
    OFFER = 2  # they may be set aside at the start of a turn, and a player who leads with them loses


class End(IntEnum):
    """When the game is over and what it pays."""

    FIRST_OUT = 0  # the first player out wins
    LAST_LOSES = 1  # the last player with cards loses
    RANKING = 2  # play goes on for every place


class Turns(IntEnum):
    """Whether players take turns."""

    ORDERED = 0  # one after the other
    JUMP_IN = 1  # there are no turns: anybody may play at any moment


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
    """Returns the member of ``kind`` that a member, a name or a number stands for."""
    if isinstance(value, str):
        name = value.strip().upper().replace("-", "_").replace(" ", "_")
        if name in kind.__members__:
            return kind[name]
    elif isinstance(value, int) and not isinstance(value, bool) and value in kind._value2member_map_:
        return kind(value)
    names = ", ".join(m.name.lower() for m in kind)
    raise RulesError(f"{field}={shown(value)} is not one of: {names}")


def card_name(rank: int, suit: int) -> str:
    """The text of a card, as ``AS`` or ``TD``; rank 13 is the joker, ``JK``."""
    return JOKER_NAME if rank == NUM_RANKS else RANK_NAMES[rank] + SUIT_NAMES[suit]


def parse_card(name: str) -> tuple[int, int]:
    """Returns the (rank, suit) of a card name; the joker is (13, 0). Raises RulesError for any other text."""
    text = name.strip().upper() if isinstance(name, str) else ""
    if text == JOKER_NAME:
        return NUM_RANKS, 0
    if len(text) == 2 and text[0] in RANK_NAMES and text[1] in SUIT_NAMES:
        return RANK_NAMES.index(text[0]), SUIT_NAMES.index(text[1])
    raise RulesError(
        f"{shown(name)} is not a card: write the rank, then the suit, as in AS 2C TD JH, or JK for a joker"
    )


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule set of the Cheat family. Build a changed one with :meth:`replace`.

    Raises:
        RulesError: if a value is out of bounds or fields contradict one another; the sentence names the fields.
    """

    family: ClassVar[str] = "cheat"

    packs: int | str = 1
    """Number of packs shuffled together, 1 to 4, or ``"auto"``: one for up to six players, two for seven or more."""
    ranks: tuple[str, ...] | str = RANK_NAMES
    """Ranks in the deck, at least two of A 2 3 4 5 6 7 8 9 T J Q K, or ``"auto"``: the highest (players + 2) ranks, ace
    high, at least 5 and at most 13, as the rules of Eightshit advise."""
    suits: tuple[str, ...] = SUIT_NAMES
    """Suits in the deck, at least one of C D H S. Leaving suits out makes decks small enough to solve."""
    jokers: int = 0
    """Number of jokers in the whole deck, 0 to 16."""
    joker_role: JokerRole | str = JokerRole.WILD
    """What a joker counts as. It decides nothing while ``jokers`` is 0."""
    starter: Starter | str = Starter.RANDOM
    """Who makes the first play."""
    starter_card: str = "2C"
    """The card whose holder starts if ``starter`` is ``card``. With several packs there are several of it; the holder
    nearest the dealer's left starts."""
    direction: Direction | str = Direction.CLOCKWISE
    """The direction of dealing, bidding and play."""
    first_claim: str = "A"
    """The claim of the first play: a rank (a suit where suits are claimed), or ``"free"`` for any."""
    steps: tuple[int, ...] | str = (1,)
    """Steps allowed from the last claim to the next: any of -1 (one rank down), 0 (the same rank) and 1 (one rank up),
    or ``"any"``. Steps move through the ranks that may be claimed and wrap round, so that ace follows king."""
    claimable: tuple[str, ...] | None = None
    """Ranks (or suits) that may be claimed; ``None`` stands for all in the deck. Other cards can leave the hand only
    under a false claim."""
    claim_kind: ClaimKind | str = ClaimKind.RANK
    """Whether a claim names a rank or a suit."""
    max_cards: int | str = "set"
    """The most cards that may be announced in one play: a number; ``"set"``, all natural cards of a rank (or suit) and
    the wild jokers, since announcing more would be an obvious lie; ``"set-1"``, one card fewer; or ``"unlimited"``."""
    count: Count | str | None = None
    """Whether the announced number may differ from the number of cards placed. ``None`` stands for ``exact``, or for
    ``more`` if ``reveal`` is ``announced``, where a hidden extra card is the point of the rule."""
    max_extra: int | None = None
    """The most cards, 0 or more, that may be placed beyond the announced number where ``count`` allows it. ``None``
    stands for as many as the hand holds, or for 1 if ``reveal`` is ``announced``, where a call cannot see the extra
    cards."""
    reveal: Reveal | str = Reveal.ALL
    """What a call turns over. With ``announced``, a play that empties the hand is turned over whole all the same."""
    callers: Callers | str = Callers.ALL
    """Who may call a play."""
    window: Window | str = Window.RACE
    """Whose call counts if several players call the same play."""
    after_right: Follow | str = Follow.ROTATION
    """Who plays after a call that was right, that is, after a lie was called."""
    after_wrong: Follow | str = Follow.ROTATION
    """Who plays after a call that was wrong, that is, after a true play was called."""
    next_claim: NextClaim | str = NextClaim.CONTINUE
    """What may be claimed after a call."""
    passing: bool = False
    """Whether a player may pass instead of playing. The player who leads a round may not; when all others have passed,
    the pile leaves the game."""
    take_pile: bool = False
    """Whether a player who holds no card that fits the only claim allowed may take the pile before playing."""
    check: bool = False
    """Whether a player may look at the last play in private instead of calling it."""
    believe: bool = False
    """Whether the player whose turn it is may believe the last play instead of calling it (with ``callers``
    ``next``)."""
    full_set: FullSet | str = FullSet.KEEP
    """What happens to a full set, all natural cards of a rank in one hand."""
    end: End | str = End.FIRST_OUT
    """When the game is over and what it pays. The payoffs of a game add up to zero."""
    re_entry: bool = False
    """Whether players who are out may still call; a player who calls wrongly picks up the pile and is back in the game.
    It needs an ``end`` after which play goes on, ``last_loses`` or ``ranking``."""
    turns: Turns | str = Turns.ORDERED
    """Whether players take turns. With ``jump_in`` nobody has to start and anybody but the claimant may play after a
    call, so ``starter``, ``after_right`` and ``after_wrong`` decide nothing."""
    sleights: tuple[str, ...] = ()
    """Sleights of hand that are allowed, any of ``hide`` (a card vanishes into the lap), ``slip`` (a card goes unseen
    into another hand), ``peek`` (see a card of another hand), ``switch`` (exchange a card of the play once it is
    called), ``short deal`` (the dealer takes fewer cards) and ``out of turn`` (play before the player whose turn it
    is)."""
    notice_prob: float = 0.25
    """Probability, 0 to 1, that another player notices a sleight, or a play of more cards than announced. The source
    texts give no number; the default is this project's choice."""
    false_notice_prob: float = 0.02
    """Probability, 0 to 1, that a player notices something although there was nothing, so that a notice is no proof."""
    wrong_call_drinks: int | None = None
    """Number of drinks for a wrong call, 0 or more; ``None`` stands for one for each card picked up, as for everybody
    else who picks up the pile."""
    drinks_weight: float = 0.0
    """Payoff lost for each drink above the table's average, and gained for each below it; 0 only counts the drinks."""
    cup: bool = False
    """Whether kings that are picked up pour into a cup, which the first player to pass drinks; needs ``passing``."""
    cup_weight: float = 0.0
    """Payoff lost for each unit drunk from the cup above the table's average, and gained for each below it; 0 only
    counts the units."""
    slaps: bool = False
    """Whether a player who is caught lying is slapped once by each other player."""
    slaps_weight: float = 0.0
    """Payoff lost for each slap above the table's average, and gained for each below it; 0 only counts the slaps."""
    length_limit: int | None = None
    """Number of turns, 1 to 30000, after which the game stops; ``None`` stands for 50 x players x packs. A limit is
    needed because nothing else in the rules forces a game to end."""
    teams: tuple[int, ...] | None = None
    """The team of each seat as a number from 0 to 9, for example ``[0, 1, 0, 1]``, or ``None`` for none. All members of
    a team receive the mean of their payoffs."""
    silent: bool = False
    """Whether a call is made without a word, by turning the play over. Only the words that tell the game differ."""

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
        """Returns these rules with some fields changed; a RulesError names the fields nearest to an unknown one."""
        check_field_names(changes)
        return dataclasses.replace(self, **changes)

    def resolve(self, num_players: int) -> Rules:
        """Returns the rules with everything that depends on the number of players filled in.

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
            raise RulesError(
                f"num_players={num_players} is too many for a deck of {deck} cards: everybody needs a card"
            )
        if self.teams is not None and len(self.teams) != num_players:
            raise RulesError(
                f"teams has {len(self.teams)} entries, but num_players={num_players}: give one for each seat"
            )
        return resolved

    @property
    def set_size(self) -> int:
        """Number of natural cards of one rank in the deck (``packs`` must be a number, as after :meth:`resolve`)."""
        return int(self.packs) * len(self.suits)

    @property
    def bid_rank(self) -> str:
        """The rank that an opening bid counts: the highest in the deck, ace high (after :meth:`resolve`)."""
        return "A" if "A" in self.ranks else max(self.ranks, key=RANK_NAMES.index)

    @property
    def num_cards(self) -> int:
        """Number of cards in the deck, jokers included (after :meth:`resolve`)."""
        return self.set_size * len(self.ranks) + self.jokers

    @property
    def faces(self) -> tuple[str, ...]:
        """The names that a claim may use, in the order in which steps move through them (after :meth:`resolve`)."""
        return _faces(self, tuple(self.ranks))

    @property
    def announced_limit(self) -> int:
        """The most cards that may be announced in one play (after :meth:`resolve`)."""
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
        """The most cards that may be placed beyond the announced number."""
        if self.count == Count.EXACT:
            return 0
        if self.max_extra is not None:
            return self.max_extra
        return 1 if self.reveal == Reveal.ANNOUNCED else MAX_CARDS

    @property
    def suits_matter(self) -> bool:
        """Whether suits are dealt, chosen and seen: only if claims name them."""
        return self.claim_kind == ClaimKind.SUIT

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as plain values for JSON and YAML; ``Rules(**d)`` reads them back."""
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
    """Raises RulesError, with the nearest names, for a key that is not a field of :class:`Rules`."""
    for name in changes:
        if name not in FIELD_NAMES:
            raise RulesError(f"no rule is called {shown(name)}{did_you_mean(name, FIELD_NAMES)}")


def _highest_ranks(n: int) -> tuple[str, ...]:
    """The n highest ranks with the ace as the highest, at least 5 and at most 13 of them, in the order A 2 ... K."""
    n = min(max(n, 5), NUM_RANKS)
    by_height = ("A", *reversed(RANK_NAMES[1:]))
    chosen = by_height[:n]
    return tuple(r for r in RANK_NAMES if r in chosen)


def _faces(rules: Rules, ranks: tuple[str, ...]) -> tuple[str, ...]:
    """What a claim may name if the deck has these ranks, in the order in which steps move through them."""
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
    """Every field has a value of the right type."""
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
            raise RulesError(f"{field}={shown(value)} must be a number, neither infinite nor huge")
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
        raise RulesError(f"steps={shown(r.steps)} must be a list of some of -1, 0 and 1, or 'any'")
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
            raise RulesError(f"{field}={shown(getattr(r, field))} must be a probability, from 0 to 1")
    if r.teams is not None and (
        not isinstance(r.teams, tuple) or not all(_is_whole(t) and 0 <= t < MAX_PLAYERS for t in r.teams)
    ):
        raise RulesError(f"teams={shown(r.teams)} must be a list with a team from 0 to {MAX_PLAYERS - 1} for each seat")


def _check_sense(r: Rules) -> None:
    """No two fields contradict one another."""
    if r.teams is not None and len(set(r.teams)) < 2:
        raise RulesError(f"teams={shown(r.teams)} puts everybody into one team, so that every payoff would be 0")
    if r.claim_kind == ClaimKind.SUIT and r.jokers and r.joker_role == JokerRole.RANK:
        raise RulesError(
            "joker_role='rank' contradicts claim_kind='suit': a joker of its own rank could never be claimed"
        )
    _check_claims(r)
    _check_counts(r)
    _check_starter(r)
    if r.believe and r.callers != Callers.NEXT:
        raise RulesError("believe=True needs callers='next': only the player whose turn it is can believe a play")
    if r.check and r.callers == Callers.NEXT:
        raise RulesError("check=True contradicts callers='next': no player is asked about a play, so nobody could look")
    if r.re_entry and r.end == End.FIRST_OUT:
        raise RulesError("re_entry=True contradicts end='first_out': the game is over as soon as one player is out")
    if r.re_entry and r.callers == Callers.NEXT:
        raise RulesError("re_entry=True contradicts callers='next': a player who is out has no turn in which to call")
    if r.full_set == FullSet.AUTOMATIC and r.packs == 1 and len(r.suits) == 1:
        raise RulesError(
            "full_set='automatic' contradicts packs=1 with one suit in suits: every card would be a full set"
        )
    if r.cup and not r.passing:
        raise RulesError("cup=True needs passing=True: only a player who passes drinks the cup")
    if r.cup and r.ranks != "auto" and "K" not in r.ranks:
        raise RulesError("cup=True needs rank K in ranks: only kings pour into the cup")
    if r.callers == Callers.NEXT and r.window != Window.RACE:
        raise RulesError(f"window={r.to_dict()['window']!r} contradicts callers='next': only one player may call")
    if r.turns == Turns.JUMP_IN:
        _check_jump_in(r)
    if r.callers == Callers.NEXT and "slip" in r.sleights:
        raise RulesError(
            "sleights has 'slip', which contradicts callers='next': without a round of calls nothing says when "
            "the card arrives"
        )
    if r.callers == Callers.NEXT and "out of turn" in r.sleights:
        raise RulesError(
            "sleights has 'out of turn', which contradicts callers='next': without a round of calls nobody could "
            "accuse the player"
        )


def _check_jump_in(r: Rules) -> None:
    """Nothing that needs turns is in use where there are none."""
    if r.sleights:
        raise RulesError(
            "sleights contradict turns='jump_in': they are done at the start of a turn, and there are no turns"
        )
    if r.callers == Callers.NEXT:
        raise RulesError("callers='next' contradicts turns='jump_in': nobody is next")
    if r.callers == Callers.PILE:
        raise RulesError("callers='pile' contradicts turns='jump_in': only the last play can be called there")
    if r.starter in (Starter.BID, Starter.JACK):
        raise RulesError(f"starter={r.starter.name.lower()!r} contradicts turns='jump_in': without turns nobody starts")
    if r.window == Window.RUSH:
        raise RulesError("window='rush' contradicts turns='jump_in': everybody may play at once anyway")
    if r.passing:
        raise RulesError("passing=True contradicts turns='jump_in': a player who does not want to play waits")


def _check_claims(r: Rules) -> None:
    suited = r.claim_kind == ClaimKind.SUIT
    known = SUIT_NAMES if suited else (*RANK_NAMES, JOKER_NAME)
    word = "suit" if suited else "rank"
    if r.claimable is not None and not isinstance(r.claimable, tuple):
        raise RulesError(f"claimable={shown(r.claimable)} must be a list of the names of ranks or suits")
    for name in r.claimable or ():
        if name not in known:
            raise RulesError(f"claimable has {shown(name)}, which is not a {word}")
    fixed = _faces(r, _highest_ranks(5) if r.ranks == "auto" else tuple(r.ranks))
    if not fixed:
        raise RulesError(f"claimable has no {word} that is in the deck, so nothing could be claimed")
    if r.first_claim != "free" and r.first_claim not in fixed:
        raise RulesError(
            f"first_claim={shown(r.first_claim)} is not a {word} that may be claimed under ranks, suits and claimable"
        )


def _check_counts(r: Rules) -> None:
    if r.count == Count.EXACT:
        if r.reveal == Reveal.ANNOUNCED:
            raise RulesError(
                "reveal='announced' contradicts count='exact': no card could lie hidden below those announced"
            )
        if r.max_extra is not None:
            raise RulesError(f"max_extra={r.max_extra} contradicts count='exact', which allows no extra card")
        return
    packs = 2 if r.packs == "auto" else int(r.packs)
    if r.max_cards == "unlimited":
        raise RulesError(
            f"max_cards='unlimited' contradicts count={r.to_dict()['count']!r}: "
            f"the largest number that can be announced is {MAX_ANNOUNCED}"
        )
    largest = r.max_cards
    if not isinstance(largest, int):
        one = packs * (NUM_RANKS if r.claim_kind == ClaimKind.SUIT else len(r.suits))
        largest = one + r.jokers
    if largest > MAX_ANNOUNCED:
        raise RulesError(
            f"max_cards allows {largest} cards, but with count={r.to_dict()['count']!r} the largest number that can be "
            f"announced is {MAX_ANNOUNCED}"
        )


def _check_starter(r: Rules) -> None:
    rank, suit = parse_card(r.starter_card)
    ranks = _highest_ranks(5) if r.ranks == "auto" else r.ranks
    if r.starter == Starter.JACK and "J" not in ranks:
        raise RulesError("starter='jack' needs rank J in ranks: no jack could be dealt")
    if r.starter != Starter.CARD:
        return
    if rank == NUM_RANKS or RANK_NAMES[rank] not in ranks or SUIT_NAMES[suit] not in r.suits:
        raise RulesError(f"starter_card={shown(r.starter_card)} is not a natural card of the deck")
