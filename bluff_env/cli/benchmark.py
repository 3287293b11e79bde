"""``bluff-env benchmark``: scores to report, checked and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from bluff_env.cli.common import (
    JsonOption,
    WorkersOption,
    check_ending,
    check_targets,
    names_in,
    tell_written,
    write_table,
)
from bluff_env.cli.study import check_drawing
from bluff_env.utils.errors import printable
from bluff_env.utils.jobs import check_workers
from bluff_env.utils.numerals import rounded
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.benchmark import Result, Version
    from bluff_env.benchmark.version import Game, Member
    from bluff_env.evaluation.estimates import Estimate
    from bluff_env.policies.source import Source

app = typer.Typer(help="Measure a policy on the benchmark, check results, and make tables of them.")

MOST_GAMES = 12  # that are shown one by one; of more, their groups are
TrackOption = Annotated[str, typer.Option(help="What is measured; `bluff-env benchmark show` lists the tracks.")]
VersionOption = Annotated[
    str | None, typer.Option("--version", help="The version of the benchmark (default: the latest).")
]


@app.command()
def run(
    policies: Annotated[
        list[str] | None,
        typer.Argument(
            help="The policy to measure; several, or a folder of them, if they were made for different games; "
            "`published` stands for those that come with the package."
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="Instead of a policy, a function from text to text, for the track words; file.py:function too.",
        ),
    ] = None,
    track: TrackOption = "tables",
    games: Annotated[
        list[str] | None, typer.Option(help="Games of the track, with commas between them (default: all of them).")
    ] = None,
    version: VersionOption = None,
    out: Annotated[
        Path | None, typer.Option(help="The file of the result (default: AGENT-TRACK.json). A stopped run resumes.")
    ] = None,
    timesteps: Annotated[
        int | None,
        typer.Option(min=1, help="Timesteps of each response in a trial of the track response; it has no score."),
    ] = None,
    workers: WorkersOption = 0,
) -> int:
    """Measure a policy, write the result, and print its score with 95% intervals."""
    from bluff_env import benchmark
    from bluff_env.policies.source import typed_source

    names = [*(policies or ()), *(player or ())]
    sources = [typed_source(name) for name in names]
    target = Path(f"{_file_name(names)}-{track}.json") if out is None else out
    check_targets({"--out": target}, names)
    check_workers(workers)
    chosen = None if games is None else names_in(games)
    with progress() as bar:
        task = bar.add_task(track, total=1.0)
        result = benchmark.run(
            sources, track, chosen, benchmark.LATEST if version is None else version, workers, timesteps=timesteps,
            out=target,
            progress=lambda share: bar.update(task, completed=share), say=lambda text: typer.echo(printable(text)),
        )  # fmt: skip
    show_result(result)
    tell_written(target)
    return 0


def _file_name(policies: list[str]) -> str:
    """Return a name for the file of a result: the policies' names without what a file cannot have."""
    return "-".join("".join(c if c.isalnum() else "-" for c in name).strip("-") for name in policies)[:100]


def show_result(result: Result) -> None:
    """Prints the scores of a result: of each game, of each group, and of the whole track."""
    from bluff_env.benchmark import TRACKS
    from bluff_env.benchmark.formats import TITLES

    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(printable(f"{result.agent} on {result.version}/{result.track}: {TRACKS[result.track].about}"))
    *others, last = TRACKS[result.track].figures
    wide = len(others) > 2  # these have no room for intervals, which the file has
    width = 12 if wide else 22
    console.print(f"{'':{24 + 8 * wide}}" + "".join(f"{TITLES[name]:{width}}" for name in (*others, last)).rstrip())
    rows = [(name, half, scores) for name, halves in result.games.items() for half, scores in halves.items()]
    if len(result.players) > MOST_GAMES:
        rows = [(group, result.half, scores) for group, scores in result.groups.items()]
    for name, half, scores in [*rows, *(("all games", half, scores) for half, scores in result.halves.items())]:
        cells = [_short(scores[figure]).partition(" [" if wide else "\0")[0] for figure in others]
        line = "".join(f"{text:{width}}" for text in (*cells, _short(scores[last])))
        console.print(f"{name[:17]:18}{half:{6 + 8 * wide}}{line}".rstrip())
    if result.timesteps is not None:
        console.print(f"A trial of {result.timesteps:,} timesteps: this is no score of the track.")
    elif not result.is_complete:
        console.print("Not all games of the track were played: this is no score of the track.")


def _short(estimate: Estimate) -> str:
    """Return an estimate with two digits: ``-0.07 [-0.10, -0.03]``."""
    if estimate.value != estimate.value:
        return "    -"
    value, low, high = (rounded(number, 2) for number in (estimate.value, estimate.low, estimate.high))
    return f"{value:>5} [{low}, {high}]"


@app.command()
def verify(
    results: Annotated[list[Path], typer.Argument(help="Files that `bluff-env benchmark run` wrote.")],
    share: Annotated[float, typer.Option(min=0.0001, max=1.0, help="The share of the cells to play again.")] = 0.1,
    policy: Annotated[
        list[str] | None, typer.Option(help="The policy, if it lies elsewhere than the result says; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of cells.")] = 0,
) -> int:
    """Check results against themselves, and play a sample of their cells again."""
    from bluff_env.policies.source import typed_source

    sources = None if policy is None else [typed_source(name) for name in policy]
    held = [_holds(path, share, sources, seed) for path in results]
    return 0 if all(held) else 1


