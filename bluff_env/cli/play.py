"""``bluff-env play``: people at a table of policies, in the terminal."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bluff_env.cli.common import STOPPED, OwnPlayersOption, OwnVariantOption, RuleOption, check_target, choose_game
from bluff_env.cli.results import results_table
from bluff_env.evaluation.games import DEFAULT_POLICY, GameSpec, trained_policy
from bluff_env.evaluation.lineup import check_seat, load_policies
from bluff_env.play import PACE

if TYPE_CHECKING:
    from bluff_env.cli.person import People
    from bluff_env.play.session import Session, Told
    from bluff_env.policies.policy import Policy

HUMAN = "human"  # who plays, in records


def play(
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy, or several with commas between them; may be repeated. The free seats take them in turn "
            f"(default: the trained policy that plays the preset, else {DEFAULT_POLICY})."
        ),
    ] = None,
    seat: Annotated[
        list[int] | None, typer.Option(min=0, help="Your seat, the first is 0; repeated: the seats of several people.")
    ] = None,
    humans: Annotated[
        int | None, typer.Option(min=1, help="Number of people, who share the keyboard (default: 1, or one a --seat).")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random choices (default: a new one).")] = None,
    delay: Annotated[
        float | None, typer.Option(min=0, help=f"Seconds after each event (default: {PACE} at a terminal, else 0).")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Play against policies, or with other people at one keyboard. ? shows what can be typed."""
    check_target(save)
    specs = [name for names in opponents or () for name in names.split(",") if name]
    game = choose_game(variant, players, rule, specs)
    seats = seats_of_people(seat, humans, game.num_players)
    default = [trained_policy(game)] if len(seats) < game.num_players else []
    lineup = line_up(specs or default, seats, game.num_players)
    names = [name for name in lineup if name != HUMAN]
    policies = dict(zip(names, load_policies(names, game, "play --opponents"), strict=True))
    from bluff_env.cli.person import Keyboard, Left, People
    from bluff_env.play.session import Session

    seed = secrets.randbits(31) if seed is None else seed
    session = Session(game.rules, game.num_players, seed, game.title)
    session.players, session.record = tuple(lineup), save
    keyboard = Keyboard()
    people = People(session, seats, keyboard, next(iter(policies.items()), None))
    pace = (PACE if keyboard.is_terminal else 0.0) if delay is None else delay
    code = 0
    try:
        typer.echo(welcome(game, lineup))
        play_out(session, people, [policies.get(name) for name in lineup], seed, pace)
        reveal(session)
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
    """Where people sit. Raises ValueError for seats that do not exist or do not fit the number of people."""
    chosen = list(seats or range(humans or 1))
    if len(set(chosen)) < len(chosen):
        raise ValueError("--seat names a seat twice")
    if humans is not None and humans != len(chosen):
        raise ValueError(f"--humans {humans} does not fit {len(chosen)} seats: name as many with --seat, or none")
    if len(chosen) > num_players:
        raise ValueError(f"--humans {len(chosen)} is more than the {num_players} players of the game")
    for seat in chosen:
        check_seat(seat, num_players)
    return sorted(chosen)


def line_up(opponents: Sequence[str], people: Sequence[int], num_players: int) -> list[str]:
    """Who plays at each seat. Raises ValueError for a person among the opponents, and for more than there are seats."""
    if HUMAN in opponents:
        raise ValueError(f"{HUMAN!r} is no policy: --humans and --seat say which seats people take")
    free = num_players - len(people)
    if len(opponents) > free:
        raise ValueError(f"{len(opponents)} opponents are named for {free} free seats")
    names = cycle(opponents)
    return [HUMAN if seat in people else next(names) for seat in range(num_players)]


# --- the game --------------------------------------------------------------------------------------------------------


def welcome(game: GameSpec, lineup: Sequence[str]) -> str:
    """What is played, and by whom."""
    from bluff_env.utils.errors import printable

    seats = "\n".join(f"  player_{seat}: {printable(name)}" for seat, name in enumerate(lineup))
    return f"{game.title}, {game.num_players} players\n{seats}\nType ? for help, and rules for the rules."


def play_out(session: Session, people: People, policies: Sequence[Policy | None], seed: int, pace: float) -> None:
    """Plays the game to its end; everything that happens in public is told."""
    moves = session.seat(policies, seed)
    tell(session.story, pace)
    while not session.is_over:
        if policies[session.to_act] is None:
            tell(people.decide(), 0)
        else:
            tell(session.step(next(moves)), pace)


def tell(told: Sequence[Told], pace: float) -> None:
    """Prints what happened, without what it hides."""
    for event in told:
        typer.echo(event.text)
        time.sleep(pace)


def reveal(session: Session) -> None:
    """The end of a game: the table with all cards, every play with what it hid, and the results."""
    typer.echo(f"\n{session.picture()}\n\nAll plays and calls:")
    for told in session.story:
        if told.hidden is not None or "call" in told.event["event"]:
            typer.echo(f"  {told}")
    typer.echo()
    Console().print(results_table(session))
    typer.echo(f"seed {session.seed}")
