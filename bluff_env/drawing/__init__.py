"""Tables drawn with their cards: as SVG, and as a web page in which a recorded game can be stepped through.

from bluff_env import Position, drawing

position = Position("bullshit", 3)
...  # deal and play
drawing.table_svg(position.rules, position.snapshot(), reveal=False)  # what everybody at the table sees

Game records, positions and environments (``env.unwrapped``) show themselves in notebooks, hidden cards included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bluff_env.core.registry import family_of
from bluff_env.drawing.svg import draw


def table_svg(
    rules: Any,
    snapshot: Mapping[str, Any],
    names: Sequence[str] | None = None,
    reveal: bool = True,
    players: Sequence[str] = (),
) -> str:
    """A table as an SVG text.

    Args:
        rules: the rules of the game, or the name of a preset.
        snapshot: what ``snapshot()`` of an environment, an engine or a position returns.
        names: a name for each seat; ``player_0``, ``player_1`` ... by default.
        reveal: whether hidden cards are shown; otherwise the picture shows what everybody at the table sees.
        players: who plays at each seat, written below the names; may be empty.

    Raises:
        ValueError: if there are not as many names as seats.
    """
    picture = family_of(rules).texts.draw_game(snapshot, names, reveal)
    if players:
        seats = zip(picture.players, players, strict=True)
        picture = replace(picture, players=tuple(replace(p, notes=(who, *p.notes)) for p, who in seats))
    return draw(picture)


def seat_svg(rules: Any, view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return one player's view of a table as an SVG text: a function of that player's observation.

    Args:
        rules: the rules of the game, or the name of a preset.
        view: the player's observation by part, as ``decode_observation`` of an environment returns it.
        names: the name of every player, this player's own first and the others clockwise.
        to_act: whether this player decides now.
    """
    return draw(family_of(rules).texts.draw_seat(view, names, to_act))
