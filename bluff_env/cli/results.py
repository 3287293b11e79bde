"""The end of a game, as the table that commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table

from bluff_env.cli.common import cell
from bluff_env.utils.numerals import number

if TYPE_CHECKING:
    from bluff_env.play.session import Session


def results_table(session: Session) -> Table:
    """Return how a game ended, or how it stands, with a row for each seat."""
    from bluff_env.policies.published import actual_name

    results, figures = session.game.results(), session.figures()
    turns, limit = results["turns"], " by the length limit" if results["length_limit"] else ""
    if session.deals > 1:
        turns, limit = session.turns, f" of {session.deals} deals"
    after = f"after {number(turns, 'turn')}"
    title = f"over {after}{limit}" if session.is_over else after
    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))  # 80 columns
    table.add_column("seat", no_wrap=True)
    if session.players:
        table.add_column("policy", overflow="fold")  # where room is short, its name is broken, and never a figure
    for column in figures[0]:
        longest = max(len(str(row[column])) for row in figures)
        table.add_column(column, justify="right", min_width=longest, overflow="fold")
    for seat, name in enumerate(session.names):
        played_by = [cell(actual_name(session.players[seat], session.num_players))] if session.players else []
        table.add_row(cell(name), *played_by, *figures[seat].values())
    return table
