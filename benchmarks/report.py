"""From measurements to results.json, results.md, a picture, and tables on the screen."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Iterable
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.contender import Section
from benchmarks.sections import SECTIONS
from benchmarks.teams import ROOT, Team, cores_of
from bluff_env.utils.files import write_file

SPEED_BEGIN, SPEED_END = "<!-- speed: begin -->\n", "<!-- speed: end -->\n"
SPEED_SECTIONS = ("engine", "vector", "training")
COLUMNS = {"one": "one core", "all": "all cores"}
PICTURE = "growth.png"


# --- results as data -------------------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Return the machine, the versions and the day of the measurements."""
    return {
        "cpu": _cpu(),
        "cores": max(cores_of(SECTIONS["engine"])),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _git("rev-parse", "--short=12", "HEAD") + (" and changes" if _git("status", "--porcelain") else ""),
        "load": [round(load, 2) for load in os.getloadavg()],
        "versions": {name: version(name) for name in ("numpy", "numba", "torch", "jax")},
    }


def version(package: str) -> str | None:
    """Returns the installed version of a distribution."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown" if arguments[0] == "rev-parse" else ""


def section_results(name: str, teams: dict[str, list[Team]], where: dict[str, Any]) -> dict[str, Any]:
    """One section as plain values."""
    section = SECTIONS[name]
    rows: list[dict[str, Any]] = []
    names = [c.name for c in section.contenders]
    for number, contender in enumerate(section.contenders):
        row: dict[str, Any] = {"name": contender.name, "package": contender.package}
        row |= {"version": version(contender.package), "x": contender.x}
        for column, measured in teams.items():
            other = measured[names.index(section.reference)] if section.reference else None
            row[column] = figures(measured[number], other)
        rows.append(row)
    return {"title": section.title, "unit": section.unit, "reference": section.reference, "note": section.note,
            "rows": rows, "machine": where}  # fmt: skip


def figures(team: Team, reference: Team | None) -> dict[str, Any]:
    """Returns median, spread and ratio of one contender. The ratio is the median of the ratios within each round."""
    if team.status != "ok":
        return {"status": team.status}
    rounds = sorted(team.rounds)
    result = {"status": "ok", "rounds": team.rounds, "median": statistics.median(rounds)}
    result |= {"low": rounds[0], "high": rounds[-1]}
    if reference is not None and reference.status == "ok":
        ratios = [mine / theirs for mine, theirs in zip(team.rounds, reference.rounds, strict=True)]
        result["ratio"] = statistics.median(ratios)
    if team.split:
        result["split"] = {part: statistics.median(shares) for part, shares in team.split.items()}
    return result


# --- results as text -------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number with three significant digits: ``1,690,000`` or ``0.213``."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.3g}"


def cells(row: dict[str, Any], column: str) -> list[str]:
    """The cells of a contender: median, half of the range of the rounds, and ratio, or in short why there are none."""
    measured = row.get(column)
    if measured is None:
        return ["", ""]
    if measured["status"] != "ok":
        return [measured["status"].partition(":")[0], ""]
    spread = (measured["high"] - measured["low"]) / 2 / measured["median"] if measured["median"] else 0.0
    text = f"{number(measured['median'])} ± {spread:.0%}"
    return [text, number(measured["ratio"]) if "ratio" in measured else ""]


def split_lines(results: dict[str, Any]) -> list[str]:
    """Lines that say where the time goes, for contenders that measure it."""
    lines = []
    for row in results["rows"]:
        for column, title in COLUMNS.items():
            shares = row.get(column, {}).get("split")
            if shares:
                lines.append(f"{row['name']}, {title}: " + ", ".join(f"{p} {s:.0%}" for p, s in shares.items()))
    return lines


def header(results: dict[str, Any], columns: Iterable[str]) -> list[str]:
    """The names of the columns of a table."""
    heads = ["", "version"]
    for column in columns:
        heads += [COLUMNS[column]] + (["ratio"] if results["reference"] else [])
    return heads


def lines_of(results: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a section."""
    columns = [c for c in COLUMNS if c in results["rows"][0]]
    rows = []
    for row in results["rows"]:
        line = [row["name"], f"{row['package']} {row['version'] or '-'}"]
        for column in columns:
            line += cells(row, column)[: 2 if results["reference"] else 1]
        rows.append(line)
    return header(results, columns), rows


