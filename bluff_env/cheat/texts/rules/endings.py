"""The end of a game in words: who wins what, teams, and what is counted besides."""

from __future__ import annotations

from typing import Any

from bluff_env.cheat.rules import AtLimit, Callers, End, FullSet, Rules, Turns
from bluff_env.cheat.texts.rules.phrases import decimal, listing
from bluff_env.cheat.texts.rules.sleights import may_be_accused
from bluff_env.utils.numerals import number


def end(r: Rules, n: int) -> list[str]:
    """When players are out, and what the game pays."""
    if r.end == End.FIRST_CALL:
        return _first_call(r, n)
    or_belief = ", or if somebody believes them" if r.believe else ""
    sentences = [
        f"Your last cards can be called too: you are out if nobody calls them, or if the call is wrong{or_belief}."
    ]
    if r.turns == Turns.JUMP_IN:
        sentences.append("They can be called only at the first moment after you play them.")
    if r.re_entry and n > 2:  # of two players the first who is out ends the game
        takes = "takes the pile" if r.draws[0] else "draws"
        sentences.append(f"A player who is out and calls wrongly {takes} and is back in the game.")
        if r.full_set == FullSet.OFFER:
            sentences.append("A player who lost by leading a full set does not come back.")
    others = _others(n)
    share = decimal(1 / (n - 1))
    if r.end == End.FIRST_OUT:
        return [*sentences, f"The first player out wins 1, and {others} loses {share}."]
    if r.end == End.LAST_LOSES:
        return [*sentences, f"The last player with cards loses 1, and {others} wins {share}."]
    places = listing(("+" if n + 1 > 2 * k else "") + decimal(1 - 2 * (k - 1) / (n - 1)) for k in range(1, n + 1))
    return [
        *sentences,
        "The game goes on until only one player has cards, who takes the last place.",
        f"The places, first to last, earn {places}.",
    ]


def _first_call(r: Rules, n: int) -> list[str]:
    """Return the end of a deal that the first call ends, and what it pays."""
    sentences = [
        "Your last cards can be called too. If nobody calls them you are safe, and the others play on without you.",
        "The last player with cards has to call the last play, and loses the deal if there is none to call.",
    ]
    if r.revolver:
        return sentences
    return [*sentences, f"The loser of the deal loses 1, and {_others(n)} wins {decimal(1 / (n - 1))}."]


def _others(n: int) -> str:
    return "the other player" if n == 2 else "each of the others"


def revolvers(r: Rules, n: int) -> list[str]:
    """Return what the loser of a deal has to fear, and how a match goes on and ends."""
    if not r.revolver:
        return []
    return [
        "Each player has a revolver with six chambers, one of them loaded. "
        "The loser of a deal pulls the trigger of their own: the first pull kills with probability 1/6 and, if they "
        "live, the next one with 1/5, and so on up to the sixth.",
        "Everybody sees how often each player has pulled, and nobody knows which chamber is loaded.",
        "A player who dies is out of the match.",
        "The next player alive on the dealer's left deals all cards again to those who are alive. "
        "The loser of the last deal begins or, if they are dead, the next player alive on their left.",
        f"The last player alive wins 1, and {_others(n)} loses {decimal(1 / (n - 1))}.",
    ]


def teams(r: Rules) -> list[str]:
    """Return who is with whom, and what a team earns."""
    if r.teams is None:
        return []
    members = {team: [f"player_{seat}" for seat, t in enumerate(r.teams) if t == team] for team in r.teams}
    sides = [
        f"{listing(names)} form a team" if len(names) > 1 else f"{names[0]} is alone" for names in members.values()
    ]
    return [
        f"{'; '.join(sides)}.",
        "Each member of a team receives the mean of the team's payoffs.",
        "Partners do not see each other's cards, and may call each other.",
    ]


