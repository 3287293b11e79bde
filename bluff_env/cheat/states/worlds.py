"""Another world of Cheat that one player cannot tell from the real one, from which the game can go on."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from bluff_env.cheat.game.actions import ACTION_INDEX
from bluff_env.cheat.game.state import (
    JOKER,
    LAST_CHANCE_PHASE,
    NOBODY,
    NOTICE_SCALE,
    NOTICEABLE,
    NOTICED_HAND,
    NOTICED_STACK,
    NOTICED_SWITCH,
    NUM_FACES,
    NUM_KINDS,
    Phase,
    Sleight,
    Stat,
)
from bluff_env.cheat.rules import NUM_SUITS, Count, FullSet, Starter
from bluff_env.cheat.states.hidden import LEDGERS, OWN_PLAY, HiddenCards
from bluff_env.cheat.states.snapshot import first_pile
from bluff_env.core.worlds import answer_again

Place = tuple[str, int]  # a hand, a play in the pile, a lap ... and its number
Deal = dict[Place, list[int]]  # the kinds of the cards in each place
_ROUNDS = (Phase.WINDOW, Phase.TICK, Phase.DEMAND)  # questions answered unseen
_AFTER_PLAY = (  # before a slipped card arrives
    Phase.WINDOW, Phase.SWITCH, Phase.SWITCH_WITH, Phase.REVEAL, Phase.ANSWER,
)  # fmt: skip
_SWITCHED = (Phase.REVEAL, Phase.ANSWER)  # after a called player may have switched a card
_BEFORE_PLAY = (Phase.DEALER, Phase.DEAL, Phase.JACK, Phase.SHORT_DEAL, Phase.DEMAND, Phase.BID)
_TRIES = 1000  # exchanges that break full sets up


def redeal(game: Any, me: int, rng: random.Random) -> None:
    """Draw anew in a game all that seat ``me`` does not know.

    * Cards: all deals of the unseen cards that agree with what the player is certain of are equally likely. Where full
      sets leave a hand at once, random exchanges break up those that come up. What a player holds, hides and has lying
      in the pile unseen keeps its sum; where numbers may be a lie, it is split at random.
    * Others who have answered unseen take random legal answers; sleights of a turn are drawn at random.
    * What others know is cut to what is true in the new deal. What only statistics count begins at 0.
    * While chance is to draw, only the cards change, and the players among whom a lot is drawn stay.
    """
    _World(game.state, game.rule_row, me, rng).apply()
    if game.state["phase"] in _ROUNDS:
        _answers(game, me, rng)
    game.state["asked"] = 0


def _answers(game: Any, me: int, rng: random.Random) -> None:
    """Let all others who have been asked in this round answer anew; that player's own answer stays."""
    g, n, own = game.state, game.num_players, 1 << me
    place, given = (int(g["to_act"]), int(g["left_to_ask"])), ("callers", "checkers", "jumpers", "accusers")
    answers, called = {name: int(g[name]) & own for name in given}, int(g["called_seat"][me])
    steps = n - place[1]
    g["to_act"] = (place[0] - int(game.rule_row["direction"]) * steps) % n
    g["left_to_ask"] = n
    game.family.driver.apply_action_one(
        game.states, game.rule_rows, 0, ACTION_INDEX["let"]
    )  # to the first who is asked
    for name in given:
        g[name] = 0
    answer_again(game, rng, lambda: (game.to_act, int(game.state["left_to_ask"])) == place)
    for name in given:
        g[name] = int(g[name]) & ~own | answers[name]
    g["called_seat"][me] = called


class _Bounds(NamedTuple):
    """The number of cards that may lie in a place."""

    low: int
    high: int


