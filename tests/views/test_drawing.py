"""Tables as SVG: every card is drawn, what is hidden is not, and nothing in a name is markup."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.dom.minidom import Document, parseString

import matplotlib
import numpy as np
import pytest
from PIL import ImageFont

from bluff_env import GameRecord, Position, bluff_the_bullet_v0, cheat_v0, record
from bluff_env.core.picture import FACE_DOWN, NO_CARD, Cards, Picture, known
from bluff_env.core.registry import FAMILIES
from bluff_env.core.single_game import SingleGame
from bluff_env.drawing import seat_svg, table_svg
from bluff_env.drawing.cards import WIDTH, card
from bluff_env.envs.aec import RawEnv

GAMES = ["bullshit", "specificity", "eightshit", "british", "chinese", "i-doubt-it", "bluff-the-bullet"]


def moments(variant: str, steps: int = 80) -> Iterator[RawEnv]:
    """A game of legal moves chosen at random, before each step and after the last."""
    module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
    env, choose = module.raw_env(variant, num_players=3), np.random.default_rng(3)
    env.reset(seed=3)
    for _ in range(steps):
        yield env
        if env.is_over:
            return
        env.step(int(choose.choice(np.flatnonzero(env.game.mask))))
    yield env


def names_in(picture: Picture) -> list[str]:
    """The cards of a picture, sorted."""
    places = (*picture.middle, *picture.players)
    return sorted(name for place in places for cards in place.cards for name in cards.names)


def parsed(svg: str) -> Document:
    """The SVG, which must be one element of well-formed XML without scripts."""
    document = parseString(svg)
    assert document.documentElement.tagName == "svg" and not document.getElementsByTagName("script")
    return document


@pytest.mark.parametrize("variant", GAMES)
def test_an_open_picture_has_every_card_once(variant: str) -> None:
    for env in moments(variant):
        snapshot, family = env.snapshot(), env.family
        picture = family.texts.draw_game(snapshot)
        drawn = [name.strip("()") for name in names_in(picture) if name != NO_CARD]
        assert FACE_DOWN not in drawn
        if variant == "bluff-the-bullet":
            undrawn = snapshot["deck"][6:]
        else:
            below = [c for play in snapshot["pile"][:-8] for c in play["cards"]]
            undrawn = [*below, *snapshot["deck"], *snapshot["slipped"]]
            for name in snapshot["shown"]:  # they lie somewhere else by now, and are shown twice
                drawn.remove(name)
        assert sorted(drawn + undrawn) == family.states.all_cards(snapshot)


@pytest.mark.parametrize("variant", [*GAMES, "kings-cup", "sinners", "silent"])
def test_the_public_picture_shows_only_what_every_seat_knows(variant: str) -> None:
    """It stays the same, and so does the text, whatever any one seat does not know."""
    rng, differences = random.Random(5), 0
    for env in moments(variant, 40):
        draw, render = env.family.texts.draw_game, env.family.texts.render_game
        snapshot = env.snapshot()
        before = json.dumps(snapshot)
        picture, text = draw(snapshot, reveal=False), render(snapshot, reveal=False)
        assert json.dumps(snapshot) == before
        for seat in range(3):
            other = {**elsewhere(env, seat, rng).snapshot(), "variant": env.variant}
            assert draw(other, reveal=False) == picture and render(other, reveal=False) == text
            differences += draw(other) != draw(snapshot)
    assert differences > 30


def elsewhere(env: RawEnv, seat: int, rng: random.Random) -> SingleGame:
    """The game with all that a seat does not know drawn anew."""
    other = env.game.copy()
    env.family.states.resample_hidden(other.state, other.rule_row, seat, rng)
    return other


@pytest.mark.parametrize("variant", GAMES)
def test_a_seat_s_picture_stays_the_same_whatever_the_seat_does_not_know(variant: str) -> None:
    rng = random.Random(6)
    for env in moments(variant, 30):
        for seat in range(3):
            assert seat_picture(env, elsewhere(env, seat, rng), seat) == seat_picture(env, env.game, seat)


def seat_picture(env: RawEnv, game: SingleGame, seat: int) -> Picture:
    names = [f"player_{(seat + k) % 3}" for k in range(3)]
    view = env.decode_observation(game.observe(seat))
    return env.family.texts.draw_seat(view, names, game.to_act == seat)


@pytest.mark.parametrize("variant", GAMES)
def test_a_seat_s_picture_shows_the_own_cards(variant: str) -> None:
    for env in moments(variant, 40):
        snapshot = env.snapshot()
        for seat in range(3):
            own = seat_picture(env, env.game, seat).players[0]
            if variant == "bluff-the-bullet":
                held = snapshot["action_cards"][seat]
                assert (own.cards[1].names if held else ()) == tuple(held)
            elif snapshot["hands"][seat]:
                suited = variant == "specificity"
                hand = [name if suited or name == "JK" else name[0] for name in snapshot["hands"][seat]]
                assert sorted(own.cards[0].names) == sorted(hand)


@pytest.mark.parametrize("variant", GAMES)
def test_the_svg_is_well_formed(variant: str) -> None:
    *_, env = moments(variant, 40)
    names = env.possible_agents
    view = env.decode_observation(env.observe(names[0])["observation"])
    for svg in (
        env._repr_svg_(),
        table_svg(env.rules, env.snapshot(), reveal=False),
        seat_svg(variant, view, names, False),
    ):
        assert svg is not None
        text = "".join(node.firstChild.data for node in parsed(svg).getElementsByTagName("text"))
        assert all(name in text for name in names)


def test_every_card_of_every_family_can_be_drawn() -> None:
    decks = [
        Position(rules, 4).game.rule_row for rules in (FAMILIES[f].variants.make_rules(v) for f, v in (
            ("cheat", "jokers-top"), ("bluff-the-bullet", "bluff-the-bullet")))
    ]  # fmt: skip
    names = {name for family, row in zip(FAMILIES.values(), decks, strict=True) for name in family.states.deck_of(row)}
    assert len(names) == 53 + 25
    drawn = {card(name) for name in (*names, *map(known, names), "7", "H", FACE_DOWN, NO_CARD)}
    assert len(drawn) == 2 * len(names) + 4
    for svg in drawn:
        parseString(f"<svg>{svg}</svg>")
    with pytest.raises(ValueError, match="'12' is no card"):
        card("12")


def test_what_is_written_on_a_card_keeps_off_its_edge() -> None:
    """Measured in the wider of the two fonts; a text of two letters has its own width."""
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif-Bold.ttf", 100)
    for rank in "A23456789TJQK":
        for text in parseString(f"<svg>{card(rank)}</svg>").getElementsByTagName("text"):
            size, written = float(text.getAttribute("font-size")), text.firstChild.data
            width = float(text.getAttribute("textLength") or font.getlength(written) * size / 100)
            left = float(text.getAttribute("x")) - width / 2
            assert left >= 3.5 and left + width <= WIDTH - 3.5, rank


def test_cards_are_spoken() -> None:
    assert Cards(("7S", "(8)", "?", "?", "-")).spoken == "7S (8), 2 face down"
    assert Cards(()).spoken == "no cards"


NASTY = '<script>alert(1)</script>&"\x1b[2J'


def test_names_are_text_and_nothing_else() -> None:
    game = Position("pagat", 2, hands=[["AS"], ["2C"]], starter=0)
    svg = table_svg(game.rules, game.snapshot(), [NASTY, "b"], players=["<img src=x>", "ok"])
    text = [node.firstChild.data for node in parsed(svg).getElementsByTagName("text")]
    assert any("<script>" in line for line in text) and "<script" not in svg and "<img" not in svg and "\x1b" not in svg
    with pytest.raises(ValueError, match="1 names do not fit 2 players"):
        table_svg("pagat", game.snapshot(), ["a"])


# --- what shows itself -----------------------------------------------------------------------------------------------


def test_a_record_shows_its_last_table_and_who_played() -> None:
    *_, env = moments("mini-pairs")
    game = record.of(env)
    played = GameRecord(**{**vars(game), "players": ("scripted/honest", "me", "<b>")})
    svg = played._repr_svg_()
    assert svg is not None and parsed(svg)
    assert "payoff" in svg and "scripted/honest" in svg and "&lt;b&gt;" in svg and "<b>" not in svg
    assert GameRecord(**{**vars(game), "seed": game.seed + 1})._repr_svg_() is None  # it does not replay


@pytest.mark.parametrize("variant", ["canadian", "british", "only-one", "bluff-the-bullet"])
def test_a_table_can_be_drawn_while_chance_decides(variant: str) -> None:
    position, rng = Position(variant, 3), random.Random(1)
    for _ in range(120):
        assert position._repr_svg_().startswith("<svg ")
        if position.is_terminal():
            break
        position.apply_action(rng.choice(position.legal_actions()))


def test_a_table_shows_itself() -> None:
    assert cheat_v0.raw_env("pagat")._repr_svg_() is None  # there is no game yet
    game: Any = Position("pagat", 2, hands=[["AS"], ["2C", "3D"]], starter=0)
    assert 'aria-label="2C 3D"' in game._repr_svg_()
