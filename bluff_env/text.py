"""Games in words: what a player reads, what they may answer, and any function from text to text as a player.

env = cheat_v0.env("bullshit", num_players=4).unwrapped
env.reset(seed=7)
print(env.observe_text("player_0"), env.legal_actions_text("player_0"), sep="\\n\\n")
env.parse_action("player_0", "7 7 J as three sevens")  # a list of actions, to be taken one after the other

policy = bluff_env.text.TextPolicy(ask_a_language_model, rules="bullshit")  # a player like any other
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.errors import InputError, shown
from bluff_env.family import Family, Move, family_of, make_rules
from bluff_env.policies.encoding import seats_of
from bluff_env.policies.policy import MemoryPolicy
from bluff_env.view import parts_of

if TYPE_CHECKING:
    from bluff_env.aec import RawEnv

# Where an answer cannot be read, the first of these that is legal is chosen, else the first legal action.
HARMLESS = ("let", "pass", "believe", "keep", "accept", "wait", "deal", "take pile", "commit")
ATTEMPTS = 3
MAX_PENDING = 40  # actions of one move
NOT_READ = -1


def view_of(family: Family, observation: np.ndarray) -> dict[str, Any]:
    """The parts of one whole raw observation by name, each in its own shape; single values as int."""
    return parts_of(observation, family.parts.layout(seats_of(family, len(observation))))


def seat_text(family: Family, view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """What one player knows, in plain words: a function of their observation and nothing else.

    Args:
        family: of the game.
        view: the player's observation by part.
        names: of all players, clockwise from this one.
        to_act: whether the player has to decide.
    """
    own, *others = names
    return family.texts.render_seat(view, [f"{own} (you)", *others], to_act)


def read_move(text: str, family: Family, view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> Move:
    """The move that a text means: the name of an action or the beginning of one, or a whole move such as ``7 7 J``.

    Args:
        text: what the player wrote. Players in it may be written by name or as in actions: ``+1`` is the next one.
        family: of the game.
        view: the player's observation by part.
        legal: the names of the actions that are legal now.
        names: of all players, clockwise from this one.

    Raises:
        InputError: for anything else; one sentence says why.
    """
    name = " ".join(text.strip().lower().rstrip(".").split())
    for distance, player in enumerate(names):
        name = re.sub(rf"\b{re.escape(player.lower())}\b", f"+{distance}", name)
    if exact := [action for action in legal if action.lower() == name]:
        return Move((exact[0],))
    move = family.texts.parse_move(name, view, legal, names)
    return move or Move((named(name, legal, family.game.ACTION_NAMES),))


def named(
    name: str, among: Sequence[str], every: Sequence[str], advice: str = "", say: Callable[[str], str] = str
) -> str:
    """The one of these actions that has this name, or begins with it, or has it as one of its words.

    Args:
        name: in lower case.
        among: the names that are possible now.
        every: the names of all actions, to tell what is not possible now from what cannot be read.
        advice: what the message of an error ends with.
        say: how actions are written in that message.

    Raises:
        InputError: if it is none of them, or can be several.
    """
    found = [action for action in among if action.lower() == name]
    found = found or [action for action in among if name and action.lower().startswith(name)]
    found = found or [action for action in among if name in action.lower().split()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{shown(name)} can be {' or '.join(map(say, found[:5]))}: type more of it")
    known = any(action.lower() == name for action in every)
    raise InputError(f"{shown(name)} {'is not possible now' if known else 'cannot be read'}{advice}")


def harmless(legal: Sequence[str]) -> str:
    """The least harmful of some legal actions, for a player whose answer cannot be read."""
    return next((action for action in HARMLESS if action in legal), legal[0])


# --- what the environments of other libraries tell and are answered --------------------------------------------------


def briefing(env: RawEnv, agent: str) -> str:
    """What an agent reads before its first decision: the rules, who it is, and how to answer."""
    texts = env.family.texts
    examples = "; ".join(f"[{example}] {meaning}" for example, meaning in texts.move_help)
    how = "Answer with a legal action in square brackets, such as [call], or with a whole move"
    return f"{texts.describe(env.rules, len(env.possible_agents))}\n\nYou are {agent}. {how}: {examples}."


def question(env: RawEnv, agent: str) -> str:
    """What an agent reads at each of its decisions: what its seat knows, and the legal actions."""
    return f"{env.observe_text(agent)}\n\nLegal actions:\n{env.legal_actions_text(agent)}"


def meant(env: RawEnv, agent: str, answer: str) -> list[int]:
    """The actions that an answer means, to be taken one after the other.

    The last text in square brackets counts, else the whole answer. Raises InputError if it cannot be read.
    """
    found = re.findall(r"\[([^\[\]]+)\]", answer)
    return env.parse_action(agent, found[-1] if found else answer)


def ask_again(error: InputError) -> str:
    """What an agent reads whose answer cannot be read."""
    return f"Your answer was not understood: {error}. Answer again."


def least_harm(env: RawEnv, agent: str) -> int:
    """The legal action that is taken for an agent whose answers cannot be read."""
    legal = np.flatnonzero(env.observe(agent)["action_mask"])
    return env.action_index(harmless([env.action_names[action] for action in legal]))


# --- a function from text to text as a player ------------------------------------------------------------------------


class TextPolicy(MemoryPolicy):
    """Seats a function from text to text: a language model, a person behind a wire, a script.

    It is asked with what its seat knows and the legal actions, and may answer with an action or a whole move. An
    answer that cannot be read is asked for again, with a sentence that says what is wrong, twice; then the least
    harmful legal action is taken (:data:`HARMLESS`). It never sees more than a player sees.

    Args:
        answer: called with a question, returns an answer.
        rules: a preset or rules of the game that it plays.
        num_players: by default the preset's usual number.
        name: for tables and logs.
        instructions: what every question begins with; by default the rules of the game in words.

    Attributes:
        questions: how often ``answer`` was called.
        unread: how many answers could not be read.
        defaults: how many decisions were made for it, because no answer could be read.

    Raises:
        RulesError: for impossible rules.
    """

    def __init__(
        self,
        answer: Callable[[str], str],
        rules: Any = "cheat/bullshit",
        num_players: int | None = None,
        name: str = "text",
        instructions: str | None = None,
    ) -> None:
        self.family = family_of(rules)
        self.num_players: int | None = num_players or self.family.usual_players(rules)
        self.rules: Any = make_rules(rules).resolve(self.num_players)
        self.variant: str | None = rules if isinstance(rules, str) else None
        self.answer, self.name = answer, name
        if instructions is None:
            instructions = self.family.texts.describe(self.rules, self.num_players)
        self.instructions = instructions
        self.questions = self.unread = self.defaults = 0

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
        view, index = view_of(self.family, observation), self.family.game.ACTION_INDEX
        legal = [self.family.game.ACTION_NAMES[action] for action in np.flatnonzero(mask)]
        names = ["you", *(f"+{distance}" for distance in range(1, int(view["rules.num_players"])))]
        question, wrong = self._question(view, legal, names), ""
        for _ in range(ATTEMPTS):
            self.questions += 1
            answer = str(self.answer(question + wrong))  # an error of the function is none of reading
            try:
                move = read_move(answer, self.family, view, legal, names)
                first, *rest = move.steps
                if first not in legal:
                    raise InputError(f"{shown(first)} is not possible here")
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
        """What the player is asked."""
        others = "Players are named by their place: +1 is the next one clockwise."
        examples = "; ".join(f"{example!r} {meaning}" for example, meaning in self.family.texts.move_help)
        table = seat_text(self.family, view, ["player", *names[1:]], to_act=True)
        choices = f"Legal actions: {', '.join(legal)}."
        how = f"Answer with one of them, or with a whole move: {examples}. Write the answer alone."
        return "\n\n".join([self.instructions, others, table, choices, how])
