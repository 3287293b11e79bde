"""Games before the event referee: of presets and of random rules, with whole decks and with a few cards."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from typing import Any

from cheat_side_by_side import random_deal
from cheat_side_by_side import random_rules as wild_rules
from event_referee import Referee, Told
from helpers import draw

from bluff_env.cheat.game.state import NOBODY, Phase
from bluff_env.cheat.rules import Rules, Starter
from bluff_env.cheat.sample import changed, sample_rules
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.states.snapshot import cards_of
from bluff_env.cheat.texts.rules import describe
from bluff_env.envs.position import Position

MOST_STEPS = 4000
Seen = tuple[dict[str, Any], list[str]]  # a public event, and the cards face up after it


def choose(names: list[str], rng: random.Random) -> str:
    """Random play in which every kind of action is frequent, and short plays and true ones too."""
    if "commit" in names and rng.random() < 0.6:
        return "commit"
    if ("let" in names or "wait" in names) and rng.random() < 0.5:
        return "let" if "let" in names else "wait"
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(name.split()[0], []).append(name)
    return rng.choice(kinds[rng.choice(list(kinds))])


def refereed(rules: Rules, num_players: int) -> Rules | None:
    """The rules without what hides the sizes of hands, or adds to what a game pays; None if they make no sense."""
    plain: dict[str, Any] = {"count": "exact", "max_extra": None, "sleights": ()}
    plain |= dict.fromkeys(("drinks_weight", "cup_weight", "slaps_weight"), 0.0)
    plain |= {"reveal": "all"} if rules.reveal.name in ("ANNOUNCED", "CHOICE") else {}  # type: ignore[union-attr]
    return changed(rules, plain, num_players)


def sizes_dealt(rules: Rules, num_players: int, dealer: int, hands: list[list[str]] | None) -> list[int]:
    """How many cards each player is dealt, from the dealer's left."""
    if hands is not None:
        return [len(hand) for hand in hands]
    resolved = rules.resolve(num_players)
    step = -1 if "ANTI" in resolved.direction.name else 1  # type: ignore[union-attr]
    cards = resolved.num_cards - resolved.burn
    least, more = divmod(cards - resolved.left_over(num_players), num_players)
    return [least + ((step * (seat - dealer) - 1) % num_players < more) for seat in range(num_players)]


def game(rules: Rules, num_players: int, rng: random.Random, **deal: Any) -> Generator[Seen, None, list[float]]:
    """Plays a game with a referee, and yields what everybody sees; at the end the payoffs are judged and returned."""
    position = Position(rules, num_players, **deal)
    referee: Referee | None = None
    since = 0
    for _ in range(MOST_STEPS):
        state = position.game.state
        if referee is None and state["dealer"] != NOBODY:
            dealer = int(state["dealer"])
            told = Told(describe(rules, num_players))
            sizes = sizes_dealt(rules, num_players, dealer, deal.get("hands"))
            burnt = 0 if deal.get("hands") else rules.burn
            referee = Referee(told, sizes, dealer, told.num_cards - burnt - sum(sizes))
            if deal.get("starter") is not None and told.has_turns:
                referee.next_from = None if rules.starter == Starter.CARD else deal["starter"]
        shown = cards_of(state["shown"])
        for event in public_events(state, position.game.rule_row, since):
            assert referee is not None
            referee.see(event, shown)
            yield event, shown
        since = int(state["num_events"])
        if position.is_terminal():
            assert referee is not None
            referee.settle(position.returns(), bool(state["ended_at_limit"]))
            return position.returns()
        if not referee or not position.is_player_node():
            draw(position, rng)
            continue
        assert state["phase"] == Phase.BID or referee.sizes == state["apparent_hand"][:num_players].tolist()
        position.apply_action(choose(position.legal_actions(), rng))
    return []  # left before its end


def random_tables(seed: int) -> Iterator[tuple[Rules, int, dict[str, Any]]]:
    """Some games of a random rule set: all cards or few, for few cards lead to the corners."""
    rng = random.Random(f"referee {seed}")
    if seed % 2:
        num_players = rng.choice((2, 3, 3, 4, 5))
        rules: Rules = sample_rules(seed, num_players)
    else:
        rules, num_players = wild_rules(rng, rarer=seed % 4 == 0, calls=seed % 8 == 0)
    plain = refereed(rules, num_players)
    if plain is not None:
        for _ in range(4):
            yield plain, num_players, random_deal(plain, num_players, rng)


def referee_games(seed: int) -> int:
    """Referees the games of a seed; returns how many there were."""
    rng, games = random.Random(seed), 0
    for rules, num_players, deal in random_tables(seed):
        for _ in game(rules, num_players, rng, **deal):
            pass
        games += 1
    return games
