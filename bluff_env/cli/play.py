"""``bluff-env play``: people at a table of policies, in the terminal."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from itertools import cycle, dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bluff_env.cli.common import (
    STOPPED,
    DealsOption,
    DelayOption,
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    called,
    check_targets,
    choose_game,
    fitted,
    names_in,
)
from bluff_env.cli.results import results_table
from bluff_env.evaluation.games import GameSpec, trained_policy
from bluff_env.evaluation.lineup import check_seat, load_policies
from bluff_env.play import HUMAN, PACE, levels
from bluff_env.utils.errors import InputError, did_you_mean, printable, quoted

if TYPE_CHECKING:
    from bluff_env.cli.person import People
    from bluff_env.play.session import Session, Told
    from bluff_env.policies.policy import Policy

GUEST = "Guest"  # a person who gives no name
LONGEST_NAME = 20  # characters


def play(
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of a level: a policy, or several with commas between them; may be repeated. The free seats "
            "take them in turn."
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(metavar="|".join(levels.LEVELS), help="How well the opponents play (default: regular)."),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="Your name; repeated: the names of several people, in order of seats.")
    ] = None,
    seat: Annotated[
        list[int] | None, typer.Option(min=0, help="Your seat, the first is 0; repeated: the seats of several people.")
    ] = None,
    humans: Annotated[
        int | None, typer.Option(min=1, help="Number of people, who share the keyboard (default: 1, or one a --seat).")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random choices (default: a new one).")] = None,
    delay: DelayOption = None,
    deals: DealsOption = None,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Play against policies, or with other people at one keyboard. ? shows what can be typed."""
    specs = names_in(opponents)
    check_targets({"--save": save}, specs)
    check_level(level, specs)
    game = choose_game(variant, players, rule, specs)
    seats = seats_of_people(seat, humans, game.num_players)
    default = [levels.opponent(game, level or levels.DEFAULT_LEVEL)] if len(seats) < game.num_players else []
    lineup = line_up(specs or default, seats, game.num_players)
    everybody = names_of_all(names_of_people(name, len(seats)), seats, game.num_players)
    named = [policy for policy in lineup if policy != HUMAN]
    policies = dict(zip(named, load_policies(named, game, "play --opponents"), strict=True))
    from bluff_env.cli.person import Keyboard, Left, People
    from bluff_env.play.session import Session

    seed = secrets.randbits(31) if seed is None else seed
    session = Session(game.rules, game.num_players, seed, game.title, names=everybody, deals=deals)
    session.players, session.record = tuple(lineup), save
    keyboard = Keyboard(shared=len(seats) > 1)
    people = People(session, seats, keyboard, adviser(policies, game))
    pace = (PACE if keyboard.is_terminal else 0.0) if delay is None else delay
    code = 0
    try:
        typer.echo(fitted(welcome(game, everybody, lineup, None if specs else level or levels.DEFAULT_LEVEL)))
        play_out(session, people, [policies.get(name) for name in lineup], seed, pace)
        reveal(session, seats[0] if len(seats) == 1 else None)
    except Left as left:
        typer.echo(f"{left}: the game ends unfinished")
    except KeyboardInterrupt:
        code = STOPPED
        typer.echo()
        session.play_again()
    if save is not None:
        typer.echo(session.save(save))
    return code


# --- who plays -------------------------------------------------------------------------------------------------------


def seats_of_people(seats: Sequence[int] | None, humans: int | None, num_players: int) -> list[int]:
    """Return where people sit. Raises ValueError for seats that do not exist or do not fit the number of people."""
    chosen = list(seats or range(humans or 1))
    if len(set(chosen)) < len(chosen):
        raise ValueError("--seat names a seat twice")
    if humans is not None and humans != len(chosen):
        raise ValueError(f"--humans {humans} does not fit --seat, used {len(chosen)}x: use it as often, or not at all")
    if len(chosen) > num_players:
        raise ValueError(f"--humans {len(chosen)} is more than the {num_players} players of the game")
    for seat in chosen:
        check_seat(seat, num_players)
    return sorted(chosen)


def line_up(opponents: Sequence[str], people: Sequence[int], num_players: int) -> list[str]:
    """Return the player of each seat. Raises ValueError for a person among the opponents, and for more than seats."""
    if HUMAN in opponents:
        raise ValueError(f"{HUMAN!r} is no policy: --humans and --seat say which seats people take")
    free = num_players - len(people)
    if len(opponents) > free:
        raise ValueError(f"--opponents names more policies ({len(opponents)}) than there are free seats ({free})")
    names = cycle(opponents)
    return [HUMAN if seat in people else next(names) for seat in range(num_players)]


