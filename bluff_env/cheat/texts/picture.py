"""A table of Cheat as a picture with cards: the whole of it, its public side, or one player's view.

The words are those of :mod:`bluff_env.cheat.texts.table` and :mod:`bluff_env.cheat.texts.seat`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bluff_env.cheat.rules import JOKER_NAME, RANK_NAMES, ClaimKind
from bluff_env.cheat.states.snapshot import card_of, face_name
from bluff_env.cheat.texts import seat as own
from bluff_env.cheat.texts import table as text
from bluff_env.cheat.texts.rules import plural
from bluff_env.core.endings import seat_names
from bluff_env.core.picture import FACE_DOWN, Cards, Picture, Place, known
from bluff_env.utils.numerals import number

# --- from a snapshot -------------------------------------------------------------------------------------------------


def draw_game(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> Picture:
    """Return a picture of the table; arguments and errors as :func:`bluff_env.cheat.texts.table.render_game`."""
    seats = seat_names(names, len(snapshot["hands"]))
    return Picture(
        text.title(snapshot, seats, reveal),
        (*text.claims(snapshot, seats), *text.ledgers(snapshot, seats, reveal)),
        _middle(snapshot, seats, reveal),
        tuple(_player(snapshot, seats, seat, reveal) for seat in range(len(seats))),
    )


def _middle(s: Mapping[str, Any], seats: list[str], reveal: bool) -> tuple[Place, ...]:
    """Return the pile, the cards turned over last, and those out of the game."""
    plays = [_play(play, seats, reveal) for play in s["pile"][-text.MAX_PLAYS :]]
    if reveal and s["placed"]:
        plays.append(Cards(tuple(s["placed"]), "being placed"))
    size = len(s["first_pile"]) + sum(len(play["cards"]) for play in s["pile"]) if reveal else s["apparent_pile"]
    if s["first_pile"]:
        plays.insert(0, Cards(tuple(s["first_pile"] if reveal else [FACE_DOWN] * len(s["first_pile"])), "of no play"))
    below = len(s["pile"]) - text.MAX_PLAYS
    notes = (f"the last {text.MAX_PLAYS} of {len(s['pile'])} plays",) if below > 0 else ()
    places = [Place(f"pile: {number(size, 'card')}", tuple(plays), notes)]
    if s["stock"] is not None:
        places.append(Place(f"stock: {number(s['stock'], 'card')}", ()))
    if s["shown"]:
        places.append(Place("turned over last", (Cards(tuple(s["shown"])),)))
    if reveal and s["removed"]:
        places.append(Place("out of the game", (Cards(tuple(s["removed"])),)))
    return tuple(places)


def _play(play: Mapping[str, Any], seats: list[str], reveal: bool) -> Cards:
    cards = play["cards"] if reveal else [FACE_DOWN] * play["claim"]["count"]
    return Cards(tuple(cards), f"{seats[play['player']]}: {text.play_text(play['claim'])}")


def _player(s: Mapping[str, Any], seats: list[str], seat: int, reveal: bool) -> Place:
    hand = s["hands"][seat] if reveal else [FACE_DOWN] * s["apparent_hands"][seat]
    cards = [Cards(tuple(hand))] if hand else []
    cards += [Cards(tuple(s["laps"][seat]), "lap")] if reveal and s["laps"][seat] else []
    notes = [text.size_of_hand(s, seat, reveal), *text.remarks(s, seats, seat, reveal)]
    return Place(seats[seat], tuple(cards), tuple(notes), seat == s["to_act"])


# --- from an observation ---------------------------------------------------------------------------------------------


def draw_seat(view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> Picture:
    """Return a picture of what one player sees; arguments as :func:`bluff_env.cheat.texts.seat.render_seat`."""
    return Picture(
        own.title(view, names, to_act),
        (*own.claims(view, names), *own.knowledge(view, names), *own.sleights(view, names)),
        _middle_as_seen(view),
        tuple(_player_as_seen(view, names, k) for k in range(len(names))),
    )


def _middle_as_seen(v: Mapping[str, Any]) -> tuple[Place, ...]:
    in_pile = _with_unknown(_faces(v, v["pile_known"]), v["pile_size"])
    plays = (number(v["pile_plays"], "play"),) if v["pile_plays"] else ()
    places = [Place(f"pile: {number(v['pile_size'], 'card')}", (Cards(in_pile),) if in_pile else (), plays)]
    if v.get("rules.draws"):
        places.append(Place(f"stock: {number(v['stock'], 'card')}", ()))
    shown = _cards(v["shown_cards"], v["shown"])
    return tuple(places + ([Place("turned over last", (Cards(shown),))] if shown else []))


def _player_as_seen(v: Mapping[str, Any], names: Sequence[str], k: int) -> Place:
    if k:
        hand = _with_unknown(_faces(v, v["certain"][k - 1]), v["hand_sizes"][k])
        groups = [Cards(hand)] if hand else []
    else:
        groups = _own_cards(v)
    return Place(names[k], tuple(groups), tuple(own.remarks(v, k)), v["turn"] == k + 1)


def _own_cards(v: Mapping[str, Any]) -> list[Cards]:
    """Return the player's hand, the cards that they are placing, and those in their lap."""
    claim = ""
    if v["own_claim"]:
        claim = f", claimed as {plural(face_name(v['own_claim'] - 1, v['rules.claim_kind'] == ClaimKind.SUIT))}"
    groups = {"": _cards(v["hand_cards"], v["hand"]), f"your play{claim}": _ranks(v["placed"]), "lap": _ranks(v["lap"])}
    return [Cards(cards, label) for label, cards in groups.items() if cards]


def _with_unknown(faces: Sequence[str], size: int) -> tuple[str, ...]:
    """Return cards that lie face down, the known ones among them first."""
    return (*map(known, faces), *[FACE_DOWN] * (size - len(faces)))


def _faces(v: Mapping[str, Any], counts: Iterable[int]) -> tuple[str, ...]:
    """Return the counted faces: ranks, or suits if suits are claimed."""
    suited = v["rules.claim_kind"] == ClaimKind.SUIT
    return tuple(face_name(face, suited) for face, n in enumerate(counts) for _ in range(n))


def _ranks(counts: Iterable[int]) -> tuple[str, ...]:
    ranks = zip((*RANK_NAMES, JOKER_NAME), counts, strict=True)
    return tuple(rank for rank, n in ranks for _ in range(n))


def _cards(by_card: Any, by_rank: Any) -> tuple[str, ...]:
    """Return cards with their suits if suits matter, else their ranks."""
    if not by_card.any():
        return _ranks(by_rank)
    jokers = (JOKER_NAME,) * int(by_rank[-1])
    return (*(card_of(kind) for kind, n in enumerate(by_card) for _ in range(n)), *jokers)
