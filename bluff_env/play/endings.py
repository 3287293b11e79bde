"""The first line of the end of a game: who won, and why."""

from __future__ import annotations

from bluff_env.play.session import Session


def ending(session: Session, seat: int | None) -> str:
    """Return who won a game that is over and why, without a full stop: ``You won: you are out first``.

    Args:
        session: the game.
        seat: of the player who reads it, who is *you*; None for a watcher.
    """
    game = session.game
    return session.family.texts.describe_end(game.state, game.rule_row, session.names, seat)
