"""Cheat as a family of games: everything that the rest of the package needs of it."""

from functools import partial

from bluff_env.cheat.driver import DRIVER
from bluff_env.cheat.game import ACTION_NAMES, GAME, RULE, force_deal, possible_actions, rule_row
from bluff_env.cheat.game.state import FIELDS
from bluff_env.cheat.observe import PARTS
from bluff_env.cheat.renaming import Renaming
from bluff_env.cheat.sample import sample_rules
from bluff_env.cheat.scripted import NEWER, ScriptedPlayer, scripted_actions
from bluff_env.cheat.scripted.features import num_features, write_features
from bluff_env.cheat.states.critic import (
    critic_high,
    critic_layout,
    critic_vector,
    hidden_features,
    num_hidden_features,
)
from bluff_env.cheat.states.decisions import DECISIONS
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.states.hidden import OWN_PLAY, resample_hidden, unseen_decisions
from bluff_env.cheat.states.results import results
from bluff_env.cheat.states.saved import fault_of_state
from bluff_env.cheat.states.snapshot import all_cards, deck_of, outcome_name, snapshot
from bluff_env.cheat.states.worlds import redeal
from bluff_env.cheat.texts.actions import describe_action
from bluff_env.cheat.texts.ending import describe_end
from bluff_env.cheat.texts.moves import MOVE_HELP, parse_move
from bluff_env.cheat.texts.picture import draw_game, draw_seat
from bluff_env.cheat.texts.rules import describe, rules_table
from bluff_env.cheat.texts.seat import render_seat
from bluff_env.cheat.texts.table import describe_event, hidden_play, render_game
from bluff_env.cheat.variants import VARIANTS
from bluff_env.core import plain
from bluff_env.core.family import Family, Features, Game, Scripted, States, Texts

FAMILY = Family(
    name="cheat",
    title="Cheat",
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
    states=States(
        fields=FIELDS,
        snapshot=snapshot,
        outcome_name=outcome_name,
        all_cards=all_cards,
        deck_of=deck_of,
        public_events=public_events,
        results=results,
        state_from_text=partial(plain.state_from_text, FIELDS, fault_of_state),
        critic_layout=critic_layout,
        critic_high=critic_high,
        critic_vector=critic_vector,
        num_hidden_features=num_hidden_features,
        hidden_features=hidden_features,
        resample_hidden=resample_hidden,
        redeal=redeal,
        own_play=OWN_PLAY,
        revealing=("peek",),
        unseen_decisions=unseen_decisions,
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
    ),
    scripted=Scripted.of(ScriptedPlayer, scripted_actions, NEWER),
    deal_options=("hands", "starter", "dealer"),
    decisions=DECISIONS,
    features=Features(num_features, write_features),
    sample_rules=sample_rules,
    renaming=Renaming,
)
