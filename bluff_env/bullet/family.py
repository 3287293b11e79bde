"""Bluff the Bullet as a family of games: what the rest of the package knows of it."""

from bluff_env.bullet import game, rules, scripted, variants
from bluff_env.bullet.driver import DRIVER
from bluff_env.bullet.game.state import FIELDS
from bluff_env.bullet.observe import PARTS
from bluff_env.bullet.states import decisions
from bluff_env.bullet.states.critic import critic_high, critic_layout, critic_vector
from bluff_env.bullet.states.events import public_events
from bluff_env.bullet.states.hidden import OWN_PLAY, resample_hidden
from bluff_env.bullet.states.results import results
from bluff_env.bullet.states.saved import state_from_text
from bluff_env.bullet.states.snapshot import all_cards, deck_of, outcome_name, snapshot
from bluff_env.bullet.texts.actions import describe_action
from bluff_env.bullet.texts.moves import MOVE_HELP, parse_move
from bluff_env.bullet.texts.picture import draw_game, draw_seat
from bluff_env.bullet.texts.rules import describe, rules_table
from bluff_env.bullet.texts.seat import render_seat
from bluff_env.bullet.texts.table import describe_event, hidden_play, render_game
from bluff_env.core.family import Family, States, Texts

FAMILY = Family(
    name="bluff-the-bullet",
    title="Bluff the Bullet",
    default="bluff-the-bullet",
    environment="bluff_env.bluff_the_bullet_v0",
    deal_options=("deck", "dealer"),
    rules=rules,
    variants=variants,
    game=game,
    driver=DRIVER,
    parts=PARTS,
    scripted=scripted,
    states=States(
        fields=FIELDS,
        snapshot=snapshot,
        outcome_name=outcome_name,
        all_cards=all_cards,
        deck_of=deck_of,
        public_events=public_events,
        results=results,
        state_from_text=state_from_text,
        critic_layout=critic_layout,
        critic_high=critic_high,
        critic_vector=critic_vector,
        resample_hidden=resample_hidden,
        own_play=OWN_PLAY,
    ),
    texts=Texts(
        describe=describe,
        rules_table=rules_table,
        describe_action=describe_action,
        describe_event=describe_event,
        render_game=render_game,
        render_seat=render_seat,
        draw_game=draw_game,
        draw_seat=draw_seat,
        parse_move=parse_move,
        move_help=MOVE_HELP,
        hidden_play=hidden_play,
    ),
    decisions=decisions,
)
