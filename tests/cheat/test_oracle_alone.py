"""The oracle of Cheat by itself: its games end, keep all cards, and one was worked out by hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from cheat_side_by_side import RANDOM_RULE_SETS, Style, draw_outcome, random_deal, random_rules
from oracle_cheat import Oracle

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import VARIANTS, make_rules


def cards_of(oracle: Oracle) -> Counter[str]:
    cards = Counter(oracle.placed) + Counter(oracle.removed) + Counter(oracle.first_pile) + Counter(oracle.stock)
    for hand in (*oracle.hands, *oracle.laps):
        cards += Counter(hand)
    for sleights in (oracle.sleights, oracle.accusable):
        if sleights.slipped is not None:
            cards[sleights.slipped.card] += 1
    if oracle.slipping is not None:
        cards[oracle.slipping] += 1
    for play in oracle.pile:
        cards += Counter(play.cards)
    return cards


def play_alone(oracle: Oracle, rng: random.Random) -> str:
    """A random game with every invariant looked at; how it ended."""
    style = Style.draw(rng)
    deck = Counter(oracle.deck)
    while not oracle.is_terminal():
        if oracle.is_chance_node():
            assert sum(oracle.chance_weights().values()) >= 1
            oracle.apply_action(draw_outcome(oracle, rng))
        else:
            assert oracle.legal_actions()
            with pytest.raises(ValueError, match="no such action"):
                oracle.apply_action("no such action")
            oracle.apply_action(style.choose(oracle, rng))
        assert cards_of(oracle) == deck
        assert all(size >= bool(hand) for size, hand in zip(oracle._apparent_hands(), oracle.hands, strict=True))
    assert abs(sum(oracle.returns())) < 1e-9
    assert oracle.snapshot()["done"]
    limit = oracle.rules.length_limit
    assert limit is not None and oracle.turns <= limit + 3  # a last turn: pile taken, play, call, accusation
    return "limit" if oracle.turns >= limit else "rule"


@pytest.mark.parametrize(("name", "num_players"), [(name, variant.players[1]) for name, variant in VARIANTS.items()])
@pytest.mark.sample(5)
def test_presets_finish_and_conserve(name: str, num_players: int) -> None:
    """With the usual number of players; beside the engine they play with the least and the greatest too."""
    play_alone(Oracle(make_rules(name), num_players), random.Random(f"{name} {num_players}"))


@pytest.mark.slow
def test_random_rules_finish_and_conserve() -> None:
    rng = random.Random(1)
    ends: Counter[str] = Counter()
    for _ in range(RANDOM_RULE_SETS):
        rules, num_players = random_rules(rng)
        ends[play_alone(Oracle(rules, num_players, **random_deal(rules, num_players, rng)), rng)] += 1
    assert min(ends["limit"], ends["rule"]) > RANDOM_RULE_SETS // 10


def test_a_short_game_by_hand() -> None:
    """Seat 1 lies with its last card, is caught, and the turn goes on from there."""
    oracle = Oracle(make_rules("pagat"), 2, hands=[["AS", "3D", "5D"], ["KC"]], starter=0, dealer=0)
    assert oracle.legal_actions() == ["place A", "place 3", "place 5"]
    oracle.apply_action("place A")
    assert oracle.legal_actions() == ["place 3", "place 5", "commit"]
    oracle.apply_action("commit")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["let", "call"])
    oracle.apply_action("let")  # seat 1 has one card only: the play is not asked
    assert (oracle.current_player(), oracle.snapshot()["claim"]) == (0, {"rank": "2", "count": 1})
    oracle.apply_action("call")
    assert oracle.snapshot()["hands"] == [["3D", "5D"], ["AS", "KC"]]
    assert oracle.snapshot()["ledgers"]["drinks"] == [0, 2]
    for name in ("place 3", "commit", "let", "place A", "commit", "call"):
        oracle.apply_action(name)
    assert (oracle.current_player(), oracle.snapshot()["hands"]) == (1, [[], ["AS", "3D", "KC"]])
    oracle.apply_action("let")
    assert oracle.snapshot()["rewards"] == [1.0, -1.0]


# --- games judged by the text of the rules alone ---------------------------------------------------------------------


def game(rules: Rules, hands: list[str], **options: Any) -> Oracle:
    """A forced deal, each hand in one text; seat 0 starts, and the last seat deals."""
    options = {"starter": 0, "dealer": len(hands) - 1, **options}
    return Oracle(rules, len(hands), hands=[hand.split() for hand in hands], **options)


def play(oracle: Oracle, actions: str) -> Oracle:
    """Decisions and outcomes of chance in one text, separated by commas."""
    for name in actions.split(", "):
        oracle.apply_action(name)
    return oracle


def test_the_pile_may_be_taken_by_who_could_not_but_lie() -> None:
    """S10: no card of any rank that may be claimed; then the same choice of claims."""
    rules = make_rules("pagat", steps=(-1, 1), take_pile=True)
    oracle = play(game(rules, ["AS 3D", "5C 7C"]), "place A, commit, let")
    assert oracle.legal_actions() == ["claim 2", "claim K", "take pile"]
    play(oracle, "take pile")
    assert oracle.legal_actions() == ["claim 2", "claim K"]
    assert oracle.snapshot()["hands"][1] == ["AS", "5C", "7C"]
    for honest in ("2C 7C", "7C KC"):
        oracle = play(game(rules, ["AS 3D", honest]), "place A, commit, let")
        assert oracle.legal_actions() == ["claim 2", "claim K"]
    wild = rules.replace(jokers=1)
    assert "take pile" not in play(game(wild, ["AS 3D", "7C JK"]), "place A, commit, let").legal_actions()


def test_a_jumper_in_a_rush_may_not_take_the_pile() -> None:
    """S16: they have to play."""
    rules = make_rules("pagat", steps=(-1, 1), take_pile=True, window="rush")
    for answer, more in (("let", ["take pile"]), ("jump", [])):
        oracle = play(game(rules, ["AS 3D", "5C 7C"]), f"place A, commit, {answer}")
        assert oracle.legal_actions() == ["claim 2", "claim K", *more]


def test_every_king_pours() -> None:
    """S28: the fourth like the others."""
    rules = make_rules("kings-cup", first_claim="K", max_cards="unlimited", length_limit=9)
    oracle = game(rules, ["3D KC KD KH KS", "2C"])
    play(oracle, "place K, place K, place K, place K, call")
    assert oracle.snapshot()["ledgers"]["cup"] == 4
    assert oracle.snapshot()["hands"][1] == ["2C", "KC", "KD", "KH", "KS"]


LIMITS = {
    ("first_out", "fewest"): [-0.5, 0.5, 0.5, -0.5],
    ("last_loses", "fewest"): [-1.0, 1 / 3, 1 / 3, 1 / 3],
    ("ranking", "fewest"): [-1.0, 2 / 3, 2 / 3, -1 / 3],
    ("first_out", "draw"): [0.0] * 4,
    ("ranking", "draw"): [0.0] * 4,
}


@pytest.mark.parametrize(("end", "at_limit"), LIMITS)
def test_the_hands_decide_at_the_length_limit(end: str, at_limit: str) -> None:
    """S29: equals share; here 4, 1, 1 and 2 cards are left."""
    rules = make_rules("pagat", end=end, at_limit=at_limit, length_limit=1)
    oracle = game(rules, ["AC AD AH AS 2C", "2D", "2H", "2S 3C"])
    play(oracle, "place A, commit, let, let, let")
    assert oracle.snapshot()["rewards"] == pytest.approx(LIMITS[end, at_limit])


def test_equal_hands_share_nothing_at_the_length_limit() -> None:
    """S29: everybody has one card."""
    for end in ("first_out", "last_loses", "ranking"):
        rules = make_rules("pagat", end=end, length_limit=1)
        oracle = play(game(rules, ["AC 2C", "2D", "2H"]), "place A, commit, let, let")
        assert oracle.snapshot()["rewards"] == [0.0, 0.0, 0.0]


def test_places_are_kept_at_the_length_limit() -> None:
    """S29: seat 0 is out and first; seats 2 and 3, with equally many cards, share the second and the third place."""
    rules = make_rules("pagat", end="ranking", length_limit=2)
    oracle = play(game(rules, ["AC", "2D 3C 4C 5C", "2H 3D", "2S 3S"]), "let, let, let")
    assert oracle.snapshot()["finished"] == [0]
    play(oracle, "place 2, commit, let, let")
    assert oracle.snapshot()["rewards"] == pytest.approx([1.0, -1.0, 0.0, 0.0])


def test_last_cards_that_can_still_be_doubted_are_not_held_at_the_length_limit() -> None:
    """S29: the play is over, and seat 1 is not asked any more."""
    rules = make_rules("pagat", end="last_loses", callers="next", length_limit=1)
    oracle = play(game(rules, ["AC 2C", "2D", "2H"]), "place A, commit")
    assert oracle.snapshot()["rewards"] == [0.0, 0.0, 0.0]  # one card each
    oracle = game(rules, ["AC", "2D", "2H 3H"])  # the only card is placed and committed without a question
    assert oracle.snapshot()["rewards"] == [0.5, 0.5, -1.0]  # seat 0 has none


def test_the_last_claimant_may_jump_in_again() -> None:
    """S20: everybody is asked, the claimant last."""
    rules = make_rules("jump-in")
    oracle = game(rules, ["AS 2D 3C", "5C 7C", "6C 8C"], dealer=0)
    assert oracle.current_player() == 1
    play(oracle, "wait, wait, jump, claim A, place A, commit")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "jump", "call"])
    play(oracle, "wait, wait")
    assert (oracle.current_player(), oracle.legal_actions()) == (0, ["wait", "jump"])
    play(oracle, "jump")
    assert oracle.legal_actions() == ["claim A", "claim 2", "claim K"]
    play(oracle, "claim 2, place 2, commit, wait, call, wait")  # only the last play can be called: it was true
    assert oracle.snapshot()["hands"] == [["3C"], ["5C", "7C"], ["AS", "2D", "6C", "8C"]]


def test_older_plays_can_be_called_without_turns() -> None:
    """S20, S12: a call names a player; seat 0's lie stays open after another play, also when that one is safe."""
    rules = make_rules("jump-in", callers="pile", end="ranking")
    oracle = game(rules, ["9S 2D", "5C", "6C 8C"], dealer=2)
    play(oracle, "jump, wait, wait, claim A, place 9")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "jump", "call +2"])
    play(oracle, "jump, wait, wait, claim A")
    assert oracle.snapshot()["hands"][1] == []  # the only card needs no question
    assert (oracle.current_player(), oracle.legal_actions()) == (2, ["wait", "jump", "call +1", "call +2"])
    play(oracle, "wait, wait")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "call +2"])  # without cards (S12)
    play(oracle, "wait")
    assert oracle.snapshot()["finished"] == [1]
    assert (oracle.current_player(), oracle.legal_actions()) == (2, ["wait", "jump", "call +1"])
    play(oracle, "call +1, wait")
    assert oracle.snapshot()["hands"] == [["2D", "5C", "9S"], [], ["6C", "8C"]]


