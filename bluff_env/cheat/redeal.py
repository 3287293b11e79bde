"""All that one player does not know, drawn anew in the record of a game of Cheat: the material of the leak test.

Who holds which hidden card, and where hidden numbers may be a lie how many; what is decided in the window; how far
another's play has come; what the others know; the generator of chance. What the player sees must stay what it was.
"""

from __future__ import annotations

import random

import numpy as np

from bluff_env.cheat.game.state import JOKER, NUM_FACES, NUM_KINDS, Phase, Sleight
from bluff_env.cheat.rules import MAX_PLAYERS, NUM_SUITS, Count

OWN_PLAY = (Phase.TURN, Phase.PLACE, Phase.COUNT, Phase.SLIP_TO)
"""Decisions of a player composing his own play, of which nobody else sees anything."""
UNSEEN = (Phase.WINDOW, Phase.TICK, Phase.DEMAND)
"""Decisions that nobody sees until all are made."""
_NOISE = np.random.default_rng(0).integers(0, 9, 2000)


def redeal(g: np.void, r: np.void, me: int, rng: random.Random) -> None:
    """Changes the record ``g`` under the rule row ``r`` in everything that the player in seat ``me`` does not know.

    The record is for looking at, with ``observe`` and ``legal_actions``: what else is in it is noise, not to be played.
    """
    _Redeal(g, r, me, rng).apply()


