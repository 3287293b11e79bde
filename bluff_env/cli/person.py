"""A person at a table: what they are shown, and what they type."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import typer

from bluff_env.cli.common import fitted
from bluff_env.core.family import Move
from bluff_env.core.words import named
from bluff_env.play.session import Session, Told
from bluff_env.utils.errors import InputError, quoted

WIDTH = 79  # columns of lists, if the terminal has as many
COMPOSING = ("place ", "claim ", "use ", "ability ")  # the beginnings of actions that are a part of a play
MOST_LINES = 9  # more choices are listed by their names alone
_TEN = re.compile(r"\b(place|claim|set aside|hide|slip|switch) 10(?![0-9])")  # in names of actions it is T
LEAVING = ("quit", "exit")
CLEAR = "\x1b[2J\x1b[3J\x1b[H"  # the screen and what has scrolled off it


class Left(Exception):
    """A person has left the game, by the end of the input or by ``quit``. The text says which."""


def say(text: str = "") -> None:
    """Print lines, broken between words where the terminal is too narrow."""
    typer.echo(fitted(text))


def width() -> int:
    """Return how many columns a list or a paragraph has."""
    return min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH


def packed(items: Sequence[str]) -> list[str]:
    """Lines with as many of the items as they hold."""
    lines: list[str] = []
    for item in items:
        if not lines or len(lines[-1]) + 2 + len(item) > width():
            lines.append("")
        lines[-1] += f"  {item}"
    return lines


class Keyboard:
    """Reads lines. Over a pipe they are printed too, so that the output reads like a game at a terminal.

    Args:
        shared: whether several people type here in turn. What one has typed is not brought back for the next, as the
            Up key would do: it says which cards they have played.
    """

    def __init__(self, shared: bool = False) -> None:
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        if self.is_terminal and not shared:
            with suppress(ImportError):
                import readline  # noqa: F401 - lets people edit what they type

    def ask(self, prompt: str) -> str:
        """One line, without spaces around it. Raises Left at the end of the input."""
        try:
            line = input(prompt).strip()
        except EOFError:
            say()
            raise Left("end of input") from None
        if not sys.stdin.isatty():
            say(quoted(line)[1:-1])
        return line

    def forget(self) -> None:
        """Drop what has been typed and not been read: pressed too early, it would answer for the next person."""
        if self.is_terminal and sys.stdin.isatty():
            try:
                import termios
            except ImportError:  # Windows
                import msvcrt

                while msvcrt.kbhit():  # type: ignore[attr-defined]
                    msvcrt.getwch()  # type: ignore[attr-defined]
            else:
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def clear(self) -> None:
        """Clears the screen of a terminal; one that obeys no codes is filled with empty lines."""
        if self.is_terminal:
            obeys = os.environ.get("TERM", "dumb") != "dumb"
            sys.stdout.write(CLEAR if obeys else "\n" * shutil.get_terminal_size().lines)


class People:
    """The people at a table, who share one keyboard.

    Args:
        session: the game.
        seats: where they sit.
        keyboard: where they type.
        adviser: the policy that gives hints, with its name.
    """

    def __init__(self, session: Session, seats: Sequence[int], keyboard: Keyboard, adviser: tuple[str, Any]) -> None:
        self.session, self.keyboard, self.adviser = session, keyboard, adviser
        self._at_keyboard = seats[0] if len(seats) == 1 else None
        self._alone = self._at_keyboard
        self._skips: bool | None = None  # what they answered when all of them were out; None: they were not asked
        self._read = dict.fromkeys(seats, 0)  # how much of the story each of them has had before their eyes

    def note_lost(self) -> None:
        """Tell the only person at the table that they were too late; of several nobody may know it of another."""
        if self._alone is not None and (lost := self.session.lost.get(self._alone)):
            say(f"  ({lost})")

    def skip(self) -> bool:
        """Return whether the people are all out, and want to see the end at once; they are asked at a terminal.

        In the next deal of a match they play again.
        """
        if self.session.is_over or not all(map(self.session.is_out, self._read)):
            self._skips = None
        elif self._skips is None and self.keyboard.is_terminal:
            who = "You are" if self._alone is not None else "Everybody at the keyboard is"
            answer = self.keyboard.ask(f"{who} out. Enter goes on, skip shows the end: ")
            self._skips = answer.lower() in ("skip", "s")
        return bool(self._skips)

    def decide(self) -> list[Told]:
        """Lets the person whose turn it is take a step, or a whole move; returns what happened in public."""
        seat = self.session.to_act
        if seat != self._at_keyboard:
            self._hand_over(seat)
        if self.session.can_go_back:
            say(self.session.seen_by(seat).splitlines()[-1])
        else:
            self.keyboard.forget()  # what was typed before the question was seen is no answer to it
            self.session.keep()
            say(f"\n{self.session.seen_by(seat)}")
        while True:
            say(self._choices())
            try:
                actions = self._understand(self.keyboard.ask("your move (? for help): "))
            except InputError as error:
                say(f"{error}.")
                continue
            if actions:
                told = [event for action in actions for event in self.session.step(action)]
                self._read[seat] = len(self.session.story)
                return told

    def _hand_over(self, seat: int) -> None:
        """Another person comes to the keyboard, and learns what has happened since they left it."""
        if self._at_keyboard is not None:  # before that there is nothing to hide, and the welcome to be read
            self.keyboard.clear()
        answer = "?"
        while answer:
            self.keyboard.forget()
            answer = self.keyboard.ask(f"\npass the keyboard to {self.session.names[seat]}, press Enter ")
            if answer.lower() in LEAVING:
                raise Left("quit")
        self.keyboard.forget()
        self._at_keyboard = seat
        for told in self.session.story[self._read[seat] :]:
            say(told.text)

    # --- what may be chosen ------------------------------------------------------------------------------------------

    def _choices(self) -> str:
        """The legal actions with their numbers: a line for each, or only the names of those of which there are many."""
        legal, mark = self.session.legal, "#" if self._takes_cards() else ""
        numbered = {action: f"{mark}{i} {self._with_names(action)}" for i, action in enumerate(legal, 1)}
        verbs = Counter(action.split()[0] for action in legal)
        crowded, composing = bool(mark) or len(legal) > MOST_LINES, self.session.game.is_composing
        few = [a for a in legal if not crowded or (not composing and verbs[a.split()[0]] <= 2)]
        longest = max((len(numbered[action]) for action in few), default=0)
        lines = [f"  {numbered[action]:{longest}}  {self.session.meaning(action)}" for action in few]
        return "\n".join([*packed([numbered[action] for action in legal if action not in few]), *lines])

    def _takes_cards(self) -> bool:
        """Return whether cards can be named now, so that a plain number is a card and no choice."""
        return any(name.startswith(("place ", "claim ")) for name in self.session.legal)

    # --- what was typed ----------------------------------------------------------------------------------------------

    def _understand(self, text: str) -> list[str]:
        """The actions that a line means; none if it was a question, which is answered. Raises InputError, Left."""
        word = text.lower()
        if not word:
            return []
        if word in LEAVING:
            raise Left("quit")
        answers = {
            "?": self._help, "help": self._help, "rules": self._rules, "hint": self._hint,
            "odds": self._odds, "table": self._table, "undo": self._undo,
        }  # fmt: skip
        if word in answers:
            say(answers[word]())
            return []
        if ";" in text:
            steps = [self._named(part.strip(), self.session.action_names) for part in word.split(";")]
            actions = self.session.actions_of(Move(tuple(steps)))
            is_play = self.session.game.is_composing or any(action.startswith(COMPOSING) for action in actions)
            for left in steps[len(actions) :]:
                if not is_play or not left.startswith((*COMPOSING, "commit")):  # a play may end by itself
                    raise InputError(f"{quoted(left)} comes after {actions[-1]}, which ends the move")
            return actions
        return self._move(word)

    def _move(self, text: str) -> list[str]:
        """The actions that a line means: an action by number or name, a whole move, or the beginning of a name."""
        session, legal = self.session, self.session.legal
        found = re.fullmatch(r"(#?)([0-9]{1,6})[.)]?", text)
        if found and (found[1] or not self._takes_cards()):
            return [self._numbered(int(found[2]))]
        text = _TEN.sub(r"\1 t", text)
        readings = list(dict.fromkeys((text, self._with_seats(text))))  # somebody may be called Jack
        if exact := [action for action in legal if action.lower() in readings]:
            return exact[:1]
        refusal: InputError | None = None
        for reading in readings:
            try:
                move = self._whole_move(reading, legal)
            except InputError as error:
                refusal = error
            else:
                if move is not None:
                    return session.actions_of(move)
        if refusal is not None:
            raise refusal
        return [self._named(text, legal)]

    def _whole_move(self, text: str, legal: Sequence[str]) -> Move | None:
        """Return the whole move that a text means, None if it means none. Raise InputError for an impossible one."""
        session = self.session
        names = session.names_from(session.to_act)
        return session.family.texts.parse_move(text, session.view(session.to_act), legal, names)

    def _numbered(self, number: int) -> str:
        """The action of this number in the list."""
        legal = self.session.legal
        if not 1 <= number <= len(legal):
            raise InputError(f"there is no number {number} in the list, which goes from 1 to {len(legal)}")
        return legal[number - 1]

    def _named(self, text: str, among: Sequence[str]) -> str:
        """The one of these actions that has this name, or begins with it, or has it as one of its words."""
        advice = ": type a choice by its name or number, or ? for help"
        return named(self._with_seats(text), among, self.session.action_names, advice, self._with_names, typed=text)

    def _with_seats(self, text: str) -> str:
        """A text in which the names of players are written as actions name them: ``+1`` is the next seat."""
        names = [name.lower() for name in self.session.names_from(self.session.to_act)]
        longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.sub(rf"(?<!\w)({longest_first})(?!\w)", lambda k: f"+{names.index(k[1])}", text.lower())

    def _with_names(self, action: str) -> str:
        """The name of an action with players in it: the other way round."""
        names = self.session.names_from(self.session.to_act)
        return re.sub(r"[+]([0-9]+)", lambda k: names[int(k[1])], action)

    # --- questions ---------------------------------------------------------------------------------------------------

    def _help(self) -> str:
        """Return what can be typed."""
        lines = [
            *self.session.family.texts.move_help,
            *([("T", "a ten, which may be written as 10 too")] if "place T" in self.session.action_names else []),
            (self._example(), "a choice of the list by its name, or the beginning of it"),
            ("#3", "a choice by its number; 3 will do where no cards are played"),
            ("undo", "takes back what you have put down but not yet played"),
            ("table", "shows the table again"),
            ("hint", f"what {self.adviser[0]} would do"),
            *([("odds", "the same, with the probability of each choice")] if self._adviser_explains else []),
            ("rules", "the rules of this game"),
            ("quit", "leaves the game"),
        ]
        longest = max(len(example) for example, _ in lines)
        return self.session.with_names("\n".join(f"  {example:{longest}}  {meaning}" for example, meaning in lines))

    def _example(self) -> str:
        """Return the names of some choices that there are now, or could be."""
        verbs = dict.fromkeys(action.split()[0] for action in self.session.legal if not action.startswith(COMPOSING))
        return f"{', '.join([*verbs][:3]) or 'call, let'} ..."

    def _rules(self) -> str:
        """The rules of the game, in words."""
        return "\n\n".join(textwrap.fill(paragraph, width()) for paragraph in self.session.rules_in_words())

    def _table(self) -> str:
        """The table as the person at the keyboard sees it."""
        return self.session.seen_by(self.session.to_act)

    def _undo(self) -> str:
        """Takes the cards back that have been placed but not played."""
        if not self.session.can_go_back:
            return "There is nothing to take back: a move that is made stands."
        taken = self.session.go_back()
        return f"Taken back: {', '.join(taken)}."

    @property
    def _adviser_explains(self) -> bool:
        """Return whether the adviser can say what they think, as trained policies can."""
        return getattr(self.adviser[1], "explains", False)

    def _hint(self) -> str:
        """Return what the adviser, who sees what this person sees, would do."""
        name, policy = self.adviser
        if self._adviser_explains:
            chosen = next(iter(policy.explain(*self.session.faced()).probabilities))  # the likeliest, as in the odds
        else:
            action = policy.act(*self.session.faced(), deterministic=True, rng=np.random.default_rng(0))
            chosen = self.session.action_names[action]
        return f"{name} would choose: {self._with_names(chosen)}"

    def _odds(self) -> str:
        """Return what the adviser thinks of each choice, if they are a trained policy; else the hint."""
        if not self._adviser_explains:
            return self._hint()
        name, policy = self.adviser
        return f"{name} would choose: {policy.explain(*self.session.faced())}"
