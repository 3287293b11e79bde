"""Bluff the Bullet: rules, game, presets, observation, words and scripted players."""
