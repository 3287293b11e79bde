"""One player's knowledge in a game of Cheat as plain text: a function of that player's observation alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bluff_env.cheat.game.state import CHAMBERS, NUM_FACES, Stat
from bluff_env.cheat.observe import ObservedPhase
from bluff_env.cheat.rules import JOKER_NAME, NUM_RANKS, NUM_SUITS, RANK_NAMES, SLEIGHTS, SUIT_NAMES, ClaimKind
from bluff_env.cheat.states.snapshot import face_name
from bluff_env.cheat.texts.rules import listing, plural
from bluff_env.cheat.texts.table import MAX_FACES, indented
from bluff_env.utils.numerals import number

WIDTH = 79  # columns
_YOURS = {
    ObservedPhase.TURN: "your turn",
    ObservedPhase.PLACE: "your play",
    ObservedPhase.COUNT: "announce a number",
    ObservedPhase.WINDOW: "{claimant} has played",
    ObservedPhase.BID: "bid, or call the last bid",
    ObservedPhase.TICK: "play, or wait",
    ObservedPhase.SLIP_TO: "who gets the card?",
    ObservedPhase.SWITCH: "you are called: switch a card, or keep the play",
    ObservedPhase.SWITCH_WITH: "which card of your hand goes there instead?",
    ObservedPhase.ANSWER: "you lose this call: accept it, or say that a card was switched",
    ObservedPhase.GIVE: "which card do you give away?",
    ObservedPhase.SHORT_DEAL: "you deal",
    ObservedPhase.DEMAND: "accept the deal, or demand a new one",
    ObservedPhase.FORCED: "you are forced: show a card of the claimed rank, or keep your hand to yourself",
    ObservedPhase.REVEAL: "you have called: accept the number and turn over as many cards, or check all",
}
_OTHERS = {
    ObservedPhase.TURN: "{turn} is to play",
    ObservedPhase.WINDOW: "{claimant} has played",
    ObservedPhase.OVER: "the game is over",
    ObservedPhase.TICK: "anybody may play",
}
_LEDGERS = ("drinks", "slaps")  # parts of the observation that count something of each player
_NOTICES = ("something about the hands", "a thick stack", "a switch")
_OWN_PLAY = (ObservedPhase.TURN, ObservedPhase.PLACE)


def render_seat(view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return what one player sees and knows as several lines of text.

    Args:
        view: the player's observation, by part.
        names: the name of every player, this player's own first and the others clockwise.
        to_act: whether this player decides now.
    """
    lines = [f"-- {title(view, names, to_act)} --", *indented([*claims(view, names), *_pile(view)])]
    lines += _players(view, names)
    lines += indented([*_certain(view, names), *knowledge(view, names), *sleights(view, names), *_hand(view)])
    return "\n".join(part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="      "))


def _face(view: Mapping[str, Any], face: int) -> str:
    return face_name(int(face), view["rules.claim_kind"] == ClaimKind.SUIT)


def _cards(view: Mapping[str, Any], counts: Iterable[int]) -> str:
    """Return cards by face, as ``77 J``."""
    return " ".join(_alike(_face(view, face), int(n)) for face, n in enumerate(counts) if n)


def _ranks(counts: Iterable[int]) -> str:
    """Return cards by rank, likewise."""
    return " ".join(_alike(rank, int(n)) for rank, n in zip((*RANK_NAMES, JOKER_NAME), counts, strict=True) if n)


def _alike(face: str, n: int) -> str:
    return " ".join([face] * n) if face == JOKER_NAME else face * n