def _holds(path: Path, share: float, sources: Sequence[Source] | None, seed: int) -> bool:
    """Play a sample of a result again, print what was found, and return whether no cell differs."""
    from bluff_env import benchmark

    with progress() as bar:
        task = bar.add_task(str(path), total=1.0)
        found = benchmark.verify(
            path, share, policy=sources, seed=seed, progress=lambda done: bar.update(task, completed=done)
        )
    if found.holds:
        within = found.cells - found.equal
        how = f"{found.equal} equal, {within} within chance" if within else "all equal"
        typer.echo(printable(f"{path}: {found.cells} of {len(found.result.cells)} cells played again, {how}"))
    else:
        some = ", ".join(found.differing[:3])
        typer.echo(printable(f"{path}: {len(found.differing)} of {found.cells} cells differ: {some}"))
    return found.holds


@app.command()
def table(
    results: Annotated[
        list[Path] | None, typer.Argument(help="Files that `bluff-env benchmark run` wrote, of one track.")
    ] = None,
    form: Annotated[str, typer.Option(help="markdown, latex or csv.")] = "markdown",
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE,FILE", help="Runs that differ in their seed, as one row; may be repeated."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw return against nemesis as a PNG file.")] = None,
    profile: Annotated[
        Path | None, typer.Option(help="Draw how many runs of each method reach which score as a PNG file.")
    ] = None,
) -> int:
    """Make a table of results to paste into a paper, best first."""
    for path, option in ((picture, "--picture"), (profile, "--profile")):
        if path is not None:
            check_drawing(option)
    from bluff_env.benchmark import formats, read_result, seeds

    files = [file for text in method or () for file in seeds.parts_of(text)[1]]
    check_targets({"--picture": picture, "--profile": profile}, [*(results or ()), *files])
    check_ending(picture, ".png")
    check_ending(profile, ".png")
    seen: set[Path] = set()
    for path in results or ():
        if path.resolve() in seen:
            raise ValueError(f"{path} is named twice")
        seen.add(path.resolve())
    found = [read_result(path) for path in results or ()]
    runs = {file: read_result(file) for file in files}
    methods = seeds.methods_in(method or (), runs)
    typer.echo(printable_lines(formats.table(found, form, methods)), nl=False)
    if picture is not None:
        formats.draw([*found, *runs.values()], picture)
    if profile is not None:
        formats.draw_profiles(methods, profile)
    return 0


def printable_lines(text: str) -> str:
    """Return a text of several lines without what moves or colours a terminal."""
    return "".join(f"{printable(line)}\n" for line in text.splitlines())


@app.command()
def show(
    track: Annotated[str | None, typer.Argument(help="A track, for its games and populations.")] = None,
    version: VersionOption = None,
    json: JsonOption = None,
) -> int:
    """Show what a version of the benchmark consists of: tracks, games, populations and digests."""
    from bluff_env.benchmark import LATEST, TRACKS, load_version

    check_targets({"--json": json})
    found = load_version(LATEST if version is None else version)
    games = None if track is None else found.games(track)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    if games is None:
        console.print(f"{found.name}, SHA-256 {found.digest}")
        for name, of_track in found.tracks.items():
            console.print(f"  {name:8} {len(of_track):3} games   {TRACKS[name].about}")
        for name, digest in found.added.items():
            console.print(f"The track {name} came later: SHA-256 {digest}")
    else:
        console.print(f"{found.name}/{track}: {TRACKS[str(track)].about}")
        _show_games(console, games)
    if json is not None:
        shown = found.tracks if games is None else {str(track): games}
        write_table(
            json, {"version": found.name, "tracks": {name: _track_values(found, name, shown[name]) for name in shown}}
        )
    return 0


def _show_games(console: Console, games: Sequence[Game]) -> None:
    """Print the games of a track with their populations."""
    for game in games:
        deals = f", {game.deals} deals" if game.deals else ""
        console.print(f"  {game.name}: {game.spec.in_words}{deals}")
    for name, text in games[0].options.get("instructions", {}).items():
        console.print(f"  told {name}: {text}")
    for population, names in _populations(games).items():
        console.print(f"Population of {', '.join(names) if len(names) < len(games) else 'every game'}:")
        for member in population:
            digest = f", SHA-256 {member.digest}" if member.digest else ""
            console.print(f"  {member.half:5} {member.name}: {member.about} ({member.policy}{digest})")


def _track_values(version: Version, track: str, games: Sequence[Game]) -> dict[str, Any]:
    """Return a track with its games, as values that JSON can hold."""
    from bluff_env.benchmark import TRACKS

    values = [{each.name: getattr(game, each.name) for each in fields(game)} for game in games]
    for game in values:
        game["population"] = [asdict(member) for member in game["population"]]
    return {"about": TRACKS[track].about, "sha256": version.digest_of(track), "games": values}


def _populations(games: Sequence[Game]) -> dict[tuple[Member, ...], list[str]]:
    """Return the names of the games that have each population."""
    found: dict[tuple[Member, ...], list[str]] = {}
    for game in games:
        if game.population:
            found.setdefault(game.population, []).append(game.name)
    return found
