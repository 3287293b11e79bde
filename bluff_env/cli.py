"""The command line, ``bluff-env``: list, describe, watch, evaluate, train, check, bench.

Every error that a user can cause ends with one sentence on stderr and exit code 2: :func:`main` catches them all.
Heavy modules (the compiled engine, torch) are imported by the commands that need them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bluff_env.cheat.rules import MAX_PLAYERS
from bluff_env.errors import RulesError, printable, shown
from bluff_env.family import DEFAULT_VARIANT, FAMILIES, family_of, find_variant, make_rules
from bluff_env.files import parse_yaml

if TYPE_CHECKING:
    from bluff_env.engine import Engine

app = typer.Typer(
    help="Card games of bluff as reinforcement-learning environments.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

STOPPED = 130  # the exit code of a command that Ctrl-C has ended
DEFAULT_POLICY = "scripted/counter"
NAME_FIELDS = ("ranks", "suits", "claimable", "first_claim", "starter_card")  # in these fields 2 is a rank

RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="FIELD=VALUE", help="A house rule, as in --rule jokers=2; may be repeated."),
]
VariantOption = Annotated[str, typer.Option(help="A preset; `bluff-env list` names them.")]
PlayersOption = Annotated[
    int | None, typer.Option(min=2, max=MAX_PLAYERS, help="Number of players (default: the preset's usual number).")
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]


# --- the commands ----------------------------------------------------------------------------------------------------


@app.command("list")
def list_variants() -> None:
    """List the presets: name, numbers of players, and the rules in a sentence."""
    variants = [v for family in FAMILIES.values() for v in family.variants.VARIANTS.values()]
    width = max(len(v.name) for v in variants)
    for v in variants:
        typer.echo(f"{v.name:{width}}  {v.players[0]:2}-{v.players[2]:<2}  {v.summary}")


@app.command()
def describe(
    variant: Annotated[str | None, typer.Argument(help="A preset; `bluff-env list` names them.")] = None,
    players: PlayersOption = None,
    rule: RuleOption = None,
    sample: Annotated[
        int | None,
        typer.Option(min=0, metavar="SEED", help="Describe random rules with this seed, not a preset."),
    ] = None,
    all_rules: Annotated[
        bool, typer.Option("--all", help="List every rule, not only those that differ from the defaults.")
    ] = False,
) -> None:
    """Describe the rules of a preset, or random rules, in words, and list those that differ from the defaults."""
    if (variant is None) == (sample is None):
        raise RulesError("describe needs either a preset or --sample SEED")
    changes = house_rules(rule)
    if variant is not None:
        rules, n = make_rules(variant, **changes), usual(variant, players)
        preset = find_variant(variant)
        title, summary = preset.name, preset.summary
        summary += f" {preset.players_in_words(family_of(rules).rules.MAX_PLAYERS)}"
    else:
        from bluff_env.cheat.sample import sample_rules

        n = players or 4
        rules = make_rules(sample_rules(sample or 0, n), **changes)
        title, summary = f"sample {sample}", "Random rules."
    text = family_of(rules).texts
    console = Console()
    console.print(f"[bold]{title}[/bold]: {summary}\n", highlight=False)
    console.print(text.describe(rules, n), highlight=False, markup=False)
    plain = {field: value for field, value, _ in text.rules_table(type(rules)())}
    changed = {field for field, value, _ in text.rules_table(rules) if value != plain[field]}
    heading = "All rules (*: not the default)" if all_rules else "Rules that differ from the defaults"
    table = Table("rule", "value", "meaning", title=heading, title_justify="left")
    for field, value, meaning in text.rules_table(rules):
        if all_rules or field in changed:
            table.add_row(field + " *" * (all_rules and field in changed), cell(value), cell(meaning))
    if table.rows:
        console.print("\n", table)
    if not all_rules:
        others = "All rules have their default values" if not changed else "All other rules have their default values"
        typer.echo(f"\n{others}; --all lists them.")
    if sample is not None:
        options = [f"--rule {quote(f'{f}={v}')}" for f, v, _ in text.rules_table(rules) if v != plain[f]]
        typer.echo(f"To watch a game of it: bluff-env watch --players {n} {' '.join(options)}")


@app.command()
def watch(
    record: Annotated[
        Path | None, typer.Argument(metavar="[RECORD]", help="Show this game record instead of playing a game.")
    ] = None,
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(help=f"A policy; if repeated, the seats take them in turn (default: {DEFAULT_POLICY})."),
    ] = None,
    seed: SeedOption = 0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each event.")] = 0.0,
    reveal: Annotated[bool, typer.Option(help="Show hidden cards.")] = True,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Show a game between policies, or a recorded game: every public event, and the table after it."""
    if record is not None:
        if (variant, players, policies, seed, save, rule) != (DEFAULT_VARIANT, None, None, 0, None, None):
            raise ValueError("a record has its own rules, players and seed: only --delay and --reveal go with it")
        show_record(record, reveal, delay)
        return 0
    if save is not None and save.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(save))
    rules, n = make_rules(variant, **house_rules(rule)), usual(variant, players)
    specs = list(islice(cycle(policies or [DEFAULT_POLICY]), n))
    steps: list[tuple[int, str]] = []
    engine = new_game(rules, n, seed)
    try:
        show_game(engine, variant, chosen_by(specs, rules, engine, seed), reveal, delay, steps)
        code = 0
    except KeyboardInterrupt:
        code = STOPPED
        engine = new_game(rules, n, seed, steps)  # it may have been stopped in the middle of a step
    Console().print(result_table(engine, specs))
    if save is not None:
        from bluff_env.record import GameRecord

        end, over = {name: values[0] for name, values in engine.results().items()}, bool(engine.dones[0])
        GameRecord(
            engine.rules_of(0)[0], n, seed, tuple(steps), tuple(end["payoffs"][:n].tolist()) if over else None,
            bool(end["length_limit"]), variant=find_variant(variant).name,
        ).save(save)  # fmt: skip
        typer.echo(printable(f"written to {save}"))
    return code


