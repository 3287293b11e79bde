"""docs/generated/exact.md from the results of ``experiments.exact_games``, ``experiments.minis``,
``experiments.solvers`` and ``experiments.exact_responses``.

They are not imported: that would compile the rules and need torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

from experiments.runs import Run, read_runs

Table = Any  # header, rows -> Markdown


def exact_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    text = "# The small games, solved exactly\n\n" + prose(
        "`python -m experiments.exact_games` builds the whole tree of every preset `mini-*` at its own length limit, "
        "with `bluff_env.exact` ([how to use it](../exact.md)). All figures are exact sums over the tree."
    )
    path = root / "experiments" / "exact_games.json"
    if not path.exists():
        return text
    found = json.loads(path.read_text(encoding="utf-8"))
    games, (few, many) = found["games"], found["iterations"]
    text += "\n## Size\n\n" + prose(
        "Nodes are those of chance, decisions and ends. An information set is a seat with all that it saw and did at "
        "its own decisions; different ones may show the same observation. Depth is the number of moves of the longest "
        "game, the cards of the deal included. The last columns are seconds on one core: to build the tree, and for "
        f"{few} iterations of CFR+ (the tree is built once)."
    )
    header = ["preset", "players", "length limit", "nodes", "information sets", "observations", "depth", "tree", "CFR+"]
    text += "\n" + table(header, map(size, games))
    text += "\n## How exploitable\n\n" + prose(
        "NashConv asks of every seat in turn: how much more would this seat earn on average if it knew how the others "
        "play, and played the best answer to that? The gains of all seats are added up. In a Nash equilibrium no "
        "player can gain, and NashConv is 0. A win pays 1 and the losers share the loss, so payoffs add up to 0, and "
        "NashConv is what all best responses earn together: at most 1 for each seat, if it could win every game."
    )
    text += "\n" + prose(
        "`random`, `honest` and `counter` sit in all seats. `counter` tosses coins: its probabilities are shares of "
        "256 draws for each observation, which moves the last digits. CFR+ comes close to an equilibrium with two "
        "players; with more, nothing is promised, and NashConv says how close it came. Rounded: the strategy after "
        f"{many:,} iterations, but always with its likeliest action. Where that is exploitable, bluffs must be mixed. "
        "The last column is what the player who starts earns in equilibrium, against one opponent."
    )
    header = ["preset", "players", "random", "honest", "counter", f"CFR+ {few}", f"CFR+ {many:,}", "rounded", "starter"]
    text += "\n" + table(header, (exploitable(game, few, many) for game in games))
    runs = read_runs(root / "experiments" / "minis.json")
    text += learnt(runs, games, table, prose) if runs else ""
    solvers = read_runs(root / "experiments" / "solvers.json")
    text += by_open_spiel(solvers, games, table, prose) if solvers else ""
    responses = read_runs(root / "experiments" / "exact_responses.json")
    return text + (responded(responses, table, prose) if responses else "")


def size(game: dict[str, Any]) -> list[str]:
    """A row of the first table."""
    numbers = (game[name] for name in ("players", "length_limit", "nodes", "information_sets", "observations", "depth"))
    seconds = (f"{game['seconds'][name]:.1f}" for name in ("tree", "cfr+"))
    return [f"`{game['variant']}`", *(f"{n:,}" for n in numbers), *seconds]


def exploitable(game: dict[str, Any], few: int, many: int) -> list[str]:
    """A row of the second table."""

    def figure(value: float) -> str:
        return f"{abs(value):.3f}" if abs(value) >= 0.01 or abs(value) < 1e-12 else f"{value:.2g}"

    names = ("random", "honest", "counter", str(few), str(many), "rounded")
    starter = "" if game["starter"] is None else f"{game['starter']:+.3f}"
    return [f"`{game['variant']}`", str(game["players"]), *(figure(game["nash_conv"][n]) for n in names), starter]


def learnt(runs: list[Run], games: list[dict[str, Any]], table: Table, prose: Any) -> str:
    """Write the NashConv that self-play reaches, and the cost of it."""
    solved = nash_convs(games)
    plain = runs[0]["row"]  # the runs of this row come first
    text = "\n## What self-play reaches\n\n" + prose(
        "`python -m experiments.minis` trains a policy for each game with `configs/mini.yaml` ([why it needs a "
        "configuration of its own](../training.md#towards-an-equilibrium)). NashConv of a policy is given in percent "
        "of that of `random`, for each seed; the seconds are the mean on one core, of the training alone."
    )
    header = ["game", "random", "CFR+ 1,000", "timesteps", "seconds", "seeds", "self-play, seed by seed", "commit"]
    found = _groups([run for run in runs if run["row"] == plain], "game")
    rows = []
    for game, mine in found.items():
        cells = [f"{solved[game]['random']:.3f}", percent(solved[game]["1000"] / solved[game]["random"])]
        cells += [f"{mine[0]['timesteps']:,}", f"{mean(run['seconds'] for run in mine):.0f}"]
        rows.append([game, *cells, seeds(mine), shares(mine, solved[game]["random"]), commits(mine)])
    text += "\n" + table(header, rows)
    game = runs[0]["game"]
    changed = _groups([run for run in runs if run["game"] == game], "row")
    if len(changed) == 1:
        return text
    text += "\n### What it needs\n\n" + prose(
        f"In {game}; each row changes one thing in the configuration: to what Cheat has by default, or as the row says."
    )
    rows = [
        [row, f"{mine[0]['timesteps']:,}", seeds(mine), shares(mine, solved[game]["random"]), commits(mine)]
        for row, mine in changed.items()
    ]
    return text + "\n" + table(["", "timesteps", "seeds", "NashConv, seed by seed", "commit"], rows)


def nash_convs(games: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The NashConv of players in each game that is solved, by the game's name in tables of runs."""
    return {f"{game['variant']}, {game['players']} players": game["nash_conv"] for game in games}


