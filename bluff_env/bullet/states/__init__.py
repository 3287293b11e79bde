"""The states of Bluff the Bullet: snapshots, saved states, events, results, what is hidden from whom."""