def test_a_play_that_was_checked_cannot_be_called_in_a_later_tick() -> None:
    """D15, D12: but the checker may call other plays."""
    rules = make_rules("jump-in", callers="pile", check=True)
    oracle = play(game(rules, ["9S 2D 3D", "5C 7C", "6C 8C"], dealer=2), "jump, wait, wait, claim A, place 9")
    assert oracle.legal_actions() == ["wait", "jump", "call +2", "check"]
    play(oracle, "check, wait, wait")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "jump"])
    play(oracle, "wait, jump, wait, claim A, place 6, commit, wait")  # seat 2 plays; seat 0 waits
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "jump", "call +1", "check"])


# --- accusations -----------------------------------------------------------------------------------------------------

NOBODY = "player_1 notices nothing, player_2 notices nothing"


def sleights(*names: str, **fields: Any) -> Rules:
    """Pagat with sleights; whoever is caught or wrong plays next."""
    return make_rules("pagat", sleights=names, after_right="loser", after_wrong="loser", **fields)


def test_more_cards_than_announced_can_be_accused() -> None:
    """S21, S26: the accusation is right, and the play is not shown."""
    rules = sleights("switch", count="more")
    oracle = game(rules, ["AC AD 2H", "5C 7C", "6C 8C"])
    play(oracle, "place A, place A, commit, count 1, player_1 notices no thick stack, player_2 notices no thick stack")
    assert oracle.legal_actions() == ["let", "call", "accuse"]
    play(oracle, "accuse, let")
    assert oracle.snapshot()["hands"][0] == ["AC", "AD", "2H"]
    oracle = game(rules, ["AC AD 2H", "5C 7C", "6C 8C"])
    play(oracle, "place A, place A, commit, count 2, player_1 notices no thick stack, player_2 notices no thick stack")
    play(oracle, "accuse, let")
    assert oracle.snapshot()["hands"][1] == ["AC", "AD", "5C", "7C"]