class _Redeal:
    def __init__(self, g: np.void, r: np.void, me: int, rng: random.Random) -> None:
        self.g, self.r, self.me, self.rng = g, r, me, rng
        self.n = int(r["num_players"])
        self.others = [p for p in range(self.n) if p != me]

    def apply(self) -> None:
        """All changes at once."""
        self.cards()
        if self.g["phase"] in UNSEEN:
            self.window_decisions()
        if self.g["phase"] in OWN_PLAY and self.g["turn"] != self.me:
            self.half_composed_play()
        self.sleights()
        self.chance_and_statistics()
        self.what_others_know()

    # the cards

    def cards(self) -> None:
        """Hidden cards change places, and where numbers may be a lie hidden numbers change too."""
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
        """Another's cards that he is placing are in his hand; :meth:`half_composed_play` places some anew."""
        seat, start = int(self.g["turn"]), int(self.g["pile_size"])
        for kind in self.g["pile_cards"][start : start + int(self.g["placed"])].tolist():
            self.g["hand"][seat, kind] += 1
        self.g["placed"] = 0

    def hidden_slots(self) -> dict[tuple[str, int], list[int]]:
        """The cards this player does not know by place: hands, plays in the pile, removed cards."""
        g = self.g
        slots = {("hand", p): np.repeat(np.arange(NUM_KINDS), g["hand"][p]).tolist() for p in self.others}
        at = 0
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
        """Takes out of the slots what he knows for certain to be there."""
        fixed: dict[tuple[str, int], list[int]] = {}
        last = ("play", int(self.g["num_plays"]) - 1)
        for p in self.others:
            places = [("hand", p)]
            if self.g["loss_pending"] and self.g["claimant"] == p and last in slots:
                places.append(last)  # what he held before his last play may lie there now
            for face in range(NUM_FACES):
                left = int(self.g["certain"][self.me, p, face])
                for place in places:
                    for kind in [k for k in slots[place] if self.r["face"][k] == face][:left]:
                        slots[place].remove(kind)
                        fixed.setdefault(place, []).append(kind)
                        left -= 1
        return fixed

    def sizes(self, slots: dict[tuple[str, int], list[int]]) -> dict[tuple[str, int], int]:
        """How many cards each place gets; a player's hand and his hidden plays share theirs where numbers may lie."""
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
        """The new places of the cards, with all counts that the record keeps of them."""
        g = self.g
        for p in self.others:
            g["hand"][p] = np.bincount(dealt["hand", p], minlength=NUM_KINDS)
            g["lap"][p] = np.bincount(dealt["lap", p], minlength=NUM_KINDS)
        if ("slipped", 0) in dealt:
            g["slipped"] = dealt["slipped", 0][0]
        old, new, at = g["pile_cards"].copy(), [], 0
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
        g["removed"] -= g["lap"].sum(axis=0)
        if g["slipped"] >= 0:
            g["removed"][g["slipped"]] -= 1
        assert (g["removed"] >= 0).all()
        self.count_hands()

    def count_hands(self) -> None:
        """`held` and `hand_size` follow `hand`."""
        g = self.g
        g["held"] = np.add.reduceat(g["hand"], [*range(0, JOKER, NUM_SUITS), JOKER], axis=1)
        for p in range(self.n):
            g["hand_size"][p] = g["hand"][p].sum() + (g["placed"] if p == g["turn"] else 0)

    # what is decided unseen

    def window_decisions(self) -> None:
        """Others may have decided otherwise."""
        for field in ("callers", "checkers", "jumpers", "accusers"):
            bits = int(self.g[field]) & (1 << self.me)
            for p in self.others:
                bits |= (self.rng.random() < 0.5) << p
            self.g[field] = bits

    def half_composed_play(self) -> None:
        """Another's own play may have come to any point."""
        g, seat = self.g, int(self.g["turn"])
        cards = np.repeat(np.arange(NUM_KINDS), g["hand"][seat]).tolist()
        placed = sorted(self.rng.sample(cards, self.rng.randint(0, len(cards))))
        start = int(g["pile_size"])
        g["pile_cards"][start : start + len(placed)] = placed
        g["hand"][seat] -= np.bincount(placed, minlength=NUM_KINDS)
        g["placed"] = len(placed)
        self.count_hands()
        g["phase"] = self.rng.choice([Phase.PLACE, Phase.COUNT] if placed else [Phase.TURN, Phase.SLIP_TO])
        faces = [face for face in range(NUM_FACES) if (int(g["claims"]) >> face) & 1]
        g["own_claim"] = self.rng.choice(faces) if placed else -1

    def sleights(self) -> None:
        """What others did in secret, noticed, saw and were given; who is called may have kept his play."""
        g = self.g
        if g["phase"] in (Phase.SWITCH, Phase.SWITCH_WITH) and g["to_act"] != self.me:
            g["phase"] = self.rng.choice([Phase.SWITCH, Phase.SWITCH_WITH])
            g["switched"] = self.rng.randrange(NUM_KINDS)
        if g["turn"] != self.me:
            g["done"] = self.rng.randrange(64)
        for field in ("sins", "hidden", "slip_from", "slip_to", "peek_at", "short", "notice_step"):
            g[field] = self.rng.randrange(self.n)
        for field in ("noticed", "received", "peeked", "peeked_player"):
            kept = int(g[field][self.me])
            g[field] = self.noise(g[field].shape)
            g[field][self.me] = kept

    def chance_and_statistics(self) -> None:
        """The generator of chance and the statistics for evaluation are nobody's to see."""
        for field in ("seed", "suit_cut", "deck_size", "deal_seat"):
            self.g[field] = self.rng.randrange(1000)
        if not self.r["cup_weight"]:
            self.g["cup"] = self.rng.randrange(9)
            self.g["cup_drunk"] = self.noise(self.g["cup_drunk"].shape)
        for field in ("keys", "draws", "lies", "asked", "deck", "deck_ranks", "decisions"):
            self.g[field] = self.noise(self.g[field].shape)

    def noise(self, shape: tuple[int, ...]) -> np.ndarray:
        """Small random numbers."""
        start = self.rng.randrange(1000)
        return _NOISE[start : start + int(np.prod(shape))].reshape(shape)

    def what_others_know(self) -> None:
        """The private knowledge of the others, and rows beyond the players."""
        g = self.g
        for p in range(MAX_PLAYERS):
            if p != self.me:
                for field in ("known_pile", "known_removed", "certain", "checked"):
                    g[field][p] = self.noise(g[field][p].shape)
                g["checked_player"][p] = self.rng.randrange(-1, self.n)
