"""A slow second implementation of Bluff the Bullet in plain Python, written from the rules and S30 to S35 and R5.

It shares no code with the engine and is built differently: cards are objects that know who has seen them, and a game is
one generator, which yields ``(seat, legal actions)`` and is sent the chosen action's name. Chance has the seat -1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field


@dataclass(eq=False)
class Card:
    """A card on the table."""

    name: str
    up: bool = False
    seen_by: set[int] = field(default_factory=set)

    @property
    def suit(self) -> str:
        return self.name[:-1]

    @property
    def value(self) -> int:
        return int(self.name[-1])


class GameOver(Exception):
    """Fin has come up."""


Decisions = Generator[tuple[int, list[str]], str, None]
CHANCE = -1


class BulletOracle:
    """A game with a given deck (top first), driven by the methods of ``bluff_env.Position``."""

    def __init__(
        self, deck: list[str], num_players: int, dealer: int, straights: bool = False, responses: str = "race"
    ) -> None:
        self.n = num_players
        self.answering = {"race": self.drawn_answer, "in_turn": self.first_answer}[responses]
        self.dealt = list(deck)
        self.straights = straights
        self.deck = [Card(name) for name in deck]
        self.discards: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(self.n)]
        self.in_hand: list[list[Card]] = [[] for _ in range(self.n)]
        self.rewards = [0.0] * self.n
        self.winners: list[int] = []
        order = [(dealer + 1 + k) % self.n for k in range(self.n)]
        for _ in range(5):
            for p in order:
                card = self.deck.pop(0)
                card.up = len(self.hands[p]) < 3
                card.seen_by = set(range(self.n)) if card.up else {p}
                self.hands[p].append(card)
        for p in order:
            self.in_hand[p].append(self.deck.pop(0))
        self.active = max(order, key=lambda p: (self.strength(self.hands[p][:3]), -order.index(p)))
        self.game = self.rounds()
        self.asked: tuple[int, list[str]] | None = next(self.game, None)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.asked is None

    def is_chance_node(self) -> bool:
        """Return whether chance moves next."""
        return self.asked is not None and self.asked[0] == CHANCE

    def is_player_node(self) -> bool:
        """Return whether a player decides next."""
        return self.asked is not None and self.asked[0] != CHANCE

    def current_player(self) -> int:
        """The seat that decides; -1 at chance nodes and -4 at the end, as in OpenSpiel."""
        return -4 if self.asked is None else self.asked[0]

    def legal_actions(self) -> list[str]:
        """The names of the legal actions, or of the outcomes of chance."""
        return self.asked[1] if self.asked else []

    def chance_weights(self) -> Counter[str]:
        """The outcomes of chance by name, with their weights."""
        return Counter(self.asked[1]) if self.asked and self.is_chance_node() else Counter()

    def returns(self) -> list[float]:
        """The payoff of each seat, zeros before the end."""
        return self.rewards

    def apply_action(self, name: str) -> None:
        """One decision or one outcome of chance."""
        assert name in self.legal_actions()
        self.advance(name)

    def advance(self, name: str) -> None:
        try:
            self.asked = self.game.send(name)
        except StopIteration:
            self.asked = None

    def strength(self, cards: list[Card]) -> tuple[int, list[int]]:
        """Greater for the better hand."""
        values = [card.value for card in cards]
        groups = sorted(Counter(values).items(), key=lambda item: (-item[1], -item[0]))
        pattern = [count for _, count in groups]
        kinds = [[5], [4], [3, 2], "straight", [3], [2, 2], [2], [1]]
        row = next(i for i, kind in enumerate(kinds) if pattern[: len(kind)] == kind)
        if self.straights and pattern == [1] * 5 and max(values) == min(values) + 4:
            row = 3
        return -row, [value for value, _ in groups]

    def next_card(self) -> Card:
        """The next card; Fin, or no card, ends the game."""
        if not self.deck:
            raise GameOver
        card = self.deck.pop(0)
        if card.name == "fin":
            self.discards.append(card)
            raise GameOver
        return card

    def rounds(self) -> Decisions:
        try:
            while True:
                yield from self.turn()
                self.active = (self.active + 1) % self.n
        except GameOver:
            self.end()

    def turn(self) -> Decisions:
        me = self.active
        while len(self.in_hand[me]) < 2:
            self.in_hand[me].append(self.next_card())
        which = yield me, [f"use {i + 1}" for i in range(2)]
        ability = (yield me, [f"ability {suit}" for suit in ("crow", "cup", "key", "bullet")]).split()[1]
        targets: list[str] = []
        if ability == "bullet":
            pass
        elif ability == "key":
            names = [f"target +{k}" for k in range(1, self.n)]
            targets.append(names[0] if len(names) == 1 else (yield me, names))
        else:
            places = [f"target +{k} s{j}" for k in range(self.n) for j in range(1, 6)]
            targets.append((yield me, places))
            if ability == "cup":
                targets.append((yield me, [name for name in places if name != targets[0]]))
        played = self.in_hand[me].pop(int(which[-1]) - 1)
        loss: list[tuple[int, int]] = []  # (who loses a card, who chooses it)
        works = yield from self.responses(me, played, ability, loss)
        if works and ability == "crow":
            self.do_crow(me, targets[0], played)
        else:
            if works and ability == "cup":
                self.do_cup(me, *targets)
            elif works and ability == "key":
                for card in self.hands[(me + int(targets[0].split("+")[1])) % self.n]:
                    card.seen_by.add(me)
            self.discards.append(played)
        for victim, chooser in loss:
            slot = int((yield chooser, [f"pick s{j}" for j in range(1, 6)])[-1]) - 1
            yield from self.lose(victim, slot)

    def responses(self, owner: int, card: Card, stated: str, loss: list[tuple[int, int]]) -> Generator:
        """Return whether a card that was just laid down comes to work; bullets on it are discarded here."""
        p, answer = yield from self.answering([(owner + k) % self.n for k in range(1, self.n)])
        if answer == "let":
            return True
        if answer == "call":
            honest = card.suit == stated
            loss.append((p, owner) if honest else (owner, p))
            return honest
        bullet = self.in_hand[p].pop(int(answer[-1]) - 1)
        cancelled = yield from self.responses(p, bullet, "bullet", loss)
        self.discards.append(bullet)
        return not cancelled

    def answer_of(self, p: int) -> Generator:
        """Ask one player for their answer."""
        return (yield p, ["let", "call", *(f"bullet {i + 1}" for i in range(len(self.in_hand[p])))])

    def first_answer(self, players: list[int]) -> Generator:
        """In turn: the first who does not let, and their answer (S33)."""
        for p in players:
            answer = yield from self.answer_of(p)
            if answer != "let":
                return p, answer
        return -1, "let"

    def drawn_answer(self, players: list[int]) -> Generator:
        """In a race: one of all who do not let, drawn evenly, and their answer (R5)."""
        answers = {}
        for p in players:
            answers[p] = yield from self.answer_of(p)
        acting = {f"player_{p}": (p, answer) for p, answer in answers.items() if answer != "let"}
        if not acting:
            return -1, "let"
        return acting[(yield CHANCE, list(acting))]

    def place(self, me: int, target: str) -> tuple[int, int]:
        seat, slot = target.removeprefix("target +").split(" s")
        return (me + int(seat)) % self.n, int(slot) - 1

    def do_crow(self, me: int, target: str, played: Card) -> None:
        p, slot = self.place(me, target)
        self.discards.append(self.hands[p][slot])
        self.hands[p][slot] = played
        played.up, played.seen_by = True, set(range(self.n))

    def do_cup(self, me: int, one: str, other: str) -> None:
        (p, i), (q, j) = self.place(me, one), self.place(me, other)
        a, b = self.hands[p][i], self.hands[q][j]
        self.hands[p][i], self.hands[q][j] = b, a
        a.seen_by.add(q)
        b.seen_by.add(p)

    def lose(self, victim: int, slot: int) -> Decisions:
        self.discards.append(self.hands[victim][slot])
        over = False
        try:
            new = self.next_card()
        except GameOver:
            over = True
            try:
                new = self.next_card()
            except GameOver:
                candidates = [card.name for card in self.discards if card.name != "fin"]
                drawn = yield CHANCE, candidates
                new = next(card for card in self.discards if card.name == drawn)
                self.discards.remove(new)
        new.up, new.seen_by = False, {victim}
        self.hands[victim][slot] = new
        if over:
            raise GameOver

    def end(self) -> None:
        strengths = [self.strength(hand) for hand in self.hands]
        self.winners = [p for p in range(self.n) if strengths[p] == max(strengths)]
        m = len(self.winners)
        if m < self.n:
            self.rewards = [1 / m if p in self.winners else -1 / (self.n - m) for p in range(self.n)]

    def knows(self, me: int) -> list[list[str | None]]:
        """The cards on the table as one player knows them."""
        return [[card.name if me in card.seen_by else None for card in hand] for hand in self.hands]

    def cards(self) -> Counter[str]:
        """All cards that are not on the stack."""
        groups = [self.deck, self.discards, *self.hands, *self.in_hand]
        return Counter(card.name for group in groups for card in group)