@app.command()
def evaluate(
    policy: Annotated[list[str], typer.Argument(help="The policies to evaluate.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help=f"The policy in all other seats; may be repeated (default: {DEFAULT_POLICY})."),
    ] = None,
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option(min=2, help="Number of deals; each is played once from every seat.")] = 200,
    seed: SeedOption = 0,
    json: Annotated[Path | None, typer.Option(help="Write the results to this file as well.")] = None,
    rule: RuleOption = None,
) -> int:
    """Evaluate each policy against each opponent on duplicate deals, with 95% intervals.

    The other seats all hold copies of the opponent.
    """
    from bluff_env.evaluation import evaluate as evaluate_policy
    from bluff_env.evaluation import write_json

    changes, n = house_rules(rule), usual(variant, players)
    rules = make_rules(variant, **changes).resolve(n)
    if json is not None and json.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(json))
    pairs = [(candidate, opponent) for candidate in policy for opponent in against or [DEFAULT_POLICY]]
    results = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("evaluating", total=len(pairs))
        for done, (candidate, opponent) in enumerate(pairs):

            def report(share: float, done: int = done) -> None:
                bar.update(task, completed=done + share)

            played = rules if changes else variant
            results.append(evaluate_policy(candidate, opponent, played, n, deals, seed, progress=report))
    title = f"{find_variant(variant).name}, {n} players, {deals} deals; an average player wins {1 / n:.3f}"
    table = Table("policy", "against", "figure", "with 95% interval", title=title, title_justify="left")
    for result in results:
        names: tuple[str, ...] = (result.candidate, result.opponent)
        for row in result.rows():
            table.add_row(*map(cell, (*names, *row)))
            names = ("", "")
        table.add_section()
    if results:
        Console().print(table)
    if results and json is not None:
        write_json(results, json)
        typer.echo(printable(f"written to {json}"))
    return stop.code


