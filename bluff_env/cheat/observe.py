"""The observation of Cheat: one table of named parts, and the function that writes them.

An observation is a vector of int16 of fixed length for a given number of ``seats`` (at least the number of players; 10
fits every game). Seats are relative: 0 is oneself, 1 the next seat clockwise. Faces are ranks A 2 ... K (suits C D H S
where suits are claimed), then the joker. Nothing that the player cannot know is in it: see
``tests/cheat/test_leaks.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bluff_env.cheat.game.knowledge import called_play_start, most_placed
from bluff_env.cheat.game.legal import is_own_play
from bluff_env.cheat.game.state import LAST_CHANCE_PHASE, NUM_FACES, NUM_STATS, Event, Phase, Sleight, Stat
from bluff_env.cheat.game.table import is_callable, latest_play
from bluff_env.cheat.rules import (
    MAX_CARDS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_NAMES,
    SLEIGHTS,
    SUIT_NAMES,
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
    Turns,
    Window,
)
from bluff_env.jit import kernel
from bluff_env.parts import Part, copy_part, copy_relative, relative, zero_part

OBSERVATION_DTYPE = np.int16
NUM_CARDS = NUM_RANKS * NUM_SUITS
NUM_SLEIGHTS = len(SLEIGHTS)
# Room for phases and events to come, so that networks keep their size when rules are added.
NUM_PHASES = 16
NUM_EVENT_KINDS = 32
MOST = 32767


Varies = Callable[[Rules], bool]


def _always(rules: Rules) -> bool:
    return True


def _never(rules: Rules) -> bool:
    return False


def _suits(rules: Rules) -> bool:
    return rules.suits_matter


def _stays_open(rules: Rules) -> bool:
    return rules.callers == Callers.NEXT or rules.turns == Turns.JUMP_IN


def _uses(*sleights: str) -> Varies:
    return lambda rules: any(name in rules.sleights for name in sleights)


def _jump_in(rules: Rules) -> bool:
    return rules.turns == Turns.JUMP_IN


def _take_pile(rules: Rules) -> bool:
    return rules.take_pile


def _passing(rules: Rules) -> bool:
    return rules.passing


def _repeats(rules: Rules) -> bool:
    return rules.next_claim == NextClaim.REPEAT


def _check(rules: Rules) -> bool:
    return rules.check


def _drinks(rules: Rules) -> bool:
    return rules.drinks_weight != 0


def _slaps(rules: Rules) -> bool:
    return rules.slaps


def _older_plays(rules: Rules) -> bool:
    return rules.callers == Callers.PILE


def _rush(rules: Rules) -> bool:
    return rules.window == Window.RUSH


def _cup(rules: Rules) -> bool:
    return rules.cup and rules.cup_weight != 0


def _teams(rules: Rules) -> bool:
    return rules.teams is not None


def _bids(rules: Rules) -> bool:
    return rules.starter == Starter.BID


# The rule set as the network sees it: field, kind, greatest value, value under resolved rules for so many players.
RULE_PARTS: tuple[tuple[str, str, int, Callable[[Rules, int], Any]], ...] = (
    ("num_players", "count", MAX_PLAYERS, lambda r, n: n),
    ("set_size", "count", 16, lambda r, n: r.set_size),
    ("ranks", "flag", 1, lambda r, n: [name in r.ranks for name in RANK_NAMES]),
    ("suits", "flag", 1, lambda r, n: [name in r.suits for name in SUIT_NAMES]),
    ("jokers", "count", 16, lambda r, n: r.jokers),
    ("joker_role", "category", len(JokerRole) - 1, lambda r, n: r.joker_role),
    ("starter", "category", len(Starter) - 1, lambda r, n: r.starter),
    ("direction", "category", len(Direction) - 1, lambda r, n: r.direction),
    ("first_claim_free", "flag", 1, lambda r, n: r.first_claim == "free"),
    ("steps", "flag", 1, lambda r, n: _step_flags(r)),
    ("claimable", "count", NUM_FACES, lambda r, n: len(r.faces)),
    ("claim_kind", "category", len(ClaimKind) - 1, lambda r, n: r.claim_kind),
    ("max_cards", "count", MAX_CARDS, lambda r, n: r.announced_limit),
    ("max_extra", "count", MAX_CARDS, lambda r, n: r.extra_limit),
    ("count", "category", len(Count) - 1, lambda r, n: r.count),
    ("reveal", "category", len(Reveal) - 1, lambda r, n: r.reveal),
    ("callers", "category", len(Callers) - 1, lambda r, n: r.callers),
    ("window", "category", len(Window) - 1, lambda r, n: r.window),
    ("after_right", "category", len(Follow) - 1, lambda r, n: r.after_right),
    ("after_wrong", "category", len(Follow) - 1, lambda r, n: r.after_wrong),
    ("next_claim", "category", len(NextClaim) - 1, lambda r, n: r.next_claim),
    ("passing", "flag", 1, lambda r, n: r.passing),
    ("take_pile", "flag", 1, lambda r, n: r.take_pile),
    ("check", "flag", 1, lambda r, n: r.check),
    ("believe", "flag", 1, lambda r, n: r.believe),
    ("full_set", "category", len(FullSet) - 1, lambda r, n: r.full_set),
    ("end", "category", len(End) - 1, lambda r, n: r.end),
    ("re_entry", "flag", 1, lambda r, n: r.re_entry),
    ("length_limit", "count", 30000, lambda r, n: r.length_limit),
    ("drinks_weight", "count", MOST, lambda r, n: _thousandths(r.drinks_weight)),
    ("slaps_weight", "count", MOST, lambda r, n: _thousandths(r.slaps_weight)),
    ("cup", "flag", 1, lambda r, n: r.cup),
    ("cup_weight", "count", MOST, lambda r, n: _thousandths(r.cup_weight)),
    ("teams", "count", MAX_PLAYERS, lambda r, n: len(set(r.teams or ()))),
    ("turns", "category", len(Turns) - 1, lambda r, n: r.turns),
    ("sleights", "flag", 1, lambda r, n: [name in r.sleights for name in SLEIGHTS]),
    ("notice_prob", "count", 1000, lambda r, n: _thousandths(r.notice_prob)),
    ("false_notice_prob", "count", 1000, lambda r, n: _thousandths(r.false_notice_prob)),
)


def _step_flags(rules: Rules) -> list[bool]:
    """Whether the claim may step down, stay, step up, or go anywhere."""
    anywhere = rules.steps == "any"
    return [*(anywhere or s in rules.steps for s in (-1, 0, 1)), anywhere]


def _thousandths(weight: float) -> int:
    """A weight of the reward as a small non-negative integer, enough to tell rule sets apart."""
    return min(MOST, round(abs(weight) * 1000))


def rule_features(rules: Rules, num_players: int) -> np.ndarray:
    """The rule set as int16 (size of all ``rules.*`` parts,), in the order of RULE_PARTS."""
    rules = rules.resolve(num_players)
    values: list[int] = []
    for _, _, _, value in RULE_PARTS:
        values += np.atleast_1d(np.asarray(value(rules, num_players), dtype=OBSERVATION_DTYPE)).tolist()
    return np.array(values, OBSERVATION_DTYPE)


def _game_parts(n: int) -> list[tuple[str, tuple[int, ...], str, int, float, Varies, str]]:
    """Name, shape, kind, greatest value, scale, when it varies and description of the parts for n seats, in order."""
    seat, face, e = n, NUM_FACES, 4 * n
    return [
        ("phase", (), "category", NUM_PHASES - 1, 1, _always, "what is decided; to others a turn is one phase"),
        ("turn", (), "category", seat, 1, _always, "whose turn it is (the claimant in a window): 0 nobody, 1 + seat"),
        ("dealer", (), "category", seat, 1, _always, "who dealt: 1 + seat"),
        ("clock", (), "count", 30000, 100, _always, "turns left before the game is a draw"),
        ("hand", (face,), "count", MAX_CARDS, 4, _always, "own hand by rank"),
        ("hand_cards", (NUM_CARDS,), "count", 4, 1, _suits, "own hand by card, AC AD AH AS 2C ..., where suits matter"),
        ("placed", (face,), "count", MAX_CARDS, 4, _always, "cards placed so far this turn (or to switch), by rank"),
        ("own_claim", (), "category", face, 1, _always, "the claim chosen this turn: 0 none, 1 + face"),
        ("hand_sizes", (n,), "count", MAX_CARDS, 5, _always, "hand sizes as all know them; one's own is exact"),
        ("pile_size", (), "count", MAX_CARDS, 20, _always, "cards in the pile as all know it"),
        ("pile_plays", (), "count", MAX_CARDS, 20, _always, "plays in the pile"),
        ("places", (n,), "category", n, 1, _always, "the place of who is out: 0 none"),
        ("claims", (face,), "flag", 1, 1, _always, "faces that the coming (in a window: the last) play could claim"),
        ("last_claim", (), "category", face, 1, _always, "the last claim: 0 none, 1 + face"),
        ("last_count", (), "count", MAX_CARDS, 4, _always, "the number announced with it"),
        ("claimant", (), "category", seat, 1, _always, "who made it: 0 nobody, 1 + seat"),
        ("final_play", (), "flag", 1, 1, _always, "the last play emptied the claimant's hand, and can still be called"),
        ("open_play", (), "flag", 1, 1, _stays_open, "the last play can still be doubted"),
        ("leading", (), "flag", 1, 1, _always, "nobody has played since the round began"),
        ("took_pile", (), "flag", 1, 1, _take_pile, "the pile was taken this turn"),
        ("passed", (n,), "flag", 1, 1, _passing, "who passed since the last play"),
        ("times_caught", (), "count", 2, 1, _repeats, "lies in a row on this claim"),
        ("pile_known", (face,), "count", MAX_CARDS, 4, _always, "cards in the pile that one knows, by face"),
        ("checked", (face,), "count", MAX_CARDS, 4, _check, "the play one looked at last, by face"),
        ("checked_player", (), "category", seat, 1, _check, "whose play that was: 0 nobody, 1 + seat"),
        ("removed_known", (face,), "count", MAX_CARDS, 4, _leaves_game, "cards one knows are out of the game, by face"),
        ("certain", (n - 1, face), "count", MAX_CARDS, 4, _always, "cards each other certainly holds, by face"),
        ("record", (n, NUM_STATS), "count", MOST, 10, _always, "public record of each seat: " + _stat_names()),
        ("shown", (face,), "count", MAX_CARDS, 4, _always, "the cards last turned over, by rank"),
        ("shown_cards", (NUM_CARDS,), "count", 4, 1, _suits, "the same by card, where suits matter"),
        ("drinks", (n,), "count", MOST, 20, _drinks, "drinks of each seat, if they enter the reward"),
        ("slaps", (n,), "count", MOST, 20, _slaps, "slaps of each seat"),
        ("event_kinds", (e,), "category", NUM_EVENT_KINDS - 1, 1, _always, "public events, latest first: " + _events()),
        ("event_players", (e,), "category", seat, 1, _always, "who: 0 nobody, 1 + seat"),
        ("event_faces", (e,), "category", face, 1, _always, "the face named: 0 none, 1 + face"),
        ("event_counts", (e,), "count", MAX_CARDS, 4, _always, "the number announced, or the size of the pile"),
        ("event_others", (e,), "category", seat, 1, _always, "the claimant called or checked: 0 nobody, 1 + seat"),
        ("bid", (), "count", 16, 4, _bids, "the last opening bid"),
        ("bidder", (), "category", seat, 1, _bids, "who made it: 0 nobody, 1 + seat"),
        ("bid_shown", (), "count", 16, 4, _bids, "how many of the highest rank he held when the bid was called"),
        ("latest_faces", (n,), "category", face, 1, _older_plays, "each seat's latest play that can be called"),
        ("latest_counts", (n,), "count", MAX_CARDS, 4, _older_plays, "the number announced with it"),
        ("must_play", (), "flag", 1, 1, _rush, "the player in turn has jumped: he may neither pass nor take the pile"),
        ("cup", (), "count", MOST, 4, _cup, "what is in the King's cup, if it enters the reward"),
        ("cup_drunk", (n,), "count", MOST, 4, _cup, "what each seat has drunk of it"),
        ("allies", (n,), "flag", 1, 1, _teams, "who is in one's own team, besides oneself"),
        ("idle_ticks", (), "count", n, 4, _jump_in, "ticks in a row in which all waited"),
        ("notices", (3,), "flag", 1, 1, _uses(*SLEIGHTS), "what one noticed last: hands, a thick stack, a switch"),
        ("sleights_done", (len(SLEIGHTS),), "flag", 1, 1, _uses(*SLEIGHTS), "own sleights this turn"),
        ("lap", (face,), "count", MAX_CARDS, 4, _uses("hide"), "cards in one's lap, by rank"),
        ("received", (), "category", face, 1, _uses("slip"), "the card just slipped into one's hand: 0 none, 1 + face"),
        ("peeked", (), "category", face, 1, _uses("peek"), "the card one peeked at last: 0 none, 1 + face"),
        ("peeked_player", (), "category", seat, 1, _uses("peek"), "whose card that was: 0 nobody, 1 + seat"),
        ("due", (), "category", seat, 1, _uses("out of turn"), "whose turn it is by right: 0 nobody, 1 + seat"),
    ]


def _leaves_game(rules: Rules) -> bool:
    return rules.passing or rules.believe or rules.full_set != FullSet.KEEP


def _stat_names() -> str:
    return ", ".join(s.name.lower().replace("_", " ") for s in Stat)


def _events() -> str:
    return ", ".join(f"{e.value} {e.name.lower().replace('_', ' ')}" for e in Event)


def layout(seats: int = MAX_PLAYERS) -> dict[str, Part]:
    """Every part of the observation vector for so many seats, by name, in order."""
    parts: dict[str, Part] = {}
    at = 0

    def add(name: str, shape: Any, kind: str, high: int, scale: float, varies: Varies, doc: str) -> None:
        nonlocal at
        size = int(np.prod(shape, dtype=int))
        parts[name] = Part(name, at, at + size, tuple(shape), kind, high, float(scale), varies, doc)
        at += size

    for row in _game_parts(seats):
        add(*row)
    for field, kind, high, value in RULE_PARTS:
        shape = np.shape(value(_SAMPLE_RULES, 4))
        doc = f"the rule `{field}` (see Rules)"
        add(f"rules.{field}", shape, kind, high, high if kind == "count" else 1, _never, doc)
    return parts


_SAMPLE_RULES = Rules().resolve(4)


def observation_size(seats: int) -> int:
    """Length of the observation vector for so many seats."""
    return max(part.stop for part in layout(seats).values())


@kernel
def copy_rows(rows, start, stop, out, at):
    """Writes some rows, one after the other; says where the next part begins."""
    for row in range(start, stop):
        at = copy_part(rows[row], out, at)
    return at


@kernel
def copy_seats(values, r, me, seats, out, at):
    """Writes one value a seat, one's own first, zeros beyond the players; says where the next part begins."""
    n = r.num_players
    part = out[at : at + seats]
    for i in range(seats):
        part[i] = 0
    for i in range(n - me):
        part[i] = min(MOST, values[me + i])
    for i in range(me):
        part[n - me + i] = min(MOST, values[i])
    return at + seats


