"""The games of this package in TextArena, for language models in its arenas and trainers.

import textarena as ta
import bluff_env.textarena

bluff_env.textarena.register()
env = ta.make("bluff_env/bullshit-v0")  # any preset; house rules as well: jokers=2; matches: deals=5
env.reset(num_players=4, seed=7)

Each player first reads the rules, and at each of their decisions what their seat knows and the legal actions. What a
player answers is shown to nobody, because it names the cards that they put down. The last text in square brackets
counts, else the whole answer. An answer that cannot be read is asked for again twice, with a sentence that says what is
wrong; then the least harmful action is taken (:data:`bluff_env.core.words.HARMLESS`), and ``invalid_move`` is noted.
"""

from __future__ import annotations

from typing import Any

import textarena as ta
from textarena.envs.registration import ENV_REGISTRY, register_with_versions
from textarena.wrappers import LLMObservationWrapper

from bluff_env.core.match_game import number_of_deals
from bluff_env.core.registry import FAMILIES, family_of
from bluff_env.envs.aec import RawEnv, environment_of
from bluff_env.envs.dialogue import ask_again, briefing, least_harm, meant, question
from bluff_env.text import ATTEMPTS
from bluff_env.utils.errors import InputError


def register() -> None:
    """Registers every preset with TextArena as ``bluff_env/PRESET-v0``.

    With ``-raw`` behind it there is no wrapper; the wrapper makes one text of all that a player has read so far.
    Registering twice does no harm.
    """
    for variant in (name for family in FAMILIES.values() for name in family.variants):
        name = f"bluff_env/{variant}-v0"
        if name not in ENV_REGISTRY:
            register_with_versions(name, BluffEnv, {"default": [OneGame]}, variant=variant)


class OneGame(LLMObservationWrapper):
    """Makes one text of all that a player has read so far in this game.

    TextArena's own wrapper keeps the games before it as well, and has no default for the number of players.
    """

    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Deal a new game, of which nobody has read anything; see :meth:`BluffEnv.reset`."""
        self.full_observations: dict[int, list[Any]] = {}
        self.env.reset(num_players=num_players, seed=seed)


class BluffEnv(ta.Env):
    """A game of any preset.

    Args:
        variant: a preset.
        deals: the number of deals of a match with the same players in the same seats, which is one game here.
        **house_rules: changes of its rules.

    Raises:
        RulesError: for impossible rules. ValueError: for an impossible number of deals.

    Attributes:
        state: TextArena's, with the payoffs, of all deals, as ``rewards`` at the end.
        game: the environment that is played, with all hidden cards.
    """

    def __init__(self, variant: str = "bullshit", deals: int | None = None, **house_rules: Any) -> None:
        number_of_deals(deals)  # refuse an impossible one here
        self._family, self._deals = family_of(variant), deals
        self._variant, self._house_rules = variant, house_rules
        self._family.variants.make_rules(variant, **house_rules)
        self._unread = 0  # answers to the question that is open

    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Deals. Raises RulesError for a number of players that the rules do not allow.

        Args:
            num_players: by default the preset's usual number.
            seed: of all chance; by default another one each time.
        """
        make = environment_of(self._family)
        self.game: RawEnv = make(self._variant, num_players, deals=self._deals, **self._house_rules)
        self.game.reset(seed=seed)
        names = self.game.possible_agents
        self._paid = dict.fromkeys(names, 0.0)
        self.state = ta.FFAMultiPlayerState(num_players=len(names), error_allowance=ATTEMPTS - 1)
        self.state.reset(player_prompt_function=self._prompt, role_mapping=dict(enumerate(names)))
        self._show()

    def _prompt(self, player_id: int, game_state: Any) -> str:
        """Return what a player reads first."""
        return briefing(self.game, self.game.possible_agents[player_id])

    def _show(self) -> None:
        """Tells the player to act what they know, and what they may do."""
        agent = self.game.agent_selection
        self._unread = 0
        self.state.manually_set_current_player_id(self.game.possible_agents.index(agent), force=True)
        self._tell(question(self.game, agent), ta.ObservationType.GAME_BOARD)

    def _tell(self, text: str, kind: ta.ObservationType) -> None:
        self.state.add_observation(text, kind, to_id=self.state.current_player_id)

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Plays the answer of the player to act; returns whether the game is over, and an empty dict."""
        if self.state.done:
            return self.state.step(rotate_player=False)
        agent, seat = self.game.agent_selection, self.state.current_player_id
        try:
            moves = meant(self.game, agent, action)
        except InputError as error:
            self._unread += 1
            if self._unread < ATTEMPTS:
                self.state.made_invalid_move = True
                self._tell(ask_again(error), ta.ObservationType.GAME_ADMIN)
                return self.state.step(rotate_player=False)
            self.state.game_info[seat]["invalid_move"] = True
            moves = [least_harm(self.game, agent)]
        for move in moves:
            self.game.step(move)
            for name, reward in self.game.rewards.items():  # as each deal ends
                self._paid[name] += reward
        result = self.state.step(rotate_player=False)  # it counts the turn of who has acted
        if not self.game.is_over:
            self._show()
            return result
        payoffs = {i: float(self._paid[name]) for i, name in enumerate(self.game.possible_agents)}
        self.state.set_game_outcome(payoffs, reason="The game is over.")
        return True, result[1]