@app.command()
def train(
    config: Annotated[Path, typer.Argument(help="A YAML file; the repository's folder configs/ has examples.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run (default: runs/NAME); a run that it holds is resumed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Replaces the seed of the configuration.")] = None,
) -> None:
    """Train a policy by self-play. An interrupted run resumes from its last save."""
    config.open().close()  # a missing file is an error before torch is imported
    try:  # by name, because no module of the package may import the training scripts
        command_line = import_module("bluff_env.training.command_line")
        selfplay_ppo = import_module("bluff_env.training.selfplay_ppo")
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is not installed; pip install 'bluff-env[train]' installs it") from None
    try:
        command_line.run(selfplay_ppo.train, config, out, seed)
    except KeyboardInterrupt as stop:  # of the training: it knows what is saved, and whether it was Ctrl-C
        raise Ended(str(stop) or "stopped", getattr(stop, "code", STOPPED)) from None


@app.command()
def check(
    variant: Annotated[str, typer.Argument(help="A preset; `bluff-env list` names them.")],
    players: PlayersOption = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games to play and check.")] = 12,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="Folder for the records of games that show a failure.")] = Path("."),
    rule: RuleOption = None,
) -> int:
    """Check that a rule set keeps every promise that the package makes for all rule sets."""
    from bluff_env import conformance

    n, changes = usual(variant, players), house_rules(rule)
    make_rules(variant, **changes).resolve(n)  # refuses impossible rules before anything starts
    results: list[conformance.Result] = []
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("checking", total=1.0)
        conformance.check(
            variant, n, games=games, seed=seed, progress=lambda done: bar.update(task, completed=done),
            found=results.append, **changes,
        )  # fmt: skip
    name = find_variant(variant).name
    table = Table("promise", "what it says", "tried", "", title_justify="left")
    table.title = f"{name}, {n} players{', house rules' if changes else ''}"
    for result in results:
        tried = ", ".join(f"{times:,} {what}" for what, times in result.tried.items())
        verdict = "FAILED" if result.failure else "skipped" if result.skipped else "ok"
        table.add_row(result.name, result.promise, result.skipped or tried, verdict)
    Console().print(table)
    failures = [result for result in results if result.failure]
    for result in failures:
        typer.echo(printable(f"{result.name}: {result.failure}"))
        if result.record is not None:
            path = out / f"check-{name}-{result.name.lower().replace(' ', '-')}.jsonl"
            typer.echo(f"  a game that shows it (bluff-env watch FILE): {result.record.save(path)}")
    return stop.code or (1 if failures else 0)


@app.command()
def bench(
    variant: VariantOption = DEFAULT_VARIANT,
    players: PlayersOption = None,
    seconds: Annotated[float, typer.Option(min=0.001, help="How long to measure each figure.")] = 1.0,
    games: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Number of games at once; may be repeated (default: 1, 64, 1024, 8192)."),
    ] = None,
    seed: SeedOption = 0,
    rule: RuleOption = None,
) -> int:
    """Measure decisions per second of random play, with mask, observation and random choice included."""
    started = time.perf_counter()
    from bluff_env.engine import Engine

    rules, n = make_rules(variant, **house_rules(rule)), usual(variant, players)
    first = Engine(rules, num_players=n, seed=seed)
    first.play_random(1)
    first_call = time.perf_counter() - started
    cores = os.cpu_count() or 1
    threads = [1] if cores == 1 else [1, cores]
    sizes = games or [1, 64, 1024, 8192]
    table = Table(title=f"decisions per second: {find_variant(variant).name}, {n} players", title_justify="left")
    for name in ("games", "threads", "all compiled", "chosen in Python"):
        table.add_column(name, justify="right")
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("measuring", total=2 * len(sizes) * len(threads))
        for size in sizes:
            for num_threads in threads:
                figures = []
                for measure in (compiled_speed, python_speed):
                    engine = Engine(rules, num_games=size, num_players=n, seed=seed, num_threads=num_threads)
                    figures.append(f"{measure(engine, seconds, seed):,.0f}")
                    bar.advance(task)
                table.add_row(f"{size:,}", str(num_threads), *figures)
    Console().print(table)
    view = first.observations[0]
    typer.echo(f"first call: {first_call:.2f} s; an observation: {view.size} numbers, {view.nbytes} bytes")
    return stop.code


