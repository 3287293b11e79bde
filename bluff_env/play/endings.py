"""The first line of the end of a game: who won, and why."""

from __future__ import annotations

from bluff_env.core.endings import result
from bluff_env.core.words import scores_in_words
from bluff_env.play.session import Session


def ending(session: Session, seat: int | None) -> str:
    """Return who won a game that is over and why, without a full stop: ``You won: you are out first``.

    Args:
        session: the game.
        seat: of the player who reads it, who is *you*; None for a watcher.
    """
    game = session.game
    if session.deals > 1:
        scores = scores_in_words(game.scores, session.names)
        return f"{result(game.scores, session.names, seat)} after {session.deals} deals: {scores}"
    return session.family.texts.describe_end(game.state, game.rule_row, session.names, seat)
