"""Errors in one sentence, checks of arguments, files, provenance, jobs, progress: nothing that knows a game."""