class _World(HiddenCards):
    """The cards and the other things that one player does not know, drawn so that the game can go on."""

    def apply(self) -> None:
        """Draw everything anew."""
        g = self.g
        self.deciding = int(g["phase"]) > LAST_CHANCE_PHASE
        self.take_back_play()
        self.deal_again()
        if self.deciding and self.r["sleights"]:
            self.sleights()
        self.knowledge()
        g["lies"] = 0
        for name, weight in LEDGERS.items():
            if self.r[weight] == 0:
                g[name] = 0

    def take_back_play(self) -> None:
        """Take the play that another player composes back to its beginning, and a switch to its first choice."""
        g = self.g
        if g["turn"] in (NOBODY, self.me):
            return
        self.take_back_placed_cards()
        if g["phase"] in OWN_PLAY:
            g["phase"], g["own_claim"] = Phase.TURN, NOBODY
            g["sleights_done"] = int(g["sleights_done"]) & Sleight.OUT_OF_TURN
        if g["phase"] == Phase.SWITCH_WITH and g["to_act"] != self.me:
            g["phase"] = Phase.SWITCH

    # --- cards -------------------------------------------------------------------------------------------------------

    def deal_again(self) -> None:
        """Deal the unseen cards anew."""
        slots = self.hidden_slots()
        pool = sorted(kind for kinds in slots.values() for kind in kinds)
        sizes = self.sizes(slots)
        dealt = self.known_cards(pool, sizes)
        places = [place for place, size in sizes.items() for _ in range(size - len(dealt[place]))]
        self.rng.shuffle(pool)
        if self.r["full_set"] == FullSet.AUTOMATIC and self.g["phase"] not in _BEFORE_PLAY:
            self.break_full_sets(dealt, places, pool)
        for place, kind in zip(places, pool, strict=True):
            dealt[place].append(kind)
        self.write(dealt)

    def owner(self, place: Place) -> int:
        """Return the seat whose cards lie there or were played from there, or -1."""
        name, number = place
        if name == "play":
            return int(self.g["play_player"][number])
        if name == "slipped":
            return int(self.g["slip_from"] if self.g["slipped"] != NOBODY else self.g["claimant"])
        return number if name in ("hand", "lap") else NOBODY

    def sizes(self, slots: Deal) -> dict[Place, int]:
        """Return how many cards lie in each place; each player's own places share theirs where numbers are unknown."""
        if self.may_have_slipped():
            slots.setdefault(("slipped", 0), [])
        sizes = {place: len(kinds) for place, kinds in slots.items()}
        short = self.short_deal() if self.g["phase"] == Phase.DEMAND and self.g["dealer"] != self.me else None
        for p in self.others:
            own = [place for place in slots if self.owner(place) == p]
            left = sum(sizes[place] for place in own) if short is None else short[p]
            bounds = {place: self.bounds(place, sizes[place], left) for place in own}
            self.make_room(bounds, p)
            sizes |= {place: low for place, (low, _) in bounds.items()}
            for _ in range(left - sum(low for low, _ in bounds.values())):
                sizes[self.rng.choice([place for place in own if sizes[place] < bounds[place].high])] += 1
        return sizes

    def may_have_slipped(self) -> bool:
        """Return whether another player may have slipped a card away with the last play."""
        g = self.g
        after_play = g["phase"] in _AFTER_PLAY and g["claimant"] != self.me
        return bool(after_play and self.r["sleights"] & Sleight.SLIP)

    def bounds(self, place: Place, size: int, most: int) -> _Bounds:
        """Return how many cards may lie in a place that now has ``size``."""
        g, r, (name, number) = self.g, self.r, place
        if name == "hand":
            return _Bounds(1, most) if g["hand_size"][number] > 0 else _Bounds(0, 0)
        if name == "lap" and self.deciding and r["sleights"] & Sleight.HIDE:
            return _Bounds(0, int(g["stats"][number, Stat.PLAYS]) + 1)
        if name == "slipped" and self.deciding:
            return _Bounds(0, int(self.may_have_slipped()))
        if name == "play" and r["count"] != Count.EXACT:
            announced = int(g["play_count"][number])
            return _Bounds(1 if r["count"] == Count.ANY else announced, announced + int(r["max_extra"]))
        return _Bounds(size, size)

    def make_room(self, bounds: dict[Place, _Bounds], p: int) -> None:
        """Raise the least numbers so that there is room for the cards that a hand is known to hold."""
        need, hand, last = int(self.g["certain"][self.me, p].sum()), bounds["hand", p], self.open_loss(p)
        if last in bounds and hand.high == 0:
            bounds[last] = bounds[last]._replace(low=max(need, bounds[last].low))
        elif hand.high:
            there = bounds[last].low if last in bounds else 0
            bounds["hand", p] = hand._replace(low=max(hand.low, need - there))

    def open_loss(self, p: int) -> Place:
        """Return the last play of a player if cards they are known to hold may lie there now, or no place."""
        is_open = self.g["loss_pending"] and self.g["claimant"] == p
        return ("play", int(self.g["num_plays"]) - 1) if is_open else ("nowhere", 0)

    def short_deal(self) -> list[int]:
        """Draw how many cards too few the dealer has dealt themselves; return the sizes of all hands."""
        g, r = self.g, self.r
        share = int(r["num_cards"]) // self.n
        deals = {short: self.dealt_sizes(short, share) for short in range(min(4, share))}
        own = int(g["hand_size"][self.me])
        g["cards_short"] = self.rng.choice([short for short, sizes in deals.items() if sizes[self.me] == own])
        return deals[int(g["cards_short"])]

    def dealt_sizes(self, short: int, share: int) -> list[int]:
        """Return the sizes of all hands after a deal in which the dealer leaves out ``short`` cards of their own."""
        dealer, step, sizes = int(self.g["dealer"]), int(self.r["direction"]), [0] * self.n
        seat = (dealer + step) % self.n
        for _ in range(int(self.r["num_cards"])):
            sizes[seat] += 1
            seat = (seat + step) % self.n
            if short and seat == dealer and sizes[dealer] == share - short:
                seat = (seat + step) % self.n
        return sizes

    def known_cards(self, pool: list[int], sizes: dict[Place, int]) -> Deal:
        """Take out of the pool the cards of which the player knows where they are; return them by place."""
        dealt: Deal = {place: [] for place in sizes}
        called = ("play", int(self.g["called_play"]))
        if self.is_shown() and called in sizes:
            for kind in np.repeat(np.arange(NUM_KINDS), self.g["shown"]).tolist():
                self.put(kind, [called], pool, sizes, dealt)
        for p in self.others:
            places: list[Place] = [place for place in (("hand", p), self.open_loss(p)) if place in sizes]
            for face in range(NUM_FACES):
                for _ in range(int(self.g["certain"][self.me, p, face])):
                    kinds = [kind for kind in pool if self.r["face"][kind] == face]
                    if kinds:
                        self.put(self.rng.choice(kinds), places, pool, sizes, dealt)
        if self.r["starter"] == Starter.CARD and self.g["turns"] <= 1 and self.g["starter"] not in (NOBODY, self.me):
            starter = int(self.g["starter"])  # holds the card that starts, or has it in the first play
            places = [place for place in (("hand", starter), ("play", 0)) if place in sizes]
            self.put(int(self.r["starter_kind"]), places, pool, sizes, dealt)
        return dealt

    def is_shown(self) -> bool:
        """Return whether the cards last turned over still lie in the called play."""
        return bool(self.g["phase"] in (Phase.ANSWER, Phase.GIVE) and self.g["claimant"] != NOBODY)

    def put(self, kind: int, places: list[Place], pool: list[int], sizes: dict[Place, int], dealt: Deal) -> None:
        """Take a card out of the pool and put it into one of these places, each as likely as its room."""
        free = [place for place in places for _ in range(sizes[place] - len(dealt[place]))]
        if free and kind in pool and not (len(places) > 1 and kind in dealt[places[0]] + dealt[places[1]]):
            pool.remove(kind)
            dealt[self.rng.choice(free)].append(kind)

    def break_full_sets(self, dealt: Deal, places: list[Place], pool: list[int]) -> None:
        """Exchange cards of the pool until nobody holds a full set, plays from their hand included."""
        owners = [self.owner(place) for place in places]
        known = Counter((self.owner(place), kind // NUM_SUITS) for place, kinds in dealt.items() for kind in kinds)
        at = first_pile(self.g)
        for play in range(int(self.g["num_plays"])):
            size = int(self.g["play_size"][play])
            if ("play", play) not in dealt:
                cards = self.g["pile_cards"][at : at + size].tolist()
                known.update((self.owner(("play", play)), kind // NUM_SUITS) for kind in cards)
            at += size
        for _ in range(_TRIES):
            held = known + Counter((owner, kind // NUM_SUITS) for owner, kind in zip(owners, pool, strict=True))
            full = [
                (owner, rank)
                for (owner, rank), number in held.items()
                if owner in self.others and rank != JOKER // NUM_SUITS and number == self.r["set_size"]
            ]
            movable = [i for i, kind in enumerate(pool) if full and (owners[i], kind // NUM_SUITS) == full[0]]
            if not movable:
                return
            i = self.rng.choice(movable)
            elsewhere = [j for j, owner in enumerate(owners) if owner != owners[i]]
            if not elsewhere:
                return
            j = self.rng.choice(elsewhere)
            pool[i], pool[j] = pool[j], pool[i]

    def write(self, dealt: Deal) -> None:
        """Write the new places of the cards and all counts that the state keeps of them."""
        g, slipped = self.g, dealt.pop(("slipped", 0), None)
        if slipped is not None:
            g["slipped"] = slipped[0] if slipped else NOBODY
        super().write(dealt)

    # --- sleights, and what others know ------------------------------------------------------------------------------

    def sleights(self) -> None:
        """Draw the sleights in the turn of the last play, and whether the called player has switched a card."""
        g, rules, seat = self.g, int(self.r["sleights"]), int(self.g["claimant"])
        if not g["num_plays"]:
            return
        switched = int(g["last_sleights"]) & Sleight.SWITCH
        if seat != self.me:
            done = int(g["last_sleights"]) & Sleight.OUT_OF_TURN
            lap = np.repeat(np.arange(NUM_KINDS), g["lap"][seat]).tolist()
            if lap and self.rng.random() < 0.5:
                done, g["hidden"] = done | Sleight.HIDE, self.rng.choice(lap)
            if g["slipped"] != NOBODY and g["phase"] in _AFTER_PLAY:
                done, g["slip_from"] = done | Sleight.SLIP, seat
                g["slip_to"] = self.rng.choice([p for p in range(self.n) if p != seat and g["hand_size"][p] > 0])
            if rules & Sleight.PEEK and self.rng.random() < 0.5:
                done |= Sleight.PEEK
            if g["play_size"][int(g["num_plays"]) - 1] > g["claim_count"]:
                done |= Sleight.EXTRA_CARDS
            g["last_sleights"] = done | switched
        if g["phase"] in _SWITCHED and g["play_player"][g["called_play"]] != self.me:
            self.switch()

    def switch(self) -> None:
        """Draw whether the called player has switched a card that did not fit for one of the play."""
        g, called = self.g, int(self.g["called_play"])
        held = [k for k in range(NUM_KINDS) if g["hand"][g["play_player"][called], k] and not self.fits(k, called)]
        g["last_sleights"] = int(g["last_sleights"]) & ~Sleight.SWITCH
        if held and self.rng.random() < 0.5:
            g["last_sleights"] |= Sleight.SWITCH
            g["switched"], g["switched_for"] = self.rng.choice(held), self.rng.choice(self.play(called))

    def fits(self, kind: int, play: int) -> bool:
        """Return whether a card is what the claim of a play says."""
        face = self.r["face"][kind]
        return bool(face == self.g["play_face"][play] or (int(self.r["wild_ranks"]) >> (kind // NUM_SUITS)) & 1)

    def play(self, play: int) -> list[int]:
        """Return the cards of a play in the pile."""
        start = first_pile(self.g) + int(self.g["play_size"][:play].sum())
        cards: list[int] = self.g["pile_cards"][start : start + int(self.g["play_size"][play])].tolist()
        return cards

    def knowledge(self) -> None:
        """Make what others know true in the new deal."""
        g = self.g
        hands = np.array([self.faces(np.repeat(np.arange(NUM_KINDS), hand)) for hand in g["hand"][: self.n]])
        last = int(g["num_plays"]) - 1
        if g["loss_pending"]:
            hands[g["claimant"]] += self.faces(self.play(last))
        removed = self.faces(np.repeat(np.arange(NUM_KINDS), g["removed"]))
        for p in self.others:
            for q in self.others:
                g["certain"][p, q] = np.minimum(g["certain"][p, q], hands[q])
            g["known_removed"][p] = np.minimum(g["known_removed"][p], removed)
            self.pile_knowledge(p)
            if self.r["sleights"]:
                self.glimpses(p)

    def faces(self, kinds: Any) -> np.ndarray:
        """Return how many of these cards there are of each face."""
        return np.bincount(self.r["face"][np.asarray(kinds, int)], minlength=NUM_FACES)

    def pile_knowledge(self, p: int) -> None:
        """Write what another player knows of the pile: the plays they have seen, and what lies face up."""
        g, known = self.g, np.zeros(NUM_FACES, int)
        for play in range(int(g["num_plays"])):
            seen = (int(g["play_known"][play]) >> p) & 1
            if seen:
                known += self.faces(self.play(play))
                if g["checked_player"][p] == g["play_player"][play]:
                    g["checked"][p] = self.faces(self.play(play))
            elif self.is_shown() and play == g["called_play"]:
                known += self.faces(np.repeat(np.arange(NUM_KINDS), g["shown"]))
        g["known_pile"][p] = known

    def glimpses(self, p: int) -> None:
        """Draw what another player has noticed, was slipped, and has seen by peeking."""
        g, r, draw = self.g, self.r, self.rng
        for name, seat in (("received", p), ("peeked", int(g["peeked_player"][p]))):
            hand = np.repeat(np.arange(NUM_KINDS), g["hand"][seat]).tolist()
            if g[name][p] and hand:
                g[name][p] = r["face"][draw.choice(hand)] + 1
        if not self.deciding:
            return
        last, done = int(g["num_plays"]) - 1, int(g["last_sleights"])
        things = {NOTICED_HAND: (done & NOTICEABLE).bit_count()}
        if g["phase"] == Phase.DEMAND:
            things = {NOTICED_HAND: int(g["cards_short"] > 0)}
        elif last >= 0 and r["max_extra"]:
            things[NOTICED_STACK] = int(g["play_size"][last] > g["claim_count"])
        if g["phase"] in _SWITCHED:
            things[NOTICED_SWITCH] = int(done & Sleight.SWITCH != 0)
        noticed = {bit for bit, number in things.items() if draw.random() * NOTICE_SCALE < r["notice_weights"][number]}
        g["noticed"][p] = sum(noticed)
