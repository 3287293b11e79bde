"""The words for a rule set: every rule that matters is in them."""

from __future__ import annotations

import random
import re
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from bluff_env import cheat_v0
from bluff_env.cheat.game.rule_table import rule_row
from bluff_env.cheat.rules import FIELD_NAMES, SLEIGHTS, Callers, End, Rules, Window
from bluff_env.cheat.texts.rules import choices_of, describe, field_docs, paragraphs, rules_table, spans, value_text
from bluff_env.cheat.texts.table import describe_event
from bluff_env.cheat.variants import VARIANTS, changes_of, make_rules
from bluff_env.utils.errors import RulesError

# For every field: a table at which it matters, and two values of it.
EXAMPLES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "packs": ({}, 1, 2),
    "ranks": ({}, ("A", "2", "3"), ("A", "2", "4")),
    "suits": ({}, ("C", "D"), ("C", "H")),
    "jokers": ({}, 0, 2),
    "joker_role": ({"jokers": 2}, "wild", "rank"),
    "wild_ranks": ({}, (), ("J", "Q")),
    "missing": ({}, (), ("2C",)),
    "burn": ({}, 0, 1),
    "hand_size": ({"surplus": "out"}, None, 5),
    "surplus": ({}, "deal", "out"),
    "penalty": ({"surplus": "stock", "hand_size": 5}, "draw 3", "pile+draw 3"),
    "first_face_up": ({"first_claim": "free"}, False, True),
    "after_passes": ({"passing": True}, "claimant", "last_passer"),
    "pass_advances": ({"passing": True}, False, True),
    "starter": ({}, "random", "left_of_dealer"),
    "starter_card": ({"starter": "card"}, "2C", "AH"),
    "direction": ({}, "clockwise", "anticlockwise"),
    "first_claim": ({}, "A", "free"),
    "steps": ({}, (1,), (-1, 0, 1)),
    "claimable": ({}, None, ("A", "2")),
    "claim_kind": ({"first_claim": "free"}, "rank", "suit"),
    "max_cards": ({}, 3, "unlimited"),
    "count": ({}, "exact", "more"),
    "max_extra": ({"count": "any"}, 1, None),
    "reveal": ({}, "all", "one"),
    "callers": ({}, "all", "next"),
    "window": ({}, "race", "in_turn"),
    "after_right": ({}, "rotation", "loser"),
    "after_wrong": ({}, "rotation", "challenger"),
    "next_claim": ({}, "continue", "repeat"),
    "passing": ({}, False, True),
    "take_pile": ({}, False, True),
    "check": ({}, False, True),
    "believe": ({"callers": "next"}, False, True),
    "force": ({}, False, True),
    "full_set": ({}, "automatic", "offer"),
    "end": ({}, "first_out", "ranking"),
    "re_entry": ({"end": "ranking"}, False, True),
    "revolver": ({"end": "first_call"}, False, True),
    "turns": ({}, "ordered", "jump_in"),
    "sleights": ({}, (), ("hide",)),
    "notice_prob": ({"sleights": ("hide",)}, 0.25, 0.5),
    "false_notice_prob": ({"sleights": ("hide",)}, 0.02, 0.5),
    "wrong_call_drinks": ({}, None, 3),
    "drinks_weight": ({}, 0.0, 0.1),
    "cup": ({"passing": True}, False, True),
    "cup_weight": ({"passing": True, "cup": True}, 0.0, 0.1),
    "slaps": ({}, False, True),
    "slaps_weight": ({"slaps": True}, 0.0, 0.1),
    "length_limit": ({}, None, 77),
    "teams": ({}, None, (0, 1, 0, 1)),
    "at_limit": ({}, "fewest", "draw"),
}


def test_there_is_an_example_of_every_field() -> None:
    assert set(EXAMPLES) == set(FIELD_NAMES)


@pytest.mark.parametrize("field", FIELD_NAMES)
def test_a_changed_field_changes_the_words(field: str) -> None:
    table, one, other = EXAMPLES[field]
    rules = [Rules(**table, **{field: value}) for value in (one, other)]
    assert describe(rules[0], 4) != describe(rules[1], 4)
    assert rules_table(rules[0]) != rules_table(rules[1])


