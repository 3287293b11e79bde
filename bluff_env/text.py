r"""Games in words: what a player reads, what they may answer, and any function from text to text as a player.

env = cheat_v0.env("bullshit", num_players=4).unwrapped
env.reset(seed=7)
print(env.observe_text("player_0"), env.legal_actions_text("player_0"), sep="\\n\\n")
env.parse_action("player_0", "7 7 J as three sevens")  # a list of actions, to be taken one after the other

policy = bluff_env.text.TextPolicy(ask_a_language_model, rules="bullshit")  # a player like any other
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bluff_env.core.family import Family
from bluff_env.core.registry import family_of, make_rules
from bluff_env.core.words import harmless, read_move, seat_text, view_of
from bluff_env.policies.fit import MisfitError
from bluff_env.policies.policy import MemoryPolicy
from bluff_env.utils.errors import InputError, RulesError, quoted

ATTEMPTS = 3
MAX_PENDING = 40  # actions of one move


class AnswerError(InputError, TypeError):
    """Raised when a function from text to text answers with something else; one sentence says what it must return."""


def text_of(answer: Any, name: str) -> str:
    """Return the answer of the player ``name``. Raise AnswerError if it is no text."""
    if isinstance(answer, str):
        return answer
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()  # Python would warn that nobody has waited for it
        raise AnswerError(f"{name} {_ASYNC}")
    raise AnswerError(f"{name} answered with {quoted(answer)}: the function must return a str")


_ASYNC = "is an async function: give one that returns the text, as lambda question: asyncio.run(ask(question))"


def _told(rules: Any) -> dict[str, Any]:
    """Return what has to be the same for a player: all but how long a game may last, as for networks."""
    return {name: value for name, value in rules.to_dict().items() if name != "length_limit"}


class TextPolicy(MemoryPolicy):
    """Seats a function from text to text: a language model, a person behind a wire, a script.

    It is asked with what its seat knows and the legal actions, and may answer with an action or a whole move. An
    answer that cannot be read is asked for again, with a sentence that says what is wrong, twice; then the least
    harmful legal action is taken (``HARMLESS`` in :mod:`bluff_env.core.words`). It never sees more than a player sees.

    Args:
        answer: called with a question, returns an answer as a ``str``; async functions are refused.
        rules: a preset or rules of the game that it plays, and under other rules it is refused. By default it learns
            where it sits down what is played.
        num_players: with rules; by default the preset's usual number.
        name: for tables and logs.
        instructions: what every question begins with; by default the rules of the game in words.

    Attributes:
        questions: how often ``answer`` was called.
        unread: how many answers could not be read.
        defaults: how many decisions were made for it, because no answer could be read.

    Raises:
        RulesError: for impossible rules, a number of players without rules, and for a name or instructions that are no
            text.
        MisfitError: when it is loaded for another game than ``rules``, or asked before it knows a game.
        AnswerError: for an async function; and while playing, at the first answer that is no ``str``.
    """

    rules: Any = None
    num_players: int | None = None
    variant: str | None = None

    def __init__(
        self,
        answer: Callable[[str], str],
        rules: Any = None,
        num_players: int | None = None,
        name: str = "text",
        instructions: str | None = None,
    ) -> None:
        if not isinstance(name, str) or not isinstance(instructions, str | None):
            raise RulesError(f"name={quoted(name)} and instructions={quoted(instructions)} must be texts")
        if rules is None and num_players is not None:
            raise RulesError(f"num_players={quoted(num_players)} needs rules: TextPolicy(ask, 'pagat', num_players=3)")
        if not callable(answer):
            raise AnswerError(f"{name} must be a function from text to text, not {quoted(answer)}")
        if inspect.iscoroutinefunction(answer):
            raise AnswerError(f"{name} {_ASYNC}")
        self.answer, self.name = answer, name
        self.questions = self.unread = self.defaults = 0
        self._own_instructions = self.instructions = instructions
        self._family: Family | None = None
        self.variant = rules if isinstance(rules, str) else None
        if rules is not None:
            self.num_players = family_of(rules).usual_players(rules) if num_players is None else num_players
            self.rules = make_rules(rules).resolve(self.num_players)
            self._sit_down(self.rules, self.num_players)

    def _sit_down(self, rules: Any, num_players: int) -> None:
        """Learn what is played: the rules are resolved."""
        self._family = family_of(rules)
        if self._own_instructions is None:
            self.instructions = self._family.texts.describe(rules, num_players)

    @property
    def family(self) -> Family:
        """The family of what is played. Raises MisfitError if nobody has said what that is."""
        if self._family is None:
            raise MisfitError(f"{self.name} does not know what is played: make it with rules, TextPolicy(ask, 'pagat')")
        return self._family

    def in_game(self, rules: Any, num_players: int | None) -> TextPolicy:
        """Return the player, who knows from now on what is played; as :func:`bluff_env.load_policy` does for a game.

        Raises:
            MisfitError: if it was made for other rules, or another number of players.
        """
        players = num_players or self.num_players or family_of(rules).usual_players(rules)
        resolved = make_rules(rules).resolve(players)
        if self.rules is None:
            self._sit_down(resolved, players)
        elif (_told(resolved), players) != (_told(self.rules), self.num_players):
            game = self.variant or "rules of its own"
            raise MisfitError(
                f"{self.name} is told the rules of {game} with {self.num_players} players, and this is another game: "
                "make it with these rules, or without any"
            )
        return self

    def blank(self, rows: int) -> np.ndarray:
        """No actions still to be taken, int64 (rows, :data:`MAX_PENDING`)."""
        return np.zeros((rows, MAX_PENDING), np.int64)

    def decide(
        self, observation: np.ndarray, mask: np.ndarray, memory: Any, deterministic: bool, rng: np.random.Generator
    ) -> tuple[int, np.ndarray]:
        """The next action of a whole move, or what ``answer`` chooses; and what is left of the move.

        The memory has 1 + each action still to be taken, negative if it may be left out, and then zeros.
        """
        planned, pending = memory[memory != 0], np.zeros_like(memory)
        for place, step in enumerate(planned):
            action = abs(int(step)) - 1
            if mask[action]:
                pending[: len(planned) - place - 1] = planned[place + 1 :]
                return action, pending
            if step > 0:
                break  # the game has taken another way: ask again
        return self._ask(observation, mask, pending), pending

    def _ask(self, observation: np.ndarray, mask: np.ndarray, pending: np.ndarray) -> int:
        """Asks, and notes what is left of a whole move."""
        view, index = view_of(self.family, observation), self.family.game.action_index
        legal = [self.family.game.action_names[action] for action in np.flatnonzero(mask)]
        names = ["you", *(f"+{distance}" for distance in range(1, int(view["rules.num_players"])))]
        question, wrong = self._question(view, legal, names), ""
        for _ in range(ATTEMPTS):
            self.questions += 1
            answer = text_of(self.answer(question + wrong), self.name)  # an error of the function is none of reading
            try:
                move = read_move(answer, self.family, view, legal, names)
                first, *rest = move.steps
                if first not in legal:
                    raise InputError(f"{quoted(first)} is not possible here")
            except InputError as error:
                self.unread += 1
                wrong = f"\n\nYour last answer was not understood: {error}. Answer again."
                continue
            steps = [(1 + index[step]) * (-1 if step in move.if_asked else 1) for step in rest[:MAX_PENDING]]
            pending[: len(steps)] = steps
            return index[first]
        self.defaults += 1
        return index[harmless(legal)]

    def _question(self, view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> str:
        """Return the question that the player is asked."""
        others = "Players are named by their place: +1 is the next one clockwise."
        examples = "; ".join(f"{example!r} {meaning}" for example, meaning in self.family.texts.move_help)
        table = seat_text(self.family, view, ["player", *names[1:]], to_act=True)
        choices = f"Legal actions: {', '.join(legal)}."
        how = f"Answer with one of them, or with a whole move: {examples}. Write the answer alone."
        return "\n\n".join([self.instructions or "", others, table, choices, how])