def by_open_spiel(runs: list[Run], games: list[dict[str, Any]], table: Table, prose: Any) -> str:
    """Write the NashConv that algorithms of OpenSpiel reach."""
    solved = nash_convs(games)
    text = "\n## What OpenSpiel's algorithms reach\n\n" + prose(
        "`python -m experiments.solvers` runs algorithms of OpenSpiel on the same trees, which it walks in C++ ([how "
        "to](../open-spiel.md#whole-trees-for-its-solvers)); the program has their settings. NashConv of the average "
        "strategy, of which each of them promises something, is in percent of that of `random`, for each seed; the "
        "seconds are the mean on one core. CFR+, MMD and XFP draw nothing, so that one run is all. CFR+ and MCCFR "
        "are C++, the others Python, which takes minutes where C++ takes seconds: in the larger game they were left "
        "out. NFSP is far from its end: OpenSpiel's example of it plays twenty million games. OpenSpiel's Python "
        "package has no R-NaD any more."
    )
    rows = []
    for game, of_game in _groups(runs, "game").items():
        for algorithm, mine in _groups(of_game, "algorithm").items():
            length = f"{mine[0]['length']:,} {mine[0]['unit']}"
            seconds = f"{mean(run['seconds'] for run in mine):.0f}"
            found = shares(mine, solved[game]["random"])
            rows.append([game, algorithm, length, seconds, seeds(mine), found, commits(mine)])
    header = ["game", "algorithm", "a run", "seconds", "seeds", "NashConv, seed by seed", "commit"]
    return text + "\n" + table(header, rows)


def seeds(runs: list[Run]) -> str:
    """The seeds of runs."""
    return ", ".join(str(run["seed"]) for run in runs)


def commits(runs: list[Run]) -> str:
    """The commits at which runs were made, each once."""
    return ", ".join(dict.fromkeys(run["commit"][:12] for run in runs))


def responded(runs: list[Run], table: Table, prose: Any) -> str:
    """Write the share of the best response that training finds."""
    text = "\n## What a trained best response finds\n\n" + prose(
        "`python -m experiments.exact_responses` exploits players in games of two as [`bluff-env "
        "exploit`](../training.md#exploitability) does it. Best: what the best response of all earns a game. Found: "
        "what the best of the three earns that are tried: a scripted player, one that is taught, and one that begins "
        "with the policy itself. Both are sums over the tree."
    )
    header = ["game", "against", "best", "found", "of it", "by", "timesteps", "seed", "commit"]
    return text + "\n" + table(header, map(_response, runs))


def _response(run: Run) -> list[str]:
    """A row of the table of best responses."""
    figures = [f"{run['best']:.3f}", f"{run['earned']:.3f}", f"{run['earned'] / run['best']:.1%}"]
    by = "from itself" if run["response"] == "warm" else run["response"]
    row = [f"`{run['game']}`", f"`{run['policy'].removeprefix('scripted/')}`", *figures, by]
    return [*row, f"{run['timesteps']:,}", str(run["seed"]), run["commit"][:12]]


def _groups(runs: list[Run], key: str) -> dict[str, list[Run]]:
    """The runs by what they have under a key, in their order."""
    return {value: [run for run in runs if run[key] == value] for value in dict.fromkeys(run[key] for run in runs)}


def shares(runs: list[Run], uniform: float) -> str:
    """NashConv of these runs as shares of that of uniform play."""
    return ", ".join(percent(run["nash_conv"] / uniform) for run in runs)


def percent(share: float) -> str:
    """A share in percent, with a digit after the point below 10."""
    return f"{share:.2%}" if share < 0.001 else f"{share:.1%}" if share < 0.1 else f"{share:.0%}"
