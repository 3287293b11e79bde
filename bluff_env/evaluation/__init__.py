"""Measuring policies: duplicate deals with intervals, tournaments, studies of lies and calls, deception."""
