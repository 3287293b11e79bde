"""``bluff-env list`` and ``bluff-env describe``: the presets, and rule sets in words."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    JsonOption,
    PlayersOption,
    RuleOption,
    cell,
    check_targets,
    fitted,
    usual,
    write_table,
)
from bluff_env.core.registry import DEFAULT_FAMILY, FAMILIES, family_of, find_variant, make_rules, most_players
from bluff_env.evaluation.games import choose_game
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.play.levels import length_of
from bluff_env.utils.errors import RulesError

if TYPE_CHECKING:
    from bluff_env.core.family import Family
    from bluff_env.core.rules import Variant


def list_variants(json: JsonOption = None) -> None:
    """List the presets: name, numbers of players, the rules in a sentence, how long a game takes, and other names."""
    check_targets({"--json": json})
    variants = [v for family in FAMILIES.values() for v in family.variants.values()]
    width = max(len(v.name) for v in variants)
    for v in variants:
        length = length_of(choose_game(v.name, None, {}, []))
        long = f" {str(length).capitalize()}." if length is not None else ""
        also = f" {v.also_called}" if v.aliases else ""
        typer.echo(fitted(f"{v.name:{width}}  {v.players[0]:2}-{v.players[2]:<2}  {v.summary}{long}{also}", width + 9))
    if json is not None:
        write_table(json, {"presets": [plain_preset(v, family_of(v.name)) for v in variants]})


def plain_preset(preset: Variant, family: Family) -> dict[str, Any]:
    """Return a preset for JSON, with its rules for the usual number of players."""
    least, usual_number, greatest = preset.players
    return {
        "name": preset.name,
        "family": family.name,
        "players": {"least": least, "usual": usual_number, "greatest": greatest},
        "summary": preset.summary,
        "aliases": list(preset.aliases),
        "rules": family.variants.make_rules(preset.name).resolve(usual_number).to_dict(),
    }


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
    json: JsonOption = None,
) -> None:
    """Describe the rules of a preset, or random rules, in words, and list those that differ from the defaults."""
    if (variant is None) == (sample is None):
        raise RulesError("describe needs either a preset or --sample SEED")
    check_targets({"--json": json})
    changes = house_rules(rule)
    if variant is not None:
        rules, n = make_rules(variant, **changes), usual(variant, players)
        preset = find_variant(variant)
        title = preset.name
        own = f"With house rules; `bluff-env describe {title}` tells the preset's own."
        summary = preset.summary if rules == make_rules(variant) else own
        summary += f" {preset.players_in_words(most_players(rules))}"
        summary += f" {preset.also_called}" if preset.aliases else ""
    else:
        n = players or 4
        sample_rules = FAMILIES[DEFAULT_FAMILY].sample_rules
        assert sample_rules is not None
        rules = make_rules(sample_rules(sample or 0, n), **changes)
        title, summary = f"sample {sample}", "Random rules."
    family, resolved = family_of(rules), rules.resolve(n)
    text = family.texts
    words = text.describe(rules, n)
    console = Console()
    console.print(f"[bold]{title}[/bold]: {summary}\n", highlight=False)
    console.print(words, highlight=False, markup=False)
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
    if json is not None:
        about = {"family": family.name, "summary": summary, "num_players": n, "rules": resolved.to_dict()}
        write_table(json, {"name": title, **about, "text": words})
