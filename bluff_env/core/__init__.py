"""What every family of games shares: tables of fields, actions and parts, the driver, the engine, one game."""
