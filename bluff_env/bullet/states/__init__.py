"""What a state of Bluff the Bullet tells: snapshots, saved states, events, results, what is hidden from whom."""
