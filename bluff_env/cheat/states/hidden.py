"""Resampling of all that a player does not know in a state of Cheat, for leak tests.

Most fields follow from their declaration (:data:`bluff_env.cheat.states.fields`). By hand come those that are only
PARTLY hidden: the cards have to remain those of the deck and to agree with what the player knows for certain.
"""

from __future__ import annotations

import random

import numpy as np

from bluff_env.cheat.game.state import FIELDS, JOKER, NUM_FACES, NUM_KINDS, Phase, Sleight
from bluff_env.cheat.rules import NUM_SUITS, Count
from bluff_env.cheat.states.snapshot import first_pile
from bluff_env.core.fields import noise, redraw

OWN_PLAY = (Phase.TURN, Phase.PLACE, Phase.COUNT, Phase.SLIP_TO)
"""Decisions of a player composing their own play, which no other player sees."""
_SLEIGHT_STEPS = {Sleight.HIDE: 1, Sleight.SLIP: 2, Sleight.PEEK: 1}
"""The number of decisions that each takes: a slip also names its target."""
LEDGERS = {"drinks": "drinks_weight", "cup": "cup_weight", "cup_drunk": "cup_weight"}
"""Public only if they enter the reward: they would reveal the number of cards, or kings, in a pile (S7, D13)."""


def unseen_decisions(g: np.void, r: np.void) -> int:
    """Return the most decisions in a row that the player to act may make before the others see anything; 0: no secret.

    In a turn these are the claim, sleights of hand, as many cards as may be placed, the end of placing, and the number.
    """
    if g["phase"] in (Phase.SWITCH, Phase.SWITCH_WITH):
        return 2
    if g["phase"] not in OWN_PLAY:
        return 0
    sleights = sum(steps for sleight, steps in _SLEIGHT_STEPS.items() if r["sleights"] & sleight)
    return 2 + sleights + int(r["max_announced"]) + int(r["max_extra"]) + int(r["count"] != Count.EXACT)


def resample_hidden(g: np.void, r: np.void, me: int, rng: random.Random) -> None:
    """Resample everything in the state ``g`` that seat ``me`` cannot see under the rule row ``r``.

    That player's observation stays the same. Use the state for ``observe`` and ``legal_actions`` only: the game cannot
    be continued from it.
    """
    HiddenCards(g, r, me, rng).apply()