@pytest.mark.parametrize("field", [f for f in FIELD_NAMES if choices_of(f)])
def test_every_choice_has_words_of_its_own(field: str) -> None:
    texts = set()
    for choice in choices_of(field):
        table = EXAMPLES[field][0]
        if choice in ("announced", "choice"):
            table = {**table, "count": "more"}
        if choice == "stock":
            table = {**table, "penalty": "draw 3"}
        texts.add(describe(Rules(**table, **{field: choice}), 4))
    assert len(texts) == len(choices_of(field)) > 1


VALUES: dict[str, tuple[Any, ...]] = {
    "packs": (1, 2, 3, 4, "auto"),
    "ranks": (Rules().ranks, ("A", "2", "3", "4", "K"), ("T", "J", "Q", "K", "A"), "auto"),
    "suits": (Rules().suits, ("C", "D"), ("S",)),
    "jokers": (0, 1, 2, 5),
    "starter_card": ("2C", "AH", "KS", "AC"),
    "wild_ranks": ((), ("A",), ("J", "Q", "K")),
    "missing": ((), ("2C",), ("2C", "2C"), ("KS", "AC")),
    "burn": (0, 1, 2),
    "hand_size": (None, 1, 5, 7),
    "penalty": ("pile", "draw 1", "draw 3", "pile+draw 2"),
    "first_claim": ("A", "free", "K", "C", "drawn"),
    "steps": ((1,), (-1,), (0,), (-1, 1), (-1, 0, 1), "any", "at_least", "raise"),
    "claimable": (None, ("A", "2", "K"), ("A",), ("C", "D")),
    "max_cards": ("set", "set-1", "unlimited", 1, 2, 4, 7),
    "max_extra": (None, 0, 1, 5),
    "wrong_call_drinks": (None, 0, 3),
    "drinks_weight": (0.0, 0.01, 1.5),
    "slaps_weight": (0.0, 0.01, 1.5),
    "cup_weight": (0.0, 0.01, 1.5),
    "length_limit": (None, 10, 300),
    "teams": (None, (0, 1), (0, 1, 0, 1), (0, 0, 1)),
    "sleights": ((), *((name,) for name in SLEIGHTS), ("hide", "switch"), SLEIGHTS),
    "notice_prob": (0.25, 0.0, 1.0),
    "false_notice_prob": (0.02, 0.0, 0.5),
    **dict.fromkeys((f for f in FIELD_NAMES if isinstance(getattr(Rules(), f), bool)), (False, True)),
}


