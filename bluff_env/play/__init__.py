"""A game as people meet it: played, told, taken back, recorded and looked at again."""

HUMAN = "human"  # who plays, in records
PACE = 0.8  # seconds after each event, where a game is watched
