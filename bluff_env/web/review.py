"""Advice of a policy: hints for a decision, and a finished game looked at as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bluff_env.core.picture import Values
from bluff_env.core.registry import CUSTOM, family_of, make_rules
from bluff_env.evaluation.games import GameSpec
from bluff_env.play.records import session_of
from bluff_env.play.replay import replay_data
from bluff_env.record import GameRecord, replay
from bluff_env.utils.errors import InputError, RulesError
from bluff_env.web.choices import adviser

if TYPE_CHECKING:
    from bluff_env.play.session import Session
    from bluff_env.policies.policy import Policy

MOST_COSTS = 10
LEAST_COST = 0.05  # payoff
COSTS = (
    "The cost of a decision is the payoff that the policy expected before it, less what it expected at the player's "
    "next decision, or what they got in the end. Bad luck and what the others did are in it too."
)
COSTS_IN_MATCHES = "The costs of decisions are told of single deals, not of a match."
NOBODY = "No trained policy of the package plays by these rules, so there is nobody to ask."


def most_cards(game: GameSpec) -> int | None:
    """Return how many cards one play may hold under the rules of a game; None where plays are not of several cards."""
    row = family_of(game.rules).game.rule_row(game.rules, game.num_players)[0]
    names = row.dtype.names or ()
    if "max_announced" not in names:
        return None
    return int(row["max_announced"]) + int(row["max_extra"])


def hint(session: Session, game: GameSpec) -> Values:
    """Return what the policy that knows these rules best would do now: it sees what the player sees.

    Raises:
        InputError: if there is no policy for the game.
    """
    policy = adviser(game)
    if policy is None:
        raise InputError(NOBODY)
    explained = policy.explain(*session.faced())
    return {
        "policy": policy.name,
        "shares": [[name, session.meaning(name), round(p, 4)] for name, p in explained.probabilities.items()],
        "value": round(explained.value, 4),
        "lie_prob": None if explained.lie_prob is None else round(explained.lie_prob, 4),
    }


def reviewed(record: GameRecord, game: GameSpec, judge: Policy | None = None) -> Values:
    """A game from its deal to its last decision, with all hands and what a policy thought of each decision.

    Args:
        record: of the game.
        game: what was played.
        judge: the policy; by default the one that knows these rules best.

    Returns:
        ``replay`` (:func:`bluff_env.play.replay.replay_data`), ``policy``, ``costs`` and ``costs_note``.

    Raises:
        InputError: if the policy cannot explain what it thinks.
    """
    chosen: Any = adviser(game) if judge is None else judge
    if chosen is not None and not getattr(chosen, "explains", False):
        raise InputError(f"{chosen.name} cannot explain its decisions, as only trained policies can.")
    session = session_of(record)
    actions = (action for _, action in record.steps)
    data = replay_data(session, actions, [chosen] * record.num_players, record.note)
    payoffs = session.game.results()["payoffs"].tolist() if session.is_over else None
    in_match = session.deals > 1
    return {
        "replay": data,
        "policy": None if chosen is None else chosen.name,
        "costs": [] if in_match else costs(data, session.names, payoffs),
        "costs_note": COSTS_IN_MATCHES if in_match else COSTS,
    }


def opened(text: bytes, most: int) -> Values:
    """A record that somebody opened, as :func:`reviewed`. Raises InputError for a broken one, and a long one.

    Args:
        text: the record.
        most: decisions that it may have.
    """
    try:
        record = GameRecord.from_text(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError("The record is not UTF-8.") from None
    if len(record.steps) > most:
        raise InputError(f"The record has {len(record.steps)} decisions; at most {most} are shown here.")
    replay(record)
    return reviewed(record, GameSpec(record.variant, record.rules, record.num_players, _is_preset(record)))


def _is_preset(record: GameRecord) -> bool:
    """Return whether the rules of a record are those of the preset that it names."""
    if record.variant == CUSTOM:
        return False
    try:
        rules = make_rules(record.variant).resolve(record.num_players)
    except RulesError:
        return False
    return bool(rules == record.rules)


def costs(data: Values, names: Sequence[str], payoffs: Sequence[float] | None) -> list[Values]:
    """The decisions that cost most, the dearest first: see :data:`COSTS`.

    Args:
        data: of the game, with a judge.
        names: of the seats.
        payoffs: of the seats; None if the game is not over.
    """
    found: list[Values] = []
    for seat, name in enumerate(names):
        mine = [
            (frame["step"], frame["decision"])
            for frame in data["views"][0]["frames"]
            if frame["decision"] and frame["decision"]["player"] == name and frame["decision"]["judge"]
        ]
        values = [decision["judge"]["value"] for _, decision in mine]
        after = [*values[1:], *([payoffs[seat]] if payoffs else [])]
        for (step, decision), value, then in zip(mine, values, after, strict=False):
            if value - then >= LEAST_COST and len(decision["judge"]["shares"]) > 1:
                about = {key: decision[key] for key in ("player", "action", "meaning")}
                cost = {"cost": round(value - then, 4), "value": value, "next": round(then, 4)}
                found.append({"step": step, "seat": seat, **about, **cost})
    return sorted(found, key=lambda one: -one["cost"])[:MOST_COSTS]
