"""docs/generated/policies.md from the results of ``experiments.policies``, ``experiments.exploitability`` and
``experiments.exact_games``, without importing them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bluff_env.core.registry import make_rules
from bluff_env.policies.document import read_document
from bluff_env.policies.published import GENERALIST, published
from experiments.headlines import GAMES as HEADLINES
from experiments.runs import Run, read_runs

NEAR, NEAR_UNSEEN = 0.95, 0.9  # the aims for the generalist, in shares of what a policy of one game wins
MOST_GAINED = 0.05  # the aim for best responses: at most this much above the fair share
OVER_COUNTER = 1.5  # the aim for the headline games: this many fair shares among copies of counter
Table = Any  # header, rows -> Markdown


def policies_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    path = root / "experiments" / "policies.json"
    games = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    text = "# How strong the published policies are\n\n" + prose(
        "`python -m experiments.policies` measures it. `load_policy` names the policy of each game: one that was "
        "trained for it, or the generalist of the family, which was trained on many rule sets and reads the rules. It "
        "sits at a table whose other seats hold copies of one scripted player, and each scripted player sits among "
        "copies of it; each deal is played once from every seat. A win that is shared by m players counts as 1/m, so "
        "the fair share of n players is 1/n. Intervals are 95%, and deals are their units. A policy that no scripted "
        "player beats can still be exploited, so the last column is the win share of the best response that was "
        "trained against it, where one was: [how](exploitability.md). "
        "[policies.json](../../experiments/policies.json) has every figure: each win share with its interval, the "
        "lies, the calls, the weights and the commit."
    )
    responses = best_responses(root, games)
    held_out = held_out_of(games)
    kinds = {
        "Games that a policy was trained for": [name for name in games if not is_general(games[name])],
        "Games of the generalist": [n for n in games if is_general(games[n]) and not held_out.get(n)],
        "Games that the generalist never played in training": [
            n for n in games if is_general(games[n]) and held_out.get(n)
        ],
    }
    for title, names in kinds.items():
        if names:
            text += f"\n## {title}\n\n" + overview({name: games[name] for name in names}, responses, table, prose)
    own = {name: found for name, found in games.items() if not is_general(found)}
    if own:
        text += "\n## The aims, and where they are missed\n\n" + aims(own, responses, table, prose)
    compared = {name: found for name, found in games.items() if "generalist_among" in found}
    if compared:
        text += "\n## The generalist beside the policies of one game\n\n" + beside(compared, held_out, table, prose)
    solved = {name: found for name, found in games.items() if "nash_conv" in found}
    if solved:
        text += "\n## In the small games, exactly\n\n" + exactly(solved, random_play(root), table, prose)
    return text


def is_general(found: dict[str, Any]) -> bool:
    """Return True if the generalist plays this game."""
    return bool(found["policy"].endswith(GENERALIST))


def held_out_of(games: dict[str, Any]) -> dict[str, str]:
    """Return what the training of the family's generalist left out of each game, as its checkpoint says."""
    why = {}
    mixtures = {
        name.partition("/")[0]: read_document(path)["config"]["games"]
        for name, path in published().items()
        if name.endswith(GENERALIST)
    }
    for name, found in games.items():
        preset, _, rules = name.partition(" ")
        mixture = mixtures.get(preset.partition("/")[0])
        if mixture is None:
            continue
        if rules:
            why[name] = "two rules together"
        elif preset.split("/")[1] in mixture["held_out"]["presets"]:
            why[name] = "the preset"
        elif found["players"] not in mixture["players"]:
            why[name] = "the number of players"
    return why


def beside(games: dict[str, Any], held_out: dict[str, str], table: Table, prose: Any) -> str:
    """One row for each game that both a policy of its own and the generalist play."""
    rows: list[list[str]] = []
    enough: dict[bool, list[bool]] = {True: [], False: []}
    for name, found in games.items():
        own, general = mean_of(found["policy_among"]), mean_of(found["generalist_among"])
        why = held_out.get(name, "")
        enough[bool(why)].append(general >= own * (NEAR_UNSEEN if why else NEAR))
        rows.append(
            [f"`{name}`", f"{1 / found['players']:.2f}", f"{own:.2f}", f"{general:.2f}", f"{general / own:.0%}", why]
        )
    known, unseen = enough[False], enough[True]
    text = (
        "The means of their win shares among copies of each scripted player, on the same deals. The aim for the "
        f"generalist is to win {NEAR:.0%} of what the policy of the game wins where it trained, which it does in "
        f"{sum(known)} of {len(known)} games, and {NEAR_UNSEEN:.0%} where something was held out of its training, "
        f"which it does in {sum(unseen)} of {len(unseen)}."
    )
    header = ("game", "fair", "policy of the game", "generalist", "of that", "held out")
    return str(prose(text)) + "\n" + str(table(header, rows))


def exactly(games: dict[str, Any], uniform: dict[str, float], table: Table, prose: Any) -> str:
    """One row for each game that is small enough to be solved."""
    text = (
        "NashConv is what best responses in all seats gain together: 0 in an equilibrium, and here a figure without an "
        "interval ([how](exact.md)). In percent of that of random play:"
    )
    rows = []
    for name, found in games.items():
        general = found["nash_conv"] if is_general(found) else found["generalist_nash_conv"]
        own = "" if is_general(found) else f"{found['nash_conv'] / uniform[name]:.1%}"
        rows.append([f"`{name}`", f"{uniform[name]:.3f}", own, f"{general / uniform[name]:.1%}"])
    return str(prose(text)) + "\n" + str(table(("game", "random", "policy of the game", "generalist"), rows))