@kernel
def observe(g, r, features, me, seats, out):
    """Writes what player ``me`` knows into ``out``, an int16 vector of ``observation_size(seats)``."""
    at = write_situation(g, r, me, out)
    at = write_hand(g, r, me, out, at)
    at = write_table(g, r, me, seats, out, at)
    at = write_claims(g, r, me, seats, out, at)
    at = write_knowledge(g, r, me, seats, out, at)
    at = write_record(g, r, me, seats, out, at)
    at = write_events(g, r, me, seats, out, at)
    at = write_rarer(g, r, me, seats, out, at) if r.rarer else zero_part(5 + 4 * seats, out, at)
    at = write_sleights(g, r, me, out, at)
    copy_part(features, out, at)


@kernel
def write_situation(g, r, me, out):
    """phase, turn, dealer, clock: of another's turn one sees that it is his, not how far he is."""
    phase = 0
    if g.phase > LAST_CHANCE_PHASE:
        phase = g.phase - LAST_CHANCE_PHASE - 1
    if g.turn != me and is_own_play(g):
        phase = 0
    if g.phase == Phase.SWITCH_WITH and g.to_act != me:
        phase -= 1  # he may still keep his play
    out[0] = phase
    out[1] = relative(r, g.turn, me)
    out[2] = relative(r, g.dealer, me)
    out[3] = max(0, r.length_limit - g.turns)
    return 4


