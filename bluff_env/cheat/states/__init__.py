"""The states of Cheat: snapshots, saved states, events, results, what is hidden from whom."""