def ledgers(r: Rules) -> list[str]:
    """Return what is counted besides the payoff, and what it costs."""
    sentences = _drinks(r) if r.drinks_weight or r.wrong_call_drinks is not None else []
    if r.cup:
        sentences.append(
            "Each king that a player picks up with the pile pours one unit into a cup. The first player to pass after "
            "a pile was picked up or has left the game breaks the circle and drinks the cup empty."
        )
        sentences.append(_weight(r.cup_weight, "unit drunk"))
    elif r.cup_weight:
        sentences.append(f"There is no King's cup, so its weight of {r.cup_weight} changes nothing.")
    if r.slaps:
        sentences.append("A player who is caught lying is slapped once by each other player.")
        sentences.append(_weight(r.slaps_weight, "slap", public=True))
    elif r.slaps_weight:
        sentences.append(f"Nobody is slapped, so the weight of slaps, {r.slaps_weight}, changes nothing.")
    return sentences


def _drinks(r: Rules) -> list[str]:
    """Return what costs drinks, and what drinks cost. A call that ends the deal costs none."""
    led = r.full_set == FullSet.OFFER
    if r.end == End.FIRST_CALL and not (r.take_pile or r.believe):
        if not led:
            return ["Nobody picks up a pile, so nobody drinks."]
        return [
            "Nobody picks up a pile, but leading a full set costs ten drinks.",
            _weight(r.drinks_weight, "drink"),
        ]
    wrong = ""
    if r.wrong_call_drinks is not None and r.end != End.FIRST_CALL:
        wrong = f", but {number(r.wrong_call_drinks, 'drink')} after a wrong call"
    picks = "picks up the pile has one drink for each of its cards"
    if r.draws[1]:
        picks = "picks up the pile or draws has one drink for each of these cards"
    return [
        f"A player who {picks}{wrong}.",
        *(["Leading a full set costs ten drinks."] if led else []),
        _weight(r.drinks_weight, "drink"),
    ]


def _weight(weight: float, what: str, public: bool = False) -> str:
    """Return what a ledger costs. Players see it only if it has a weight, or is public anyway (D13)."""
    if not weight:
        shown = "" if public else ", and no player is shown the count"
        return f"Each {what} is counted but changes no payoff{shown}."
    return f"Each {what} above the table's average takes {weight} off the payoff, and each one below it adds as much."


_AT_LIMIT: dict[Any, str] = {
    (AtLimit.FEWEST, End.FIRST_OUT): "the player with the fewest cards wins; players who tie share the win",
    (AtLimit.FEWEST, End.LAST_LOSES): "the player with the most cards loses; players who tie share the loss",
    (AtLimit.FEWEST, End.RANKING): "the places left go by the number of cards, fewest first; players who tie share "
    "the mean of their places",
    (AtLimit.FEWEST, End.FIRST_CALL): "the player with the most cards loses; players who tie share the loss",
    (AtLimit.DRAW, End.FIRST_CALL): "nobody wins or loses",
    (AtLimit.DRAW, End.FIRST_OUT): "nobody wins or loses",
    (AtLimit.DRAW, End.LAST_LOSES): "nobody wins or loses",
    (AtLimit.DRAW, End.RANKING): "players who are out keep the payoff of their place, while the others get the mean of "
    "the places left",
}


def length(r: Rules) -> list[str]:
    """After how many turns time is up, who wins then, and what counts as a turn."""
    counted = {"plays": True, "passes": r.passes, "taken piles": r.take_pile, "calls": True, "forces": r.force}
    counted |= {"beliefs": r.believe, "accusations": may_be_accused(r)}
    counted |= {"rounds of decisions": r.turns == Turns.JUMP_IN}
    turns = number(r.turns_allowed, "turn")
    decided = _AT_LIMIT[r.at_limit, r.end]
    if r.revolver and r.at_limit == AtLimit.FEWEST:
        decided = "the players who are alive share the win"
    safe = ["The last play before that can no longer be called."] if r.callers == Callers.NEXT else []
    return [
        f"After {turns} time is up, and {decided}.",
        *safe,
        f"{listing(w for w, c in counted.items() if c).capitalize()} count as turns.",
    ]
