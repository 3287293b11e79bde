"""`pagat` (card-game reference) and what is common to all presets."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from helpers import claims, decode, hand, hands, last_claim, legal, lively, phase, play_on, table, turn, window

from bluff_env.cheat.rules import RANK_NAMES
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

LONG = "AC 2C 3C 4C 5C 6C 7C"
OTHER = "AD 2D 3D 4D 5D 6D 7D"


# --- the deal --------------------------------------------------------------------------------------------------------


def deal_all(
    num_players: int, dealer: int, variant: str = "pagat", **house_rules: object
) -> tuple[Position, list[int]]:
    """A deal by chance, and the seats in the order in which they got their cards."""
    position = Position(make_rules(variant, **house_rules), num_players, dealer=dealer)
    order, sizes = [], [0] * num_players
    while phase(position) == "deal":
        position.apply_action(next(iter(position.chance_weights())))
        now = [len(cards) for cards in position.snapshot()["hands"]]
        order += [seat for seat in range(num_players) if now[seat] > sizes[seat]]
        sizes = now
    return position, order


@pytest.mark.parametrize("num_players", range(2, 11))
def test_whole_deck_is_dealt_and_hands_differ_by_one(num_players: int) -> None:
    """2 to 10 players, 1 pack: all 52 cards are dealt."""
    position, _ = deal_all(num_players, 0)
    sizes = [len(cards) for cards in position.snapshot()["hands"]]
    assert sum(sizes) == 52 and max(sizes) - min(sizes) <= 1
    assert Counter(card for cards in position.snapshot()["hands"] for card in cards).most_common(1)[0][1] == 1


def test_deal_goes_round_one_card_at_a_time_from_the_dealers_left() -> None:
    _, order = deal_all(5, 2)
    assert order == [(3 + i) % 5 for i in range(52)]


def test_anticlockwise_deal_goes_the_other_way() -> None:
    """Left always means next in the direction of play."""
    _, order = deal_all(5, 2, direction="anticlockwise")
    assert order == [(1 - i) % 5 for i in range(52)]


def test_dealer_and_starter_are_drawn_evenly() -> None:
    """Random starter; D3: chance draws the dealer, the cards, then the starter."""
    position = Position("pagat", 3)
    assert phase(position) == "dealer" and position.chance_weights() == {f"player_{p}": 1 for p in range(3)}
    position = Position("pagat", 3, hands=[["AC"], ["2C", "3C"], ["4C"]], dealer=1)
    assert phase(position) == "starter" and position.chance_weights() == {f"player_{p}": 1 for p in range(3)}
    position.apply_action("player_1")
    assert position.current_player() == 1


def test_forced_dealer_deal_and_starter_are_not_drawn() -> None:
    """D3."""
    assert phase(Position("pagat", 3, dealer=1)) == "deal"
    assert phase(table("pagat", "AC 2C", "3C", "4C", starter=2, dealer=0)) in ("turn", "place", "window")


def test_each_card_of_the_deck_is_as_likely_as_any_other() -> None:
    """The weight of a rank in the deal is the number of its cards left in the deck."""
    position = Position("pagat", 2, dealer=0)
    assert position.chance_weights() == dict.fromkeys(RANK_NAMES, 4)
    position.apply_action("A")
    assert position.chance_weights() == {**dict.fromkeys(RANK_NAMES, 4), "A": 3}


# --- claims and plays ------------------------------------------------------------------------------------------------


def test_first_claim_is_aces_and_a_forced_claim_is_not_asked() -> None:
    position = table("pagat", LONG, OTHER)
    assert claims(position) == "A" and not legal(position, "claim")
    assert legal(position, "place") == list("A234567")


def test_ranks_rise_by_one_and_wrap_from_king_to_ace() -> None:
    """First claim A, then +1; ranks wrap round (S2)."""
    position = table("pagat", LONG, OTHER)
    seen = []
    for _ in range(12):
        turn(position, "place " + legal(position, "place")[0], "commit")  # the lowest card, whatever is claimed
        seen.append(last_claim(position))
        window(position)
    assert seen == [(rank, 1) for rank in "A23456789TJQ"]
    assert claims(position) == "K"


def test_ace_follows_king() -> None:
    position = table("pagat", LONG, OTHER, first_claim="K")
    turn(position, "place 2", "commit")
    window(position)
    assert claims(position) == "A"


def test_at_least_one_card_is_placed() -> None:
    assert "commit" not in table("pagat", LONG, OTHER).legal_actions()


def test_cards_of_a_play_are_placed_lowest_first() -> None:
    """Every set of cards can be placed in exactly one way."""
    position = table("pagat", LONG, OTHER)
    turn(position, "place 4")
    assert legal(position, "place") == ["5", "6", "7"]


def test_the_lowest_suit_of_a_rank_goes_first() -> None:
    """D7: C D H S."""
    position = table("pagat", "5S 5H 5C 6C", OTHER)
    turn(position, "place 5", "place 5", "commit")
    assert position.snapshot()["pile"][0]["cards"] == ["5C", "5H"] and hand(position, 0) == "5S 6C"


def test_the_number_is_announced_truly() -> None:
    """Exact count: the announced number is the placed number, and is not asked."""
    position = table("pagat", LONG, OTHER)
    turn(position, "place 4", "place 5", "commit")
    assert last_claim(position) == ("A", 2) and phase(position) == "window"


@pytest.mark.parametrize(
    ("house_rules", "most"),
    [
        ({}, 4),
        ({"jokers": 2}, 6),
        ({"jokers": 2, "joker_role": "rank"}, 4),
        ({"packs": 2}, 8),
        ({"packs": 2, "jokers": 1}, 9),
        ({"suits": ("C", "D")}, 2),
        ({"max_cards": 1}, 1),
        ({"max_cards": 3}, 3),
        ({"max_cards": 4, "packs": 2}, 4),
        ({"max_cards": "set-1"}, 3),
        ({"max_cards": "unlimited"}, 12),
    ],
)
def test_most_cards_of_a_play(house_rules: dict, most: int) -> None:
    """1 to 4 cards; settled: at most the natural cards of a rank, 4 x packs, plus wild jokers. S3 for other maxima."""
    position = table("pagat", "AC KC QC JC TC 9C 8C AD KD QD JD TD 9D 8D", "2C 2D 3C 3D 4C", **house_rules)
    for _ in range(most):
        turn(position, "place " + legal(position, "place")[0], seat=0)
    if phase(position) == "place":  # nothing forbids one more but the maximum
        assert legal(position, "place") and most == 12
    else:
        assert last_claim(position) == ("A", most) and len(position.snapshot()["hands"][0]) == 14 - most


def test_a_play_of_jokers_only_is_true() -> None:
    """S4: wild jokers match any rank and count in the number."""
    position = table("pagat", "JK JK 5C", OTHER, jokers=2)
    turn(position, "place JK", "place JK")
    assert last_claim(position) == ("A", 2)
    window(position, call=[1])
    assert hand(position, 0) == "5C" and hand(position, 1) == OTHER + " JK JK"


def test_a_joker_of_its_own_rank_comes_between_king_and_ace() -> None:
    """Jokers as a rank of their own: Q, K, joker, A (the row `jokers-top`)."""
    position = table("pagat", LONG, OTHER + " JK", jokers=2, joker_role="rank", first_claim="K")
    turn(position, "place 4", "commit")
    window(position)
    assert claims(position) == "JK"
    turn(position, "place JK")
    assert last_claim(position) == ("JK", 1)
    window(position, call=[0])
    assert hand(position, 0) == "AC 2C 3C 4C 5C 6C 7C JK" and claims(position) == "A"


def test_a_joker_of_its_own_rank_matches_no_other_claim() -> None:
    position = table("pagat", LONG + " JK", OTHER, jokers=2, joker_role="rank")
    turn(position, "place JK")
    window(position, call=[1])
    assert hand(position, 0) == LONG + " JK"


# --- what is not asked -----------------------------------------------------------------------------------------------


def test_a_single_legal_action_within_a_turn_is_not_asked() -> None:
    """One card and a forced claim: the whole play is made, and the others are asked at once."""
    position = table("pagat", "5C", OTHER)
    assert phase(position) == "window" and last_claim(position) == ("A", 1) and position.current_player() == 1


def test_cards_of_one_rank_leave_only_the_number_to_choose() -> None:
    position = table("pagat", "5C 5H", OTHER)
    assert phase(position) == "place" and position.legal_actions() == ["place 5", "commit"]


def test_commit_is_not_asked_when_nothing_else_is_left() -> None:
    position = table("pagat", "5C 6H", OTHER)
    turn(position, "place 6")
    assert phase(position) == "window" and hand(position, 0) == "5C"


def test_windows_are_asked_whatever_is_known() -> None:
    """The window is always asked, also of a player who holds no card of use and was always right or wrong."""
    position = table("pagat", LONG, "2D 2H", "3D 3H", "4D 4H")
    turn(position, "place A", "commit")
    assert position.legal_actions() == ["let", "call"]
    assert window(position) == [1, 2, 3]


# --- the window ------------------------------------------------------------------------------------------------------


def four(**house_rules: object) -> Position:
    """Four players; player 2 is to play aces and lies with a seven."""
    position = table("pagat", LONG, OTHER, "7H 8H 9H", "AS KS", starter=2, **house_rules)
    turn(position, "place 7", "commit", seat=2)
    return position


def test_all_others_are_asked_from_the_claimants_left() -> None:
    assert window(four()) == [3, 0, 1]


def test_anticlockwise_the_others_are_asked_the_other_way_round() -> None:
    assert window(four(direction="anticlockwise")) == [1, 0, 3]


def test_all_are_asked_also_after_one_has_called() -> None:
    """S16."""
    assert window(four(), call=[3]) == [3, 0, 1]


def test_race_draws_one_of_those_who_call() -> None:
    """Race: all decide without seeing one another, and one of those who call is drawn at random."""
    position = four()
    window(position, call=[3, 1])
    assert position.chance_weights() == {"player_1": 1, "player_3": 1}
    position.apply_action("player_1")
    assert decode(position, 1)["record"][0][1:3] == [1, 1]  # calls and right calls of player 1
    assert decode(position, 3)["record"][0][1:3] == [0, 0]


@pytest.mark.parametrize(("callers", "counts"), [((0, 1), 0), ((1, 3), 3), ((1,), 1), ((0, 1, 3), 3)])
def test_in_turn_the_first_caller_from_the_claimants_left_counts(callers: tuple[int, ...], counts: int) -> None:
    position = four(window="in_turn")
    assert window(position, call=callers) == [3, 0, 1]
    assert position.is_player_node()
    assert [decode(position, seat)["record"][0][1] for seat in range(4)] == [int(seat == counts) for seat in range(4)]


def test_in_turn_follows_the_direction_of_play() -> None:
    position = four(window="in_turn", direction="anticlockwise")
    window(position, call=[3, 1])
    assert decode(position, 1)["record"][0][1] == 1 and decode(position, 3)["record"][0][1] == 0


# --- calls -----------------------------------------------------------------------------------------------------------


def test_true_play_called_the_challenger_picks_up() -> None:
    position = table("pagat", "AC AD KC", "5C 6C", "8C 9C")
    turn(position, "place A", "place A", "commit")
    window(position, call=[2])
    assert hands(position) == ["KC", "5C 6C", "AC AD 8C 9C"]
    assert not position.snapshot()["pile"]


def test_lie_called_the_claimant_picks_up() -> None:
    position = table("pagat", "AC 3D KC", "5C 6C", "8C 9C")
    turn(position, "place A", "place 3", "commit")
    window(position, call=[2])
    assert hands(position) == ["AC 3D KC", "5C 6C", "8C 9C"]


def test_one_false_card_makes_the_play_a_lie() -> None:
    """The whole play is revealed and every card has to match."""
    position = table("pagat", "AC AD AH 9S KC", "5C 6C")
    turn(position, "place A", "place A", "place A", "place 9")
    window(position, call=[1])
    assert hand(position, 0) == "AC AD AH 9S KC"


def test_the_loser_picks_up_the_whole_pile_not_only_the_last_play() -> None:
    position = table("pagat", "AC KC QC", "5C 6C 7C", "8C 9C TC")
    for place in ("place A", "place 5"):
        turn(position, place, "commit")
        window(position)
    turn(position, "place 8", "commit", seat=2)
    window(position, call=[0])
    assert hand(position, 2) == "AC 5C 8C 9C TC"


@pytest.mark.parametrize(("place", "caught"), [("place A", False), ("place Q", True)])
def test_normal_rotation_and_the_sequence_goes_on_after_a_call(place: str, caught: bool) -> None:
    """After a right and after a wrong call the left of the claimant plays the next rank."""
    position = table("pagat", "AC KC QC", "5C 6C 7C", "8C 9C TC")
    turn(position, place, "commit")
    window(position, call=[2])
    assert decode(position, 2)["record"][0][2] == int(caught)
    assert position.current_player() == 1 and claims(position) == "2"


def test_the_revealed_cards_are_seen_by_all() -> None:
    position = table("pagat", "AC 3D KC", "5C 6C", "8C 9C")
    turn(position, "place A", "place 3", "commit")
    window(position, call=[2])
    assert [decode(position, seat)["shown"][:3] for seat in range(3)] == [[1, 0, 1]] * 3


# --- out -------------------------------------------------------------------------------------------------------------


def last_card(last: str, num_players: int = 3) -> Position:
    """Player 0 plays his last card as an ace; player 1 is asked."""
    return table("pagat", last, *["2C 3C", "4C 5C", "6C 7C"][: num_players - 1])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_first_player_out_wins(num_players: int) -> None:
    """First out: the winner +1, each other -1/(N-1)."""
    position = last_card("AC", num_players)
    assert position.is_player_node()
    window(position)
    assert position.is_terminal() and position.snapshot()["finished"] == [0]
    assert position.returns() == pytest.approx([1.0] + [-1 / (num_players - 1)] * (num_players - 1))


def test_a_final_lie_that_nobody_calls_wins() -> None:
    position = last_card("9C")
    window(position)
    assert position.returns() == [1.0, -0.5, -0.5]


def test_a_final_play_is_not_won_before_its_window_closes() -> None:
    position = last_card("AC")
    position.apply_action("let")
    assert position.is_player_node() and position.snapshot()["finished"] == []
    assert decode(position, 1)["places"] == [0, 0, 0]


def test_a_final_play_called_and_true_wins() -> None:
    """D2: the pile is picked up, then the truthful claimant is out, then the game ends."""
    position = last_card("AC")
    window(position, call=[2])
    assert position.is_terminal() and position.returns() == [1.0, -0.5, -0.5]
    assert hands(position) == ["", "2C 3C", "AC 4C 5C"]


def test_a_final_lie_that_is_called_goes_on() -> None:
    """If the last cards were a lie and called, he picks up the pile and the game goes on."""
    position = last_card("9C")
    window(position, call=[2])
    assert position.is_player_node() and position.current_player() == 1
    assert hand(position, 0) == "9C" and claims(position) == "2" and position.snapshot()["finished"] == []


# --- the length limit ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "packs", "limit"), [(2, 1, 100), (4, 1, 200), (5, 3, 750)])
def test_default_length_limit(num_players: int, packs: int, limit: int) -> None:
    """Default 50 x players x packs."""
    position = Position(make_rules("pagat", packs=packs), num_players)
    assert decode(position, 0)["clock"] == limit


def test_at_the_length_limit_the_game_is_a_draw() -> None:
    """S29: with `at_limit=draw` 0 for all; and the clock shows what is left."""
    position = table("pagat", LONG, OTHER, length_limit=3, at_limit="draw")
    for left in (2, 1, 0):
        turn(position, "place " + legal(position, "place")[0], "commit")
        assert decode(position, 0)["clock"] == left
        window(position)
    assert position.is_terminal() and position.snapshot()["length_limit"]
    assert position.returns() == [0.0, 0.0]


def test_committed_plays_and_resolved_calls_are_turns() -> None:
    """D1: a play and the call on it are two turns."""
    position = table("pagat", LONG, OTHER, length_limit=2)
    turn(position, "place A", "commit")
    window(position, call=[1])
    assert position.is_terminal() and position.snapshot()["turns"] == 2


@pytest.mark.parametrize("call", [[], [1]])
def test_the_last_play_still_has_its_window(call: list[int]) -> None:
    """D1: the limit is looked at when the next turn would begin; the clock is never below 0."""
    position = table("pagat", "AC", OTHER, length_limit=1)
    assert phase(position) == "window" and decode(position, 1)["clock"] == 0
    window(position, call=call)
    assert position.returns() == [1.0, -1.0] and not position.snapshot()["length_limit"]
    assert decode(position, 1)["clock"] == 0


# --- direction, ends and other dimensions on this game ---------------------------------------------------------------


def test_anticlockwise_turns() -> None:
    position = table("pagat", LONG, OTHER, "7H 8H 9H", direction="anticlockwise")
    turn(position, "place A", "commit", seat=0)
    window(position)
    turn(position, "place 7", "commit", seat=2)
    window(position)
    assert position.current_player() == 1


def test_last_loses() -> None:
    """The last player with cards loses: -1, each other +1/(N-1)."""
    position = table("pagat", "AC", "2C", "3C 9C", end="last_loses")
    window(position)
    assert position.is_player_node() and last_claim(position) == ("2", 1)
    window(position)
    assert position.is_terminal()
    assert position.returns() == [0.5, 0.5, -1.0] and position.snapshot()["finished"] == [0, 1]


def test_players_who_are_out_are_neither_asked_nor_on_turn() -> None:
    """S8: the next in the direction of play who holds cards plays."""
    position = table("pagat", "9C 8C", "2C", "3C 4C", "5C 6C", end="ranking", starter=1)
    assert window(position) == [2, 3, 0]  # the two of player 1 as an ace
    turn(position, "place 3", "commit", seat=2)
    assert window(position) == [3, 0]
    turn(position, "place 5", "commit", seat=3)
    window(position)
    turn(position, "place 8", "commit", seat=0)
    assert window(position) == [2, 3] and position.current_player() in (2, 3)
    assert position.snapshot()["turn"] == 2


def test_ranking_pays_evenly_by_place() -> None:
    """S29: place k of N earns 1 - 2(k-1)/(N-1); D4: the last with cards takes the last place."""
    position = table("pagat", "AC", "2C", "3C", "4C 9C", end="ranking")
    for _ in range(3):
        window(position)
    assert position.is_terminal() and position.snapshot()["finished"][:3] == [0, 1, 2]
    assert position.returns() == pytest.approx([1.0, 1 / 3, -1 / 3, -1.0])


def test_ranking_at_the_limit_shares_the_mean_of_the_remaining_places() -> None:
    """S29: players already out keep their places' payoffs and the rest share the mean of the remaining places."""
    position = table("pagat", "AC", "2C 7C", "3C 8C", "4C 9C", end="ranking", length_limit=2, at_limit="draw")
    window(position)
    turn(position, "place 2", "commit", seat=1)
    window(position)
    assert position.is_terminal() and position.snapshot()["length_limit"]
    assert position.returns() == pytest.approx([1.0] + [(1 / 3 - 1 / 3 - 1) / 3] * 3)


