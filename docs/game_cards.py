"""Game cards: what a researcher wants to know of a preset before a run, in one table, of code and measurements."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from markup import prose, table

from bluff_env.core.registry import find_variant, full_name, make_rules
from bluff_env.core.view import View

ROOT = Path(__file__).resolve().parent.parent
WINS = {
    "first_out": "the first player out gets 1, each other player -1/(N-1)",
    "last_loses": "the last player with cards gets -1, each other player 1/(N-1)",
    "ranking": "place k of N gets 1 - 2(k-1)/(N-1)",
    "first_call": "the loser of the deal gets -1, each other player 1/(N-1)",
}
LAST_LEFT = "the winner gets 1, each other player -1/(N-1)"  # Bluff the Bullet, and matches with revolvers


@cache
def _read(name: str) -> Any:
    """Return a committed file of measurements."""
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def game_card(name: str) -> str:
    """Return the section of a preset with its usual number of players."""
    players = find_variant(name).players[1]
    key = f"{full_name(name)}/{players}p"
    rows = [*_shapes(name, players), *_lengths(name, players, key), *_strengths(name, players, key)]
    text = (
        f"{name} with {players} players, N = {players}. Win shares have 95% intervals; an average player wins "
        f"{1 / players:.2f}. Lengths and branching are means of {_sizes()['games']} games with `counter` in all seats."
    )
    return f"## Game card\n\n{prose(text)}\n{table(('', 'value'), rows)}\n"


def _sizes() -> Any:
    return _read("experiments/game_sizes.json")


def _shapes(name: str, players: int) -> list[tuple[str, str]]:
    """The rows on spaces and payoffs."""
    rules = make_rules(name).resolve(players)
    views = [
        View(rules, players, encoding, trim) for encoding, trim in (("raw", False), ("raw", True), ("float", False))
    ]
    seen, short, floats = (view.size for view in views)
    actions, few = (len(view.action_names) for view in views[:2])
    limit = f"{rules.payoff_limit:g}"
    pays = LAST_LEFT if rules.to_dict().get("revolver", True) else WINS[rules.to_dict()["end"]]
    return [
        ("observation", f'int16 `({seen},)`; with `trim=True` `({short},)`; with `encoding="float"` `({floats},)`'),
        ("actions", f"`{actions}`; with `trim=True` `{few}`"),
        ("payoffs", f"at the end, from -{limit} to {limit}, and their sum is 0: {pays}"),
    ]


def _lengths(name: str, players: int, key: str) -> list[tuple[str, str]]:
    """The rows on the length of games."""
    size, limit = _sizes()["sizes"].get(key), make_rules(name).resolve(players).to_dict().get("length_limit")
    if size is None:
        return [("length", "not measured yet: `python -m experiments.game_sizes`")]
    ends = f"{size['at_limit']:.0%} of games with `counter` in all seats"
    among = _read("bluff_env/play/levels.json").get(key, {}).get(key)
    if among:
        ends += f"; {among['at_limit']:.0%} of games against copies of the published policy"
    rows = [("length", f"{size['turns']:.0f} turns, {size['decisions']:.0f} decisions of all players together")]
    if limit:
        rows.append((f"at the limit of {limit} turns", ends))
    return [*rows, ("branching", f"{size['legal']:.1f} legal actions a decision")]


def _strengths(name: str, players: int, key: str) -> list[tuple[str, str]]:
    """The rows on the published policy and how far it can be exploited."""
    best = _read("experiments/policies.json").get(key)
    if best is None:
        return [("published policy", "not measured yet: `python -m experiments.policies --changed`")]
    wins = (
        f"`{best['policy']}` wins {_interval(best['policy_among']['counter'])} of its games against copies of `counter`"
    )
    rows = [("published policy", wins), ("exploitability", _exploited(best["weights"], key))]
    solved = next((g for g in _games() if (g["variant"], g["players"]) == (name, players)), None)
    if solved:
        value = solved["nash_conv"]
        rows[1:] = [
            ("exploitability", f"NashConv {best['nash_conv']:.3f}, exactly; random play has {value['random']:.3f}"),
            ("solved", f"NashConv {value['1000']:.4f} after 1,000 iterations of CFR+; {solved['nodes']:,} nodes"),
        ]
    return rows


def _games() -> list[dict[str, Any]]:
    return list(_read("experiments/exact_games.json")["games"])


def _exploited(weights: str, key: str) -> str:
    """Return what the best response that was trained against a policy in this game wins."""
    runs = [
        run["lower_bound"]
        for run in _read("experiments/exploitability.json")["runs"]
        if (run["weights"], run["game"]) == (weights, key)
    ]
    if not runs:
        return "not measured"
    return f"the best response found wins at least {_interval(max(runs))} against copies of it"


def _interval(share: list[float]) -> str:
    return f"{share[0]:.2f} [{share[1]:.2f}, {share[2]:.2f}]"