def test_where_nothing_can_be_accused_nobody_is_offered_it() -> None:
    """S21: a switch is accused after the reveal (S23)."""
    oracle = play(game(sleights("switch"), ["AC AD", "5C 7C"]), "commit")
    assert oracle.legal_actions() == ["let", "call"]


def out_of_turn(notices: str, **fields: Any) -> Oracle:
    """Seat 1 plays before seat 0; then notices for seats 0 and 2."""
    oracle = game(sleights("out of turn", **fields), ["AC AD", "5C 7C", "6C 8C"])
    return play(oracle, f"jump, wait, place 5, commit, {notices}")


def test_only_who_noticed_something_may_accuse_a_play_out_of_turn() -> None:
    """S24, D17: where nothing else could be accused."""
    oracle = out_of_turn("player_0 notices nothing, player_2 notices something")
    assert (oracle.current_player(), oracle.legal_actions()) == (2, ["let", "call", "accuse"])
    play(oracle, "let")
    assert (oracle.current_player(), oracle.legal_actions()) == (0, ["let", "call"])


def test_a_play_out_of_turn_is_undone() -> None:
    """S24: the turn, the last claim and what may be claimed are what they were."""
    oracle = out_of_turn("player_0 notices nothing, player_2 notices something")
    assert oracle.chance_weights() == {}
    play(oracle, "accuse, let")
    assert oracle.snapshot()["hands"][1] == ["5C", "7C"]
    assert oracle.snapshot()["claim"] is None
    play(oracle, "wait, wait")  # one ace is placed without a question
    assert (oracle.current_player(), oracle.legal_actions()) == (0, ["place A", "commit"])


