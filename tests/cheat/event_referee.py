"""A referee for Cheat: a third reading of the rules, from the sentences of ``describe`` and public events alone.

It sees what everybody at the table sees, no card of a hand, and holds every event against what the description of the
rules says: whose turn it is, what may be claimed, whose play may be called, when the pile leaves the game, who is out
in which place, and what the game pays. So it finds a rule that is played otherwise than it is told. It referees games
in which the number of cards is true and nobody cheats with their hands, for there the sizes of all hands are public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bluff_env.cheat.rules import RANK_NAMES, SUIT_NAMES
from bluff_env.cheat.texts.rules import plural

FACES = {plural(face): face for face in (*RANK_NAMES, "JK", *SUIT_NAMES)}
NEXT_PLAYERS = (
    "the player on the left of the one who was called", "the loser of the call", "the winner of the call",
    "the player who was called", "the player on the caller's left", "the caller",
)  # fmt: skip


class Protest(AssertionError):
    """An event contradicts the description of the rules."""


class Told:
    """What a description says of a game.

    Args:
        text: of ``describe``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.num_players = int(self._find(r"(\d+) players share"))
        self.num_cards = int(self._find(r"players share (\d+) cards"))
        self.step = -1 if "go anticlockwise" in text else 1
        self.has_turns = "There are no turns" not in text
        self.bidding = "bids how many" in text
        self.starts_left = "The player on the dealer's left starts." in text
        one = re.search(r"Every play is claimed as (\w+)\.", text)
        listed = one[1] if one else self._find(r"You may claim ([^.]*)\.")
        self.faces = [FACES[word] for word in re.split(r", | or ", listed)]
        first = re.search(r"The first play(?: of each deal)? must be claimed as (\w+)\.", text)
        self.first = [FACES[first[1]]] if first else self.faces
        self.steps = self._steps()
        most = re.search(r"place (?:1 (?:to|or) )?(\d+|one|as many) cards?", text)
        assert most is not None
        self.most = {"one": 1, "as many": self.num_cards}.get(most[1]) or int(most[1])
        self.only_next = "Only the player whose turn it is may call" in text
        self.any_play = "latest play that is still in the pile" in text
        self.right, self.wrong = self._follow()
        repeats = (
            "The next play must repeat",
            ", with the same claim again",
            "caught twice in a row on the same claim",
        )
        self.repeats = any(words in text for words in repeats)
        self.first_pile = "the first pile" in text
        draws = re.search(r"(?:draws|hand, and) (\d+) cards? of the stock", text)
        self.draws = int(draws[1]) if draws else 0
        self.takes_pile = "takes the whole pile into their hand" in text
        self.new_round = "A new round begins" in text
        self.free_lead = self.new_round or "leads with any claim" in text  # on an empty pile
        self.free_belief = self.new_round or "you play next, with any claim" in text  # which leaves one
        self.other_claim = self.free_lead and len(self.faces) > 1 and "any rank but that of" in text
        self.other_claim = self.other_claim or (self.free_lead and "any suit but that of" in text)
        self.raises = "must be more cards of the same" in text
        self.rises = self.raises or "or any higher one" in text
        self.wild = {FACES[word.lower()] for word in self._wild_ranks()}
        self.face_up = "lays one card face up" in text
        self.last_passer_leads = "the player who passed last leads" in text
        self.pass_moves = "A pass moves the claim that is due on" in text
        self.sets_after_pickup = "before your next play; " in text
        not_yet = r"(?:while the pile is empty|before somebody has played to the pile)\."
        self.passing = re.search(rf"Instead of playing you may pass, but not {not_yet}", text) is not None
        self.taking = "Then you may take the pile" in text
        self.looking = "If you look" in text
        self.forcing = "you may force them instead" in text
        self.believing = "you may instead say that you believe it" in text
        self.rush = "The next player may instead choose to play at once" in text
        self.at_once = "As soon as one hand holds" in text
        self.set_aside = "At the start of your turn you may set aside" in text
        self.leading_a_set_loses = "Beware of leading" in text
        size = re.search(r"(?:all (\d+)|both) natural cards of a rank", text)
        self.set_size = int(size[1] or 2) if size else 1
        self.comes_back = "is back in the game" in text
        self.first_out = "The first player out wins 1" in text
        self.last_loses = "The last player with cards loses 1" in text
        self.whole = "A call turns the whole play over." in text
        self.first_call = "The first call ends the deal, and nobody takes the pile." in text
        self.drawn = "is drawn at random, and everybody sees it" in text
        self.revolvers = "Each player has a revolver with six chambers" in text
        each = re.search(r"deals everybody (\d+) cards?", text)
        self.hand_size = int(each[1]) if each else None
        burnt = re.search(r"Before the deal (\d+) cards?", text)
        self.burnt = int(burnt[1]) if burnt else 0
        self.teams = re.findall(r"player_\d+(?:, player_\d+)*(?: and player_\d+)?(?= form a team| is alone)", text)

    def _wild_ranks(self) -> list[str]:
        """The words for ranks whose cards match every claim."""
        found = re.search(r"([A-Z][a-z, ]*) are wild: they match every claim", self.text)
        return re.split(r", | and ", found[1]) if found else []

    def _find(self, pattern: str) -> str:
        found = re.search(pattern, self.text)
        assert found is not None, f"the description does not say {pattern!r}: {self.text}"
        return found[1]

    def _steps(self) -> set[int] | None:
        """The steps from claim to claim; None for any."""
        if "free to claim any of these" in self.text or len(self.faces) == 1:
            return None
        if "or any higher one" in self.text or "must be more cards of the same" in self.text:
            return None  # see `rises`
        must = self._find(r"(?:claim|round, your claim) must be (.*?)\.")
        words = {0: "the same", 1: r"after|up\b", -1: r"before|down\b"}
        return {step for step, word in words.items() if re.search(word, must)}

    def _follow(self) -> tuple[str, str]:
        """Who plays next after a right and after a wrong call."""
        if not self.has_turns or "The first call ends the deal" in self.text:
            return "", ""
        names = "|".join(NEXT_PLAYERS)
        both = re.search(rf"Then ({names}) plays next\.", self.text)
        if both:
            return both[1], both[1]
        found = re.search(rf"After a right call ({names}) plays next, after a wrong call ({names})\.", self.text)
        assert found is not None, self.text
        return found[1], found[2]


