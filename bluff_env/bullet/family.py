"""Bluff the Bullet as a family of games: everything that the rest of the package needs of it."""

from bluff_env.bullet.driver import DRIVER
from bluff_env.bullet.game import ACTION_NAMES, GAME, RULE, Phase, force_deal, possible_actions, rule_row
from bluff_env.bullet.game.state import FIELDS
from bluff_env.bullet.observe import PARTS
from bluff_env.bullet.scripted import ScriptedPlayer, scripted_actions
from bluff_env.bullet.states.decisions import DECISIONS
from bluff_env.bullet.states.events import public_events
from bluff_env.bullet.states.hidden import OWN_PLAY, resample_hidden
from bluff_env.bullet.states.results import results
from bluff_env.bullet.states.saved import fault_of_state
from bluff_env.bullet.states.snapshot import all_cards, deck_of, outcome_name, snapshot
from bluff_env.bullet.states.worlds import redeal
from bluff_env.bullet.texts.actions import describe_action
from bluff_env.bullet.texts.ending import describe_end, name_hand
from bluff_env.bullet.texts.moves import MOVE_HELP, parse_move
from bluff_env.bullet.texts.picture import draw_game, draw_seat
from bluff_env.bullet.texts.rules import describe, rules_table
from bluff_env.bullet.texts.seat import render_seat
from bluff_env.bullet.texts.table import describe_event, hidden_play, render_game
from bluff_env.bullet.training import TRAINING
from bluff_env.bullet.variants import VARIANTS
from bluff_env.core.family import Family, Game, Scripted, States, Texts

FAMILY = Family(
    name="bluff-the-bullet",
    title="Bluff the Bullet",
    home=__name__,
    variants=VARIANTS,
    game=Game(
        state_dtype=GAME,
        rule_dtype=RULE,
        action_names=ACTION_NAMES,
        rule_row=rule_row,
        possible_actions=possible_actions,
        force_deal=force_deal,
    ),
    driver=DRIVER,
    parts=PARTS,
    states=States.plain(
        FIELDS,
        Phase,
        fault_of_state,
        snapshot=snapshot,
        outcome_name=outcome_name,
        all_cards=all_cards,
        deck_of=deck_of,
        public_events=public_events,
        results=results,
        resample_hidden=resample_hidden,
        redeal=redeal,
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
        describe_end=describe_end,
        name_hand=name_hand,
    ),
    scripted=Scripted.of(ScriptedPlayer, scripted_actions),
    deal_options=("deck", "dealer"),
    decisions=DECISIONS,
    training=TRAINING,
)
