"""The rules of Cheat as data: one field for every way in which tables differ, and a check that the fields agree.

A :class:`Rules` object is frozen and complete: games with equal rules and equally many players are the same game.
Choices may be given as enum members or as their lower-case names (``reveal="announced"``). The defaults are the rules
of the preset ``pagat``, the plainest form of the game; each preset says what it changes.

The docstring of a field is what ``bluff-env describe`` and the generated pages print, so it is written for players.
The members of the choices are in ``rule_choices.py``, and the check is in ``rule_checks.py``. How the rules work
together, and what the source texts leave open, is settled in ``docs/rules-cheat.md``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bluff_env.cheat.rule_checks import check_sense, check_types, check_values
from bluff_env.cheat.rule_choices import (
    AT_LEAST,
    CHOICES,
    JOKER_NAME,
    MAX_ANNOUNCED,
    MAX_BURN,
    MAX_CARDS,
    MAX_DRAW,
    MAX_HAND,
    MAX_JOKERS,
    MAX_PACKS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RAISE,
    RANK_NAMES,
    SLEIGHTS,
    SUIT_NAMES,
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
    Starter,
    Surplus,
    Turns,
    Window,
    card_name,
    choice,
    highest_ranks,
    parse_card,
    penalty_of,
)
from bluff_env.core.rules import RuleSet
from bluff_env.utils.errors import RulesError
from bluff_env.utils.numerals import number

__all__ = [
    "AT_LEAST", "FIELD_NAMES", "JOKER_NAME", "MAX_ANNOUNCED", "MAX_BURN", "MAX_CARDS", "MAX_DRAW", "MAX_HAND",
    "MAX_JOKERS", "MAX_PACKS", "MAX_PLAYERS", "NUM_RANKS", "NUM_SUITS", "RAISE", "RANK_NAMES", "SLEIGHTS",
    "SUIT_NAMES", "AfterPasses", "AtLimit", "Callers", "ClaimKind", "Count", "Direction", "End", "Follow",
    "FullSet", "JokerRole", "NextClaim", "Reveal", "Rules", "Starter", "Surplus", "Turns", "Window", "card_name",
    "parse_card",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Rules(RuleSet):
    """One rule set of the Cheat family. Build a changed one with :meth:`replace`.

    Raises:
        RulesError: if a value is out of bounds or fields contradict one another; the sentence names the fields.
    """

    family: ClassVar[str] = "cheat"
    most_players: ClassVar[int] = MAX_PLAYERS
    before: ClassVar[Mapping[str, Any]] = {"at_limit": "draw"}
    several: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "suits": SUIT_NAMES, "sleights": SLEIGHTS, "wild_ranks": RANK_NAMES,
    }  # fmt: skip

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
    wild_ranks: tuple[str, ...] = ()
    """Ranks whose cards are wild: they match every claim, besides that of their own rank."""
    missing: tuple[str, ...] = ()
    """Natural cards that are not in the deck, as ``[2C, 2D]``, which everybody knows; with several packs a card may be
    named for each of them."""
    burn: int = 0
    """Number of cards, 0 to 4, that are drawn before the deal and leave the game unseen."""
    hand_size: int | None = None
    """Number of cards, 1 to 26, that everybody is dealt; ``None`` stands for as many as the deck allows."""
    surplus: Surplus | str = Surplus.DEAL
    """What becomes of the cards left over when everybody has the same number of cards."""
    starter: Starter | str = Starter.RANDOM
    """Who makes the first play."""
    starter_card: str = "2C"
    """The card whose holder starts if ``starter`` is ``card``. With several packs there are several of it; the holder
    nearest the dealer's left starts."""
    direction: Direction | str = Direction.CLOCKWISE
    """The direction of dealing, bidding and play."""
    first_claim: str = "A"
    """The claim of the first play: a rank (a suit where suits are claimed), ``"free"`` for any, or ``"drawn"`` for one
    that is drawn at random and turned up before the first play."""
    steps: tuple[int, ...] | str = (1,)
    """Steps allowed from the last claim to the next: any of -1 (one rank down), 0 (the same rank) and 1 (one rank up),
    or ``"any"``. These steps move through the ranks that may be claimed and wrap round, so that ace follows king.
    ``"at_least"`` stands for the same rank or any higher one, and ``"raise"`` for more cards of the same rank or any
    number of a higher one; king is the highest then, and nothing follows it."""
    claimable: tuple[str, ...] | None = None
    """Ranks (or suits) that may be claimed; ``None`` stands for all in the deck. Other cards can be played only under
    a false claim."""
    claim_kind: ClaimKind | str = ClaimKind.RANK
    """Whether a claim names a rank or a suit."""
    max_cards: int | str = "set"
    """The most cards that may be announced in one play: a number; ``"set"``, all natural cards of a rank (or suit) and
    the wild jokers, since announcing more would be an obvious lie; ``"set-1"``, one card fewer; or ``"unlimited"``."""
    count: Count | str | None = None
    """Whether the announced number may differ from the number of cards placed. ``None`` stands for ``exact``, or for
    ``more`` if ``reveal`` is ``announced`` or ``choice``, where a hidden extra card is the point of the rule."""
    max_extra: int | None = None
    """The most cards, 0 or more, that may be placed beyond the announced number where ``count`` allows it. ``None``
    stands for as many as the hand holds, or for 1 if ``reveal`` is ``announced`` or ``choice``, where a call may not
    see the extra cards."""
    reveal: Reveal | str = Reveal.ALL
    """What a call turns over. A play of last cards is turned over whole with ``announced`` and ``choice`` too."""
    callers: Callers | str = Callers.ALL
    """Who may call a play."""
    window: Window | str = Window.RACE
    """Whose call counts if several players call the same play."""
    penalty: str = "pile"
    """What the loser of a call takes: ``"pile"``; ``"draw N"``, N cards, 1 to 9, of the stock, while the pile stays;
    or ``"pile+draw N"``. The stock gives what is left of it; once it is empty, the pile is taken."""
    after_right: Follow | str = Follow.ROTATION
    """Who plays after a call that was right, that is, after a lie was called."""
    after_wrong: Follow | str = Follow.ROTATION
    """Who plays after a call that was wrong, that is, after a true play was called."""
    next_claim: NextClaim | str = NextClaim.CONTINUE
    """What may be claimed after a call."""
    first_face_up: bool = False
    """Whether a player who leads and is free to claim lays one card face up, which sets the claim and cannot be called.
    Without a card of such a rank they play face down."""
    passing: bool = False
    """Whether players may pass instead of playing. Nobody may before the first play to a pile. The pile leaves the game
    when all others have passed."""
    after_passes: AfterPasses | str = AfterPasses.CLAIMANT
    """Who leads when all others have passed and the pile has left the game."""
    pass_advances: bool = False
    """Whether a pass moves the claim that is due on by one step."""
    take_pile: bool = False
    """Whether a player who could not but lie, since they hold no card of any rank (or suit) that they may claim and no
    wild card, may take the pile before playing."""
    check: bool = False
    """Whether a player may look at the last play in private instead of calling it."""
    believe: bool = False
    """Whether the player whose turn it is may believe the last play instead of calling it (with ``callers``
    ``next``)."""
    force: bool = False
    """Whether a player may force the claimant instead of calling. The claimant shows a card of the claimed rank, or a
    wild one, from their hand, not from the play. If they show one, the player who forced loses as after a wrong call;
    if they show none, they lose as after a right one. A claimant without cards cannot be forced."""
    full_set: FullSet | str = FullSet.KEEP
    """What happens to a full set, all natural cards of a rank in one hand."""
    end: End | str = End.FIRST_OUT
    """When the game is over and what it pays. The payoffs of a game add up to zero."""
    revolver: bool = False
    """Whether a game is a match with revolvers: the loser of a deal pulls the trigger of their own, in which one of six
    chambers is loaded, and is out of the match if they die. The others play the next deal; the last one alive wins. It
    needs ``end`` ``first_call``."""
    re_entry: bool = False
    """Whether players who are out may still call; a player who calls wrongly picks up the pile and is back in the game.
    It needs an ``end`` after which play goes on, ``last_loses`` or ``ranking``."""
    turns: Turns | str = Turns.ORDERED
    """Whether players take turns. With ``jump_in`` nobody has to start and anybody may play after a call, so
    ``starter``, ``after_right`` and ``after_wrong`` decide nothing."""
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
    length_limit: int | tuple[int | None, ...] | None = None
    """Number of turns, 1 to 30000, after which time is up; ``None`` stands for 50 x players x packs. A list has the
    numbers for two players, for three and so on; it may have ``None`` too, which also stands for what it does not
    reach. A limit is needed because nothing else in the rules forces a game to end."""
    at_limit: AtLimit | str = AtLimit.FEWEST
    """What decides a game that has reached ``length_limit``."""
    teams: tuple[int, ...] | None = None
    """The team of each seat as a number from 0 to 9, for example ``[0, 1, 0, 1]``, or ``None`` for none. All members of
    a team receive the mean of their payoffs."""
    silent: bool = dataclasses.field(default=False, compare=False)
    """No rule, but how the game is told, which the preset decides: a call is made without a word, by turning the play
    over. Rules that differ in nothing else are equal."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, kind in CHOICES.items():
            value = getattr(self, field)
            if field == "count" and value is None:
                value = Count.MORE if choice("reveal", Reveal, self.reveal) in _MAY_HIDE else Count.EXACT
            object.__setattr__(self, field, choice(field, kind, value))
        for field in (
            "ranks",
            "suits",
            "claimable",
            "steps",
            "sleights",
            "teams",
            "length_limit",
            "missing",
            "wild_ranks",
        ):
            value = getattr(self, field)
            ordered = field == "length_limit"  # by number of players, which a set does not keep
            if isinstance(value, list if ordered else (list, set, frozenset)):
                object.__setattr__(self, field, tuple(value))
        check_types(self)
        check_values(self)
        check_sense(self)
        self._order_lists()

    def _order_lists(self) -> None:
        """Bring lists whose order means nothing into one order, so that rules of the same game are equal."""
        for field, names in {
            "ranks": RANK_NAMES,
            "claimable": (*RANK_NAMES, JOKER_NAME, *SUIT_NAMES),
            **self.several,
        }.items():
            if isinstance(getattr(self, field), tuple):
                object.__setattr__(self, field, tuple(sorted(getattr(self, field), key=names.index)))
        if isinstance(self.steps, tuple):
            object.__setattr__(self, "steps", tuple(sorted(set(self.steps))))
        named = sorted((parse_card(name) for name in self.missing), key=lambda card: (card[0], card[1]))
        object.__setattr__(self, "missing", tuple(card_name(*card) for card in named))

    def resolve(self, num_players: int) -> Rules:
        """Return the rules with everything that depends on the number of players filled in.

        Raises:
            RulesError: if that many players cannot play by these rules.
        """
        super().resolve(num_players)
        num_players = int(num_players)
        packs = (1 if num_players <= 6 else 2) if self.packs == "auto" else int(self.packs)
        ranks = highest_ranks(num_players + 2) if self.ranks == "auto" else self.ranks
        length = self.length_limit
        if isinstance(length, tuple):
            length = dict(enumerate(length, start=2)).get(num_players)
        if length is None:
            length = 50 * num_players * packs
        resolved = dataclasses.replace(self, packs=packs, ranks=ranks, length_limit=length)
        deck = resolved.num_cards - resolved.burn
        if deck < num_players * (self.hand_size or 1):
            need = number(self.hand_size, "card") if self.hand_size else "a card"
            burnt = f", of which {self.burn} are burnt" if self.burn else ""
            raise RulesError(
                f"num_players={num_players} is too many for a deck of {resolved.num_cards} cards{burnt}: everybody "
                f"needs {need}"
            )
        if self.teams is not None and len(self.teams) != num_players:
            raise RulesError(
                f"teams has {len(self.teams)} entries, but num_players={num_players}: give one for each seat"
            )
        return resolved

    def single_deal(self) -> Rules:
        """Return the rules of one deal alone, without revolvers."""
        return self.replace(revolver=False) if self.revolver else self

    @property
    def payoff_limit(self) -> float:
        """The most that a player can gain or lose in a game; infinity if a ledger enters the payoff."""
        return math.inf if self._weight else 1.0

    @property
    def _weight(self) -> float:
        """The sum of the sizes of all weights of ledgers."""
        names = (field.name for field in dataclasses.fields(self) if field.name.endswith("_weight"))
        return sum(abs(getattr(self, name)) for name in names)

    @property
    def payoff_bound(self) -> float:
        """A finite number that no payoff exceeds (after :meth:`resolve`), as if all ledgers grew most in every turn."""
        drinks = self.num_cards + 2 * (self.wrong_call_drinks or 0) + 10  # a pile, a call and an accusation, a full set
        assert isinstance(self.length_limit, int)
        return 1.0 + self._weight * (drinks + MAX_PLAYERS) * (self.length_limit + 1)

    @property
    def set_size(self) -> int:
        """Number of natural cards of one rank in whole packs (``packs`` must be a number, as after :meth:`resolve`).

        A rank of which cards are ``missing`` has fewer, and therefore no full set.
        """
        return int(self.packs) * len(self.suits)

    @property
    def bid_rank(self) -> str:
        """The rank that an opening bid counts: the highest in the deck, ace high (after :meth:`resolve`)."""
        return "A" if "A" in self.ranks else max(self.ranks, key=RANK_NAMES.index)

    @property
    def num_cards(self) -> int:
        """Number of cards in the deck, jokers included (after :meth:`resolve`)."""
        return self.set_size * len(self.ranks) + self.jokers - len(self.missing)

    def left_over(self, num_players: int) -> int:
        """Return the number of cards that are neither burnt nor dealt (after :meth:`resolve`)."""
        if self.surplus == Surplus.DEAL:
            return 0
        cards = self.num_cards - self.burn
        return cards - num_players * (self.hand_size or cards // num_players)

    def cards_each(self, num_players: int) -> int:
        """Return the number of cards that everybody gets for certain (after :meth:`resolve`)."""
        return self.hand_size or (self.num_cards - self.burn) // num_players

    @property
    def draws(self) -> tuple[bool, int]:
        """Return whether the loser of a call takes the pile, and how many cards they draw."""
        penalty = penalty_of(self.penalty)
        assert penalty is not None
        return penalty

    @property
    def is_wide(self) -> bool:
        """True if a rule is used that only wide observations show."""
        wide = any(getattr(self, name) != field.default for name, field in _WIDE.items())
        newer = self.next_claim == NextClaim.OTHER or self.full_set == FullSet.MAY
        drawn = self.first_claim == "drawn" or self.end == End.FIRST_CALL
        chosen = self.reveal == Reveal.CHOICE
        return wide or newer or drawn or chosen or self.steps in (AT_LEAST, RAISE)

    @property
    def passes(self) -> bool:
        """True if players may pass: also where only those do who cannot raise."""
        return self.passing or self.steps == RAISE

    @property
    def faces(self) -> tuple[str, ...]:
        """The names that a claim may use, in the order in which steps move through them (after :meth:`resolve`)."""
        return self.faces_among(tuple(self.ranks))

    def faces_among(self, ranks: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names that a claim may use in a deck of these ranks, in the order of the sequence."""
        if self.claim_kind == ClaimKind.SUIT:
            all_faces: tuple[str, ...] = tuple(s for s in SUIT_NAMES if s in self.suits)
        else:
            all_faces = tuple(r for r in RANK_NAMES if r in ranks)
            if self.jokers and self.joker_role == JokerRole.RANK:
                all_faces += (JOKER_NAME,)
        if self.claimable is None:
            return all_faces
        return tuple(f for f in all_faces if f in self.claimable)

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
        wild = self.set_size * len(self.wild_ranks)
        return max(1, natural + jokers + wild - (self.max_cards == "set-1"))

    @property
    def extra_limit(self) -> int:
        """The most cards that may be placed beyond the announced number."""
        if self.count == Count.EXACT:
            return 0
        if self.max_extra is not None:
            return self.max_extra
        return 1 if self.reveal in _MAY_HIDE else MAX_CARDS

    @property
    def turns_allowed(self) -> int:
        """After how many turns time is up (after :meth:`resolve`)."""
        assert isinstance(self.length_limit, int)
        return self.length_limit

    @property
    def suits_matter(self) -> bool:
        """True if suits are dealt, chosen and seen: only if claims name them."""
        return self.claim_kind == ClaimKind.SUIT


FIELD_NAMES = Rules.field_names()
_MAY_HIDE = (Reveal.ANNOUNCED, Reveal.CHOICE)  # a call may leave extra cards face down
_WIDE = {  # rules that only wide observations show, but for single values of others
    field.name: field
    for field in dataclasses.fields(Rules)
    if field.name
    in (
        "missing",
        "burn",
        "hand_size",
        "surplus",
        "penalty",
        "force",
        "wild_ranks",
        "first_face_up",
        "after_passes",
        "pass_advances",
    )
}
