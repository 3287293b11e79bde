"""A game as people meet it: played, told, taken back, recorded and looked at again."""

PACE = 0.8  # seconds after each event, where a game is watched
