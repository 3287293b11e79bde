"""Any rule set of Cheat in plain words, and as a table.

:func:`describe` explains the game to a player, :func:`rules_table` lists every field with its value. What a field
means is written once, beside the field in ``rules.py``, and read from there. The sentences about each part of the game
are in the module of that name; each of its functions writes one paragraph, or nothing if the rules do not touch it.
"""

from __future__ import annotations

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.texts.rules import calls, endings, setup, sleights, turns
from bluff_env.cheat.texts.rules.fields import choices_of, field_docs, member_notes, rules_table, value_text
from bluff_env.cheat.texts.rules.phrases import listing, plural, spans

__all__ = [
    "choices_of", "describe", "field_docs", "listing", "member_notes", "paragraphs", "plural", "rules_table",
    "spans", "value_text",
]  # fmt: skip


def describe(rules: Rules, num_players: int) -> str:
    """The rules at a table of ``num_players`` as one would explain them to a new player, one paragraph for each topic.

    Raises:
        RulesError: if that many players cannot play by these rules.
    """
    return "\n\n".join(f"{heading}. {text}" for heading, text in paragraphs(rules, num_players))


def paragraphs(rules: Rules, num_players: int) -> list[tuple[str, str]]:
    """The paragraphs of :func:`describe` as (heading, text). A topic that the rules do not touch is left out."""
    r = rules.resolve(num_players)
    written = [
        ("Cards", setup.cards(r, num_players)),
        ("Start", setup.start(r)),
        ("No turns", turns.no_turns(r, num_players)),
        ("A turn", turns.turn(r)),
        ("Claims", turns.claims(r)),
        ("Leading face up", turns.face_up(r)),
        ("Calling", calls.calling(r, num_players)),
        ("Looking", calls.check(r, num_players)),
        ("Believing", calls.believe(r)),
        ("Forcing", calls.force(r)),
        ("After a call", calls.after_call(r)),
        ("Passing", turns.passing(r, num_players)),
        ("Taking the pile", turns.take_pile(r)),
        ("Full sets", turns.full_sets(r)),
        ("Sleights of hand", sleights.sleights(r)),
        ("Switching", sleights.switching(r)),
        ("Accusing", sleights.accusing(r, num_players)),
        ("Dealing short", sleights.dealing_short(r, num_players)),
        ("Counting hands", sleights.unseen_sizes(r)),
        ("Playing out of turn", sleights.out_of_turn(r, num_players)),
        ("The end", endings.end(r, num_players)),
        ("Revolvers", endings.revolvers(r, num_players)),
        ("Teams", endings.teams(r)),
        ("Also counted", endings.ledgers(r)),
        ("Length", endings.length(r)),
    ]
    return [(heading, " ".join(sentences)) for heading, sentences in written if sentences]
