"""Whole plays in words: what players may type, and the sentence that they get for what cannot be played."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from bluff_env.cheat.variants import make_rules
from bluff_env.play.session import Session
from bluff_env.utils.errors import InputError

# Its second joker stays in the hand, so that a play is never complete by itself.
HAND = ["2C", "2D", "4S", "7C", "7D", "7H", "TS", "JH", "JK", "JK"]
OTHERS = [["AS", "3S"], ["KC", "KD"]]


def table(variant: str, **house_rules: object) -> Session:
    """A game in which player_0, with HAND, is to play."""
    rules = make_rules(variant, jokers=2, joker_role="wild", **house_rules)
    return Session(rules, 3, seed=1, deal={"hands": [HAND, *OTHERS], "starter": 0})


def actions(game: Session, text: str) -> list[str] | None:
    """The actions that a text comes to, None if it names no cards."""
    parse = game.family.texts.parse_move
    move = parse(text, game.view(0), game.legal, game.names_from(0))
    return None if move is None else game.actions_of(move)


CARDS = {
    "7": "7", "7 7": "7 7", "77J": "7 7 J", "7 7 j": "7 7 J", "j 7": "7 J", "7, 7, J!": "7 7 J",
    "play sevens": "7", "two sevens": "7 7", "2 sevens": "7 7", "2x7": "7 7", "two sevens and a jack": "7 7 J",
    "place a seven, a ten": "7 T", "10 j": "T J", "tj": "T J", "10J": "T J", "joker 2": "2 JK", "JK 2": "2 JK",
    "2 2": "2 2", "2 4": "2 4", "two two": "2 2", "7h 7c": "7 7", "one four": "4",
    # numbers and articles before the signs of ranks
    "two 7s": "7 7", "3 7s": "7 7 7", "three 7": "7 7 7", "two 2s": "2 2", "one 7": "7", "7s": "7", "2 7": "2 7",
    "play a 7": "7", "I play a J and a 7": "7 J", "play a 7, a J": "7 J", "I play an 4": "4",
    "play two 7s, a J": "7 7 J",
    "K claiming aces": None, "play 7, claiming an ace": "7", "7 claim ace": "7", "7 claimed as an ace": "7",
    "I play a 7 as an ace": "7", "play 2 7s as two aces": "7 7", "claim aces": None, "claim A": None,
}  # fmt: skip


@pytest.mark.parametrize(("text", "cards"), CARDS.items())
def test_cards_are_read_generously_and_placed_in_order(text: str, cards: str | None) -> None:
    """Where a text names no cards that are held, nothing is played for it."""
    if cards is None:
        with suppress(InputError):
            assert actions(table("pagat"), text) is None
        return
    assert actions(table("pagat"), text) == [*(f"place {card}" for card in cards.split()), "commit"]


ACES = {"a 7": "A 7", "7 a": "A 7", "play a 7": "7", "play a": "A", "an a": "A", "play a a": "A A", "ace 7": "A 7"}


@pytest.mark.parametrize(("text", "cards"), ACES.items())
def test_a_is_an_ace_in_a_list_and_an_article_in_a_sentence(text: str, cards: str) -> None:
    rules = make_rules("pagat")
    hands = [["AC", "AD", "7C", "7D", "9H"], ["2C", "3S"], ["KC", "KD"]]
    game = Session(rules, 3, seed=1, deal={"hands": hands, "starter": 0})
    assert actions(game, text) == [*(f"place {card}" for card in cards.split()), "commit"]


CLAIMS = {
    "7 J as sevens": ("7", "7 J"), "7 J as two sevens": ("7", "7 J"), "7 j as 2 7s": ("7", "7 J"),
    "7 J as 2 7": ("7", "7 J"),
    "7 7": ("7", "7 7"), "7 jk": ("7", "7 JK"), "play 2 4 as two aces": ("A", "2 4"), "4 as a queen": ("Q", "4"),
    "2 claiming": ("2", "2"), "7 J claiming sevens": ("7", "7 J"), "7 as sev": None,
}  # fmt: skip


@pytest.mark.parametrize(("text", "play"), CLAIMS.items())
def test_the_claim_follows_the_cards(text: str, play: tuple[str, str] | None) -> None:
    """It may be left out where all cards are of one rank."""
    game = table("same-rank")
    if play is None:
        with pytest.raises(InputError, match="must be a rank"):
            actions(game, text)
        return
    claim, cards = play
    assert actions(game, text) == [f"claim {claim}", *(f"place {card}" for card in cards.split()), "commit"]


def test_a_number_may_be_announced_where_it_may_be_a_lie() -> None:
    game = table("free-for-all", count="any", max_cards=4)
    assert actions(game, "7 J as 3 sevens") == ["claim 7", "place 7", "place J", "commit", "count 3"]
    assert actions(game, "7 J as sevens") == ["claim 7", "place 7", "place J", "commit", "count 2"]


def test_suits_are_named_where_they_matter() -> None:
    game = table("specificity", max_cards=3)
    for claim in ("hearts", "two hearts", "h"):
        assert actions(game, f"7h jh as {claim}") == ["claim suit H", "place 7H", "place JH", "commit"], claim
    assert actions(game, "7d 2d") == ["claim suit D", "place 2D", "place 7D", "commit"]
    with pytest.raises(InputError, match="suits matter"):
        actions(game, "7 as hearts")


IMPOSSIBLE = {
    "7 7 7 7": "you hold 3 sevens, not 4",
    "q": "you hold no queens",
    "7 as kings": "claimed as aces, not as kings",
    "7 J as three aces": "2 cards must be announced as 2 by these rules, not 3",
    "2 2 4 7 7 7 T": "at most 6 cards can be played at once",
    "3 as": "you hold no threes",
    "a 7": "you hold no aces",
    "3 ks": "you hold no kings",
    "7 as sev": "the claim 'sev' must be a rank",
    "25x7": None,
    f"{'9' * 5000}x7": None,
}


@pytest.mark.parametrize(("text", "sentence"), IMPOSSIBLE.items())
def test_an_impossible_play_is_one_sentence_and_changes_nothing(text: str, sentence: str | None) -> None:
    game = table("pagat")
    before = game.snapshot()
    if sentence is None:
        assert actions(game, text) is None
    else:
        with pytest.raises(InputError) as caught:
            actions(game, text)
        assert sentence in str(caught.value)
    assert game.snapshot() == before and game.steps == []


def test_a_choice_of_claims_has_to_be_made() -> None:
    game = table("rank-fork")
    with pytest.raises(InputError, match="say what you claim: 7 J as aces"):
        actions(game, "7 j")
    game.step("claim 4")
    with pytest.raises(InputError, match="claimed as fours, not as sevens"):
        actions(game, "7 j as sevens")
    assert actions(game, "7 j") == ["place 7", "place J", "commit"]


@pytest.mark.parametrize("text", ["call", "let", "pass", "take pile", "hello", "x7", "7y", ""])
def test_other_texts_are_no_plays(text: str) -> None:
    assert actions(table("pagat"), text) is None


def test_where_no_cards_are_placed_cards_are_no_move() -> None:
    game = table("pagat")
    for action in ("place 2", "commit"):
        game.step(action)
    assert actions(game, "7 7") is None


def test_a_player_says_force_where_calls_can_force() -> None:
    """Rules and log call it so, and the action has the name that it has by other rules, ``accuse``."""
    game = table("bullshit", force=True)
    for action in ("place 2", "commit"):
        game.step(next(name for name in game.legal if name.startswith(action)))
    seat = game.to_act
    move = game.family.texts.parse_move("force", game.view(seat), game.legal, game.names_from(seat))
    assert seat != 0 and move is not None and game.actions_of(move) == ["accuse"]
    assert actions(table("bullshit"), "force") is None


WORDS = [
    "play", "i", "a", "an", "one", "two", "three", "7", "7s", "k", "ks", "10", "sevens", "jack", "kings", "as", "claim",
    "claiming", "and", ",", "the", "2x7", "7h", "jk", "joker", "hearts", "h", "x",
]  # fmt: skip


@pytest.mark.parametrize("variant", ["pagat", "free-for-all", "specificity", "same-rank", "rank-fork"])
def test_any_words_are_a_play_or_are_refused_in_a_sentence(variant: str) -> None:
    """Every play that is read can be made. Each of its cards has a word of its own, or a number before it."""
    game, rng = table(variant), np.random.default_rng(0)
    every = set(game.action_names)
    read = 0
    for _ in range(3000):
        words = list(rng.choice(WORDS, rng.integers(1, 7)))
        try:
            made = actions(game, " ".join(words))
        except InputError:
            continue
        if made is not None:
            read += 1
            placed = [name for name in made if name.startswith("place ")]
            assert placed and set(made) <= every, words
            most = sum({"two": 2, "three": 3, "2x7": 2}.get(word, 1) for word in words if word not in ("and", ",", "x"))
            assert len(placed) <= most, words
    assert read > 20
