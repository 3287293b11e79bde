"""A game of a preset between scripted players, as ``bluff-env watch`` shows it, shortened for its page."""

from __future__ import annotations

import functools
from itertools import cycle, islice
from typing import NamedTuple

from bluff_env import drawing
from bluff_env.cheat.variants import find_variant, make_rules
from bluff_env.play.session import Session, Told
from bluff_env.policies import load_policy

PLAYERS = ("scripted/counter", "scripted/bluffer", "scripted/sharp")  # the seats take them in turn
SEED = 2
FIRST, LAST = 9, 4  # events that are shown, with the table before, between and after them


class Sample(NamedTuple):
    """A sample game.

    Attributes:
        text: the command that plays it, and the game in a block of text, as Markdown.
        picture: the table after the events at the beginning, with all cards, as SVG.
    """

    text: str
    picture: str


@functools.cache
def sample_game(variant: str) -> Sample:
    """The sample game of a preset."""
    rules, players = make_rules(variant), find_variant(variant).players[1]
    session = Session(rules, players, SEED, variant)
    policies = [load_policy(name, rules=rules, num_players=players) for name in islice(cycle(PLAYERS), players)]
    shown, first = session.picture(), len(session.story)
    for action in session.seat(policies, SEED):
        if session.step(action) and len(session.story) <= FIRST:
            middle, picture, first = session.picture(), session.snapshot(), len(session.story)
    rest = session.story[first:]
    left_out = max(0, len(rest) - LAST)
    if rest:
        shown += _block(session.story[:first]) + f"\n{middle}"
    if left_out:
        shown += f"\n\n... {left_out} more events ..."
    shown += _block(rest[left_out:] or session.story) + f"\n{session.picture()}"
    options = "".join(f" --policies {name}" for name in PLAYERS[:players])
    command = f"bluff-env watch --variant {variant} --players {players} --seed {SEED}{options}"
    text = f"The deal, the beginning and the end; the whole game: `{command}`\n\n```text\n{shown}\n```\n"
    return Sample(text, drawing.table_svg(rules, picture))


def _block(events: list[Told]) -> str:
    """Events, each on a line, between empty lines."""
    return "\n\n" + "".join(f"{event}\n" for event in events)
