"""The end of a game, as the table that commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table

from bluff_env.cli.common import cell

if TYPE_CHECKING:
    from bluff_env.play.session import Session


def results_table(session: Session) -> Table:
    """Return how a game ended, or how it stands, with a row for each seat."""
    from bluff_env.policies.published import actual_name

    results, figures = session.game.results(), session.figures()
    turns, limit = results["turns"], " by the length limit" if results["length_limit"] else ""
    if session.deals > 1:
        turns, limit = session.turns, f" of {session.deals} deals"
    title = f"over after {turns} turns{limit}" if session.is_over else f"after {turns} turns"
    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))  # 80 columns
    left = ("seat", "policy")[: 2 if session.players else 1]
    for column in (*left, *figures[0]):
        table.add_column(column, justify="left" if column in left else "right", no_wrap=column in left)
    for seat, name in enumerate(session.names):
        played_by = [cell(actual_name(session.players[seat], session.num_players))] if session.players else []
        table.add_row(name, *played_by, *figures[seat].values())
    return table
