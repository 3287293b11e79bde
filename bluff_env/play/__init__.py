"""A game as people meet it: played, told, taken back, recorded and looked at again."""
