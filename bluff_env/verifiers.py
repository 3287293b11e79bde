"""The games of this package in verifiers, to evaluate and train language models.

vf-eval bluff_env_verifiers --env.taskset.variant pagat --env.opponent scripted/counter -m MODEL -n 20 --no-push

A task is a game: a deal, and the seat of the agent `player`. Each deal is played once from every seat. The other seats
are those of the agent `others`, by default the same model, or of a policy of this package, if one is named.

Before their first decision an agent reads the rules, and at each of their decisions what their seat knows and the legal
actions. The last text in square brackets of an answer counts, else the whole answer. One that cannot be read is asked
for again twice, with a sentence that says what is wrong; then the least harmful action is taken
(:data:`bluff_env.core.words.HARMLESS`), as it is for an agent who is out of turns or tokens. Each seat is a trace of
its own, with the payoff as its reward.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import count
from typing import Any

import numpy as np
import verifiers.v1 as vf
from openai import AsyncOpenAI, OpenAIError
from verifiers.v1.dialects.chat import message_to_wire

from bluff_env.core.match_game import number_of_deals
from bluff_env.core.payoffs import shares_of_win
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import RawEnv, environment_of
from bluff_env.envs.dialogue import ask_again, briefing, least_harm, meant, question
from bluff_env.evaluation.games import GameSpec, choose_game
from bluff_env.policies.policy import Policy, State
from bluff_env.text import ATTEMPTS
from bluff_env.utils.errors import InputError

__all__ = ["BluffEnv", "BluffHarness", "BluffTaskset"]


class BluffTasksetConfig(vf.TasksetConfig):
    """Which game is played."""

    variant: str = "bullshit"
    """A preset."""
    num_players: int | None = None
    """By default the preset's usual number."""
    deals: int | None = None
    """Of a match with the same players in the same seats, which is one task."""
    rules: dict[str, Any] = {}
    """House rules."""


class BluffData(vf.TaskData):
    """One game."""

    variant: str
    num_players: int
    rules: dict[str, Any]
    deals: int | None = None
    """Of a match."""
    seed: int
    """Of all chance."""
    seat: int
    """The seat of the agent `player`."""


class BluffTask(vf.Task[BluffData, vf.State, vf.TaskConfig]):
    """One game, which the environment scores."""


class BluffTaskset(vf.Taskset[BluffTask, BluffTasksetConfig]):
    """Games without end: game i has deal i // N, with N players, and `player` at seat i % N.

    Raises:
        RulesError: for impossible rules. ValueError: for an impossible number of deals.
    """

    INFINITE = True

    def __init__(self, config: BluffTasksetConfig) -> None:
        super().__init__(config)
        number_of_deals(config.deals)
        self.game: GameSpec = choose_game(config.variant, config.num_players, config.rules, [])

    def load(self) -> Iterator[BluffTask]:
        """Yields the games."""
        n = self.game.num_players
        for i in count():
            data = BluffData(
                name=f"{self.game.title}#{i}",
                variant=self.config.variant,
                num_players=n,
                deals=self.config.deals,
                rules=self.config.rules,
                seed=i // n,
                seat=i % n,
            )
            yield BluffTask(data, self.config.task)


class BluffEnvConfig(vf.EnvConfig):
    """The agents that play."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model at one seat."""
    others: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model at all other seats; its traces are trained on too, unless it is another one."""
    opponent: str = ""
    """A policy of this package for all other seats instead, such as `scripted/counter`."""


class BluffEnv(vf.Env[BluffEnvConfig]):
    """Games between language models, or of one of them against policies.

    Raises:
        RulesError: for impossible rules. CheckpointError: for an opponent who cannot be loaded, or not for these rules.
    """

    def __init__(self, config: BluffEnvConfig) -> None:
        super().__init__(config)
        game = self.taskset.game
        self.opponent: Policy | None = game.load(config.opponent) if config.opponent else None

    async def setup(self, agents: vf.Agents) -> None:
        """Opponents played by a different model are not trained."""
        agents.others.trainable = self.config.others.model is None

    async def run(self, task: BluffTask, agents: vf.Agents) -> None:
        """Plays a game, and gives each trace its payoff."""
        data = task.data
        make = environment_of(family_of(data.variant))
        game = make(data.variant, data.num_players, deals=data.deals, **data.rules)
        game.reset(seed=data.seed)
        rng = np.random.default_rng(data.seed)
        seats: dict[str, _ModelSeat | _PolicySeat] = {}
        async with AsyncExitStack() as interactions:
            for seat, name in enumerate(game.possible_agents):
                if seat != data.seat and self.opponent is not None:
                    seats[name] = _PolicySeat(self.opponent, rng)
                else:
                    agent = agents.player if seat == data.seat else agents.others
                    seats[name] = _ModelSeat(await interactions.enter_async_context(agent.interaction(task)))
            payoffs = np.zeros(len(seats))
            while not game.is_over:
                for action in await seats[game.agent_selection].decide(game):
                    game.step(action)
                    payoffs += [game.rewards[name] for name in seats]  # as each deal ends
        for player, payoff, share in zip(seats.values(), payoffs, shares_of_win(payoffs), strict=True):
            if isinstance(player, _ModelSeat):
                player.score(float(payoff), float(share))


class _ModelSeat:
    """A language model at a seat."""

    def __init__(self, interaction: vf.Interaction) -> None:
        self.interaction = interaction
        self.asked = self.ended = False
        self.unread = self.defaults = 0

    async def decide(self, game: RawEnv) -> list[int]:
        """The actions that it chooses, asked at most :data:`ATTEMPTS` times."""
        agent = game.agent_selection
        words = question(game, agent) if self.asked else f"{briefing(game, agent)}\n\n{question(game, agent)}"
        self.asked = True
        for _ in range(ATTEMPTS):
            segment = None if self.ended else await self.interaction.turn(words)
            if segment is None or segment.terminated:
                self.ended = True
                break
            try:
                return meant(game, agent, segment.last_reply)
            except InputError as error:
                self.unread += 1
                words = ask_again(error)
        self.defaults += 1
        return [least_harm(game, agent)]

    def score(self, payoff: float, win_share: float) -> None:
        """Notes how it did."""
        trace = self.interaction.trace
        trace.record_reward("payoff", payoff)
        trace.record_metrics({"win_share": win_share, "unread": self.unread, "defaults": self.defaults})


class _PolicySeat:
    """A policy of this package at a seat."""

    def __init__(self, policy: Policy, rng: np.random.Generator) -> None:
        self.policy, self.rng = policy, rng
        self.state: State = None

    async def decide(self, game: RawEnv) -> list[int]:
        """The action that it chooses."""
        seen = game.observe(game.agent_selection)
        rows, masks = seen["observation"][None], seen["action_mask"][None]
        actions, self.state = self.policy.predict(rows, self.state, None, False, masks, self.rng)
        return [int(actions[0])]


class BluffHarness(vf.Harness[vf.HarnessConfig]):
    """One call of the model for each turn, in this process: without tools it needs no program and no sandbox."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """As :meth:`verifiers.v1.Harness.launch`; the server at the endpoint notes the answer in the trace."""
        system, prompt = self.resolve_prompt(data)
        messages = [] if system is None else [{"role": "system", "content": system}]
        messages += [message_to_wire(message) for message in prompt or []]
        try:
            async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
                await client.chat.completions.create(model=ctx.model, messages=messages)
        except OpenAIError as error:  # also where the agent is out of turns or tokens
            return vf.ProgramResult(exit_code=1, stdout="", stderr=str(error))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