def test_mixtures_draw_every_field() -> None:
    """A field that they lack is never told beside the others: it was so with wild ranks, forces and sleights."""
    assert set(VALUES) | {f for f in FIELD_NAMES if choices_of(f)} == set(FIELD_NAMES)


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Values of some fields, sensible together or not; half the time those of a preset and some more.

    What needs other fields (beliefs, the cup, revolvers, a card face up) is rarely drawn without a preset that has it.
    """
    values = {**VALUES, **{f: tuple(choices_of(f)) for f in FIELD_NAMES if choices_of(f)}}
    preset = changes_of(rng.choice(list(VARIANTS))) if rng.random() < 0.5 else {}
    drawn = {f: rng.choice(options) for f, options in values.items() if rng.random() < (0.1 if preset else 0.25)}
    return preset | drawn


def build(values: dict[str, Any], players: int) -> Rules | None:
    """The rules, or None if they make no sense."""
    try:
        return Rules(**values).resolve(players)
    except RulesError:
        return None


def play_alike(rules: Rules, other: Rules, field: str, players: int) -> bool:
    """Return whether two rule sets play alike: with one claim, one possible caller, or a call that ends the deal."""
    one_claim = len(rules.faces) == len(other.faces) == 1
    one_caller = players == 2 and rules.callers == other.callers != Callers.PILE
    rushed = Window.RUSH in (rules.window, other.window)
    after_a_call = field in ("after_right", "after_wrong", "wrong_call_drinks")
    if rules.end == other.end == End.FIRST_CALL and after_a_call:  # the deal is over
        return True
    return (one_claim and field in ("steps", "first_claim")) or (one_caller and field == "window" and not rushed)


CONTRADICTIONS = (
    (r"free to claim any", r"go on from"),
    (r"Every play is claimed as", r"You may claim|[Aa]ny claim|must repeat|go on from|was due"),
    (r"^2 players share", r"several demanded it|if several want to, one"),
    (r"the only natural card of a rank, face up", r"they leave|these cards leave"),
    (r"plays at once, no call counts", r"If somebody else calls, nobody"),
    (r"Nobody may pass", r"When all other players have passed"),
    (r"before (\w+) come", r"after \w+ come \w+ again"),
    (r"The first call ends the deal", r"after a wrong call|after a right call"),
    (r"^2 players share", r"[Ee]verybody else|all other players"),
    (r"Every play is claimed as", r"Leading face up"),
    (r"(is|are) the first pile", r"you may pass, but not while the pile is empty"),
    (r"\bthe (\w+ of \w+), \1\b|\bthe (\w+ of \w+) and \2\b", r""),
    (r"accusations count as turns", r"\A(?!.*may instead accuse)"),
)
"""Of each pair one may be said and not both."""


@pytest.mark.long
@pytest.mark.slow
def test_no_mixture_says_what_contradicts_itself() -> None:
    rng, mixtures = random.Random(2), 0
    while mixtures < 600:
        players = rng.choice((2, 2, 3, 4, 10))
        rules = build(random_rules(rng), players)
        if rules is None:
            continue
        mixtures += 1
        text = describe(rules, players).removeprefix("Cards. ")
        for one, other in CONTRADICTIONS:
            assert not (re.search(one, text) and re.search(other, text, re.DOTALL)), (one, other, text)


@pytest.mark.long
@pytest.mark.slow
def test_of_any_two_neighbouring_mixtures_that_play_differently_the_words_differ() -> None:
    rng = random.Random(1)
    mixtures = 0
    while mixtures < 250:
        players = rng.randint(2, 10)
        values = random_rules(rng)
        rules = build(values, players)
        if rules is None:
            continue
        mixtures += 1
        text, row = describe(rules, players), rule_row(rules, players)
        assert text == describe(rules, players)
        assert "{" not in text and "None" not in text and "  " not in text
        change = random_rules(rng)
        field = rng.choice(list(change)) if change else "passing"
        other = build({**values, field: change.get(field, True)}, players)
        if other is not None and rule_row(other, players) != row and not play_alike(rules, other, field, players):
            assert describe(other, players) != text, (field, values, change.get(field))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_preset_is_described_for_every_number_of_players(name: str) -> None:
    for players in range(VARIANTS[name].players[0], VARIANTS[name].players[2] + 1):
        headings = [heading for heading, _ in paragraphs(make_rules(name), players)]
        assert headings[0] == "Cards" and headings[-1] == "Length"
        assert f"{players} players share" in describe(make_rules(name), players)


def test_the_words_of_the_plainest_game() -> None:
    text = describe(make_rules("pagat"), 4)
    for part in (
        "52 cards",
        "must be claimed as aces",
        "1 to 4 cards",
        "the rank after the last one",
        "Nobody may pass",
        "each of the others loses 0.333",
        "After 200 turns",
    ):
        assert part in text
    assert "take the pile" not in text and "joker," not in text


def test_what_only_some_rules_have_is_told_only_there() -> None:
    assert "believe" not in describe(make_rules("pagat"), 4)
    assert "you believe it" in describe(make_rules("chinese"), 4)
    assert "look at it" in describe(make_rules("check"), 4)
    assert "Jacks, queens and kings can be played only under a false claim" in describe(make_rules("royals"), 4)
    wild = describe(make_rules("royals", wild_ranks=("J", "Q")), 4)
    assert "Kings can be played only under a false claim" in wild  # what matches every claim is no lie
    assert "is back in the game" in describe(make_rules("i-doubt-it"), 4)
    assert "+1, +0.333, -0.333 and -1" in describe(make_rules("eightshit"), 4)


def test_too_many_players_are_refused() -> None:
    with pytest.raises(RulesError, match="num_players"):
        describe(make_rules("pagat"), 11)


def test_the_table_reads_its_meanings_from_the_rules() -> None:
    rows = {field: (value, meaning) for field, value, meaning in rules_table(make_rules("chinese"))}
    assert list(rows) == list(FIELD_NAMES) == list(field_docs())
    assert all(meaning for _, meaning in rows.values())
    assert rows["callers"][0] == "next" and "only the player whose turn it is" in rows["callers"][1]
    assert rows["steps"][0] == "[0]" and rows["believe"][0] == "true" and rows["teams"][0] == "null"


def test_values_read_as_the_command_line_takes_them() -> None:
    assert value_text(("A", "2")) == "[A, 2]"
    assert value_text(None) == "null" and value_text(True) == "true" and value_text(0.25) == "0.25"
    assert all(isinstance(getattr(Rules(), f), IntEnum) for f in FIELD_NAMES if choices_of(f))
    assert spans(("A", "9", "T", "J", "Q", "K")) == "A and 9 to K"


# --- sentences that were wrong, each beside the rules under which it was ----------------------------------------------

OFFER = {"full_set": "offer", "end": "ranking"}
SLEIGHTS = ("hide",)
BY_SUIT: dict[str, Any] = {"claim_kind": "suit", "first_claim": "free"}
SENTENCES: list[tuple[dict[str, Any], int, tuple[str, ...], tuple[str, ...]]] = [
    # any claim may follow any other, so nothing goes on from a claim
    (
        {"steps": "any"},
        4,
        ("The next play may be claimed as any rank.", "Except in the first play, you are free to claim any of these"),
        ("go on from",),
    ),
    ({"steps": "any", "first_claim": "free"}, 4, ("You are free to claim any of these",), ("Except",)),
    # what cannot happen is not told
    ({"end": "first_out"}, 4, (), ("If the player who should play has no cards",)),
    ({"end": "ranking"}, 4, ("If the player who should play has no cards",), ()),
    ({"callers": "next", "passing": True}, 2, (), ("After a pass",)),
    ({"callers": "next", "passing": True}, 3, ("After a pass the next player may still call it.",), ()),
    ({"re_entry": True, "end": "ranking"}, 2, (), ("is back in the game",)),
    (
        {"sleights": ("short deal", "out of turn")},
        2,
        ("the other player decides whether to demand",),
        ("everybody but",),
    ),
    ({"steps": "any", "next_claim": "other", "first_claim": "free"}, 4, ("Except when you lead a new round",), ()),
    ({"starter": "jack"}, 4, ("First the dealer deals cards face up until",), ("left out",)),
    ({"starter": "jack", "jokers": 2}, 4, ("deals cards face up, jokers left out, until",), ()),
    ({"starter": "bid"}, 4, ("shows how many they hold: ",), ("do not count",)),
    ({"window": "rush"}, 4, ("then they have to play.",), ("may neither", "may not take")),
    ({"window": "rush", "passing": True}, 4, ("then they have to play, and may not pass.",), ()),
    ({"next_claim": "repeat", "after_right": "rotation"}, 4, (), ("caught twice in a row",)),
    (
        {"first_face_up": True, "steps": "any", "first_claim": "free"},
        4,
        ("After a call nobody leads, and the next play is face down.",),
        (),
    ),
    (
        {"steps": "any", "next_claim": "repeat", "after_right": "loser"},
        4,
        (
            "Except in the first play or right after a call, you are free to claim any of these",
            "the turn goes to the player on their left, who may claim anything.",
        ),
        ("go on from",),
    ),
    ({"steps": "any", "passing": True}, 4, ("leads with any claim.",), ("the claim that was due",)),
    (
        {"steps": "any", "callers": "next", "believe": True},
        4,
        ("plays next, with any claim.",),
        ("that follows the last",),
    ),
    # one claim only: nothing is free, and nothing goes on
    *(
        (
            {"claimable": ("A",), "next_claim": next_claim, "callers": "next", "believe": True, "passing": True},
            4,
            ("Every play is claimed as aces.",),
            (
                "You may claim",
                "go on from",
                "each claim",
                "any rank",
                "any claim",
                "first play must",
                "must repeat",
                "was due",
            ),
        )
        for next_claim in ("continue", "repeat", "free")
    ),
    # who leads
    (OFFER, 4, ("(you lead with the first play of the game or right after a player lost so)",), ()),
    ({**OFFER, "end": "first_out"}, 4, ("(you lead with the first play of the game)",), ("lost so",)),
    # who gets to look
    ({"check": True}, 4, ("If somebody else calls, nobody gets to look.",), ()),
    ({"check": True}, 2, ("everybody learns that you looked.",), ("nobody gets to look",)),
    ({"check": True, "window": "rush"}, 4, ("If a call counts, nobody gets to look.",), ("somebody else calls",)),
    ({"check": True, "sleights": SLEIGHTS}, 4, ("If a call or an accusation counts, nobody gets to look.",), ()),
    ({"check": True, "callers": "pile"}, 4, ("may not call it, now or later;",), ()),
    ({"check": True, "turns": "jump_in"}, 4, ("may not call it, now or later;",), ()),
    # where the ranks wrap round
    ({"steps": (-1,)}, 4, ("before aces come kings.",), ("come aces again",)),
    ({"steps": (-1, 0, 1)}, 4, ("after kings come aces again.",), ("before aces",)),
    ({"steps": (-1,), **BY_SUIT}, 4, ("before clubs come spades.",), ()),
    # players who are out and may call
    (
        {"re_entry": True, "end": "ranking"},
        4,
        ("everybody else, also players who are out, decides,",),
        ("or is already out",),
    ),
    ({"re_entry": True, **OFFER}, 4, ("also players who are out (but not after leading a full set), decides",), ()),
    # what is counted and not shown
    (
        {"passing": True, "cup": True},
        4,
        ("Each unit drunk is counted but changes no payoff, and no player is shown",),
        (),
    ),
    (
        {"wrong_call_drinks": 3},
        4,
        ("Each drink is counted but changes no payoff, and no player is shown the count.",),
        (),
    ),
    ({"slaps": True}, 4, ("Each slap is counted but changes no payoff.",), ()),
    # full sets
    (
        {"suits": ("C",), **OFFER},
        4,
        ("the only natural card of a rank, face up; it leaves the game.",),
        ("they leave",),
    ),
    ({"full_set": "automatic", "starter": "bid"}, 4, ("face up. The bidding comes first.",), ()),
    ({"full_set": "automatic"}, 4, ("is out at once.",), ("The bidding comes first.",)),
    ({"turns": "jump_in", **OFFER}, 4, ("unless they made the last play and it can still be called",), ()),
    # passing
    (
        {"passing": True, "next_claim": "repeat", "take_pile": True},
        4,
        ("you may pass, but not while the pile is empty.",),
        ("if you lead", "after taking the pile"),
    ),
    # a table of two: nobody else decides in the same window
    *(
        ({"window": window, "sleights": SLEIGHTS}, 2, (), ("several players call", "somebody else calls"))
        for window in ("race", "in_turn", "rush")
    ),
    ({"sleights": ("short deal", "out of turn")}, 2, (), ("one of them is drawn",)),
    ({"callers": "pile"}, 2, ("If several players call, one of them is drawn at random",), ()),
    ({"turns": "jump_in"}, 2, ("If several players want to play",), ("several players call",)),
    ({}, 2, ("After each play, the other player decides whether to let it stand or call it.",), ("everybody else",)),
    ({"check": True}, 2, ("decides whether to let it stand, look at it or call it.",), ()),
    ({"passing": True}, 2, ("When the other player has passed since the last play, the pile leaves",), ("all other",)),
    ({"turns": "jump_in"}, 2, ("the other player may call the last play, until the next play is made.",), ()),
    # wild cards are true under every claim
    ({"take_pile": True, "wild_ranks": ("K",)}, 4, ("may claim, and no wild card either,",), ("joker either",)),
    ({"take_pile": True, "jokers": 2}, 4, ("that you may claim, and no joker either,",), ("wild card either",)),
    ({"take_pile": True, "jokers": 2, "wild_ranks": ("K",)}, 4, ("and no wild card either,",), ("joker either",)),
    # a first pile is not empty, and yet nobody passes before the first play
    (
        {"passing": True, "surplus": "pile", "hand_size": 5},
        4,
        ("you may pass, but not before somebody has played to the pile.",),
        ("while the pile is empty",),
    ),
    # a call that ends the deal costs no drink
    (
        {"end": "first_call", "take_pile": True, "wrong_call_drinks": 3},
        4,
        ("picks up the pile has one drink for each of its cards.",),
        ("3 drinks",),
    ),
    (
        {"end": "first_call", "drinks_weight": 0.1},
        4,
        ("Nobody picks up a pile, so nobody drinks.",),
        ("has one drink", "takes 0.1 off"),
    ),
    (
        {"end": "first_call", "drinks_weight": 0.1, "full_set": "offer"},
        4,
        ("Nobody picks up a pile, but leading a full set costs ten drinks.", "takes 0.1 off"),
        ("has one drink",),
    ),
    # accusations of a play, which only some sleights know
    ({"sleights": ("short deal",)}, 4, ("Plays and calls count as turns.",), ("accus",)),
    ({"sleights": ("switch",)}, 4, ("Plays and calls count as turns.",), ()),
    ({"sleights": ("switch",), "count": "more"}, 4, ("Plays, calls and accusations count as turns.",), ()),
    # cards that are missing from several packs
    ({"missing": ("2C", "KS")}, 4, ("without the two of clubs and king of spades.",), ()),
    (
        {"packs": 2, "missing": ("2C", "2C", "KS")},
        4,
        ("without jokers, less 2 twos of clubs and 1 king of spades.",),
        (),
    ),
    # cards that may lead face up
    (
        {"first_claim": "free", "first_face_up": True},
        4,
        ("has a choice of claims lays one card face up. Its rank is the claim",),
        ("such a card",),
    ),
    (
        {"first_claim": "free", "first_face_up": True, "claimable": ("A", "2")},
        4,
        ("lays one card face up, of a rank that may be claimed. Its", "A player without such a card plays face down."),
        (),
    ),
    (
        {"first_claim": "free", "first_face_up": True, "jokers": 2, "next_claim": "other"},
        4,
        ("face up, of a rank that may be claimed, but not of the rank that was claimed last.", "without such a card"),
        (),
    ),
    (
        {"first_claim": "free", "first_face_up": True, "steps": (0, 1), "passing": True},
        4,
        ("lays one card face up, of a rank that may be claimed.", "without such a card"),
        (),
    ),
    # cards that may not be claimed leave a hand with a full set, too, and in a lap
    (
        {"claimable": ("A", "2"), "ranks": ("A", "2", "K"), "full_set": "automatic"},
        4,
        ("Kings can be played only under a false claim.",),
        ("leave your hand only",),
    ),
    # a match has many deals
    (
        {"end": "first_call", "revolver": True, "full_set": "offer"},
        4,
        ("The first play of each deal must be claimed as aces.", "(you lead with the first play of a deal)"),
        ("first play of the game",),
    ),
    ({"suits": ("C", "D"), "full_set": "may"}, 4, ("you may set aside both natural cards of a rank,",), ("all 2",)),
    ({"end": "first_call", "full_set": "offer"}, 4, ("leave the game face up, and you lose the deal.",), ()),
    (
        {"end": "first_call", "revolver": True, "surplus": "pile", "hand_size": 13},
        4,
        ("Cards that are left over are the first pile, face down, and nobody has played them.",),
        ("No card is left",),
    ),
    (
        {"end": "first_call", "revolver": True, "first_claim": "drawn"},
        4,
        ("After each deal a rank is drawn at random, and everybody sees it: the rank of the first play.",),
        (),
    ),
    # without turns, who has no cards left but a play that can still be called
    (
        {"turns": "jump_in", "callers": "pile"},
        4,
        ("everybody who holds cards, or has just played their last ones, may call any other player's latest play",),
        (),
    ),
    ({"turns": "jump_in"}, 4, ("everybody else who holds cards may call",), ("last ones",)),
    # bids
    ({"starter": "bid"}, 4, ("A bid may be a lie, but must be higher than the last one and at most 4.",), ()),
    # a claim that has to be raised, where only one rank may be claimed
    (
        {"steps": "raise", "next_claim": "free", "first_claim": "6", "claimable": ["6"]},
        3,
        ("your claim must be more cards of the same rank as the last one.",),
        ("of a higher one", "nothing is higher"),
    ),
]


@pytest.mark.parametrize(("rules", "players", "said", "unsaid"), SENTENCES)
def test_what_is_said_under_these_rules(
    rules: dict[str, Any], players: int, said: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    text = describe(Rules(**rules), players)
    assert [part for part in said if part not in text] == [] == [part for part in unsaid if part in text], text


def test_the_presets_of_which_a_sentence_was_wrong() -> None:
    assert "before aces come kings." in describe(make_rules("pagat-down"), 4)
    assert "everybody else, also players who are out, decides" in describe(make_rules("i-doubt-it"), 4)
    assert "The bidding comes first." in describe(make_rules("spanish"), 4)
    assert "no player is shown the count" in describe(make_rules("kings-cup"), 4)
    assert "go on from" not in describe(make_rules("chuiniu"), 4)


# --- what is said agrees with what happens ---------------------------------------------------------------------------

TURNS = {
    "play": "plays", "jump": "plays", "led_full_set": "plays", "pass": "passes", "take_pile": "taken piles",
    "right_call": "calls", "wrong_call": "calls", "right_belief": "beliefs", "wrong_belief": "beliefs",
    "right_accusation": "accusations", "wrong_accusation": "accusations", "right_force": "forces",
    "wrong_force": "forces", "all_waited": "rounds of decisions",
}  # fmt: skip
CHANGED: list[tuple[str, dict[str, Any]]] = [("bullshit", {"force": True}), ("chinese", {"full_set": "offer"})]
TOLD = [*((name, {}) for name in VARIANTS if not make_rules(name).revolver), *CHANGED]  # a match has many deals


def _held(snapshot: dict[str, Any], seat: int) -> int:
    """Return how many cards a player holds, also of the play that they are making."""
    return len(snapshot["hands"][seat]) + (len(snapshot["placed"]) if snapshot["turn"] == seat else 0)


@pytest.mark.parametrize(("variant", "changes"), TOLD, ids=str)
def test_what_is_said_of_turns_and_taken_cards_is_what_happens(variant: str, changes: dict[str, Any]) -> None:
    """Whatever uses up a turn is said to count as one, and who is said to take cards has more of them then.

    Forces and accusations used up turns without a word, and a believer was said to take a pile when the game was over.
    """
    env = cheat_v0.raw_env(variant, num_players=3, **changes)
    counted = describe(make_rules(variant, **changes), 3).rpartition("time is up")[2]
    rng = np.random.default_rng(3)
    seen: set[str] = set()
    for decision in range(400):
        if decision == 0 or env.is_over:
            env.reset(seed=decision)
            after = env.snapshot()
        before, since = after, int(env.game.state["num_events"])
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        after, events = env.snapshot(), env.game.events(since)
        names = {event["event"] for event in events}
        used = {TURNS[name] for name in names & set(TURNS)}
        if after["turns"] > before["turns"] and len(used) == 1:
            seen |= used
            assert used.pop() in counted.lower(), (names, counted)
        if len(events) == 1 and " takes " in (text := describe_event(events[0], env.possible_agents)):
            taker = re.search(r"(player_\d) takes", text)
            seat = env.possible_agents.index(taker[1]) if taker else -1
            assert taker is None or _held(after, seat) > _held(before, seat), text
    assert "plays" in seen
