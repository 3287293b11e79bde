"""What users write: a type checker has nothing to say about it. ``tools/user_types.py`` runs pyright on this."""

from typing import Any

import numpy as np

import bluff_env
from bluff_env import Encoder, Engine, View, bluff_the_bullet_v0, cheat_v0, evaluate, load_policy, make_rules
from bluff_env.cheat.rules import Reveal
from bluff_env.core.house_rules import CheatHouseRules

env = cheat_v0.env("pagat", num_players=4, jokers=2, joker_role="wild", length_limit=None, ranks="auto", trim=True)
env.reset(seed=7)
for _ in env.agent_iter():
    observation, _, termination, truncation, _ = env.last()
    env.step(None if termination or truncation else int(observation["action_mask"].argmax()))
print(env.unwrapped.action_names[0], env.unwrapped.rules.jokers, env.unwrapped.is_over)
print(bluff_the_bullet_v0.env(straights=True, responses="in_turn").unwrapped.action_names)
print(cheat_v0.raw_env("royals", end="ranking").action_names)

house: CheatHouseRules = {"jokers": 2, "reveal": Reveal.ALL}
anything: dict[str, Any] = {"jokers": 2}
rules = make_rules("bullshit", steps=(1, 0), teams=[0, 1, 0, 1])
print(
    rules.jokers + make_rules("bullshit", **house).jokers + make_rules().jokers + make_rules(rules, jokers=1).jokers,
    make_rules("pagat", **anything),
)
print(make_rules("bluff-the-bullet", straights=True).straights)

engine = Engine(rules, num_games=8, num_players=4, encoding="float", trim=True)
rewards, dones = engine.step(engine.action_masks.argmax(1))
print(rewards.sum(), dones.any(), Engine([("pagat", 3), ("royals", 4)], jokers=2).num_actions)
raw = Engine("pagat", num_players=4)
print(View(raw.rules_of(0)[0], 4, "float", trim=True).observations(raw.observations).shape)
print(Encoder(raw.family, 4).encode(raw.observations).dtype == np.float32)

learner = bluff_env.gym.CheatEnv("pagat", opponents="scripted/counter", jokers=2)
print(learner.reset(seed=0)[1]["action_mask"])
print(bluff_env.sb3.BatchedVecEnv("pagat", num_envs=2, jokers=2).action_masks())
print(evaluate(load_policy("cheat/pagat"), "scripted/honest", deals=2, passing=True).win_share)
