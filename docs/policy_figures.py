"""Tables of the published policies: how each was made and what it won, as its document says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from markup import GENERATED, prose, table

from bluff_env.cheat.texts.rules import value_text
from bluff_env.policies.document import read_document
from bluff_env.policies.published import GENERALIST, beaten, published, win_shares

FOR_ANY_GAME = "plays the games that no other policy was made for"  # a policy without results of its own


def checkpoints_page() -> str:
    """Return docs/generated/checkpoints.md: a row for each published policy with what its document says it won."""
    rows = []
    for name, path in published().items():
        document = read_document(path)
        if "num_players" not in document:  # a policy of many games
            rows.append([f"`{name}`", "", "", "", "", FOR_ANY_GAME])
            continue
        shares, fair = win_shares(document), 1 / document["num_players"]
        values = {opponent: share["value"] for opponent, share in shares.items()}
        hardest = min(values, key=lambda opponent: values[opponent])
        rows.append([
            f"`{name}`", f"{fair:.3f}", f"{sum(values.values()) / len(values):.3f}",
            f"{len(beaten(document))} of {len(values)}", _interval(shares["honest"]),
            f"{_interval(shares[hardest])} {hardest}",
        ])  # fmt: skip
    return (
        f"{GENERATED}\n# The published policies\n\n"
        + prose(
            "They are installed with the package. `load_policy` and every command that takes a policy know them by "
            "these names; a name without the number of players, such as `cheat/bullshit`, is the policy for the "
            "preset's usual number. Figures are win shares at a table whose other seats hold copies of one scripted "
            "player, on duplicate deals with rotated seats, with 95% intervals. Fair: what an average player wins. "
            "Mean: of the win shares against all scripted players. Beaten: how many of them, beyond chance: what the "
            "policy is paid is above 0, which is an average player's."
        )
        + "\n"
        + prose(
            "[checkpoints.csv](checkpoints.csv) has the win share against every scripted player. [How each policy was "
            "made](../../checkpoints/README.md): its command, commit and digest. `policy.meta` holds the same, the "
            "configuration and all figures of the evaluation."
        )
        + "\n"
        + table(("policy", "fair", "mean", "beaten", "against `honest`", "against its hardest"), rows)
    )


def _interval(share: Mapping[str, float]) -> str:
    """Return a win share with its interval: ``0.890 [0.868, 0.910]``."""
    return f"{share['value']:.3f} [{share['low']:.3f}, {share['high']:.3f}]"


def checkpoints_csv() -> str:
    """Return docs/generated/checkpoints.csv: a line for each published policy and each opponent of its evaluation."""
    lines = ["policy,opponent,players,deals,win_share,low,high"]
    for name, path in published().items():
        for result in read_document(path).get("results", ()):
            opponent = result["opponent"].removeprefix("scripted/")
            figures = (f"{result['win_share'][key]:.4f}" for key in ("value", "low", "high"))
            lines.append(",".join([name, opponent, str(result["num_players"]), str(result["deals"]), *figures]))
    return "\n".join(lines) + "\n"


def made_by_table() -> str:
    """Return the table of checkpoints/README.md: how each published policy was made, as its document says."""

    def row(name: str, path: Path) -> list[str]:
        document = read_document(path)
        games = document["config"]["games"]
        players = ", ".join(map(str, games["players"])) if games else str(document["num_players"])
        timesteps = f"{document['timesteps']:,}"
        made = [f"`{document['command']}`", f"`{document['commit'][:12]}`", f"`{document['weights_sha256'][:16]}`"]
        return [f"`{name}`", f"`{path.name}`", _game(document), players, timesteps, *made]

    heads = ("policy", "file", "game", "players", "timesteps", "command", "commit", "weights")
    return table(heads, (row(name, path) for name, path in published().items()))


def _game(document: Mapping[str, Any]) -> str:
    """Return the preset and the house rules that a policy plays, or the number of games of a generalist."""
    if "variant" not in document:
        return f"{document['num_games']} rule sets"
    changes = ", ".join(f"{field}={value_text(value)}" for field, value in document["config"]["rules"].items())
    return f"`{document['variant']}{' ' + changes if changes else ''}`"


def policy_lines(names: Collection[str]) -> str:
    """Return the table of the README: the published policies of these names, and those for any game.

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
    listed = {name: path for name, path in published().items() if name in names or name.endswith(GENERALIST)}
    others = f"and {len(published()) - len(listed)} more"
    rows = [*(row(name, path) for name, path in listed.items()), [others, "", "", "", ""]]
    return table(heads, rows)