# --- what they share -------------------------------------------------------------------------------------------------


def house_rules(texts: Sequence[str] | None) -> dict[str, Any]:
    """The changes that ``--rule field=value`` options ask for; values are YAML."""
    changes: dict[str, Any] = {}
    for text in texts or ():
        field, equals, value = text.partition("=")
        if not equals:
            raise RulesError(f"--rule {shown(text)} must read FIELD=VALUE, as in --rule jokers=2")
        field = field.strip()
        if field == "variant":
            raise RulesError(f"--rule {text!r}: choose the variant itself, not with --rule")
        try:
            parsed = parse_yaml(value)
        except ValueError as error:
            raise RulesError(f"the value of --rule {shown(text)} {error}") from None
        changes[field] = as_names(parsed) if field in NAME_FIELDS else parsed
    return changes


def as_names(value: Any) -> Any:
    """Turns whole numbers into names of ranks, in lists too."""
    if isinstance(value, list):
        return [as_names(v) for v in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def cell(text: str) -> str:
    """A name, perhaps from a file, for a table: no markup, and nothing that a terminal would obey."""
    return escape(printable(text))


def usual(variant: str, players: int | None) -> int:
    """The number of players, by default the preset's usual number."""
    return find_variant(variant).players[1] if players is None else players


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on stderr that disappears at the end; none if stderr is not a terminal."""
    console = Console(stderr=True)
    percent = TextColumn("{task.percentage:.0f}%")
    columns = (TextColumn("{task.description}"), BarColumn(), percent, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar


class Ended(Exception):
    """A command was ended by a signal and says itself what is kept."""

    def __init__(self, line: str, code: int) -> None:
        super().__init__(line)
        self.code = code


class Stop:
    """Whether Ctrl-C has ended a piece of work: ``code`` is then STOPPED, else 0."""

    code = 0


@contextmanager
def kept_until_stopped() -> Iterator[Stop]:
    """Ends the block at Ctrl-C; the command goes on with the results so far, and returns the code."""
    stop = Stop()
    try:
        yield stop
    except KeyboardInterrupt:
        stop.code = STOPPED


def show_record(path: Path, reveal: bool, delay: float) -> None:
    """Shows a recorded game, after a replay has shown that the record is sound."""
    from bluff_env.record import GameRecord, RecordError, replay

    game = GameRecord.load(path)
    try:
        replay(game)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None
    engine = new_game(game.rules, game.num_players, game.seed, deal=game.deal)
    actions = (game.family.game.ACTION_INDEX[action] for _, action in game.steps)
    show_game(engine, game.variant, actions, reveal, delay, [])
    Console().print(result_table(engine, None))
    if game.note:
        typer.echo(game.note)


def new_game(
    rules: Any, num_players: int, seed: int, steps: Sequence[tuple[int, str]] = (), deal: Any = None
) -> Engine:
    """An engine with one game, in which these steps have been played."""
    import numpy as np

    from bluff_env.engine import Engine

    engine = Engine(rules, num_players=num_players, autoreset=False)
    engine.reset(seeds=[seed], deals=None if deal is None else [deal])
    for _, action in steps:
        engine.step(np.array([engine.family.game.ACTION_INDEX[action]]))
    return engine


def chosen_by(specs: Sequence[str], rules: Any, engine: Engine, seed: int) -> Iterator[int]:
    """The actions of the policies at the seats of the engine's only game, one after the other until it is over."""
    import numpy as np

    from bluff_env.policies.load import load_policy
    from bluff_env.policies.seats import SeatPolicies

    names = list(dict.fromkeys(specs))
    policies = [load_policy(name, rules=rules, num_players=len(specs)) for name in names]
    seats = SeatPolicies(policies, np.array([[names.index(spec) for spec in specs]]))
    rng, row = np.random.default_rng(seed), np.array([0])
    while engine.to_act[0] >= 0:
        yield int(seats.act(engine, row, rng)[0])


def show_game(
    engine: Engine, variant: str, actions: Iterable[int], reveal: bool, delay: float, steps: list[tuple[int, str]]
) -> None:
    """Plays the engine's only game with these actions: every public event, and the table after it.

    Each step, a seat and the name of an action, is put into ``steps`` before it is played.
    """
    import numpy as np

    text, names = engine.family.texts, seat_names(engine)
    seen = 0
    for action in actions:
        steps.append((int(engine.to_act[0]), engine.action_names[action]))
        engine.step(np.array([action]))
        events, seen = engine.events(0, seen)
        for event in events:
            typer.echo(text.describe_event(event, names))
        if events or engine.dones[0]:
            typer.echo(text.render_game({**engine.snapshot(0), "variant": variant}, names, reveal) + "\n")
            time.sleep(delay)


def seat_names(engine: Engine) -> list[str]:
    """``player_0``, ... for the seats of the engine's first game."""
    return [f"player_{seat}" for seat in range(int(engine.num_players[0]))]


def result_table(engine: Engine, specs: Sequence[str] | None) -> Table:
    """How the engine's only game ended, or how it stands. ``specs``: the policies of the seats, if known."""
    results = {name: values[0] for name, values in engine.results().items()}
    limit = " by the length limit" if results["length_limit"] else ""
    over = f"over after {results['turns']} turns{limit}" if engine.dones[0] else f"after {results['turns']} turns"
    table = Table(title=over, title_justify="left")
    left = ("seat", "policy")[: 1 if specs is None else 2]
    for column in (*left, "payoff", "plays", "lies", "calls", "right calls"):
        table.add_column(column, justify="left" if column in left else "right")
    for seat, name in enumerate(seat_names(engine)):
        counts = (str(results[key][seat]) for key in ("plays", "lies", "calls", "right_calls"))
        played_by = [] if specs is None else [cell(specs[seat])]
        table.add_row(name, *played_by, f"{results['payoffs'][seat]:+.3f}", *counts)
    return table


def compiled_speed(engine: Engine, seconds: float, seed: int) -> float:
    """Decisions per second of :meth:`Engine.play_random`."""
    engine.play_random(1)
    steps, elapsed = 1, 0.0
    while elapsed < seconds:
        # enough steps for the whole time, but at most ten times as many as before
        steps = max(1, min(steps * 10, int(steps * seconds / elapsed))) if elapsed else steps
        started = time.perf_counter()
        engine.play_random(steps)
        elapsed = time.perf_counter() - started
        if elapsed > 0.8 * seconds:
            break
    return steps * engine.num_games / elapsed


def python_speed(engine: Engine, seconds: float, seed: int) -> float:
    """Decisions per second of :meth:`Engine.step` with random legal actions that NumPy draws."""
    import numpy as np

    rng = np.random.default_rng(seed)
    masks = engine.action_masks
    steps, started = 0, time.perf_counter()
    elapsed = 0.0
    while elapsed < seconds:
        noise = rng.random(masks.shape, dtype=np.float32)
        engine.step(np.argmax(noise * masks - (masks == 0), axis=1))
        steps += 1
        elapsed = time.perf_counter() - started
    return steps * engine.num_games / elapsed


# --- errors ----------------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; 2 and one sentence on stderr for bad input."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        code = app(args=args or ["--help"], prog_name="bluff-env", standalone_mode=False)
    except BrokenPipeError:  # nobody reads the output any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Ended as error:
        return complain(str(error), error.code)
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except OSError as error:
        named = f"{error.filename}: " if error.filename is not None else ""
        return complain(f"{named}{error.strerror or error}")
    except ValueError as error:  # RulesError and the other errors of the package
        return complain(str(error))
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer raises these for wrong options
            raise
        return complain(error.format_message())
    if code == STOPPED:  # by the command, or by typer, which says nothing
        return complain("stopped", STOPPED)
    return code if isinstance(code, int) else 0


def complain(text: str, code: int = 2) -> int:
    """Prints one line on stderr and returns the exit code."""
    print(printable(f"bluff-env: {' '.join(text.split())}"), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
