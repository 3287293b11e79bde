"""Measures this project beside its peers, in one run on one machine, and prints the ratios.

    python -m benchmarks.run [SECTION ...] [--quick] [--rounds 5] [--seconds 2] [--out FOLDER]

Sections that are not named keep their results in the folder. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import report
from benchmarks.sections import SECTIONS
from benchmarks.teams import ROOT, cores_of, measure_section

BUSY = 0.5  # a load average above this disturbs the measurements


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures this project beside its peers.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="one short round, to see that everything runs")
    parser.add_argument("--rounds", type=int, help="how often each contender is measured, in turn (5)")
    parser.add_argument("--seconds", type=float, help="how long it is measured each time (2)")
    parser.add_argument("--out", type=Path, help="folder of the results (benchmarks/; runs/bench with --quick)")
    args = parser.parse_args(argv)
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {unknown[0]!r}; there are: {', '.join(SECTIONS)}")
    rounds = args.rounds or (1 if args.quick else 5)
    seconds = args.seconds or (0.1 if args.quick else 2.0)
    if rounds < 1 or seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    folder = args.out or (ROOT / "runs" / "bench" if args.quick else ROOT / "benchmarks")
    names = args.sections or list(SECTIONS)
    console = Console(width=None if sys.stdout.isatty() else 150)
    if os.getloadavg()[0] > BUSY:
        console.print(
            f"the machine is busy (load {os.getloadavg()[0]:.1f}): the figures will be too low", style="yellow"
        )
    where = report.machine() | {"rounds": rounds, "seconds": seconds}
    results = report.load(folder)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        total = sum((rounds + 1) * len(SECTIONS[n].contenders) * len(cores_of(SECTIONS[n])) for n in names)
        task = bar.add_task("measuring", total=total)
        for name in names:

            def step(text: str) -> None:
                bar.update(task, advance=1, description=text)

            results[name] = report.section_results(name, measure_section(name, rounds, seconds, step), where)
            report.write(results, folder)
            bar.console.print(report.screen_table(results[name]))
    console.print(f"written to {folder / 'results.json'} and {folder / 'results.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
