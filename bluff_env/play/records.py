"""Game records, checked and set up to be shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bluff_env.play.session import Session
    from bluff_env.record import GameRecord


def load_record(path: Path) -> GameRecord:
    """A game record that a replay has shown to be sound. Raises RecordError, which names the file."""
    from bluff_env.record import GameRecord, RecordError, replay

    game = GameRecord.load(path)
    try:
        replay(game)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None
    return game


def session_of(game: GameRecord) -> Session:
    """Return the session of a recorded game before its first step."""
    from bluff_env.play.session import Session

    of_match = game.deals if game.deals > 1 else None
    session = Session(game.rules, game.num_players, game.seed, game.variant, game.deal, game.names, of_match)
    session.players = game.players
    return session
