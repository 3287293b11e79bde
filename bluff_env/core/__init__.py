"""The base of every family of games: tables of fields, actions and parts, the driver, the engine, one game."""
