"""``bluff-env watch``: a game between policies, or a recorded game, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from bluff_env.cli.common import (
    STOPPED,
    DealsOption,
    DelayOption,
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    check_targets,
    choose_game,
    fitted,
    names_in,
)
from bluff_env.cli.pace import Pace, pace_of
from bluff_env.cli.results import results_table
from bluff_env.evaluation.games import DEFAULT_POLICY
from bluff_env.evaluation.lineup import check_seat, load_policies
from bluff_env.play.judges import judges_among
from bluff_env.play.records import load_record, session_of

if TYPE_CHECKING:
    from bluff_env.play.session import Session, Told


def watch(
    record: Annotated[
        Path | None, typer.Argument(metavar="[RECORD]", help="Show this game record instead of playing a game.")
    ] = None,
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy, or several with commas between them; may be repeated. The seats take them in turn "
            f"(default: {DEFAULT_POLICY})."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random choices (default: 0).")] = None,
    delay: DelayOption = None,
    reveal: Annotated[
        bool | None,
        typer.Option(
            help="Show hidden cards, and of each lie whether a true play was possible (default: --reveal, unless there "
            "is a --seat)."
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Show only what the player at this seat sees; the first seat is 0.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what trained policies think of each of their decisions.")
    ] = False,
    deals: DealsOption = None,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Show a game between policies, or a recorded game: every public event, and the table after it.

    At a terminal, Space pauses and resumes, Enter shows the next step, + and - change the speed.
    """
    if reveal and seat is not None:
        raise ValueError("--reveal shows all cards, --seat those of one player: leave one of them out")
    reveal = reveal is not False
    if explain and not reveal and seat is None:
        raise ValueError("--explain shows what players know: not with --no-reveal, except with --seat")
    if record is not None:
        if (variant, players, policies, seed, deals, save, rule) != (None,) * 7:
            raise ValueError(
                "a record has its own rules, players and seed: only --delay, --reveal, --seat and --explain go with it"
            )
        show_record(record, reveal, seat, delay, explain)
        return 0
    specs = names_in(policies) or [DEFAULT_POLICY]
    check_targets({"--save": save}, specs)
    game = choose_game(variant, players, rule, specs)
    check_seat(seat, game.num_players)
    if len(specs) > game.num_players:
        raise ValueError(f"{len(specs)} policies are named for {game.num_players} seats")
    specs = list(islice(cycle(specs), game.num_players))
    loaded = load_policies(specs, game, "watch --policies")
    from bluff_env.play.session import Session

    seed = 0 if seed is None else seed
    session = Session(game.rules, game.num_players, seed, game.title, deals=deals)
    session.players, session.record = tuple(specs), save
    judges = judges_among(loaded) if explain else None
    code = 0
    try:
        with pace_of(delay) as pace:
            Show(session, reveal, seat, pace, judges).game(session.seat(loaded, seed))
    except KeyboardInterrupt:
        code = STOPPED
        session.play_again()
    show_results(session, reveal, seat)
    if save is not None:
        typer.echo(session.save(save))
    return code


def show_record(path: Path, reveal: bool, seat: int | None, delay: float | None, explain: bool) -> None:
    """Shows a recorded game."""
    from bluff_env.play.judges import judges_of

    game = load_record(path)
    check_seat(seat, game.num_players)
    judges = judges_among(judges_of(game, ())) if explain else None
    session = session_of(game)
    with pace_of(delay) as pace:
        Show(session, reveal, seat, pace, judges).game(action for _, action in game.steps)
    show_results(session, reveal, seat)
    if game.note:
        typer.echo(game.note)


def show_results(session: Session, reveal: bool, seat: int | None) -> None:
    """Print how a game ended. Of one that is not over the table says who lied, so it is for who sees all cards."""
    if session.is_over or (reveal and seat is None):
        Console().print(results_table(session))


class Show:
    """Prints a game.

    Args:
        session: the game before its first step.
        reveal: whether hidden cards are shown.
        seat: whose view is shown instead, None for the whole table.
        pace: how fast.
        judges: for each seat a policy that explains the decisions there, or None; None if nothing is explained.
    """

    def __init__(
        self, session: Session, reveal: bool, seat: int | None, pace: Pace, judges: Sequence[Any] | None
    ) -> None:
        self.session, self.reveal, self.seat, self.pace = session, reveal, seat, pace
        self.judges = judges or [None] * session.num_players

    def game(self, actions: Iterable[str]) -> None:
        """Plays the game with these actions."""
        self._events(self.session.story)
        for action in actions:
            self._decision(action)
            self._events(self.session.step(action))

    def _decision(self, action: str) -> None:
        """Print what the policy whose turn it is thinks of the decision; with a seat's view only of its own."""
        judge = self.judges[self.session.to_act]
        if judge is not None and self.seat in (None, self.session.to_act):
            thoughts = judge.explain(*self.session.faced())
            typer.echo(fitted(f"  {self.session.names[self.session.to_act]} chooses {action}: {thoughts}"))

    def _events(self, told: Sequence[Told]) -> None:
        """Print what has just happened, and the table after it; nothing if nothing has happened in public."""
        session, seat = self.session, self.seat
        for event in told:
            typer.echo(fitted(str(event) if self.reveal and seat is None else event.text))
        if session.is_over:
            from bluff_env.play.endings import ending

            typer.echo(fitted(f"\n{ending(session, seat)}.\n"))
        if told or (session.steps and session.is_over):
            typer.echo(fitted(session.picture(self.reveal) if seat is None else session.seen_by(seat)) + "\n")
            self.pace.wait()
