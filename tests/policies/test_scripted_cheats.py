"""What the scripted players do who cheat, watch, believe and bluff."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers import notices, phase, table, turn, window
from table_talk import chosen, played, shares

from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies.load import load_policy

HANDS = ("AC 5C 9C KC KD TH", "2C 3C 4C 4D", "7C 8C TC 8D")


def cheats(name: str, variant: str, **house_rules: Any) -> dict[str, int]:
    """How often a player in all seats does each action."""
    engine, policy = Engine(variant, 60, 4, seed=1, **house_rules), load_policy(f"scripted/{name}")
    rng, counts = np.random.default_rng(0), np.zeros(len(ACTION_NAMES), int)
    for _ in range(200):
        actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, rng=rng)
        counts += np.bincount(actions, minlength=len(counts))
        engine.step(actions)
    return dict(zip(ACTION_NAMES, counts.tolist(), strict=True))


def total(counts: dict[str, int], word: str) -> int:
    return sum(n for name, n in counts.items() if name.split()[0] == word)


# --- sharp -----------------------------------------------------------------------------------------------------------


def test_sharp_cheats_the_less_the_more_is_noticed() -> None:
    by_hand = ("hide", "slip", "peek")  # in one's own turn: who plays out of turn is noticed anyway
    often, seldom = (cheats("sharp", "british", notice_prob=p, sleights=by_hand) for p in (0.05, 0.9))
    for word in by_hand:
        assert total(often, word) > 2 * total(seldom, word) > 0, word


def test_sharp_deals_short_whether_that_is_noticed_or_not() -> None:
    """To be noticed there costs nothing."""
    assert all(total(cheats("sharp", "british", notice_prob=p), "short") > 0 for p in (0.05, 0.9))


@pytest.mark.parametrize("name", ["counter", "watcher", "honest", "never-take"])
def test_the_others_do_no_sleights(name: str) -> None:
    counts = cheats(name, "british")
    assert sum(total(counts, word) for word in ("hide", "slip", "peek", "switch", "short", "jump")) == 0


def test_sharp_hides_always_where_nobody_notices() -> None:
    position = table("card-sharp", *HANDS, notice_prob=0.0)
    assert chosen("sharp", position).startswith("hide")
    found = shares("sharp", position, rules_notice_prob=1000)
    assert sum(n for name, n in found.items() if name.startswith("place")) > 0.4


def test_sharp_switches_the_false_card_of_a_called_play() -> None:
    position = table("card-sharp", "AC KC 5C", "2C 3C 4C", "7C 8C TC", notice_prob=0.0)
    turn(position, "place K", "commit")
    notices(position)
    window(position, call=[1])
    assert phase(position) == "switch"
    assert chosen("sharp", position) == "switch K"
    position.apply_action("switch K")
    assert chosen("sharp", position) == "place A"


def test_sharp_keeps_what_cannot_be_made_true() -> None:
    position = table("card-sharp", "9C KC 5C", "2C 3C 4C", "7C 8C TC")
    turn(position, "place K", "commit")
    notices(position)
    window(position, call=[1])
    assert chosen("sharp", position) == "keep"
    assert chosen("counter", position) == "keep"


def test_sharp_plays_out_of_turn_only_with_a_true_card() -> None:
    position = table("british", "5C 6C", "AC AD KC", "7C 8C TC", notice_prob=0.0)
    found = {}
    while phase(position) == "tick":
        found[position.current_player()] = shares("sharp", position)["jump"]
        position.apply_action("wait")
    assert found[1] > 0.9 and found[2] == 0


# --- watcher ---------------------------------------------------------------------------------------------------------


def noticed(position: Position, who: list[int], name: str) -> dict[int, Counter[str]]:
    """Return what the players answer to a play whose sleights these players noticed."""
    notices(position, *who)
    answers = {}
    while phase(position) == "window":
        answers[position.current_player()] = shares(name, position)
        position.apply_action("let")
    return answers


def test_thoughtful_players_accuse_who_was_seen() -> None:
    for name, expected in (("watcher", 1.0), ("counter", 1.0), ("last-card", 1.0), ("honest", 0.0)):
        position = table("card-sharp", *HANDS)
        turn(position, "hide K", "place A", "commit")
        answers = noticed(position, [1], name)
        assert answers[1]["accuse"] == expected and answers[2]["accuse"] == 0


def test_nobody_trusts_a_notice_that_comes_too_often() -> None:
    """The more suspicious a player, the more wrong notices it takes: watcher is more so than the others."""
    for wrongly, expected in ((0.05, {"watcher": 1.0, "counter": 0.0}), (0.25, {"watcher": 0.0, "counter": 0.0})):
        for name, share in expected.items():
            position = table("card-sharp", *HANDS, false_notice_prob=wrongly)
            turn(position, "hide K", "place A", "commit")
            assert noticed(position, [1], name)[1]["accuse"] == share


def test_one_card_is_weighed_against_the_pile_where_a_switch_was_possible() -> None:
    position = table("card-sharp", "AC KC 5C", "2C 3C 4C", "7C 8C TC")
    turn(position, "place A", "commit")
    notices(position)
    window(position, call=[1])
    turn(position, "keep")
    notices(position)
    assert phase(position) == "answer"
    assert chosen("watcher", position) == "accept"
    assert chosen("watcher", position, pile_size=8) == "accuse"
    assert chosen("counter", position, pile_size=8) == "accept"
    assert chosen("counter", position, pile_size=20) == "accuse"


def test_watcher_counts_its_cards_after_the_deal() -> None:
    """With 52 cards and four players thirteen are a fair share; the dealer kept three back, which the others got."""
    for n, expected in ((3, {"demand redeal"}), (0, {"accept"})):
        counts = set()
        for seed in range(4):
            engine = Engine("british", 1, 4, seed=seed, notice_prob=0.0, false_notice_prob=0.0)
            engine.step(np.array([ACTION_NAMES.index(f"short deal {n}" if n else "deal")]))
            for _ in range(3):
                seen, mask = engine.observations[0], engine.action_masks[0]
                counts.add(ACTION_NAMES[load_policy("scripted/watcher").act(seen, mask)])
                engine.step(np.array([ACTION_NAMES.index("accept")]))
        assert counts == expected


def test_cheating_pays_most_where_nobody_speaks_up() -> None:
    """One sharp wins far more games of british among honest players than among counters, who accuse."""
    unwatched = evaluate("scripted/sharp", "scripted/honest", "british", 4, deals=30, seed=1).win_share
    watched = evaluate("scripted/sharp", "scripted/counter", "british", 4, deals=30, seed=1).win_share
    assert unwatched.low > watched.high
    assert evaluate("scripted/random", "scripted/counter", "british", 4, deals=30, seed=1).win_share.high < 0.1


# --- believer and bluffer --------------------------------------------------------------------------------------------


def test_believer_lets_certain_lies_pass_and_believes_where_it_may() -> None:
    position = table("pagat", "5C 6C 7C 8C 9C", "AC AD AH AS", "2C 3C 4C")
    turn(position, "place 5", "commit")
    assert chosen("believer", position) == "let"
    chinese = table("chinese", "5C 6C 7C", "AC AD AH AS", "2C 3C 4C")
    turn(chinese, "claim A", "place 5", "commit")
    assert chosen("believer", chinese) == "believe"


def test_believer_calls_last_cards_that_cannot_be_true() -> None:
    position = table("pagat", "5C", "AC AD AH AS", "2C 3C 4C")
    assert position.current_player() == 1
    assert chosen("believer", position) == "call"


def test_bluffer_lies_with_all_it_may_once_the_pile_is_worth_stealing() -> None:
    hands = ("AC AD AH AS 3C", "2C 2D 2H 2S 4C", "3D 7C 8C 9C TC", "5C 5D 6D 6C KC")
    small = table("pagat", *hands)
    turn(small, "place A", "place A", "place A", "commit")
    window(small)
    turn(small, "place 2", "place 2", "place 2", "commit")
    window(small)
    assert played("bluffer", small) == ["place 3", "commit"]
    large = table("pagat", *hands)
    turn(large, "place A", "place A", "place A", "place A", "commit")
    window(large)
    turn(large, "place 2", "place 2", "place 2", "place 2", "commit")
    window(large)
    played("bluffer", large)
    assert len(large.snapshot()["pile"][-1]["cards"]) == 4


def test_believers_are_what_bluffers_dream_of() -> None:
    assert evaluate("scripted/bluffer", "scripted/believer", "pagat", 4, deals=20, seed=1).win_share.low > 0.7
