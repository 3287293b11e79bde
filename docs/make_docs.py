"""Writes the generated pages of the documentation from the code; ``--check`` fails if a page is out of date.

    python docs/make_docs.py [--check]

The generated pages are ``docs/generated/*``, one page for each preset in ``docs/variants/`` and for each script of
``examples/`` in ``docs/libraries/``, the picture of the README, and each tutorial as a notebook. In ``README.md`` and
``checkpoints/README.md`` the tables between markers are generated, and so are those in the docstrings of
``bluff_env/cheat_v0.py`` and ``bluff_the_bullet_v0.py``. ``experiments/NAME_page.py`` makes the page of an
experiment from its results, ``game_cards.py`` a card of each preset; the tables of speed are copied from
``benchmarks/results.md``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import library_pages
import module_docs
from game_cards import game_card
from markup import GENERATED, prose, table
from notebooks import FOLDER, notebook
from policy_figures import checkpoints_csv, checkpoints_page, made_by_table, policy_lines
from proof_figures import proofs_page
from sample_game import sample_game

from bluff_env.benchmark import TRACKS, formats, read_result
from bluff_env.benchmark.result import Result
from bluff_env.benchmark.seeds import FEWEST, Method
from bluff_env.bullet.game import ACTION_NAMES as BULLET_ACTIONS
from bluff_env.bullet.observe import layout as bullet_layout
from bluff_env.bullet.observe import observation_size as bullet_size
from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.cheat.observe import ObservedPhase, layout, observation_size
from bluff_env.cheat.rules import FIELD_NAMES, Rules
from bluff_env.cheat.texts.rules import choices_of, field_docs, paragraphs, rules_table, value_text
from bluff_env.cheat.texts.rules.phrases import listing
from bluff_env.cheat.variants import VARIANTS, Variant, make_rules
from bluff_env.core.parts import Part, match_parts
from bluff_env.core.registry import most_players

PICTURED = "jokers-wild"  # on top of the README
IN_README = ("bluff-the-bullet/3p", "cheat/bullshit/4p", "cheat/pagat/4p")  # policies
TUTORIALS = sorted(FOLDER.glob("*.md"))
ROOT = Path(__file__).resolve().parent.parent
RESULTS_BEGIN, RESULTS_END = "<!-- speed: begin -->\n", "<!-- speed: end -->\n"  # in benchmarks/results.md
NOT_MEASURED = "Nothing has been measured yet.\n"


# --- observation -----------------------------------------------------------------------------------------------------


def formula(sizes: Mapping[int, int]) -> str:
    """Returns sizes that depend linearly on the number of seats as text: ``4n``, ``14n - 14`` or ``7``.

    Raises:
        ValueError: if the size is not linear.
    """
    slope = sizes[5] - sizes[4]
    rest = sizes[4] - 4 * slope
    if any(size != slope * n + rest for n, size in sizes.items()):
        raise ValueError("a part does not grow evenly with the seats: write its formula out")
    grows = {0: "", 1: "n"}.get(slope, f"{slope}n")
    if not grows or not rest:
        return grows or str(rest)
    return f"{grows} {'+' if rest > 0 else '-'} {abs(rest)}"


def size_cells(sizes: Mapping[int, int], seats: Sequence[int]) -> list[str]:
    """Returns the cells of a table for sizes by the number of seats: their formula, and those for these seats."""
    return [formula(sizes), *(str(sizes[n]) for n in seats)]


def observation_page() -> str:
    """docs/generated/observation.md."""
    parts = {n: layout(n) for n in range(2, 11)}
    whole = {n: observation_size(n) for n in parts}

    def row(part: Part) -> list[str]:
        sizes = {n: there[part.name].size for n, there in parts.items()}
        high = formula({n: there[part.name].high for n, there in parts.items()})
        return [f"`{part.name}`", *size_cells(sizes, (4, 10)), part.kind, f"0 to {high}", part.doc]

    phases = ", ".join(f"{phase.value} {phase.name.lower()}" for phase in ObservedPhase)
    return (
        f"{GENERATED}\n# The observation of Cheat\n\n"
        + prose(
            "An observation is a vector of int16 for n seats, at least as many as there are players. The table lists "
            "its parts in order, with their sizes for n seats, for 4 and for 10."
        )
        + "\n"
        + prose(
            "* Seats are relative: the first entry is the player's own seat, the others follow clockwise. Seats "
            "without a player are 0."
        )
        + prose("* Faces are what a claim can name: A 2 ... K (C D H S where suits are claimed), then the joker.")
        + prose(
            "* Policies match parts by name. A policy loads under other rules if the parts that it does not know are "
            "constant there."
        )
        + prose(f"* The values of `phase` are {phases}.")
        + "\n"
        + table(("part", "size", "4", "10", "kind", "values", "what it says"), map(row, layout(4).values()))
        + f"| **all** | {formula(whole)} | {whole[4]} | {whole[10]} | | | |\n"
        + wider_section((4, 10))
        + match_section((4, 10))
    )


def wider_section(seats: Sequence[int]) -> str:
    """Return the section on the parts that only wide observations have, with the sizes for these seats."""
    parts = {n: layout(n, wide=True) for n in range(2, 11)}
    names = [name for name in parts[4] if name not in layout(4)]
    rows = [
        (f"`{name}`", *size_cells({n: there[name].size for n, there in parts.items()}, seats),
         f"0 to {parts[4][name].high}", parts[4][name].doc)
        for name in names
    ]  # fmt: skip
    return (
        "\n## With rarer rules\n\n"
        + prose(
            "Where the rules use a field that is named here, or `steps`, `next_claim` or `full_set` have one of their "
            "newer values, these parts follow all others; other games do not have them."
        )
        + "\n"
        + table(("part", "size", *map(str, seats), "values", "what it says"), rows)
    )


def match_section(seats: Sequence[int]) -> str:
    """Return the section of a page of an observation on what a match adds, with the sizes for these seats."""
    sizes = {n: {part.name: part.size for part in match_parts(n)} for n in range(2, 11)}
    rows = [
        (f"`{p.name}`", *size_cells({n: there[p.name] for n, there in sizes.items()}, seats),
         f"0 to {p.high}", p.doc)
        for p in match_parts(2)
    ]  # fmt: skip
    return (
        "\n## In a match\n\n"
        + prose("In a [match](../matches.md) of several deals these parts follow all others; a single deal has none.")
        + "\n"
        + table(("part", "size", *map(str, seats), "values", "what it says"), rows)
    )


# --- actions ---------------------------------------------------------------------------------------------------------


def actions_page() -> str:
    """docs/generated/actions.md."""
    return (
        f"{GENERATED}\n# The actions of Cheat\n\n"
        + prose(
            f"These are all {len(ACTION_NAMES)} actions of the family. The list is the same for every rule set; the "
            "action mask says which actions are legal. `+K` is the K-th seat clockwise from the player's own."
        )
        + "\n"
        + table(("index", "action"), ((str(i), f"`{name}`") for i, name in enumerate(ACTION_NAMES)))
    )


# --- Bluff the Bullet ------------------------------------------------------------------------------------------------


def bullet_page() -> str:
    """docs/generated/bullet.md."""
    least, most = bullet_layout(2), bullet_layout(5)

    def row(part: Any) -> list[str]:
        few = least[part.name]
        high = str(part.high) if few.high == part.high else f"{few.high} / {part.high}"
        sizes = [str(p.stop - p.start) for p in (few, part)]
        return [f"`{part.name}`", *sizes, part.kind, f"0 to {high}", part.doc]

    return (
        f"{GENERATED}\n# The observation and the actions of Bluff the Bullet\n\n"
        + prose(
            "An observation is a vector of int16. The table lists its parts in order, with their sizes for 2 and for 5 "
            "seats. Seats are relative: 0 is the player's own seat, 1 the next seat clockwise. A place is 5 x seat + "
            "slot."
        )
        + "\n"
        + table(("part", "n = 2", "n = 5", "kind", "values", "meaning"), (row(p) for p in most.values()))
        + f"\nA whole observation has {bullet_size(2)} numbers for 2 seats and {bullet_size(5)} for 5.\n"
        + match_section((2, 5))
        + "\n## Actions\n\n"
        + prose(
            f"These are all {len(BULLET_ACTIONS)} actions; the action mask says which are legal. `+K` is the K-th seat "
            "clockwise from the player's own, `+0` the player's own seat, and `sJ` the J-th card of a Poker Hand."
        )
        + "\n"
        + table(("index", "action"), ((str(i), f"`{name}`") for i, name in enumerate(BULLET_ACTIONS)))
        + f"\n{game_card('bluff-the-bullet')}".rstrip("\n")
        + "\n"
    )


# --- rules and presets -----------------------------------------------------------------------------------------------


def rules_page() -> str:
    """docs/generated/rules.md."""
    defaults = {field: value for field, value, _ in rules_table(Rules())}

    def row(field: str) -> list[str]:
        choices = ", ".join(f"`{name}`" + (f" ({note})" if note else "") for name, note in choices_of(field).items())
        return [f"`{field}`", f"`{defaults[field]}`", choices, field_docs()[field]]

    return (
        f"{GENERATED}\n# The fields of a rule set of Cheat\n\n"
        + prose(
            "`Rules(...)`, `make_rules(preset, ...)`, the environments and `--rule field=value` take these fields. "
            "[The rules of Cheat](../rules-cheat.md) say how they work together."
        )
        + "\n"
        + table(("field", "default", "choices", "meaning"), map(row, FIELD_NAMES))
    )


def difference(variant: Variant) -> str:
    """Return the changes of a preset to its parent, as the command line takes them."""
    changes = ", ".join(f"`{field}={value_text(value)}`" for field, value in variant.changes.items())
    return changes or "the defaults"


def variants_page() -> str:
    """docs/generated/variants.md."""
    rows = (
        [
            f"[`{v.name}`](../variants/{v.name}.md)",
            v.source,
            f"`{v.parent}`" if v.parent else "",
            difference(v),
            f"{v.players[0]}-{v.players[2]} ({v.players[1]})",
            f"{v.summary} {v.also_called}".strip(),
        ]
        for v in VARIANTS.values()
    )
    return (
        f"{GENERATED}\n# The presets of Cheat\n\n"
        + prose(
            "Each preset has the rules of its parent with the differences given. The usual number of players stands in "
            "brackets. The sources are introduced in [the rules of Cheat](../rules-cheat.md#the-sources)."
        )
        + "\n"
        + table(("preset", "source", "parent", "difference", "players", "in a sentence"), rows)
    )


def variant_page(variant: Variant) -> str:
    """docs/variants/NAME.md."""
    rules, usual = make_rules(variant.name), variant.players[1]
    parent = f"[`{variant.parent}`]({variant.parent}.md)" if variant.parent else "nothing"
    plain = {field: value for field, value, _ in rules_table(Rules())}
    rows = ((f"`{f}`", f"`{value}`", meaning) for f, value, meaning in rules_table(rules) if value != plain[f])
    return (
        f"{GENERATED}\n# {variant.name}\n\n{variant.summary}\n\n"
        + (f"{prose(variant.also_called)}\n" if variant.aliases else "")
        + prose(
            f"Source: {variant.source}. Parent: {parent}; difference: {difference(variant)}. "
            f"{variant.players_in_words(most_players(variant.name))}"
        )
        + f'\n```python\nenv = cheat_v0.env(variant="{variant.name}", num_players={usual})\n```\n\n'
        + game_card(variant.name)
        + "".join(f"## {heading}\n\n{prose(text)}\n" for heading, text in paragraphs(rules, usual))
        + endless(variant.name)
        + f"## A sample game\n\n{sample_game(variant.name).text}\n"
        + "## Fields that differ from the defaults\n\n"
        + (table(("field", "value", "meaning"), rows) if rules != Rules() else "None.\n")
    )


def endless(name: str) -> str:
    """Return the paragraph on players who do not end a game among copies, "" if there are none.

    ``experiments/length_limits.py`` measures it.
    """
    results = json.loads((ROOT / "experiments" / "length_limits.json").read_text(encoding="utf-8"))
    if not (shares := results["at_limit"].get(name)):
        return ""
    parts = (
        f"`{policy}` {span([round(100 * share) for share in found.values()])}% of games with {listing(found)} players"
        for policy, found in shares.items()
    )
    text = f"Some players hardly end a game among copies of themselves, and reach the limit: {'; '.join(parts)}."
    return f"## Games that do not end\n\n{prose(text)}\n"


def span(numbers: list[int]) -> str:
    """Return "7" or "7 to 30"."""
    return str(numbers[0]) if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def measured_page(root: Path, name: str) -> str:
    """docs/generated/NAME.md: what was measured."""
    return f"{GENERATED}\n{measured(root, name)}"


def measured(root: Path, name: str) -> str:
    """Return the page of a measurement, which ``experiments/NAME_page.py`` writes."""
    page = getattr(experiment(root, f"{name}_page"), f"{name}_page")
    return str(page(root, table, prose))


def experiment(root: Path, name: str) -> ModuleType:
    """A module of experiments/, which is no part of the package."""
    sys.path.append(str(root))
    return import_module(f"experiments.{name}")


def speed_page(root: Path) -> str:
    """docs/generated/speed.md: the tables of ``benchmarks/results.md`` that compare with other projects."""
    results = root / "benchmarks/results.md"
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    tables = text.partition(RESULTS_BEGIN)[2].partition(RESULTS_END)[0]
    return (
        f"{GENERATED}\n# Speed\n\n"
        + prose(
            "`make bench` compares the engine, the environments and the training with other projects ([how it "
            "measures](../../benchmarks/README.md)). `bluff-env speed` measures your machine: decisions per second for "
            "1, 64, 1,024 and 8,192 games, on one thread and on all of them, including masks, observations and the "
            "random choice of actions. What a policy gets is the speed of `Engine.step`, one call for one decision in "
            "every game; `Engine.play_random` is faster because it makes many decisions in one game after another "
            "without a call or a choice from outside."
        )
        + f"\n{tables or NOT_MEASURED}"
        + measured(root, "time_to_strength")
        + measured(root, "devices")
    )


# --- README ----------------------------------------------------------------------------------------------------------


def speed_line(root: Path) -> str:
    """For the README: the measured speed in a sentence."""
    results = root / "benchmarks/results.json"
    if not results.exists():
        return NOT_MEASURED
    sections = json.loads(results.read_text(encoding="utf-8"))
    steps, learnt = (sections[name]["rows"][0] for name in ("engine", "training"))
    return prose(
        f"On one core `Engine.step` plays {rounded(steps['one']['median'])} decisions per second "
        f"({steps['name']}: mask and observation included), and self-play training learns from "
        f"{rounded(learnt['one']['median'])}."
    )


def rounded(value: float) -> str:
    """A number with two significant digits."""
    return f"{float(f'{value:.2g}'):,.0f}"


def replaced(text: str, name: str, content: str) -> str:
    """Return a README with the text between the two markers of this name replaced by ``content``.

    Raises:
        ValueError: if a marker is missing.
    """
    begin, end = f"<!-- {name}: begin, generated by docs/make_docs.py -->\n", f"<!-- {name}: end -->\n"
    before, begin_found, rest = text.partition(begin)
    _, end_found, after = rest.partition(end)
    if not begin_found or not end_found:
        raise ValueError(f"a README.md has lost its markers {begin.strip()} and {end.strip()}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def readme(root: Path) -> str:
    """The README with what is measured up to date."""
    text = (root / "README.md").read_text(encoding="utf-8")
    text = replaced(text, "policies", policy_lines(IN_README))
    return replaced(text, "speed", speed_line(root))


def checkpoints_readme(root: Path) -> str:
    """Return checkpoints/README.md with the table of the policies up to date."""
    return replaced((root / "checkpoints/README.md").read_text(encoding="utf-8"), "checkpoints", made_by_table())


def benchmark_page(root: Path) -> str:
    """Return the results of the benchmark that are kept in benchmarks/results, a table for each track."""
    results = [read_result(path) for path in sorted((root / "benchmarks/results").glob("*.json"))]
    text = "# Results of the benchmark\n\n" + BENCHMARK_INTRODUCTION
    for track, about in ((name, TRACKS[name].about) for name in TRACKS):
        rows = [result for result in results if result.track == track]
        if rows:
            alone, methods = by_method(rows)
            text += f"\n## `{rows[0].version}/{track}`: {about}\n\n{formats.table(alone, methods=methods)}"
    return text + measured(root, "outsiders")


METHOD_RUN = re.compile(r"benchmarks/policies/(.+)-(\d+)")


def by_method(results: Sequence[Result]) -> tuple[list[Result], list[Method]]:
    """Return the results that stand alone, and the methods with several runs, ``benchmarks/policies/NAME-SEED``."""
    alone: list[Result] = []
    runs: dict[str, list[Result]] = {}
    for result in results:
        found = METHOD_RUN.fullmatch(result.agent)
        (runs.setdefault(found[1], []) if found else alone).append(result)
    few = [result for some in runs.values() if len(some) < FEWEST for result in some]
    alone += [replace(result, agent=METHOD_RUN.sub(r"\1 (seed \2)", result.agent)) for result in few]
    return alone, [Method(name, tuple(some)) for name, some in runs.items() if len(some) >= FEWEST]


BENCHMARK_INTRODUCTION = """\
Each row is a file in `benchmarks/results/`, which `bluff-env benchmark verify` checks. [The benchmark](../benchmark.md)
says what the figures mean. Several runs of a method that differ in their seeds are one row: the interquartile mean over
runs and games. [How the baselines were trained](../benchmark.md#baselines) is told there. To add a row, put the file of
a run of a whole track there, with three runs of different seeds if the policy was trained, and say how it was trained;
CI plays a sample of it again.
"""


# --- all of it -------------------------------------------------------------------------------------------------------


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Returns every generated file with the text that it should have."""
    generated = {
        "docs/generated/observation.md": observation_page(),
        "docs/generated/actions.md": actions_page(),
        "docs/generated/bullet.md": bullet_page(),
        "docs/generated/rules.md": rules_page(),
        "docs/generated/variants.md": variants_page(),
        "docs/generated/checkpoints.md": checkpoints_page(),
        "docs/generated/checkpoints.csv": checkpoints_csv(),
        "docs/generated/players.md": measured_page(root, "players"),
        "docs/generated/policies.md": measured_page(root, "policies"),
        "docs/generated/headlines.md": measured_page(root, "headlines"),
        "docs/generated/seeds.md": measured_page(root, "seeds"),
        "docs/generated/exploitability.md": measured_page(root, "exploitability"),
        "docs/generated/ablation.md": measured_page(root, "ablation"),
        "docs/generated/exact.md": measured_page(root, "exact"),
        "docs/generated/speed.md": speed_page(root),
        "docs/generated/benchmark.md": benchmark_page(root),
        "docs/generated/perft.md": measured_page(root, "perft"),
        "docs/generated/proofs.md": proofs_page(),
        **{f"docs/variants/{v.name}.md": variant_page(v) for v in VARIANTS.values()},
        **{f"docs/tutorials/{p.stem}.ipynb": notebook(p.read_text(encoding="utf-8")) for p in TUTORIALS},
        **library_pages.pages(),
        **module_docs.pages(),
        "docs/table.svg": sample_game(PICTURED).picture + "\n",
        "README.md": readme(root),
        "checkpoints/README.md": checkpoints_readme(root),
    }
    return {root / name: text for name, text in generated.items()}


def left_over(root: Path = ROOT) -> list[Path]:
    """Returns pages in the generated folders that nothing generates any more."""
    known = set(pages(root))
    found = (
        (root / "docs").glob("generated/*"),
        (root / "docs").glob("variants/*.md"),
        (root / "docs").glob("libraries/*.md"),
        (root / "docs").rglob("*.ipynb"),
    )
    return [path for paths in found for path in sorted(paths) if path not in known]


def stale(root: Path = ROOT) -> list[Path]:
    """Returns generated files that are missing, out of date or left over."""
    wrong = [p for p, text in pages(root).items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    return wrong + left_over(root)


def write(root: Path = ROOT) -> None:
    """Writes all pages, and deletes those that are left over."""
    for path in left_over(root):
        path.unlink()
    for path, text in pages(root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Writes the generated pages of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a page is out of date")
    if not parser.parse_args(argv).check:
        write()
        return 0
    wrong = [str(path.relative_to(ROOT)) for path in stale()]
    if wrong:
        print(f"out of date, run `make docs`: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
