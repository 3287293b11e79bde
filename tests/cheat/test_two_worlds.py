"""Two games of Cheat that are the same to one player, side by side with the same public moves.

The player holds the same cards in both, the others hold other cards. As long as nothing that the player sees tells the
games apart, observations and masks are equal in both: so nothing secret was written into the state earlier, either.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from cheat_tables import TABLES, seed_of
from helpers import deck_of, lively, small_deal
from looks import difference, look

from bluff_env.cheat.rules import Count, Reveal, Starter
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

STATES = 64  # snapshots that are kept


class Parted(Exception):
    """From here on the two worlds differ in public, and rightly so."""


class TwoWorlds:
    """Two games that are the same to one player, driven side by side by the same public moves."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.rng = rng
        variant, self.n, house_rules = TABLES[name]
        self.rules = make_rules(variant, **house_rules)
        self.me = rng.randrange(self.n)
        self.looks = 0
        self.events: Counter[str] = Counter()
        self.history: list[str] = []
        self.states: dict[bytes, dict[str, Any]] = {}
        while True:
            self.worlds = self.deal()
            if self.public(self.worlds[0]) == self.public(self.worlds[1]):
                break  # else a starting card, or sets that go aside by themselves, tell them apart

    def deal(self) -> list[Position]:
        """Two deals that differ in what the player does not hold: in everything, or in a few cards."""
        hands = small_deal(self.rules, self.n, self.rng, self.rng.choice((3, 4, 6, 8)))
        table = {"dealer": self.rng.randrange(self.n)}
        if self.rules.starter not in (Starter.BID, Starter.JACK):
            table["starter"] = self.rng.randrange(self.n)
        pool = [card for p in range(self.n) if p != self.me for card in hands[p]] + self.left_out(hands)
        if self.rng.random() < 0.4:
            self.rng.shuffle(pool)
        else:
            for _ in range(self.rng.randint(1, 3)):
                i, j = self.rng.randrange(len(pool)), self.rng.randrange(len(pool))
                pool[i], pool[j] = pool[j], pool[i]
        again = [hands[p] if p == self.me else [pool.pop(0) for _ in hands[p]] for p in range(self.n)]
        return [Position(self.rules, self.n, hands=h, **table) for h in (hands, again)]

    def left_out(self, hands: list[list[str]]) -> list[str]:
        """The cards of the deck that are not dealt."""
        deck = Counter(deck_of(self.rules.resolve(self.n)))
        return list((deck - Counter(card for h in hands for card in h)).elements())

    def state(self, world: Position) -> dict[str, Any]:
        """The snapshot of a world, which is worked out once between two moves; it must not be changed."""
        key = world.game.states.tobytes()
        if key not in self.states:
            if len(self.states) >= STATES:
                self.states.clear()
            self.states[key] = world.snapshot()
        return self.states[key]

    def place(self, world: Position) -> tuple[int, int]:
        """Tells one window from the next."""
        state = self.state(world)
        return state["turns"], len(state["pile"])

    # running

    def run(self, steps: int = 150) -> None:
        """Plays on until the worlds part, the games end or ``steps`` steps are made."""
        try:
            for _ in range(steps):
                self.catch_up()
                self.compare()
                if self.worlds[0].is_terminal():
                    return
                self.move()
        except Parted:
            self.events["parted"] += 1

    def compare(self) -> None:
        """The player sees the same in both worlds."""
        one, two = self.worlds
        public = [self.public(world) for world in self.worlds]
        assert public[0] == public[1], f"the worlds differ in public: {public}\n  after {self.history}"
        if one.is_chance_node():
            return
        differs = difference(one, look(one, self.me), look(two, self.me))
        assert not differs, (
            f"player_{self.me} sees {differs}\n  in {self.state(one)}\n  and {self.state(two)}\n  after {self.history}"
        )
        self.looks += hands_seen(self.state(one)) != hands_seen(self.state(two))

    def public(self, world: Position) -> tuple[Any, ...]:
        """Return what must be the same for the worlds to be compared at all."""
        state = self.state(world)
        phase = "own play" if state["phase"] in ("turn", "place", "count", "slip_to") else state["phase"]
        out = state["finished"], state["fallen"], event_faces(world) if not state["pile"] and not state["turns"] else 0
        return phase, state["to_act"], state["turn"], state["turns"], len(state["pile"]), state["claim"], *out

    def catch_up(self) -> None:
        """A play may be made unasked in one world, where a hand leaves no choice: the other world follows."""
        turns = [self.state(world)["turns"] for world in self.worlds]
        if turns[0] == turns[1]:
            return
        ahead, behind = self.worlds if turns[0] > turns[1] else self.worlds[::-1]
        play = self.state(ahead)["pile"][-1]
        like = play["claim"].get("rank") or play["claim"]["suit"], play["claim"]["count"]
        empty = not self.state(ahead)["hands"][play["player"]]
        self.history.append(f"{play['player']}: {like[1]} x {like[0]}, unasked in one world")
        follower = self.likewise(behind, (*like, empty), self.as_seen(play["cards"]))
        self.worlds = [ahead, follower] if turns[0] > turns[1] else [follower, ahead]
        self.events["unasked"] += 1

    def likewise(self, world: Position, like: tuple[str, int, bool], wish: list[str]) -> Position:
        """The world after a play that looks the same, with the same cards if possible."""
        for attempt in range(12):
            made = self.try_play(world.clone(), like, wish if attempt == 0 else [])
            if made is not None and made[:3] == like:
                return made[4]
        raise Parted

    def move(self) -> None:
        """One public move in both worlds."""
        one = self.worlds[0]
        if one.is_chance_node():
            self.draw()
        elif self.state(one)["phase"] in ("window", "tick"):
            self.window()
        elif self.state(one)["phase"] == "reveal":
            self.turn_over()
        elif self.state(one)["phase"] == "forced":
            self.show_or_not()
        elif self.state(one)["phase"] in ("switch", "switch_with", "answer", "give"):
            self.answer()
        elif one.current_player() == self.me:
            names = [name for name in one.legal_actions() if self.stays_same(name, self.me)]
            if not names:
                raise Parted
            self.both(lively(self.rng)(names))
        else:
            self.turn_of_another()

    def both(self, name: str) -> None:
        """The same action in both worlds."""
        self.history.append(f"{self.worlds[0].current_player()}: {name}")
        self.events[name.split(maxsplit=1)[0]] += 1
        legal = [name in world.legal_actions() for world in self.worlds]
        assert all(legal), f"{name!r} is legal in {sum(legal)} of the two worlds, after {self.history}"
        for world in self.worlds:
            world.apply_action(name)

    def draw(self) -> None:
        """The same outcome of chance in both worlds."""
        one, two = (world.chance_weights() for world in self.worlds)
        phase = self.state(self.worlds[0])["phase"]
        ends = [(int(w.game.state["deal_loser"]), w.game.state["shown"].tolist()) for w in self.worlds]
        if phase == "trigger" and ends[0] != ends[1]:
            raise Parted  # the last player with cards had to call, and everybody saw what the call showed
        played = any(not move.startswith("[") for move in self.history)
        if phase == "peek" or (phase == "deal" and played):
            two = one = {name: 1 for name in one if name in two}  # the player has to see the same card, of a stock too
        if not one:
            raise Parted
        # whether there is something to notice may differ, but not who may notice it
        assert set(one) == set(two), f"chance differs: {one} and {two}, after {self.history}"
        name = self.rng.choice(sorted(one))
        self.history.append(f"[{name}]")
        self.events["draw"] += 1
        for world in self.worlds:
            world.apply_action(name)
        sizes = [[len(hand) for hand in self.state(world)["hands"]] for world in self.worlds]
        if phase == "deal" and played and sizes[0] != sizes[1]:
            raise Parted  # a card of the stock has made a full set, which left the hand

    # which moves leave the worlds the same to the player

    def stays_same(self, name: str, seat: int) -> bool:
        """Return whether a move of ``seat`` shows the same in both worlds, in public and to the player."""
        states = [self.state(world) for world in self.worlds]
        if name == "take pile":
            return self.same_pickup([seat])
        if name == "accuse" and self.rules.force:
            return True  # no card is shown yet
        if name == "accuse":
            right = [self.accuses_rightly(state, seat) for state in states]
            same_sleights = states[0]["last_sleights"] == states[1]["last_sleights"]
            return same_sleights and self.same_pickup([states[0]["claimant"] if right[0] else seat])
        if name != "believe" and not name.startswith("call"):
            return True
        if states[0]["phase"] == "bid":
            return len({self.held_of_bid_rank(state) for state in states}) == 1
        claimant = (seat + int(name.split("+")[1])) % self.n if "+" in name else states[0]["claimant"]
        if self.rules.reveal == Reveal.CHOICE and name != "believe" and states[0]["hands"][claimant]:
            return True  # nothing is turned over yet
        shown = [self.shown(state, claimant, name == "believe") for state in states]
        if shown[0] != shown[1]:
            return False
        lie = shown[0][2]
        if name == "believe":
            return self.same_pickup([seat] if lie else [])
        either = lie is None or "switch" in self.rules.sleights
        return self.same_pickup([claimant, seat] if either else [claimant if lie else seat])

    @staticmethod
    def accuses_rightly(state: dict[str, Any], seat: int) -> bool:
        """Return whether there is something to accuse; a play out of turn only for players who noticed it (S24)."""
        sleights = set(state["last_sleights"]) - {"switch"}
        return bool(sleights if "hands" in state["noticed"][seat] else sleights - {"out of turn"})

    def held_of_bid_rank(self, state: dict[str, Any]) -> int:
        """Return what a called bidder shows."""
        rank = self.rules.resolve(self.n).bid_rank
        return sum(card[0] == rank for card in state["hands"][state["bid"]["player"]])

    def same_pickup(self, losers: list[int]) -> bool:
        """Return whether the player sees the same if one of these picks up the pile; all see its size then (S7)."""
        one, two = (self.state(world) for world in self.worlds)
        piles = [[card for play in state["pile"] for card in play["cards"]] for state in (one, two)]
        piles = [[*pile, *(state["first_pile"] or ())] for pile, state in zip(piles, (one, two), strict=True)]
        if self.me in losers and self.as_seen(piles[0]) != self.as_seen(piles[1]):
            return False
        if self.rules.drinks_weight and len(piles[0]) != len(piles[1]):
            return False  # everybody sees how many drinks it costs
        if self.rules.cup_weight:
            poured = [sum(card[0] == "K" for card in pile) for pile in piles]
            if poured[0] != poured[1]:
                return False  # everybody sees the cup (S28)
        if self.rules.full_set.name == "AUTOMATIC":
            sets = [
                [self.full_sets(state["hands"][p] + pile) for p in losers]
                for state, pile in zip((one, two), piles, strict=True)
            ]
            if sets[0] != sets[1]:
                return False
        sizes = [[len(s["hands"][p]) + len(pile) for p in losers] for s, pile in zip((one, two), piles, strict=True)]
        return sizes[0] == sizes[1]

    def full_sets(self, cards: list[str]) -> list[str]:
        """The ranks of which all natural cards are there."""
        held = Counter(card[0] for card in cards if card != "JK")
        return sorted(rank for rank, number in held.items() if number == self.rules.resolve(self.n).set_size)

    def shown(self, state: dict[str, Any], claimant: int, whole: bool) -> tuple[Any, ...]:
        """Return what a call shows (S6): cards, the claimant's hand if the whole play is shown, and if it lied.

        ``whole``: after a belief, or because the challenger has chosen so.
        """
        play = [play for play in state["pile"] if play["player"] == claimant][-1]
        face, number = play["claim"].get("rank") or play["claim"]["suit"], play["claim"]["count"]
        cards, hand = play["cards"], len(state["hands"][play["player"]])
        true = [card for card in cards if self.fits(card, face)]
        false = [card for card in cards if not self.fits(card, face)]
        if self.rules.reveal == Reveal.ONE and not whole:
            return self.as_seen(cards), 0, None
        if whole or self.rules.reveal == Reveal.ALL or hand == 0:
            return self.as_seen(cards), hand, bool(false) or len(cards) != number
        return self.as_seen((true + false)[:number]), hand == 0, len(true) < number

    def show_or_not(self) -> None:
        """The player who is forced shows the same card in both worlds, or none."""
        one, two = self.worlds
        loser = {name: int(one.game.state["challenger"]) for name in one.legal_actions()}
        loser["keep"] = one.current_player()
        same = [name for name in loser if name in two.legal_actions() and self.same_pickup([loser[name]])]
        if not same:
            raise Parted
        self.both(self.rng.choice(same))

    def turn_over(self) -> None:
        """The challenger turns over all or as many cards as were announced, where both worlds show the same."""
        one = self.worlds[0]
        seat, claimant = one.current_player(), int(one.game.state["play_player"][one.game.state["called_play"]])
        same = [name for name in one.legal_actions() if self.shows_the_same(name == "check", claimant, seat)]
        if not same:
            raise Parted
        self.both(self.rng.choice(same))

    def shows_the_same(self, whole: bool, claimant: int, seat: int) -> bool:
        """Return whether the called play looks and counts the same in both worlds, turned over whole or in part."""
        shown = [self.shown(self.state(world), claimant, whole) for world in self.worlds]
        either = [claimant, seat] if "switch" in self.rules.sleights else [claimant if shown[0][2] else seat]
        return shown[0] == shown[1] and self.same_pickup(either)

    def fits(self, card: str, face: str) -> bool:
        """Return whether a card is what a claim says."""
        if card == "JK":
            return face == "JK" or self.rules.joker_role.name == "WILD"
        return card[1 if self.rules.suits_matter else 0] == face

    def as_seen(self, cards: list[str]) -> list[str]:
        """Cards as far as they can be told apart: by rank where suits decide nothing."""
        return sorted(cards if self.rules.suits_matter else [card if card == "JK" else card[0] for card in cards])

    def answer(self) -> None:
        """A called claimant keeps the play, unless the claimant is the player; a challenger may accuse the claimant."""
        one, two = self.worlds
        seat, phase = one.current_player(), self.state(one)["phase"]
        shared = [name for name in one.legal_actions() if name in two.legal_actions()]
        if seat == self.me or phase == "answer":
            self.both(self.rng.choice(shared))
        elif phase == "switch":
            self.both("keep")
        elif shared:
            self.both(shared[0])
        else:
            raise Parted

    # the window

    def window(self) -> None:
        """All decisions of the open window; calls and checks only where the worlds stay the same to the player."""
        one = self.worlds[0]
        place = self.place(one)
        wants = self.rng.random() < 0.5
        phase = self.state(one)["phase"]
        while self.state(one)["phase"] == phase and self.place(one) == place:
            seat, names = one.current_player(), ["let" if phase == "window" else "wait"]
            if one.legal_actions() == ["call"]:  # the last player with cards has to (S37)
                if not self.stays_same("call", seat):
                    raise Parted
                names = ["call"]
            if "jump" in one.legal_actions() and self.rng.random() < 0.5:
                names = ["jump"]
            if "check" in one.legal_actions() and (seat != self.me or self.same_play()) and self.rng.random() < 0.4:
                names = ["check"]
            calls = [m for m in one.legal_actions() if m.startswith("call")]
            if wants and calls and self.rng.random() < 0.7 and self.stays_same(name := self.rng.choice(calls), seat):
                names = [name]
            if "accuse" in one.legal_actions() and self.rng.random() < 0.2 and self.stays_same("accuse", seat):
                names = ["accuse"]
            self.both(names[0])
            if self.state(one)["phase"] == phase and self.place(one) == place:
                self.compare()

    def same_play(self) -> bool:
        """Return whether the last play is the same in both worlds."""
        one, two = (self.as_seen(self.state(world)["pile"][-1]["cards"]) for world in self.worlds)
        return one == two

    # turns of others

    def turn_of_another(self) -> None:
        """Another player's turn: the same public move, with whatever cards they have in each world."""
        one, two = self.worlds
        shared = [
            m for m in one.legal_actions() if m in two.legal_actions() and self.stays_same(m, one.current_player())
        ]
        shared = [
            m
            for m in shared
            if m in ("pass", "take pile", "call", "believe", "accuse") or m.startswith(("set aside", "bid"))
        ]
        if self.state(one)["phase"] == "bid" and not shared:
            raise Parted
        if shared and (self.state(one)["phase"] == "bid" or self.rng.random() < 0.5):
            self.both(self.rng.choice(shared))
            return
        seat = one.current_player()
        for _ in range(30):
            made = self.try_play(one.clone(), None, [])
            if made is None:
                continue
            try:
                self.worlds = [made[4], self.likewise(two, made[:3], made[3])]
            except Parted:
                continue
            self.history.append(f"{seat}: {made[1]} x {made[0]}")
            self.events["play"] += 1
            return
        raise Parted

    def try_play(
        self, world: Position, like: tuple[str, int, bool] | None, wish: list[str]
    ) -> tuple[str, int, bool, list[str], Position] | None:
        """A random play, if possible with these cards, or None if none came of it.

        Returns:
            The claim, the number, whether the hand is empty, the cards as far as they can be told apart, and the world.
        """
        state = self.state(world)
        seat, turns, wish = state["turn"], state["turns"], list(wish)
        size = len(wish) or (like[1] if like and self.rules.count == Count.EXACT else self.rng.choice((1, 1, 2, 3)))
        for card in self.as_seen(state["placed"]):
            if card in wish:
                wish.remove(card)
        while world.is_player_node() and world.current_player() == seat and self.state(world)["turns"] == turns:
            names = [m for m in world.legal_actions() if m.startswith(("claim", "place", "count")) or m == "commit"]
            hides = [m for m in world.legal_actions() if m.startswith("hide")]
            if hides and self.rng.random() < 0.2:
                world.apply_action(self.rng.choice(hides))  # perhaps in one world only
                continue
            if like and any(m.startswith("claim") for m in names):
                names = [m for m in names if m.split()[-1] == like[0]]
            if like and f"count {like[1]}" in names:
                names = [f"count {like[1]}"]
            if "commit" in names and len(self.state(world)["placed"]) >= size:
                names = ["commit"]
            elif len(names) > 1:
                names = [m for m in names if m != "commit"]
            wished = [m for m in names if m.startswith("place") and m.split()[-1] in wish]
            if not names:
                return None
            name = self.rng.choice(wished or names)
            if name.split()[-1] in wish:
                wish.remove(name.split()[-1])
            world.apply_action(name)
        after = self.state(world)
        if after["fallen"] != state["fallen"] or len(after["pile"]) <= len(state["pile"]):
            return None  # a full set was led, or a player without cards was out before the play was made (S14)
        play = after["pile"][len(state["pile"])]
        face, number = play["claim"].get("rank") or play["claim"]["suit"], play["claim"]["count"]
        return face, number, not after["hands"][seat], self.as_seen(play["cards"]), world


def hands_seen(state: dict[str, Any]) -> list[list[str]]:
    """All hands, with the cards being placed."""
    return [sorted(hand + (state["placed"] if p == state["turn"] else [])) for p, hand in enumerate(state["hands"])]


def event_faces(world: Position) -> list[tuple[int, ...]]:
    """The public events so far."""
    g = world.game.state
    first = int(g["latest_event"])
    return [tuple(row) for row in g["events"][:, first : first + 8].T.tolist()]


@pytest.mark.parametrize("name", [name for name in TABLES if not name.startswith("mini-")])
@pytest.mark.sample(15)
def test_two_worlds_that_are_the_same_to_a_player_look_the_same(name: str) -> None:
    looks, events = 0, Counter[str]()
    for game in range(9):
        worlds = TwoWorlds(name, seed_of("worlds", name, game))
        worlds.run()
        looks += worlds.looks
        events += worlds.events
    assert looks >= 60 and events["play"] >= 25 and events["call"] + events["believe"] + events["accuse"] >= 3, (
        f"too little was compared: {looks}, {events}"
    )
