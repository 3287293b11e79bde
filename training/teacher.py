"""The teacher of a run where the configuration leaves the choice of it to the games that scripted players play."""

from __future__ import annotations

from dataclasses import replace

from bluff_env.tournaments import TournamentRun

from .config import STRONGEST, Config

DEALS = 30  # for each player of the pool, each played once from every seat
# Players who do the same whatever they hold. Some win much at mixed tables, at the cost of the others there, but what
# was learnt from them loses to everybody else.
NO_TEACHERS = ("scripted/always-call", "scripted/reckless", "scripted/random")


def with_teacher(config: Config) -> Config:
    """The same configuration with the name of its teacher: with that of the strongest player for ``"strongest"``."""
    return replace(config, kickstart=strongest(config)) if config.kickstart == STRONGEST else config


def strongest(config: Config) -> str:
    """The scripted player of the pool that wins most at mixed tables of all of them, in the first game of the run.

    Those in :data:`NO_TEACHERS` play along, and are taken only if there is nobody else. Which one it is differs between
    rule sets. It takes some seconds, and depends on nothing but the configuration.
    """
    if len(config.scripted) == 1:
        return config.scripted[0]
    rules, num_players = config.all_games[0]
    run = TournamentRun(config.scripted, rules, num_players, deals=DEALS, seed=config.seed)
    next(run.play())  # the mixed tables come first
    shares = {standing.policy: standing.win_share.value for standing in run.result().standings}
    return max(shares, key=lambda name: (name not in NO_TEACHERS, shares[name]))