def explanation(results: dict[str, Any]) -> str:
    """A sentence that says what the numbers of a section are."""
    ratio = f" Ratio: to {results['reference']!r}." if results["reference"] else ""
    unit = results["unit"].capitalize()
    return f"{unit}: the median, and half of the range of the rounds.{ratio} {results['note']}".strip()


def screen_table(results: dict[str, Any]) -> Table:
    """A section as a table for the terminal."""
    heads, rows = lines_of(results)
    caption = "\n".join([explanation(results), *split_lines(results)])
    table = Table(title=results["title"], title_justify="left", caption=caption, caption_justify="left")
    for i, head in enumerate(heads):
        table.add_column(head, justify="left" if i < 2 else "right")
    for row in rows:
        table.add_row(*row)
    return table


def markdown(results: dict[str, Any]) -> str:
    """A section as Markdown, without its heading."""
    heads, rows = lines_of(results)
    lines = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    splits = "".join(f"* {line}\n" for line in split_lines(results))
    return f"{explanation(results)}\n\n{table}" + (f"\nThe split of the time:\n\n{splits}" if splits else "")


def machine_line(where: dict[str, Any]) -> str:
    """A sentence about the machine."""
    versions = ", ".join(f"{name} {v}" for name, v in where["versions"].items() if v)
    return (
        f"{where['cpu']}, {where['cores']} cores, {where['system']}, Python {where['python']}, {versions}; "
        f"{where['date']}, commit {where['commit']}; load before the run: {where['load'][0]}."
    )


def page(results: dict[str, dict[str, Any]]) -> str:
    """The text of results.md. docs/make_docs.py copies what stands between its markers."""
    known = [name for name in SECTIONS if name in results]
    places = list(dict.fromkeys(machine_line(results[name]["machine"]) for name in known))
    shown = [name for name in SPEED_SECTIONS if name in results]

    def section(name: str) -> str:
        return f"**{results[name]['title']}.** {markdown(results[name])}\n"

    text = "<!-- Generated by `python -m benchmarks.run`: do not edit. -->\n\n# Measurements\n\n"
    text += SPEED_BEGIN + "\n".join(section(name) for name in shown)
    text += "\n" + " ".join(places) + "\n" + SPEED_END
    text += "".join(f"\n{section(name)}" for name in known if name not in shown)
    if any(SECTIONS[name].axis for name in known):
        text += f"\n![How the cost grows]({PICTURE})\n"
    return text


def draw(results: dict[str, dict[str, Any]], path: Path) -> None:
    """Draws how the cost grows, with one plot for each section that has an axis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    drawn = [name for name, section in SECTIONS.items() if section.axis and name in results]
    if not drawn:
        return
    figure, axes = plt.subplots(1, len(drawn), figsize=(4.2 * len(drawn), 3.6), sharey=True, squeeze=False)
    for axis, name in zip(axes[0], drawn, strict=True):
        section: Section = SECTIONS[name]
        for column, title in COLUMNS.items():
            rows = [r for r in results[name]["rows"] if r.get(column, {}).get("status") == "ok"]
            if rows:
                x, y = [r["x"] for r in rows], [r[column]["median"] for r in rows]
                axis.plot(x, y, marker="o", label=title)
                axis.fill_between(x, [r[column]["low"] for r in rows], [r[column]["high"] for r in rows], alpha=0.2)
        if name == "games":
            axis.set_xscale("log", base=4)
        shown = results[name]["rows"][:: 2 if name == "games" else 1]
        axis.set_xticks([r["x"] for r in shown], [r["name"] for r in shown])
        axis.set_xlabel(section.axis)
        axis.grid(alpha=0.3)
    axes[0][0].set(ylabel="decisions per second", ylim=(0, None))  # of all, now that everything is drawn
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


# --- results as files ------------------------------------------------------------------------------------------------


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Reads the sections of the results in a folder."""
    path = folder / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """Writes results.json, results.md and the picture, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    ordered = {name: results[name] for name in SECTIONS if name in results}
    for name, text in (("results.json", json.dumps(ordered, indent=1) + "\n"), ("results.md", page(ordered))):
        write_file(folder / name, text.encode())
    draw(ordered, folder / PICTURE)