def check_level(level: str | None, opponents: Sequence[str]) -> None:
    """Raise InputError for a level that does not exist, and for one beside opponents that are named."""
    if level is not None and level not in levels.LEVELS:
        raise InputError(f"--level {quoted(level)} is no level{did_you_mean(level, levels.LEVELS)}")
    if level is not None and opponents:
        raise InputError("--level chooses the opponents, and --opponents names them: use one of the two")


def names_of_people(names: Sequence[str] | None, number: int) -> list[str]:
    """Return a name for each of a number of people; those who give none are guests.

    Raises:
        InputError: for a name that is too long, cannot be printed or does not begin with a letter, for one that is
            given twice, and for more names than people.
    """
    given = [" ".join(name.split(" ")) for name in names or ()]
    if len(given) > number:
        raise InputError(f"{len(given)} names are given for {number} {'person' if number == 1 else 'people'}")
    for name in given:
        if not (name and name[0].isalpha() and name.isprintable() and len(name) <= LONGEST_NAME):
            raise InputError(
                f"--name {quoted(name)}: a name begins with a letter and has at most "
                f"{LONGEST_NAME} printable characters"
            )
    guests = [GUEST if number == 1 else f"{GUEST} {i}" for i in range(len(given) + 1, number + 1)]
    if len({name.casefold() for name in [*given, *guests]}) < number:
        raise InputError("--name: two people cannot have the same name")
    return [*given, *guests]


def names_of_all(people: Sequence[str], seats: Sequence[int], num_players: int) -> list[str]:
    """Return the name of each seat: of the people at theirs, and of opponents, who are called otherwise."""
    taken = {name.casefold() for name in people}
    others = (name for name in levels.NAMES if name.casefold() not in taken)
    at = dict(zip(seats, people, strict=True))
    return [at[seat] if seat in at else next(others) for seat in range(num_players)]


def adviser(opponents: Mapping[str, Policy], game: GameSpec) -> tuple[str, Policy]:
    """Return who gives hints, with their name: an opponent who can say what they think, else the policy of the game."""
    for name, policy in opponents.items():
        if getattr(policy, "explains", False):
            return called(name, game), policy
    name = trained_policy(game)
    return called(name, game), game.load(name)


# --- the game --------------------------------------------------------------------------------------------------------


def welcome(game: GameSpec, names: Sequence[str], lineup: Sequence[str], level: str | None) -> str:
    """Say what is played, and by whom; ``level`` is that of the policies, None if they were named.

    A level does not say which policy it is: who knows that an opponent never lies has nothing to find out.
    """
    lines = [game.in_words]
    for name, policy in zip(names, lineup, strict=True):
        who = printable(called(policy, game)) if level is None else level
        if policy == HUMAN:
            who = "you" if lineup.count(HUMAN) == 1 else "a person"
        lines.append(f"  {name}: {who}")
    return "\n".join([*lines, "Type ? for help, and rules for the rules."])


def play_out(session: Session, people: People, policies: Sequence[Policy | None], seed: int, pace: float) -> None:
    """Plays the game to its end; everything that happens in public is told."""
    from bluff_env.core.words import harmless
    from bluff_env.play.session import DEAL_OVER

    moves = session.seat(policies, seed)
    tell(session.story, pace)
    while not session.is_over:
        skips, is_person = people.skip(), policies[session.to_act] is None
        if skips:
            told = session.step(harmless(session.legal) if is_person else next(moves))
            tell(list(dropwhile(lambda event: event.event["event"] != DEAL_OVER, told)), pace)
        elif is_person:
            tell(people.decide(), 0)
        else:
            tell(session.step(next(moves)), pace)
        people.note_lost()


def tell(told: Sequence[Told], pace: float) -> None:
    """Prints what happened, without what it hides."""
    for event in told:
        typer.echo(fitted(event.text))
        time.sleep(pace)


def reveal(session: Session, seat: int | None) -> None:
    """Print the end of a game: who won and why, the table with all cards, the story with all it hid, the results.

    Args:
        session: the game, which is over.
        seat: of the only person at the table, who is *you*; None where there are several.
    """
    from bluff_env.play.endings import ending
    from bluff_env.play.session import LEFT_OUT

    typer.echo(
        fitted(f"\n{ending(session, seat)}.\n\n{session.picture()}\n\nAll plays and calls, and what came of them:")
    )
    for told in session.story:
        if told.event["event"] not in LEFT_OUT:
            typer.echo(fitted(f"  {told}"))
    typer.echo()
    Console().print(results_table(session))
    typer.echo(f"seed {session.seed}")
