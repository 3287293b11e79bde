"""The rules of Bluff the Bullet in plain words, and as a table."""

from __future__ import annotations

from bluff_env.bullet.rules import COPIES, NUM_SUITS, Rules, num_values

_STRAIGHTS = "Whether five values in a row rank between three of a kind and a full house."


def describe(rules: Rules, num_players: int) -> str:
    """What a player has to know, in paragraphs with headings. Raises RulesError if that many players cannot play."""
    return "\n\n".join(f"{heading}. {text}" for heading, text in paragraphs(rules, num_players))


def paragraphs(rules: Rules, num_players: int) -> list[tuple[str, str]]:
    """The rules for this number of players as (heading, text)."""
    rules = rules.resolve(num_players)
    highest = num_values(num_players)
    straight = "a straight, " if rules.straights else ""
    return [
        (
            "Cards",
            f"{num_players} players use the values 1 to {highest} of crow, cup, key and bullet, two copies of each "
            f"({COPIES * NUM_SUITS * highest} cards), and Fin, which is shuffled among the last 11 cards of the deck. "
            "Everybody has a Poker Hand of three cards face up and two face down, which its owner may look at, and one "
            "Action Card. The player with the best three visible cards starts; of equal ones, the nearest to the "
            "dealer's left.",
        ),
        (
            "The turn",
            "Draw until you hold two Action Cards, lay one face down and say which of three abilities it has, and on "
            "what: a crow takes the place, face up, of any Poker Hand card, which is discarded; a cup swaps any two "
            "Poker Hand cards, which keep their facing; a key looks at all Poker Hand cards of another player. It may "
            "be a lie.",
        ),
        (
            "Responses",
            "The others are asked one after the other, from the left of the player: let the card stand, call the "
            "bluff, or lay an Action Card on it as a bullet, which cancels it and may be a lie as well. A bullet is "
            "open to the same responses from everybody else, and protects what lies below it from calls. The first "
            "call or bullet ends a round; if nobody responds, the card works, whatever it is. Then all cards laid are "
            "discarded face up.",
        ),
        (
            "Calls",
            "A called card is turned over. A lie has no effect, and its player loses a Poker Hand card that the caller "
            "chooses; a true one works, and the caller loses one that the accused chooses. The card lost is discarded "
            "at the end of the turn and replaced face down from the deck.",
        ),
        (
            "The end",
            "A player who draws Fin ends the game at once; drawn as a replacement, it is replaced itself, and then the "
            "game ends. "
            f"The best Poker Hand by values wins: five of a kind, four of a kind, a full house, {straight}three of a "
            "kind, two pairs, a pair, the highest card; equal ranks are decided by the value that occurs most, then by "
            "the next. Winners share +1, the others share -1; if all hands are equal, nobody gains.",
        ),
    ]


def rules_table(rules: Rules) -> list[tuple[str, str, str]]:
    """Every field with its value and what it means."""
    return [("straights", str(rules.straights).lower(), _STRAIGHTS)]