@dataclass
class Play:
    """A play in the pile, and who has looked at it."""

    player: int
    face: str
    count: int
    seen_by: set[int] = field(default_factory=set)


class Referee:
    """Follows one game.

    Args:
        told: the description of its rules.
        sizes: how many cards each player was dealt.
        dealer: the seat of the dealer.
        surplus: how many cards were not dealt, those that have left the game left out.
    """

    def __init__(self, told: Told, sizes: Sequence[int], dealer: int, surplus: int = 0) -> None:
        self.told, self.sizes, self.dealer = told, list(sizes), dealer
        self.below = surplus if told.first_pile else 0  # cards of the pile that nobody has played
        self.stock = surplus if told.draws else 0
        self.took_cards: set[int] = set()  # since their last play
        self.draw_due: tuple[int, int] | None = None  # who draws how many cards
        self.seats = range(told.num_players)
        self.pile: list[Play] = []
        self.finished: list[int] = []
        self.fallen: list[int] = []
        self.over = False
        self.last: tuple[int, str, int] | None = None  # player, claim and number of the last play
        self.claims = list(told.first)
        self.leading = True
        self.passed: set[int] = set()
        self.open = False  # the last play may still be called
        self.window = False  # nothing has happened since the last play
        self.took = self.must_play = False
        self.caught: tuple[int, str] | None = None
        self.times_caught = 0
        self.waited = 0
        self.bid: tuple[int, int] | None = None
        self.next_from: int | None = self._left(dealer) if told.starts_left and told.has_turns else None
        self.released = False  # the next turn is that of a player who may have been caught twice
        self.removal_due = False
        self.loser: int | None = None  # of the deal, who is to pull the trigger
        self.pulls = [0] * told.num_players
        self.history: list[str] = []

    def see(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        """The next event, and the cards that lie face up after it.

        Raises:
            Protest: if it contradicts what was told.
        """
        self.history.append(f"{event['event']} {event['player']} {event['face']} {event['count']} {event['other']}")
        name = event["event"]
        tidies = self.told.at_once and name in ("set_aside", "out")  # full sets go aside before the end is noticed
        self._demand(not self.over or tidies, "nothing happens after the end")
        if name not in ("pile_removed", "out"):
            self._demand(not self.removal_due, "all others have passed, so the pile leaves the game")
        waiting = [seat for seat in self.seats if self.sizes[seat] == 0 and not self._is_out(seat)]
        overdue = [seat for seat in waiting if not (self.open and self.last and seat == self.last[0])]
        pulls = name in ("survived", "shot")
        self._demand(pulls == (self.loser is not None) or tidies, "the loser of a deal pulls the trigger")
        self._demand((name == "draw") == (self.draw_due is not None), "the loser of a call draws, and nobody else")
        if name not in ("out", "set_aside", "draw") and not pulls:
            self._demand(not overdue, f"{overdue} hold no cards and are out first")
        seen: Callable[..., None] = getattr(self, f"_{name}")
        seen(event, shown)
        if name not in ("play", "check", "jump"):
            self.window = False

    def settle(self, payoffs: Sequence[float], at_limit: bool) -> None:
        """The end of the game. Raises Protest if it is not over, or pays something else."""
        self._demand(self.over != at_limit, "the game is over if it is decided, or time is up")
        expected = self._shared(self._payoffs_at_limit() if at_limit else self._payoffs())
        close = all(abs(one - other) < 1e-6 for one, other in zip(expected, payoffs, strict=True))
        self._demand(close, f"the game pays {expected}, not {list(payoffs)}")

    # --- small questions ---------------------------------------------------------------------------------------------

    def _demand(self, condition: bool, what: str) -> None:
        if not condition:
            raise Protest(f"{what}; events: {'; '.join(self.history)}\n{self.told.text}")

    def _left(self, seat: int) -> int:
        return (seat + self.told.step) % self.told.num_players

    def _is_out(self, seat: int) -> bool:
        return seat in self.finished or seat in self.fallen

    def _with_cards(self, seat: int) -> int:
        while not self.sizes[seat]:
            seat = self._left(seat)
        return seat

    def _in_pile(self) -> int:
        return self.below + sum(play.count for play in self.pile)

    def _takes_turn(self, seat: int) -> None:
        """It is this player's turn, and they hold cards."""
        self._demand(self.sizes[seat] > 0, f"player {seat} holds no cards and has no turn")
        if self.told.has_turns and self.next_from is not None:
            if self.released and self._with_cards(self.next_from) == self.released_seat():
                self.next_from = self._left(self.released_seat())
                self._continue()
            self._demand(seat == self._with_cards(self.next_from), f"it is not player {seat}'s turn")
        self.released = False
        self.next_from = seat

    def released_seat(self) -> int:
        """The player who was caught last."""
        assert self.caught is not None
        return self.caught[0]

    def _next_turn(self, seat: int) -> None:
        self.next_from = seat
        self.took = self.must_play = False

    def _continue(self) -> None:
        """Keep what may follow the last claim."""
        assert self.last is not None
        faces, steps = self.told.faces, self.told.steps
        at = faces.index(self.last[1])
        if self.told.rises:
            self.claims = faces[at + (self.told.raises and self.last[2] >= self.told.most) :]
            return
        self.claims = faces if steps is None else [faces[(at + step) % len(faces)] for step in steps]

    def _may_answer(self, seat: int) -> bool:
        """Return whether a player may call or look in a window."""
        emptied = self.last is not None and seat == self.last[0] and self.told.any_play and not self._is_out(seat)
        return self.sizes[seat] > 0 or emptied or (self.told.comes_back and seat in self.finished)

    # --- plays and turns ---------------------------------------------------------------------------------------------

    def _play(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat, face, count = event["player"], event["face"], event["count"]
        self._demand(not self._must_call(), f"player {seat} is the last with cards and has to call")
        self._closes(seat)
        self._takes_turn(seat)
        self._demand(face in self.claims, f"{face} may not be claimed, but {self.claims}")
        self._demand(1 <= count <= min(self.told.most, self.sizes[seat]), f"{count} cards may not be played")
        if self.told.raises and not self.leading and self.last and face == self.last[1]:
            self._demand(count > self.last[2], "that is no raise")
        self.may_be_face_up = self.told.face_up and self.leading and len(self.claims) > 1 and count == 1
        self.took_cards.discard(seat)
        self.sizes[seat] -= count
        self.pile.append(Play(seat, face, count))
        if self.caught != (seat, face):
            self.caught, self.times_caught = None, 0
        self.last = (seat, face, count)
        self.passed, self.leading, self.open, self.window, self.waited = set(), False, True, True, 0
        self._continue()
        self._next_turn(self._left(seat))

    def _must_call(self) -> bool:
        """Return whether the last player with cards has a play to call, in a deal that a call ends."""
        return self.told.first_call and self.open and sum(map(bool, self.sizes)) == 1

    may_be_face_up = False  # the last play

    def _face_up(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        """It cannot be called, so a player without cards is out."""
        self._demand(self.may_be_face_up, "only a leader who is free to claim lays a card face up")
        assert self.last is not None
        self._demand((event["player"], event["face"]) == self.last[:2], "the last play was another")
        self.pile[-1].seen_by = set(self.seats)
        self.open = self.window = False

    def _closes(self, seat: int) -> None:
        """Another turn than a call ends the chance to call a play of last cards: its player is out before."""
        empty = self.last is not None and self.sizes[self.last[0]] == 0 and self.last[0] != seat
        self._demand(not (empty and self.last and not self._is_out(self.last[0])), "who has no cards is out first")

    def _pass(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat = event["player"]
        self._takes_turn(seat)
        stuck = self.told.raises and self._cannot_raise(seat)
        self._demand((self.told.passing or stuck) and bool(self.pile), "nobody passes while the pile is empty")
        self._demand(not self.leading, "who leads does not pass")
        self._demand(not self.must_play and not self.took, "who plays at once has to play")
        self._demand(not self._must_call(), f"player {seat} is the last with cards and has to call")
        self.passed.add(seat)
        self.last_passer = seat
        if self.told.pass_moves:
            faces = self.told.faces
            (step,) = self.told.steps or {0}
            self.claims = [faces[(faces.index(self.claims[0]) + step) % len(faces)]]
        self._next_turn(self._left(seat))
        self._after_pass()

    last_passer = 0

    def _cannot_raise(self, seat: int) -> bool:
        """There is no higher claim, and too few cards for the same one."""
        assert self.last is not None
        higher = [face for face in self.claims if face != self.last[1]]
        return not higher and (not self.claims or self.sizes[seat] <= self.last[2])

    def _after_pass(self) -> None:
        assert self.last is not None
        left = [s for s in self.seats if self.sizes[s] and s != self.last[0] and s not in self.passed]
        self.removal_due = not left

    def _take_pile(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat = event["player"]
        self._closes(seat)
        self._takes_turn(seat)
        self._demand(self.told.taking and not self.took and not self.must_play, "the pile may not be taken")
        self._demand(event["count"] == self._in_pile() > 0, f"the pile has {self._in_pile()} cards")
        self._picks_up(seat)
        self.took = True

    def _picks_up(self, seat: int) -> None:
        self._gets(seat, self._in_pile())
        self.pile, self.below, self.passed, self.open = [], 0, set(), False

    def _gets(self, seat: int, cards: int) -> None:
        """A player who was out is back in the game with these cards."""
        self.sizes[seat] += cards
        self.took_cards.add(seat)
        if self._is_out(seat):
            self._demand(self.told.comes_back and seat in self.finished, f"player {seat} is out and picks up")
            self.finished.remove(seat)

    def _draw(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._demand((event["player"], event["count"]) == self.draw_due, f"{self.draw_due} draws so many cards")
        self.draw_due = None
        self._gets(event["player"], event["count"])
        self.stock -= event["count"]

    def _jump(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        assert self.last is not None
        next_one = self._with_cards(self._left(self.last[0]))
        self._demand(self.told.rush and self.window and event["player"] == next_one, "only the next player jumps")
        self.must_play = True

    def _all_waited(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._demand(not self.told.has_turns, "there are turns")
        self._closes(-1)
        self.waited = event["count"] if event["count"] == 1 else self.waited + 1
        self._demand(event["count"] == self.waited <= self.told.num_players, "so often have they not waited")

    # --- calls -------------------------------------------------------------------------------------------------------

    def _right_call(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._call(event, shown, right=True)

    def _wrong_call(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._call(event, shown, right=False)

    def _right_force(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._call(event, shown, right=True, forced=True)

    def _wrong_force(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._call(event, shown, right=False, forced=True)

    def _call(self, event: Mapping[str, Any], shown: Sequence[str], right: bool, forced: bool = False) -> None:
        caller, called = event["player"], event["other"]
        plays = [play for play in self.pile if play.player == called]
        self._demand(bool(plays) and caller != called, f"player {called} has no play that player {caller} may call")
        play = plays[-1]
        self._demand(not self._is_out(called), f"player {called} is out and safe")
        self._demand(caller not in play.seen_by, f"player {caller} has looked at the play")
        takes = (self.told.takes_pile or not self.stock) and not self.told.first_call
        taken = self._in_pile() if takes else 0
        self._demand(event["face"] == play.face and event["count"] == taken, "the call is of another play")
        if self.told.only_next:
            self._demand(self.open and not self.took and play is self.pile[-1], "the play is closed")
            self._takes_turn(caller)
        else:
            self._demand(self._may_answer(caller), f"player {caller} may not call")
            self._demand(self.window or not self.told.has_turns, "no window is open")
            self._demand(self.told.any_play or (self.open and play is self.pile[-1]), "the play is closed")
        if forced:
            fits = len(shown) == 1 and not self._lied(Play(called, play.face, 1), shown)
            self._demand(self.told.forcing and play is self.pile[-1], "nobody may force that player")
            self._demand(not shown if right else fits, f"{play.face} was claimed, {shown} shown of the hand")
            self._demand(self.sizes[called] > 0, f"player {called} holds no card to show")
            self._demand(not self._must_call(), "the last player with cards has to call")
        elif self.told.whole:
            self._demand(right == self._lied(play, shown), f"{play.count} {play.face} were claimed, {shown} shown")
        assert self.last is not None
        self.waited, self.must_play = 0, False
        loser = called if right else caller
        if self.told.first_call:
            self._lose_deal(loser)
            return
        if self.stock:
            self.draw_due = loser, min(self.told.draws, self.stock)
        if takes:
            self._picks_up(loser)
        self.passed, self.open = set(), False
        self._next_claims(self.told.new_round)
        if self.told.repeats:
            self._count_catch(right and play.face == self.last[1], called)
        self._next_turn(self._follower(self.told.right if right else self.told.wrong, caller, called, right))

    def _lose_deal(self, seat: int) -> None:
        self.loser, self.over, self.open = seat, not self.told.revolvers, False

    def _claim_drawn(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._demand(self.told.drawn and self.last is None, "no claim is drawn now")
        self._demand(event["face"] in self.told.faces, "nobody may claim that")
        self.claims = [event["face"]]

    def _survived(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._pull(event)
        self._demand(event["count"] < 6, "the sixth chamber is loaded if the others are empty")
        self._deal_again()

    def _shot(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._pull(event)
        self.fallen.append(event["player"])
        self.over = len(self.fallen) == self.told.num_players - 1
        if not self.over:
            self._deal_again()

    def _pull(self, event: Mapping[str, Any]) -> None:
        seat = event["player"]
        self._demand(self.told.revolvers and seat == self.loser, f"player {seat} has not lost the deal")
        self.pulls[seat] += 1
        self._demand(event["count"] == self.pulls[seat], "so often have they not pulled")

    def _alive(self, seat: int) -> int:
        while seat in self.fallen:
            seat = self._left(seat)
        return seat

    def _deal_again(self) -> None:
        """The next deal of the match, to those who are alive."""
        assert self.loser is not None
        self.dealer = self._alive(self._left(self.dealer))
        seats, seat = list[int](), self.dealer
        for _ in range(self.told.num_players - len(self.fallen)):
            seat = self._alive(self._left(seat))
            seats.append(seat)
        cards = self.told.num_cards - self.told.burnt
        least, more = divmod(cards, len(seats))
        sizes = {seat: self.told.hand_size or least + (place < more) for place, seat in enumerate(seats)}
        self.sizes = [sizes.get(seat, 0) for seat in self.seats]
        self.below = cards - sum(self.sizes) if self.told.first_pile else 0
        self.pile, self.finished, self.passed = [], [], set()
        self.last, self.caught, self.times_caught, self.waited = None, None, 0, 0
        self.claims, self.leading, self.open, self.window = list(self.told.first), True, False, False
        self._next_turn(self._alive(self.loser))
        self.loser = None

    def _lied(self, play: Play, shown: Sequence[str]) -> bool:
        """Return whether the cards turned over are not what was claimed."""
        wild = "Jokers are wild" in self.told.text
        fits = [
            (card != "JK" and card[0] in self.told.wild)
            or (card == "JK" and (wild or play.face == "JK"))
            or (card != "JK" and play.face in card)
            for card in shown
        ]
        return len(shown) != play.count or not all(fits)

    def _next_claims(self, new_round: bool) -> None:
        assert self.last is not None
        if new_round:
            self.claims, self.leading = self._new_claims(), True
        elif self.told.repeats:
            self.claims = [self.last[1]]
        else:
            self._continue()

    def _new_claims(self) -> list[str]:
        assert self.last is not None
        return [face for face in self.told.faces if not self.told.other_claim or face != self.last[1]]

    def _count_catch(self, caught: bool, called: int) -> None:
        assert self.last is not None
        if not caught:
            self.caught, self.times_caught = None, 0
            return
        self.times_caught = self.times_caught + 1 if self.caught == (called, self.last[1]) else 1
        self.caught = (called, self.last[1])
        self.released = self.times_caught >= 2 and self.told.has_turns

    def _follower(self, who: str, caller: int, called: int, right: bool) -> int:
        loser, winner = (called, caller) if right else (caller, called)
        return {
            "": called, "the player on the left of the one who was called": self._left(called), "the caller": caller,
            "the loser of the call": loser, "the winner of the call": winner, "the player who was called": called,
            "the player on the caller's left": self._left(caller),
        }[who]  # fmt: skip

    def _check(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat, play = event["player"], self.pile[-1] if self.pile else None
        self._demand(play is not None and event["other"] == play.player != seat, "there is no such play to look at")
        assert play is not None
        self._demand(self.told.looking and self._may_answer(seat), f"player {seat} may not look")
        self._demand(seat not in play.seen_by, f"player {seat} has looked at it before")
        self._demand(self.window or not self.told.has_turns, "no window is open")
        play.seen_by.add(seat)
        self.waited = 0

    def _right_belief(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._belief(event, shown, right=True)

    def _wrong_belief(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        self._belief(event, shown, right=False)

    def _belief(self, event: Mapping[str, Any], shown: Sequence[str], right: bool) -> None:
        seat = event["player"]
        self._demand(self.told.believing and self.open and bool(self.pile), "there is nothing to believe")
        self._takes_turn(seat)
        play = self.pile[-1]
        self._demand(event["other"] == play.player != seat and event["face"] == play.face, "another play is believed")
        self._demand(right != self._lied(play, shown), f"{play.count} {play.face} were claimed, {shown} shown")
        self.open = False
        if right:
            self.believed = seat
            self.removal_due = True
        else:
            self._picks_up(seat)
            self._next_turn(self._left(seat))
        self._next_claims(self.told.free_belief)

    believed: int | None = None  # who has believed rightly, until the pile has left the game

    def _pile_removed(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        assert self.last is not None
        self._closes(-1)
        self._demand(self.removal_due and event["count"] == self._in_pile() > 0, "the pile stays")
        self.pile, self.passed, self.open, self.leading, self.removal_due = [], set(), False, True, False
        self.below = 0
        if self.believed is None and self.told.free_lead:
            self.claims = self._new_claims()
        leader = self.last_passer if self.told.last_passer_leads else self.last[0]
        self._next_turn(leader if self.believed is None else self.believed)
        self.believed = None

    # --- full sets, bids ---------------------------------------------------------------------------------------------

    def _set_aside(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat, took = event["player"], self.took
        self._demand(event["count"] == self.told.set_size <= self.sizes[seat], "that is no full set")
        if self.told.set_aside or self.told.sets_after_pickup:
            self._demand(self.told.set_aside or seat in self.took_cards, "they have taken no cards")
            self._takes_turn(seat)
            self.took = took
        else:
            self._demand(self.told.at_once, "full sets stay in the hand")
        self.sizes[seat] -= event["count"]
        if self.sizes[seat] == 0 and self.told.has_turns and (self.told.set_aside or self.told.sets_after_pickup):
            passed = self.passed
            self._next_turn(self._left(seat))
            self.gone = bool(passed)

    gone = False  # who set all their cards aside was the last who had not passed, perhaps

    def _led_full_set(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat = event["player"]
        self._takes_turn(seat)
        self._demand(self.told.leading_a_set_loses and self.leading, "only a player who leads loses by a full set")
        self._demand(self.told.set_size <= event["count"] <= self.sizes[seat], "that is no full set")
        self.sizes[seat] = 0
        if self.told.first_call:
            self._lose_deal(seat)
            return
        self.fallen.append(seat)
        self._next_turn(self._left(seat))
        self.over = self.told.first_out or self.told.last_loses or self._decided()

    def _bid(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat, number = event["player"], event["count"]
        asked = self._left(self.dealer if self.bid is None else self.bid[0])
        self._demand(self.told.bidding and seat == asked, f"player {asked} is to bid")
        self._demand(number > (self.bid[1] if self.bid else 0), "the bid is not higher")
        self.bid = (seat, number)

    def _bid_called(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        assert self.bid is not None
        self._demand(event["player"] == self._left(self.bid[0]) and event["other"] == self.bid[0], "who calls the bid?")
        self.next_from = self.bid[0] if event["count"] >= self.bid[1] else event["player"]

    # --- the end -----------------------------------------------------------------------------------------------------

    def _out(self, event: Mapping[str, Any], shown: Sequence[str]) -> None:
        seat = event["player"]
        self._demand(self.sizes[seat] == 0, f"player {seat} holds cards and is not out")
        self._demand(not self._is_out(seat), f"player {seat} takes a second place")
        stands = self.last is not None and seat == self.last[0] and not self.removal_due
        self._demand(not (stands and self._must_call()), "the last player with cards has to call")
        self._demand(event["count"] == len(self.finished) + 1, "that is not the next place")
        self.finished.append(seat)
        if self.last and seat == self.last[0]:
            self.open = False
        self.over = self.told.first_out or self._decided()
        if self.told.first_call and self.over:
            left = [s for s in self.seats if not self._is_out(s)]
            self._lose_deal(left[0] if left else seat)
        if self.gone and not self.over:
            self._after_pass()
        self.gone = False

    def _decided(self) -> bool:
        return sum(not self._is_out(seat) for seat in self.seats) <= 1

    def _payoffs(self) -> list[float]:
        n = self.told.num_players
        if self.told.revolvers:
            return self._survivors()
        if self.told.first_call:
            return [-1.0 if s == self.loser else 1 / (n - 1) for s in self.seats]
        if self.told.first_out or self.told.last_loses:
            if self.fallen:
                return [-1.0 if s == self.fallen[0] else 1 / (n - 1) for s in self.seats]
            if self.told.first_out:
                return [1.0 if s == self.finished[0] else -1 / (n - 1) for s in self.seats]
            left = [s for s in self.seats if s not in self.finished]
            return [-1.0 if s == (left[0] if left else self.finished[-1]) else 1 / (n - 1) for s in self.seats]
        return self._ranked(lambda seat: 0)

    def _survivors(self) -> list[float]:
        """The players who are alive share the win."""
        dead = len(self.fallen)
        alive = self.told.num_players - dead
        return [(-1 / dead if s in self.fallen else 1 / alive) if dead else 0.0 for s in self.seats]

    def _ranked(self, key: Callable[[int], int]) -> list[float]:
        """The payoffs by place; players without one share the free places by their key, the smallest first."""
        n = self.told.num_players
        of_place = [1 - 2 * k / (n - 1) for k in range(n)]
        left = sorted((s for s in self.seats if not self._is_out(s)), key=key)
        free = of_place[len(self.finished) : n - len(self.fallen)]
        placed = [*self.finished, *reversed(self.fallen)]
        taken = [*of_place[: len(self.finished)], *of_place[n - len(self.fallen) :]]
        payoffs = dict(zip(placed, taken, strict=True))
        for seat in left:
            places = [place for place, other in zip(free, left, strict=True) if key(other) == key(seat)]
            payoffs[seat] = sum(places) / len(places)
        return [payoffs[seat] for seat in self.seats]

    def _payoffs_at_limit(self) -> list[float]:
        text, n, sizes = self.told.text, self.told.num_players, self.sizes
        if "time is up, and nobody wins or loses" in text:
            return [0.0] * n
        if "time is up, and the players who are alive share the win" in text:
            return self._survivors()
        if "time is up, and players who are out keep the payoff" in text:
            return self._ranked(lambda seat: 0)
        if "time is up, and the places left go by the number of cards" in text:
            return self._ranked(lambda seat: sizes[seat])
        best = min(sizes) if "the player with the fewest cards wins" in text else max(sizes)
        sharing = sizes.count(best)
        if sharing == n:
            return [0.0] * n
        sign = 1 if "the player with the fewest cards wins" in text else -1
        return [sign / sharing if size == best else -sign / (n - sharing) for size in sizes]

    def _shared(self, payoffs: list[float]) -> list[float]:
        """With teams each member gets the mean."""
        for team in self.told.teams:
            members = [int(number) for number in re.findall(r"\d+", team)]
            mean = sum(payoffs[seat] for seat in members) / len(members)
            for seat in members:
                payoffs[seat] = mean
        return payoffs