def random_play(root: Path) -> dict[str, float]:
    """NashConv of random play in each game that is solved."""
    found = json.loads((root / "experiments" / "exact_games.json").read_text(encoding="utf-8"))
    return {f"cheat/{game['variant']}/{game['players']}p": game["nash_conv"]["random"] for game in found["games"]}


def mean_of(shares: dict[str, list[float]]) -> float:
    """The mean of win shares that have intervals."""
    return sum(share[0] for share in shares.values()) / len(shares)


def aims(games: dict[str, Any], responses: dict[str, list[Run]], table: Table, prose: Any) -> str:
    """One row for each policy that misses an aim."""
    rows = []
    for name, found in games.items():
        fair = 1 / found["players"]
        gain, enough = gained(responses.get(name, []), fair)
        row = (
            ", ".join(player for player in found["policy_among"] if player not in found["beaten"]),
            ", ".join(found["gaining"]),
            "" if enough else gain,
            over_counter(name, found) if name in HEADLINES else "",
        )
        if any(row):
            rows.append([f"`{name}`", *row])
    text = (
        "A policy of one game should beat copies of every scripted player beyond chance. Among copies of the policy no "
        "scripted player should gain, and a best response should win at most "
        f"{100 * MOST_GAINED:.0f} points more than a fair share, 1/N; it counts if it was trained for at least as many "
        f"timesteps as the policy. In the [headline games](headlines.md) the policy should win {OVER_COUNTER} fair "
        "shares among copies of `counter`. That is out of reach where the last player with cards loses and all others "
        f"share the win: who never loses wins about 1/(N-1) there. {len(games) - len(rows)} of {len(games)} policies "
        "reach all of these aims. The others miss those that have an entry:"
    )
    header = ("policy", "does not beat", "gains among copies of it", "best response", "`counter`")
    return str(prose(text)) + "\n" + str(table(header, rows))


def gained(responses: list[Run], fair: float) -> tuple[str, bool]:
    """Return the gain of the best response to a policy, in words, and True if that reaches the aim."""
    if not responses:
        return "not measured", False
    points = strongest_of(responses)[0] - fair
    longest, own = max(run["timesteps"] for run in responses), responses[0]["trained"]
    short = longest < own * 0.99  # whole rounds are a little less
    length = f" ({longest / 1e6:.0f} of {own / 1e6:.0f} million timesteps)" if short else ""
    return f"{100 * points:+.0f}{length}", points <= MOST_GAINED and not short


def strongest_of(responses: list[Run]) -> list[float]:
    """The win share of the response that won most."""
    shares: list[list[float]] = [run["lower_bound"] for run in responses]
    return max(shares)


def over_counter(name: str, found: dict[str, Any]) -> str:
    """Return the win share among copies of `counter`, if not enough; with that of never losing, if less."""
    fair, share = 1 / found["players"], found["policy_among"]["counter"]
    if share[0] >= OVER_COUNTER * fair:
        return ""
    end = make_rules(name.rpartition("/")[0]).to_dict().get("end")
    never_losing = 1 / (found["players"] - 1) if end == "last_loses" else 1.0
    return figure(share) + (f", {never_losing:.2f} for never losing" if never_losing < OVER_COUNTER * fair else "")


def best_responses(root: Path, games: dict[str, Any]) -> dict[str, list[Run]]:
    """The best responses that were trained in each game, to the policy that is measured in it."""
    responses: dict[str, list[Run]] = {}
    for run in read_runs(root / "experiments" / "exploitability.json"):
        if run["game"] in games and games[run["game"]]["weights"] == run["weights"]:
            responses.setdefault(run["game"], []).append(run)
    return responses


def overview(games: dict[str, Any], responses: dict[str, list[Run]], table: Table, prose: Any) -> str:
    """One row for each game."""
    header = ["game", "fair", "mean", "beaten", "hardest copies", "lose to it", "strongest among policies"]
    measured = any(name in responses for name in games)
    rows = []
    for name, found in games.items():
        fair, one, many = 1 / found["players"], found["policy_among"], found["among_policies"]
        hardest, strongest = min(one, key=lambda p: one[p][0]), max(many, key=lambda p: many[p][0])
        response = responses.get(name)
        rows.append([
            f"`{name}`", f"{fair:.2f}", f"{mean_of(one):.2f}",
            f"{len(found['beaten'])} of {len(one)}", f"{figure(one[hardest])} {hardest}",
            f"{len(found['losing'])} of {len(many)}", f"{figure(many[strongest])} {strongest}",
            *([figure(strongest_of(response)) if response else "not measured"] if measured else []),
            f"{found['entropy']:.2f}", f"{found['length_limit']:.0%}",
        ])  # fmt: skip
    return (
        prose(
            "Mean: of the policy's win shares among copies. Beaten: how many scripted players it beats at a table of "
            "their copies, and how many lose at a table of its copies, beyond chance: by what the game pays, of which "
            "an average player gets 0. Where one player wins, that is a win share of 1/N; where all are ranked, as in "
            "`eightshit`, a second place pays as well. Then the hardest player each way, by win share. Last, "
            "among copies of the policy alone: the entropy of a decision in nats, which is 0 for who never mixes, and "
            "the share of games that end at the length limit."
        )
        + "\n"
        + str(table([*header, *(["best response"] if measured else []), "entropy", "at the limit"], rows))
    )


def figure(share: list[float]) -> str:
    """A win share with its interval."""
    return f"{share[0]:.2f} [{share[1]:.2f}, {share[2]:.2f}]"