def test_last_loses_at_the_limit_is_a_draw() -> None:
    position = table("pagat", "AC", "2C 7C", "3C 8C", end="last_loses", length_limit=2, at_limit="draw")
    window(position)
    turn(position, "place 2", "commit", seat=1)
    window(position)
    assert position.is_terminal() and position.returns() == [0.0, 0.0, 0.0]


def time_is_up(*hands: str, **rules: object) -> list[float]:
    """The payoffs after one play of one card by player 0, who was told the truth about, at a limit of one turn."""
    position = table("pagat", *hands, length_limit=1, **rules)
    if phase(position) != "window":
        turn(position, "place A", "commit", seat=0)
    window(position)
    assert position.is_terminal() and position.snapshot()["length_limit"]
    return position.returns()


def test_s29_when_time_is_up_the_fewest_cards_win() -> None:
    assert time_is_up("AC 5C 6C 7C", "2C 3C", "4C 8C 9C") == pytest.approx([-0.5, 1.0, -0.5])


def test_s29_players_with_equally_few_cards_share_the_win() -> None:
    assert time_is_up("AC 5C 6C", "2C 3C", "4C 8C 9C", "5D 6D 7D") == pytest.approx([0.5, 0.5, -0.5, -0.5])


def test_s29_if_all_hold_equally_many_nobody_wins() -> None:
    assert time_is_up("AC 5C 6C", "2C 3C", "4C 8C") == [0.0, 0.0, 0.0]
    assert time_is_up("AC 5C 6C", "2C 3C", "4C 8C", end="last_loses") == [0.0, 0.0, 0.0]