@kernel
def write_hand(g, r, me, out, at):
    """hand, hand_cards, placed, own_claim."""
    at = copy_part(g.held[me], out, at)
    at = copy_part(g.hand[me, :NUM_CARDS], out, at) if r.suited else zero_part(NUM_CARDS, out, at)
    placed = out[at : at + NUM_FACES]
    for rank in range(NUM_FACES):
        placed[rank] = 0
    mine = g.turn == me
    if mine:
        for i in range(g.pile_size, g.pile_size + g.placed):
            placed[g.pile_cards[i] // NUM_SUITS] += 1
    if g.to_act == me and g.phase == Phase.SWITCH:
        start = called_play_start(g)
        for i in range(start, start + g.play_size[g.called_play]):
            placed[g.pile_cards[i] // NUM_SUITS] += 1
    elif g.to_act == me and g.phase == Phase.SWITCH_WITH:
        placed[g.switched // NUM_SUITS] = 1
    at += NUM_FACES
    out[at] = g.own_claim + 1 if mine and is_own_play(g) else 0
    return at + 1


@kernel
def write_table(g, r, me, seats, out, at):
    """hand_sizes, pile_size, pile_plays, places."""
    sizes = at
    at = copy_seats(g.apparent_hand, r, me, seats, out, at)
    out[sizes] = g.hand_size[me]
    out[at] = min(MAX_CARDS, g.apparent_pile)
    out[at + 1] = g.num_plays
    at += 2
    places = out[at : at + seats]
    for i in range(seats):
        places[i] = 0
    for i in range(g.num_finished):
        places[relative(r, g.finished[i], me) - 1] = i + 1
    for i in range(g.num_fallen):
        places[relative(r, g.fallen[i], me) - 1] = r.num_players - i
    return at + seats


@kernel
def write_claims(g, r, me, seats, out, at):
    """claims ... times_caught: what was claimed and what may be."""
    claims = out[at : at + NUM_FACES]
    mask = g.claims
    for face in range(NUM_FACES):
        claims[face] = (mask >> face) & 1
    at += NUM_FACES
    out[at] = g.claim_face + 1
    out[at + 1] = g.claim_count
    out[at + 2] = relative(r, g.claimant, me)
    callable_play = g.phase == Phase.WINDOW or g.open_play != 0
    out[at + 3] = 1 if callable_play and g.hand_size[g.claimant] == 0 else 0
    out[at + 4] = g.open_play
    out[at + 5] = g.leading
    out[at + 6] = g.took_pile
    at += 7
    passed = out[at : at + seats]
    seat = me
    for i in range(seats):
        passed[i] = (g.passed >> seat) & 1 if i < r.num_players else 0
        seat = seat + 1 if seat + 1 < r.num_players else 0
    out[at + seats] = min(2, g.times_caught)
    return at + seats + 1


@kernel
def write_knowledge(g, r, me, seats, out, at):
    """pile_known ... certain: what one knows of cards that lie face down."""
    at = copy_part(g.known_pile[me], out, at)
    at = copy_part(g.checked[me], out, at)
    out[at] = relative(r, g.checked_player[me], me)
    at = copy_part(g.known_removed[me], out, at + 1)
    certain = at
    at = copy_rows(g.certain[me], me + 1, r.num_players, out, at)
    at = copy_rows(g.certain[me], 0, me, out, at)
    if g.loss_pending and g.claimant != me:  # what he has just played face down may be among it
        most = most_placed(g, r)
        row = certain + (relative(r, g.claimant, me) - 2) * NUM_FACES
        for i in range(row, row + NUM_FACES):
            out[i] = max(0, out[i] - most)
    return zero_part((seats - r.num_players) * NUM_FACES, out, at)


@kernel
def write_record(g, r, me, seats, out, at):
    """record, shown, shown_cards, drinks, slaps."""
    at = copy_rows(g.stats, me, r.num_players, out, at)
    at = copy_rows(g.stats, 0, me, out, at)
    at = zero_part((seats - r.num_players) * NUM_STATS, out, at)
    at = copy_part(g.shown_ranks, out, at)
    at = copy_part(g.shown[:NUM_CARDS], out, at) if r.suited else zero_part(NUM_CARDS, out, at)
    if r.drinks_weight != 0:
        at = copy_seats(g.drinks, r, me, seats, out, at)
    else:  # S7: they would tell how many cards a pile had of which nobody knows the number
        at = zero_part(seats, out, at)
    return copy_seats(g.slaps, r, me, seats, out, at)


@kernel
def write_sleights(g, r, me, out, at):
    """idle_ticks ... due: games without turns, and what one did, noticed, saw and got in secret."""
    out[at] = g.idle_ticks
    at += 1
    if not r.sleights:
        return zero_part(3 + NUM_SLEIGHTS + NUM_FACES + 4, out, at)
    for bit in range(3):
        out[at + bit] = (g.noticed[me] >> bit) & 1
    at += 3
    for bit in range(NUM_SLEIGHTS):
        out[at + bit] = (g.done >> bit) & 1 if g.turn == me and is_own_play(g) else 0
    at += NUM_SLEIGHTS
    for rank in range(NUM_FACES):
        out[at + rank] = 0
    if r.sleights & Sleight.HIDE:
        for kind in range(NUM_CARDS + 1):
            out[at + kind // NUM_SUITS] += g.lap[me, kind]
    at += NUM_FACES
    out[at] = g.received[me]
    out[at + 1] = g.peeked[me]
    out[at + 2] = relative(r, g.peeked_player[me], me) if g.peeked[me] else 0
    out[at + 3] = relative(r, g.due, me)
    return at + 4


@kernel
def write_events(g, r, me, seats, out, at):
    """The last 4 x seats public events, the latest first, a column a field."""
    n = 4 * seats
    first = g.latest_event
    players = r.num_players
    at = copy_part(g.events[0, first : first + n], out, at)
    at = copy_relative(g.events[1, first : first + n], me, players, out, at)
    at = copy_part(g.events[2, first : first + n], out, at)
    at = copy_part(g.events[3, first : first + n], out, at)
    return copy_relative(g.events[4, first : first + n], me, players, out, at)


@kernel
def write_rarer(g, r, me, seats, out, at):
    """bid ... allies: the parts of rules that most games do not have. (One function, for it compiles sooner.)"""
    zero_part(5 + 4 * seats, out, at)
    out[at] = g.bid
    out[at + 1] = relative(r, g.bidder, me)
    out[at + 2] = g.bid_shown
    faces = at + 3
    cup = faces + 2 * seats + 1
    cup_counts = r.cup != 0 and r.cup_weight != 0.0  # it tells how many kings a pile had (D13)
    out[cup - 1] = g.must_play
    out[cup] = min(MOST, g.cup) if cup_counts else 0
    for p in range(r.num_players):
        k = relative(r, p, me) - 1
        if r.callers == Callers.PILE and is_callable(g, p):
            play = latest_play(g, p)
            out[faces + k] = g.play_face[play] + 1
            out[faces + seats + k] = g.play_count[play]
        if cup_counts:
            out[cup + 1 + k] = min(MOST, g.cup_drunk[p])
        if r.num_teams > 0 and p != me and r.team[p] == r.team[me]:
            out[cup + 1 + seats + k] = 1
    return at + 5 + 4 * seats
