"""What was measured of the published policies, as their own documents say it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from markup import GENERATED, prose, table

from bluff_env.cheat.texts.rules import value_text
from bluff_env.policies.document import read_document
from bluff_env.policies.published import GENERALIST, published, win_shares

FOR_ANY_GAME = "plays the games that no other policy was made for"  # a policy without results of its own


def checkpoints_page() -> str:
    """docs/generated/checkpoints.md: the published policies with what their own documents say was measured."""
    text = f"{GENERATED}\n# The published policies\n\n" + prose(
        "They are installed with the package. `load_policy` and every command that takes a policy know them by "
        "these names; a name without the number of players, such as `cheat/bullshit`, is the policy for the "
        "preset's usual number. Each is a file of `checkpoints/`, whose metadata (`policy.meta`) say more: "
        "the command and the commit that made it, its configuration and all figures. The figure here is the win "
        "share at a table whose other seats hold copies of the opponent, on duplicate deals with rotated seats, "
        "with its 95% interval."
    )
    for name, path in published().items():
        document = read_document(path)
        if "num_players" not in document:  # a policy of many games
            text += f"\n## {name}\n\n`{path.name}`: {FOR_ANY_GAME}.\n"
            continue
        config, results, n = document["config"], document["results"], document["num_players"]
        rules = " with " + ", ".join(f"`{k}={value_text(v)}`" for k, v in config["rules"].items())
        shares = win_shares(document).items()
        rows = ((name, f"{w['value']:.3f} [{w['low']:.3f}, {w['high']:.3f}]") for name, w in shares)
        text += (
            f"\n## {name}\n\n`{path.name}`: `{document['variant']}`{rules if config['rules'] else ''}, {n} players, "
            f"{config['total_timesteps']:,} timesteps, seed {config['seed']}: `{document['command']}` at commit "
            f"{document['commit'][:12]}; {results[0]['deals']} deals an opponent. An average player wins {1 / n:.3f}."
            "\n\n"
        ) + table(("against", "win share"), rows)
    return text


def policy_lines(headlines: Collection[str]) -> str:
    """For the README: the published policies of these games, and those for any game.

    With the win share against two scripted players and the hardest one.
    """

    def row(name: str, path: Path) -> list[str]:
        document = read_document(path)
        if "num_players" not in document:  # a policy of many games
            return [f"`{name}`", FOR_ANY_GAME, "", "", ""]
        shares = win_shares(document)
        hardest = min(shares, key=lambda opponent: shares[opponent]["value"])
        known = [f"{shares[opponent]['value']:.3f}" for opponent in ("honest", "counter")]
        last = f"{shares[hardest]['value']:.3f} (`{hardest}`)"
        return [f"`{name}`", f"{1 / document['num_players']:.3f}", *known, last]

    heads = ("policy", "an average player", "against `honest`", "against `counter`", "against its hardest")
    listed = {name: path for name, path in published().items() if name in headlines or name.endswith(GENERALIST)}
    others = f"and {len(published()) - len(listed)} more"
    rows = [*(row(name, path) for name, path in listed.items()), [others, "", "", "", ""]]
    return table(heads, rows)