def test_s29_in_last_loses_the_most_cards_lose_and_players_who_tie_share_the_loss() -> None:
    assert time_is_up("AC 5C 6C", "2C 3C 4C", "4D 8C", end="last_loses") == pytest.approx([0.5, -1.0, 0.5])
    assert time_is_up("AC 5C 6C", "2C 3C 4C", "4D 8C 9C", end="last_loses") == pytest.approx([1.0, -0.5, -0.5])


def test_s29_in_ranking_the_free_places_go_by_the_number_of_cards() -> None:
    assert time_is_up("AC 5C 6C 7C", "2C 3C", "4C", end="ranking") == pytest.approx([-1.0, 0.0, 1.0])
    assert time_is_up("AC 5C 6C", "2C 3C", "4C 8C 9C", end="ranking") == pytest.approx([0.5, 0.5, -1.0])


def test_s29_in_ranking_players_who_are_out_keep_their_places() -> None:
    position = table("pagat", "AC", "2C 7C 8C", "3C 8D", "4C 9C", end="ranking", length_limit=2)
    window(position)
    turn(position, "place 2", "commit", seat=1)
    window(position)
    assert position.returns() == pytest.approx([1.0, -1 / 3, -1 / 3, -1 / 3])


def test_s29_teams_share_what_the_limit_pays() -> None:
    payoffs = time_is_up("AC 5C 6C 7C", "2C", "4C 8C 9C", "5D 6D 7D", teams=(0, 1, 0, 1))
    assert payoffs == pytest.approx([-1 / 3, 1 / 3, -1 / 3, 1 / 3])


def test_a_game_by_chance_ends_with_a_sum_of_nothing() -> None:
    """Payoffs are zero-sum."""
    for seed in range(5):
        rng = random.Random(seed)
        position = Position("pagat", 3)
        for _ in play_on(position, rng, lively(rng)):
            assert position.is_terminal() or position.returns() == [0.0] * 3
        assert sum(position.returns()) == pytest.approx(0)
