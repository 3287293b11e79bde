"""The rules of Bluff the Bullet in plain words, and as a table."""

from __future__ import annotations

from bluff_env.bullet.rules import COPIES, NUM_SUITS, Responses, Rules, num_values

_STRAIGHTS = "Whether five values in a row rank between three of a kind and a full house."
_RESPONSES = {
    Responses.RACE: "all answer unseen, and lots are drawn among those who call or lay a bullet",
    Responses.IN_TURN: "one after the other in public, and the first call or bullet counts",
}
_RACE = (
    "All the other players answer at the same time, and nobody sees what the others answer: they let the card be, call "
    "it a bluff, or want to lay an Action Card on it as a bullet, which cancels it. One of those who call or lay a "
    "bullet is drawn by lot, and only this answer counts. Nobody learns what the others had in mind, and their cards "
    "stay in their hands. "
)
_IN_TURN = (
    "The other players answer in turn, beginning on your left: they let the card be, call it a bluff, or lay an Action "
    "Card on it as a bullet, which cancels it. The first call or bullet ends the round of answers. "
)


def describe(rules: Rules, num_players: int) -> str:
    """The rules at a table of ``num_players`` as one would explain them to a new player, one paragraph for each topic.

    Raises:
        RulesError: if that many players cannot play.
    """
    return "\n\n".join(f"{heading}. {text}" for heading, text in paragraphs(rules, num_players))


def paragraphs(rules: Rules, num_players: int) -> list[tuple[str, str]]:
    """The paragraphs of :func:`describe` as (heading, text)."""
    rules = rules.resolve(num_players)
    highest = num_values(num_players)
    straight = "a straight, " if rules.straights and highest >= 5 else ""
    return [
        (
            "Cards",
            f"{num_players} players use the cards 1 to {highest} of crow, cup, key and bullet, two copies of each "
            f"({COPIES * NUM_SUITS * highest} cards), and Fin, which is shuffled among the last 11 cards of the deck. "
            "Everybody gets a Poker Hand of three cards face up and two face down, which only their owner may look at, "
            "and one Action Card. The player with the best three visible cards starts; if several are equal, the one "
            "nearest the dealer's left starts, and play goes clockwise.",
        ),
        (
            "The turn",
            "Draw until you hold two Action Cards. Then lay one of them face down, say which of the four abilities it "
            "has, and name its target. What you say may be a lie. A crow takes the place, face up, of any Poker Hand "
            "card, which is discarded. A cup swaps any two Poker Hand cards, which stay face up or face down as they "
            "were. A key lets you look at all the Poker Hand cards of another player. A bullet has no target and does "
            "nothing in your own turn, but you get rid of a card without having to lie about it.",
        ),
        (
            "Responses",
            (_RACE if rules.responses == Responses.RACE else _IN_TURN)
            + "A bullet may be a lie as well. Everybody but its player may answer a bullet in the same way, and the "
            "card below it can no longer be called. If nobody calls or lays a bullet, the card works as announced, "
            "whatever it is. At the end all the cards laid down are discarded face up, except a crow that worked.",
        ),
        (
            "Calls",
            "A card that is called is turned over. If it was a lie, it has no effect, and its player loses a Poker "
            "Hand card that the caller chooses. If it was true, it works, and the caller loses a card that the accused "
            "player chooses. At the end of the turn the lost card is discarded and replaced face down from the deck.",
        ),
        (
            "The end",
            "A player who draws Fin ends the game at once. If Fin comes up as a replacement, the next card is taken "
            "instead, and then the game ends. The best Poker Hand wins, by values only: five of a kind, four of a "
            f"kind, a full house, {straight}three of a kind, two pairs, a pair, the highest card. Between hands of the "
            "same rank the value that occurs most often decides, then the next. The winners share +1 and the others "
            "share -1; if all hands are equal, everybody gets 0.",
        ),
    ]


def rules_table(rules: Rules) -> list[tuple[str, str, str]]:
    """Every field as (field, value, meaning)."""
    choices = "; or ".join(f"`{choice.name.lower()}`: {meaning}" for choice, meaning in _RESPONSES.items())
    return [
        ("straights", str(rules.straights).lower(), _STRAIGHTS),
        ("responses", rules.to_dict()["responses"], f"How the others answer a card. {choices}."),
    ]