class HiddenCards:
    """The cards and the other things that one player does not know.

    Args:
        g: the state, in which they are drawn anew.
        r: the row of rules.
        me: the seat of the player.
        rng: what draws.
    """

    def __init__(self, g: np.void, r: np.void, me: int, rng: random.Random) -> None:
        self.g, self.r, self.me, self.rng = g, r, me, rng
        self.n = int(r["num_players"])
        self.others = [p for p in range(self.n) if p != me]

    def apply(self) -> None:
        """Resample everything."""
        g, r, numbers = self.g, self.r, np.random.default_rng(self.rng.getrandbits(64))
        self.cards()
        if g["phase"] in OWN_PLAY and g["turn"] != self.me:
            self.half_composed_play()
        if g["phase"] in (Phase.SWITCH, Phase.SWITCH_WITH) and g["to_act"] != self.me:
            g["phase"] = self.rng.choice([Phase.SWITCH, Phase.SWITCH_WITH])  # they may still keep their play
        for field in FIELDS:
            redraw(field, g, r, self.me, numbers)
            if field.name in LEDGERS and r[LEDGERS[field.name]] == 0:
                g[field.name] = noise(field, g, r, numbers)

    def cards(self) -> None:
        """Exchange the hidden cards, and change hidden numbers if announced numbers may be a lie."""
        if self.g["turn"] not in (-1, self.me):
            self.take_back_placed_cards()
        slots = self.hidden_slots()
        fixed = self.certain_cards(slots)
        pool = [kind for kinds in slots.values() for kind in kinds]
        self.rng.shuffle(pool)
        sizes = self.sizes(slots)
        dealt: dict[tuple[str, int], list[int]] = {}
        for slot, size in sizes.items():
            dealt[slot] = fixed.get(slot, []) + [pool.pop() for _ in range(size)]
        assert not pool
        self.write(dealt)

    def take_back_placed_cards(self) -> None:
        """Put the cards that another player is placing back; :meth:`half_composed_play` places some anew."""
        seat, start = int(self.g["turn"]), int(self.g["pile_size"])
        for kind in self.g["pile_cards"][start : start + int(self.g["placed"])].tolist():
            self.g["hand"][seat, kind] += 1
        self.g["placed"] = 0

    def hidden_slots(self) -> dict[tuple[str, int], list[int]]:
        """Return the cards that the player does not know, by place: hands, plays in the pile, removed cards ..."""
        g = self.g
        slots = {("hand", p): np.repeat(np.arange(NUM_KINDS), g["hand"][p]).tolist() for p in self.others}
        at = first_pile(g)
        slots["first pile", 0] = g["pile_cards"][:at].tolist()
        slots["deck", 0] = np.repeat(np.arange(NUM_KINDS), g["deck"]).tolist()
        for play in range(int(g["num_plays"])):
            size = int(g["play_size"][play])
            if not (int(g["play_known"][play]) >> self.me) & 1:
                slots["play", play] = g["pile_cards"][at : at + size].tolist()
            at += size
        removed, known = [], g["known_removed"][self.me].tolist()
        for kind in np.repeat(np.arange(NUM_KINDS), g["removed"]).tolist():
            face = int(self.r["face"][kind])
            if known[face] > 0:
                known[face] -= 1
            else:
                removed.append(kind)
        slots["removed", 0] = removed
        for p in self.others:
            slots["lap", p] = np.repeat(np.arange(NUM_KINDS), g["lap"][p]).tolist()
        if g["slipped"] >= 0 and g["slip_from"] != self.me:
            slots["slipped", 0] = [int(g["slipped"])]
        return slots

    def certain_cards(self, slots: dict[tuple[str, int], list[int]]) -> dict[tuple[str, int], list[int]]:
        """Take out of the slots the cards that the player knows for certain to be there; return them by place."""
        fixed: dict[tuple[str, int], list[int]] = {}
        last = ("play", int(self.g["num_plays"]) - 1)
        for p in self.others:
            places = [("hand", p)]
            if self.g["loss_pending"] and self.g["claimant"] == p and last in slots:
                places.append(last)  # cards held before their last play may lie there now
            for face in range(NUM_FACES):
                left = int(self.g["certain"][self.me, p, face])
                for place in places:
                    for kind in [k for k in slots[place] if self.r["face"][k] == face][:left]:
                        slots[place].remove(kind)
                        fixed.setdefault(place, []).append(kind)
                        left -= 1
        return fixed

    def sizes(self, slots: dict[tuple[str, int], list[int]]) -> dict[tuple[str, int], int]:
        """Return the number of cards for each place; a hand and its hidden plays share theirs if numbers may lie."""
        sizes = {slot: len(kinds) for slot, kinds in slots.items()}
        for p in self.others:
            while self.r["sleights"] & Sleight.HIDE and sizes["hand", p] > 1 and self.rng.random() < 0.5:
                sizes["hand", p] -= 1
                sizes["lap", p] += 1
            while sizes["lap", p] > 0 and sizes["hand", p] > 0 and self.rng.random() < 0.5:
                sizes["hand", p] += 1
                sizes["lap", p] -= 1
        if self.r["count"] == Count.EXACT:
            return sizes
        for p in self.others:
            plays = [slot for slot in slots if slot[0] == "play" and self.g["play_player"][slot[1]] == p]
            for slot in plays:
                while sizes["hand", p] > 1 and self.rng.random() < 0.5:
                    sizes["hand", p] -= 1
                    sizes[slot] += 1
                while sizes[slot] > 1 and sizes["hand", p] > 0 and self.rng.random() < 0.5:
                    sizes["hand", p] += 1
                    sizes[slot] -= 1
        return sizes

    def write(self, dealt: dict[tuple[str, int], list[int]]) -> None:
        """Write the new places of the cards and all counts that the state keeps of them."""
        g = self.g
        for p in self.others:
            g["hand"][p] = np.bincount(dealt["hand", p], minlength=NUM_KINDS)
            g["lap"][p] = np.bincount(dealt["lap", p], minlength=NUM_KINDS)
        if ("slipped", 0) in dealt:
            g["slipped"] = dealt["slipped", 0][0]
        deck, at = dealt["deck", 0], first_pile(g)
        g["deck"] = np.bincount(deck, minlength=NUM_KINDS)
        g["deck_ranks"] = np.bincount([kind // NUM_SUITS for kind in deck], minlength=NUM_FACES)
        old, new = g["pile_cards"].copy(), sorted(dealt["first pile", 0])
        for play in range(int(g["num_plays"])):
            size = int(g["play_size"][play])
            cards = sorted(dealt.get(("play", play), old[at : at + size].tolist()))
            g["play_size"][play] = len(cards)
            new += cards
            at += size
        mine = old[at : at + int(g["placed"])].tolist()
        g["pile_size"] = len(new)
        g["pile_cards"][: len(new) + len(mine)] = new + mine
        g["removed"] = self.r["deck"] - g["hand"].sum(axis=0) - np.bincount(new + mine, minlength=NUM_KINDS)
        g["removed"] -= g["lap"].sum(axis=0) + g["deck"]
        if g["slipped"] >= 0:
            g["removed"][g["slipped"]] -= 1
        assert (g["removed"] >= 0).all()
        self.count_hands()

    def count_hands(self) -> None:
        """Recompute `held` and `hand_size` from `hand`."""
        g = self.g
        g["hand_ranks"] = np.add.reduceat(g["hand"], [*range(0, JOKER, NUM_SUITS), JOKER], axis=1)
        for p in range(self.n):
            g["hand_size"][p] = g["hand"][p].sum() + (g["placed"] if p == g["turn"] else 0)

    def half_composed_play(self) -> None:
        """Resample how far another player has composed their play."""
        g, seat = self.g, int(self.g["turn"])
        cards = np.repeat(np.arange(NUM_KINDS), g["hand"][seat]).tolist()
        placed = sorted(self.rng.sample(cards, self.rng.randint(0, len(cards))))
        start = int(g["pile_size"])
        g["pile_cards"][start : start + len(placed)] = placed
        g["hand"][seat] -= np.bincount(placed, minlength=NUM_KINDS)
        g["placed"] = len(placed)
        self.count_hands()
        g["phase"] = self.rng.choice([Phase.PLACE, Phase.COUNT] if placed else [Phase.TURN, Phase.SLIP_TO])
