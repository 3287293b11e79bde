"""The teachers of a run: whom the learner is drawn to at first, in each of its games."""

from __future__ import annotations

from collections.abc import Sequence

from bluff_env.evaluation.tournaments import TournamentRun
from bluff_env.policies import Policy
from bluff_env.policies.symmetric import SymmetricPolicy

from .config import PUBLISHED, STRONGEST, Config, ConfigError
from .games import Game, named_policy, published_for

# Of the mixed tables, each played once from every seat: for the game of a run, and for each of many
DEALS, DEALS_OF_MANY = 30, 10
# Players who do the same whatever they hold. Some win much at mixed tables, at the cost of the others there, but what
# was learnt from them loses to everybody else.
NO_TEACHERS = ("scripted/always-call", "scripted/reckless", "scripted/random")


def teachers_of(config: Config) -> list[str]:
    """The name of the teacher in each game of the run, empty where there is none; nothing for a run without teachers.

    For ``"strongest"`` it is :func:`strongest`, which takes some seconds, and some minutes for hundreds of games. For
    ``"published"`` it is the policy that was published for this game alone.

    Raises:
        ConfigError: if it is ``"published"``, and none of the games has such a policy.
    """
    if not config.kickstart:
        return []
    games = config.all_games
    if config.kickstart == PUBLISHED:
        policies = published_for()
        if not any(game in policies for game in games):
            raise ConfigError(f"kickstart={PUBLISHED}: no game of this run has a published policy of its own")
        return [policies.get(game, "") for game in games]
    if config.kickstart != STRONGEST:
        return [config.kickstart] * len(games)
    deals = DEALS if len(games) == 1 else DEALS_OF_MANY
    found: dict[Game, str] = {}
    for game in games:
        if game not in found:  # a game may be there more than once
            found[game] = strongest(config.scripted, game, deals, config.seed)
    return [found[game] for game in games]


def strongest(players: Sequence[str], game: Game, deals: int, seed: int) -> str:
    """Return the scripted player that wins most at mixed tables of all of them.

    Those in :data:`NO_TEACHERS` play along, and are taken only without an alternative. The result differs between
    rule sets, and depends on nothing but the arguments; a player that is named several times counts once.
    """
    names = list(dict.fromkeys(players))
    if len(names) == 1:
        return names[0]
    run = TournamentRun(names, *game, deals=deals, seed=seed)
    next(run.play())  # the mixed tables come first
    shares = {standing.policy: standing.win_share.value for standing in run.result().standings}
    return max(shares, key=lambda name: (name not in NO_TEACHERS, shares[name]))


def teacher_of_all(teachers: Sequence[str], kickstart: str) -> str:
    """The teacher, if it is the same in all games; ``kickstart``, as configured, where it differs; empty for none."""
    return kickstart if len(set(teachers)) > 1 else "".join(teachers[:1])


def teaching(name: str, games: Sequence[Game], halves: str) -> Policy:
    """Return a policy as it teaches: asked for each single decision of the learner, whatever that did before.

    Under drawn names a policy composes a whole play at once and then places its cards, also after another one that the
    learner has placed. So the network of such a policy teaches without them.

    Args:
        name, games, halves: as for :func:`training.games.named_policy`.

    Raises:
        InputError: as :func:`training.games.named_policy`.
    """
    policy = named_policy(name, games, halves)
    return policy.under_usual_names() if isinstance(policy, SymmetricPolicy) else policy
