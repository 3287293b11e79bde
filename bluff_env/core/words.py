"""One seat in words: its knowledge, and the move that a text means."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bluff_env.core.encoding import view_of_size
from bluff_env.core.family import Family, Move
from bluff_env.core.parts import MATCH_SCALE
from bluff_env.core.view import parts_of
from bluff_env.utils.errors import InputError, quoted
from bluff_env.utils.numerals import number, signed

WIDTH = 79  # columns
CALLS = ("cheat", "bullshit", "bs", "doubt", "challenge")  # what people say instead of "call"
# If an answer cannot be read, the first of these that is legal is chosen, else the first legal action.
HARMLESS = ("let", "pass", "believe", "keep", "accept", "wait", "deal", "take pile", "commit")


def clockwise(names: Sequence[str], seat: int) -> list[str]:
    """Return the names of all players, clockwise from a seat."""
    return [*names[seat:], *names[:seat]]


def view_of(family: Family, observation: np.ndarray) -> dict[str, Any]:
    """Return the parts of one whole raw observation by name, each in its own shape; single values as int."""
    return parts_of(observation, family.parts.layout(*view_of_size(family, len(observation))))


def seat_text(family: Family, view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return one player's knowledge in plain words: a function of their observation and nothing else.

    Args:
        family: of the game.
        view: the player's observation by part.
        names: of all players, clockwise from this one.
        to_act: whether the player has to decide.
    """
    own, *others = names
    players = [f"{own} (you)", *others]
    return "\n".join([*match_lines(view, players), family.texts.render_seat(view, players, to_act)])


def match_lines(view: Mapping[str, Any], players: Sequence[str]) -> list[str]:
    """Return the lines that tell of a match: the deal, the scores, and the tallies of the deals that are over.

    Args:
        view: a player's observation by part; a single deal has no such lines.
        players: the name of every player, this player's own first and the others clockwise.
    """
    if "match.deal" not in view:
        return []
    points = [(above - below) * view["match.deals"] / MATCH_SCALE for above, below in view["match.scores"].tolist()]
    scores = scores_in_words(points, players)
    lines = [f"deal {view['match.deal']} of {view['match.deals']}; scores: {scores}"]
    if np.any(view["match.plays"]) or any(points):
        lines += ["in the deals that are over:", *(f"  {who}: {_tallied(view, k)}" for k, who in enumerate(players))]
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="    ")]


def scores_in_words(scores: Sequence[float], names: Sequence[str]) -> str:
    """Return the scores of a match: ``Ada +1.00, Ben -0.50, Cleo -0.50``."""
    return ", ".join(f"{name} {signed(score, 2)}" for name, score in zip(names, scores, strict=True))


def _tallied(view: Mapping[str, Any], k: int) -> str:
    """Return what the deals that are over have shown of the player ``k`` seats clockwise."""
    names = ("plays", "lies", "truths", "right_calls", "wrong_calls", "won")
    plays, lies, truths, right, wrong, won = (int(view[f"match.{name}"][k]) for name in names)
    shown = f"{number(plays, 'play')}, shown to be lies {lies}, to be true {truths}"
    return f"{shown}; calls right {right}, wrong {wrong}; {number(won, 'deal')} won"


def read_move(text: str, family: Family, view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> Move:
    """Return the move that a text means: an action by name or its beginning, or a whole move such as ``7 7 J``.

    Args:
        text: what the player wrote. Players in it may be written by name or as in actions: ``+1`` is the next one.
        family: of the game.
        view: the player's observation by part.
        legal: the names of the actions that are legal now.
        names: of all players, clockwise from this one.

    Raises:
        InputError: for anything else; one sentence says why.
    """
    if not isinstance(text, str):
        raise InputError(f"a move is a text, not {quoted(text)}")
    name = " ".join(text.strip().lower().rstrip(".!").split())
    first, _, rest = name.partition(" ")
    if name == "i doubt it" or first in CALLS:
        name = "call" if name == "i doubt it" else f"call {rest}".strip()
    for distance, player in enumerate(names):
        name = re.sub(rf"\b{re.escape(player.lower())}\b", f"+{distance}", name)
    if exact := [action for action in legal if action.lower() == name]:
        return Move((exact[0],))
    move = family.texts.parse_move(name, view, legal, names)
    return move or Move((named(name, legal, family.game.action_names),))


def named(
    name: str,
    among: Sequence[str],
    every: Sequence[str],
    advice: str = "",
    say: Callable[[str], str] = str,
    typed: str | None = None,
) -> str:
    """Return the one of these actions that has this name, begins with it, or has it as one of its words.

    Args:
        name: in lower case.
        among: the names that are possible now.
        every: the names of all actions, to tell impossible ones from unreadable text.
        advice: the end of the error message.
        say: how actions are written in that message.
        typed: how the name was written, for that message; as ``name`` by default.

    Raises:
        InputError: if no action or several actions match.
    """
    found = [action for action in among if action.lower() == name]
    found = found or [action for action in among if name and action.lower().startswith(name)]
    found = found or [action for action in among if name in action.lower().split()]
    if len(found) == 1:
        return found[0]
    shown = quoted(name if typed is None else typed)
    if found:
        raise InputError(f"{shown} can be {' or '.join(map(say, found[:5]))}: type more of it")
    known = any(action.lower() == name for action in every)
    raise InputError(f"{shown} {'is not possible now' if known else 'cannot be read'}{advice}")


def harmless(legal: Sequence[str]) -> str:
    """Return the least harmful of some legal actions, for a player whose answer cannot be read."""
    return next((action for action in HARMLESS if action in legal), legal[0])
