"""Cheat in words and pictures: rules, actions, whole moves, the table, what one player sees."""
