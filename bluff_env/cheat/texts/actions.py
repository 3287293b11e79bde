"""Actions of Cheat in words. A seat that an action names by ``+K`` becomes the player who sits there."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bluff_env.cheat.game.state import NOBODY, Phase
from bluff_env.cheat.rules import JOKER_NAME, RANK_NAMES
from bluff_env.cheat.states.snapshot import face_name
from bluff_env.utils.numerals import number

_RANK_WORDS = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
)  # fmt: skip
FACE_WORDS = {**dict(zip(RANK_NAMES, _RANK_WORDS, strict=True)), JOKER_NAME: "joker"}
SUIT_WORDS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}

_SENTENCES = {
    "commit": "{player} ends the play",
    "pass": "{player} passes",
    "take pile": "{player} takes the pile",
    "let": "{player} lets {play} stand",
    "call": "{player} calls {play} a lie",
    "believe": "{player} believes {play}",
    "check": "{player} looks at {play}",
    "wait": "{player} waits",
    "jump": "{player} wants to play at once",
    "keep": "{player} leaves the play as it is",
    "deal": "{player} deals honestly",
    "demand redeal": "{player} demands a new deal",
    "accept": "{player} accepts",
    "accuse": "{player} accuses {claimant} of a sleight",
}

_REVEALS = {"accept": "as many cards of {play} as were announced", "check": "all of {play}"}


def several(face: str) -> str:
    """``aces``, ``sixes``, ``jokers``."""
    word = FACE_WORDS[face]
    return word + ("es" if word.endswith("x") else "s")


def describe_action(g: np.void, r: np.void, name: str, seat: int, players: Sequence[str]) -> str:
    """Return what an action means if the player at ``seat`` takes it now, as a sentence without a full stop.

    Args:
        g: the state of the game, before the action.
        r: the row of its rules.
        name: the name of the action, as ``"place A"``.
        seat: the seat of the player who acts.
        players: the name of every seat.
    """
    player, claimant = players[seat], int(g["claimant"])
    bidder = int(g["bidder"]) if g["phase"] == Phase.BID else NOBODY
    play = "the last play" if claimant == NOBODY else f"{players[claimant]}'s play"
    if name == "call" and bidder != NOBODY:
        return f"{player} calls {players[bidder]}'s bid"
    if g["phase"] == Phase.FORCED:
        return f"{player} shows {'no card' if name == 'keep' else _card_words(name.rpartition(' ')[2])}"
    if name == "accuse" and r["force"]:
        return f"{player} forces {players[claimant]} to show {_card_words(face_name(int(g['claim_face']), False))}"
    if g["phase"] == Phase.ANSWER and name == "accuse":  # of the player who was called, maybe on an older play
        return f"{player} says that {players[g['play_player'][g['called_play']]]} has switched a card"
    if g["phase"] == Phase.REVEAL:
        return f"{player} turns {_REVEALS[name].format(play=play_of_call(g, players))} over"
    if name == "call" and r["silent"]:
        return f"{player} turns {play} over"
    if name in _SENTENCES:
        return _SENTENCES[name].format(player=player, play=play, claimant=_name(claimant, players))
    verb, _, what = name.rpartition(" ")
    if verb == "claim":
        return f"{player} claims {several(what)}"
    if verb == "claim suit":
        return f"{player} claims {SUIT_WORDS[what]}"
    if verb == "place":
        return f"{player} {_laying(g, r).format(card=_card_words(what))}"
    if verb == "count":
        return f"{player} announces {number(int(what), 'card')}"
    if verb == "call":
        latest = f"the latest play of {_seat_name(what, seat, players)}"
        return f"{player} turns {latest} over" if r["silent"] else f"{player} calls {latest} a lie"
    if verb == "bid":
        return f"{player} bids {what}"
    if verb == "set aside":
        return f"{player} sets the {several(what)} aside"
    if verb == "hide":
        return f"{player} hides {_card_words(what)} in their lap"
    if verb == "slip":
        return f"{player} picks {_card_words(what)} to slip to another player"
    if verb == "switch":
        return f"{player} takes {_card_words(what)} out of the play"
    if verb == "short deal":
        return f"{player} deals themselves {number(int(what), 'card')} too few"
    if verb == "to":
        return f"{player} slips it to {_seat_name(what, seat, players)}"
    if verb == "peek":
        return f"{player} peeks at a card of {_seat_name(what, seat, players)}"
    return f"{player}: {re.sub(r'[+]([0-9]+)', lambda k: _seat_name(k[0], seat, players), name)}"


def _laying(g: np.void, r: np.void) -> str:
    """``places {card} face down``; or what else becomes of a card that the player to act has chosen."""
    if g["phase"] == Phase.GIVE:
        return "gives {card} away"
    if g["phase"] == Phase.SWITCH_WITH:
        return "puts {card} into the play"
    # before a card is placed a leader who is free to claim either claims, or lays a card face up (S35)
    if g["phase"] == Phase.TURN and r["first_face_up"] and g["leading"] and int(g["claims"]).bit_count() > 1:
        return "places {card} face up"
    return "places {card} face down"


def play_of_call(g: np.void, players: Sequence[str]) -> str:
    """``anna's play``: the one that is called."""
    return f"{players[g['play_player'][g['called_play']]]}'s play"


def _name(seat: int, players: Sequence[str]) -> str:
    return "the last player" if seat == NOBODY else players[seat]


def _seat_name(relative: str, seat: int, players: Sequence[str]) -> str:
    """Return the player who sits at ``+K``, or ``+K`` itself at a smaller table."""
    return players[(seat + int(relative)) % len(players)] if int(relative) < len(players) else relative


def _card_words(card: str) -> str:
    """``an ace``, or ``the ace of clubs``."""
    if card in FACE_WORDS:
        word = FACE_WORDS[card]
        return f"{'an' if word[0] in 'ae' else 'a'} {word}"
    return f"the {FACE_WORDS[card[0]]} of {SUIT_WORDS[card[1]]}"
