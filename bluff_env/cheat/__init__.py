"""The Cheat family: rules, game, presets, observation, words and scripted players."""