def test_an_accusation_of_a_play_out_of_turn_needs_a_notice() -> None:
    """S24: with hiding in use everybody may accuse, but without a notice it is wrong."""
    for word, loser in (("something", 1), ("nothing", 2)):
        oracle = game(sleights("hide", "out of turn"), ["AC AD", "5C 7C", "6C 8C"])
        play(oracle, f"jump, wait, place 5, commit, player_0 notices nothing, player_2 notices {word}")
        assert oracle.legal_actions() == ["let", "call", "accuse"]
        play(oracle, "accuse, let")
        assert "5C" in oracle.snapshot()["hands"][loser]


def test_a_play_out_of_turn_is_noticed_like_a_sleight() -> None:
    """D17: hiding and playing out of turn are two things to notice."""
    oracle = game(sleights("hide", "out of turn", notice_prob=0.5, false_notice_prob=0.0), ["AC", "5C 7C 9C", "6C"])
    play(oracle, "jump, wait, hide 7, place 5, commit")
    assert oracle.chance_weights() == {"player_0 notices something": 750_000, "player_0 notices nothing": 250_000}


def hidden(window: str, **fields: Any) -> Oracle:
    """Seat 0 hides a seven and plays a true ace; nobody notices anything."""
    oracle = game(sleights("hide", window=window, **fields), ["AC 7S 9S", "5C 7C", "6C 8C", "JC QC"])
    return play(oracle, f"hide 7, place A, commit, {NOBODY}, player_3 notices nothing")


def test_a_call_does_not_protect_the_sleights_of_the_turn() -> None:
    """S30: the call is wrong and settled first; then the hidden card returns. Both count as turns."""
    oracle = play(hidden("in_turn"), "let, accuse, call")
    snapshot = oracle.snapshot()
    assert snapshot["hands"] == [["7S", "9S"], ["5C", "7C"], ["6C", "8C"], ["AC", "JC", "QC"]]
    assert (snapshot["laps"], snapshot["turns"]) == ([[], [], [], []], 3)
    assert snapshot["ledgers"]["drinks"] == [0, 0, 0, 1]
    assert oracle.current_player() == 3  # as after the wrong call


def test_a_caller_is_drawn_and_then_an_accuser() -> None:
    """S30: two draws, the second only if there are several accusers."""
    oracle = play(hidden("race"), "call, accuse, call")
    assert oracle.chance_weights() == {"player_1": 1, "player_3": 1}
    play(oracle, "player_3")
    assert (oracle.snapshot()["turns"], oracle.current_player()) == (3, 3)
    oracle = play(hidden("race"), "accuse, accuse, call")
    assert oracle.chance_weights() == {"player_1": 1, "player_2": 1}
    oracle = play(hidden("in_turn"), "accuse, accuse, call")
    assert not oracle.is_chance_node()