def title(v: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return the present situation in words."""
    phase = ObservedPhase(v["phase"])
    claimant = names[v["claimant"] - 1] if v["claimant"] else "nobody"
    turn = names[v["turn"] - 1] if v["turn"] else "nobody"
    sentence = _YOURS[phase] if to_act else _OTHERS.get(phase, "the others decide")
    return sentence.format(claimant=claimant, turn=turn)


def claims(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the last claim, the claims allowed next, and the last bid."""
    lines = []
    if v["last_claim"]:
        claim = f"{v['last_count']} {plural(_face(v, v['last_claim'] - 1), v['last_count'])}"
        lines.append(f"last claim: {claim}" + (f" by {names[v['claimant'] - 1]}" if v["claimant"] else ""))
    faces = [_face(v, face) for face in range(NUM_FACES) if v["claims"][face]]
    if faces and ObservedPhase(v["phase"]) in (*_OWN_PLAY, ObservedPhase.TICK):
        free = len(faces) > MAX_FACES and len(faces) >= v["rules.claimable"]
        lines.append(f"next claim: {'anything' if free else listing((plural(f) for f in faces), 'or')}")
    if v["bid"]:
        shown = f", who showed {v['bid_shown']}" if v["bid_shown"] else ""
        lines.append(f"last bid: {v['bid']} by {names[v['bidder'] - 1]}{shown}")
    return lines


def _pile(v: Mapping[str, Any]) -> list[str]:
    known = _cards(v, v["pile_known"])
    plays = f" in {number(v['pile_plays'], 'play')}" if v["pile_plays"] else ""
    lines = [f"pile: {number(v['pile_size'], 'card')}{plays}" + (f"; you know of {known}" if known else "")]
    lines += [f"stock: {number(v['stock'], 'card')}"] if v.get("rules.draws") else []
    shown = _suited_cards(v["shown_cards"]) if v["shown_cards"].any() else _ranks(v["shown"])
    return lines + ([f"turned over last: {shown}"] if shown else [])


def _suited_cards(counts: Sequence[int]) -> str:
    """Return cards by rank and suit, as ``7C 7H JS``."""
    ranks = [
        " ".join(
            RANK_NAMES[rank] + SUIT_NAMES[suit]
            for suit in range(NUM_SUITS)
            for _ in range(counts[rank * NUM_SUITS + suit])
        )
        for rank in range(NUM_RANKS)
    ]
    return " ".join(filter(None, ranks))


def _players(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    width = max(map(len, names))
    lines = []
    for k, name in enumerate(names):
        size, *notes = remarks(v, k)
        notes = [f"{size:>8}", *notes]
        lines.append(f"{'>' if v['turn'] == k + 1 else ' '} {name:{width}}  {', '.join(notes)}".rstrip())
    return lines


def remarks(v: Mapping[str, Any], k: int) -> list[str]:
    """Return the facts about the ``k``-th player from the left (0: oneself), the size of their hand first."""
    called, caught = v["record"][k][Stat.CALLED], v["record"][k][Stat.LIES_SHOWN]
    revolver = bool(v.get("rules.revolver"))
    dead = revolver and not v["alive"][k]
    out = "safe" if v.get("rules.first_call") else f"out, place {v['places'][k]}"
    notes = [out if v["places"][k] else number(v["hand_sizes"][k], "card")]
    if dead:
        notes = ["dead"]
    elif revolver:
        notes += [f"{v['pulls'][k]} of {CHAMBERS} pulled"]
    notes += [f"caught {caught} of {called}"] if called else []
    notes += ["passed"] if v["passed"][k] else []
    notes += ["took cards"] if "picked_up" in v and v["picked_up"][k] else []
    notes += ["ally"] if v["allies"][k] else []
    notes += ["dealer"] if v["dealer"] == k + 1 else []
    notes += [number(v[name][k], name.removesuffix("s")) for name in _LEDGERS if v[name][k]]
    if v["latest_faces"][k]:
        count = v["latest_counts"][k]
        notes.append(f"latest: {count} {plural(_face(v, v['latest_faces'][k] - 1), count)}")
    return notes


def _certain(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the cards that others certainly hold."""
    others = zip(names[1:], v["certain"], strict=False)  # an engine may have more seats than players
    return [f"{name} certainly holds {_cards(v, row)}" for name, row in others if row.any()]


def knowledge(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the other hidden cards that the player knows for certain."""
    lines = []
    if v["checked_player"]:
        lines.append(f"you looked at {names[v['checked_player'] - 1]}'s play: {_cards(v, v['checked'])}")
    if v["removed_known"].any():
        lines.append(f"out of the game, as far as you know: {_cards(v, v['removed_known'])}")
    return lines + ([f"the King's cup: {v['cup']}"] if v["cup"] else [])


def sleights(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return everything that the player did, noticed, saw and received in secret."""
    noticed = [what for what, seen in zip(_NOTICES, v["notices"], strict=True) if seen]
    done = [name for name, was in zip(SLEIGHTS, v["sleights_done"], strict=True) if was]
    lines = [f"you noticed {listing(noticed)}"] if noticed else []
    lines += [f"done this turn: {listing(done)}"] if done else []
    lines += [f"somebody slipped you a card: {_face(v, v['received'] - 1)}"] if v["received"] else []
    if v["peeked"]:
        lines.append(f"you peeked at a card of {names[v['peeked_player'] - 1]}: {_face(v, v['peeked'] - 1)}")
    if v["due"] and v["due"] != v["turn"]:
        lines.append(f"by right it is the turn of {names[v['due'] - 1]}")
    return lines + ([f"in your lap: {_ranks(v['lap'])}"] if v["lap"].any() else [])


def _hand(v: Mapping[str, Any]) -> list[str]:
    suited = v["hand_cards"].any()
    hand = _suited_cards(v["hand_cards"]) if suited else _ranks(v["hand"])
    if suited and v["hand"][-1]:
        hand = f"{hand} {_alike(JOKER_NAME, int(v['hand'][-1]))}"
    lines = [f"your hand: {hand or 'no cards'}"]
    if v["placed"].any() or v["own_claim"]:
        claim = f", claimed as {plural(_face(v, v['own_claim'] - 1))}" if v["own_claim"] else ""
        lines.append(f"your play: {_ranks(v['placed']) or 'no cards yet'}{claim}")
    return lines
