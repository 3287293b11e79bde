"""What a state of Cheat tells: snapshots, saved states, events, results, what is hidden from whom."""