def test_a_jumper_who_wins_the_draw_ends_accusations_too() -> None:
    """S30: in a rush."""
    oracle = play(hidden("rush"), "jump, accuse, call")
    assert oracle.chance_weights() == {"player_1": 1, "player_3": 1}
    play(oracle, "player_1")
    assert (oracle.current_player(), oracle.snapshot()["laps"][0], oracle.snapshot()["turns"]) == (1, ["7S"], 1)


def test_a_wrong_accusation_after_a_call_costs_drinks_only() -> None:
    """S30: nothing was hidden; seat 0 lied and picks up, and seat 1 drinks."""
    rules = sleights("hide", window="in_turn", wrong_call_drinks=4)
    oracle = play(game(rules, ["KC 7S 9S", "5C 7C", "6C 8C"]), f"place K, {NOBODY}, accuse, call")
    snapshot = oracle.snapshot()
    assert snapshot["hands"] == [["7S", "9S", "KC"], ["5C", "7C"], ["6C", "8C"]]
    assert (snapshot["ledgers"]["drinks"], snapshot["turns"], oracle.current_player()) == ([1, 4, 0], 3, 0)


def test_last_cards_are_not_safe_from_an_accusation_after_a_call() -> None:
    """D2: the hidden card returns before a claimant with an empty hand is out."""
    rules = sleights("hide", window="in_turn")
    oracle = play(game(rules, ["AC 7S", "5C 7C", "6C 8C"]), f"hide 7, {NOBODY}, accuse, call")
    assert oracle.snapshot()["hands"] == [["7S"], ["5C", "7C"], ["AC", "6C", "8C"]]
    assert not oracle.is_terminal()
    assert oracle.snapshot()["apparent_hands"][0] == 1


def test_a_right_accusation_after_a_call_gives_the_turn_back() -> None:
    """S30, S24: seat 1 lied out of turn, was called by seat 2 and accused by seat 0."""
    oracle = out_of_turn("player_0 notices something, player_2 notices nothing")
    play(oracle, "call, accuse")
    snapshot = oracle.snapshot()
    assert (snapshot["hands"], snapshot["claim"]) == ([["AC", "AD"], ["5C", "7C"], ["6C", "8C"]], None)
    play(oracle, "wait, wait")  # one ace is placed without a question
    assert (oracle.current_player(), oracle.legal_actions()) == (0, ["place A", "commit"])


def test_a_player_goes_out_once() -> None:
    """S12: seat 1 is out since the tick after its last cards; an older play is called later."""
    rules = make_rules("jump-in", callers="pile", end="ranking")
    oracle = game(rules, ["9S 2D", "5C", "6C 8C"], dealer=2)
    play(oracle, "jump, wait, wait, claim A, place 9, jump, wait, wait, claim A, wait, wait, wait, call +1, wait")
    assert oracle.snapshot()["finished"] == [1]


def test_who_led_a_full_set_is_not_asked_in_ticks() -> None:
    """S17, S15: seat 0 lost with the only ace, and stays out."""
    rules = Rules(
        ranks=("A", "2", "3", "4"), suits=("C",), jokers=3, turns="jump_in", callers="pile", full_set="offer",
        end="ranking", first_claim="free", steps="any", re_entry=True,
    )  # fmt: skip
    oracle = game(rules, ["AC", "JK 3C", "4C JK"], dealer=2)
    play(oracle, "jump, wait, wait, claim A, jump, wait, claim A, place JK, wait")
    assert (oracle.current_player(), oracle.legal_actions()) == (1, ["wait", "jump"])


def test_a_called_player_who_gives_the_last_card_away_is_out() -> None:
    """S23, S12: seat 2 calls seat 0's older play wrongly and accuses it of a switch wrongly."""
    rules = sleights("switch", callers="pile", window="in_turn", end="ranking")
    oracle = game(rules, ["AC 7S", "2C 7C", "6C 8C"])
    play(oracle, "place A, commit, let, let, place 2, commit, call +1, let, let")
    play(oracle, "keep, player_1 notices nothing, player_2 notices nothing, accuse, place 7")
    assert oracle.snapshot()["hands"] == [[], ["7C"], ["AC", "2C", "6C", "7S", "8C"]]
    assert oracle.snapshot()["finished"] == [0]
