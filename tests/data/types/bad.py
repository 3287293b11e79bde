"""Mistakes of users: a type checker finds each of them. ``tools/user_types.py`` runs pyright on this."""

import bluff_env
from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, evaluate, make_rules

cheat_v0.env("pagat", jokrs=2)  # expect: reportCallIssue
cheat_v0.env("pagat", jokers="two")  # expect: reportArgumentType
cheat_v0.raw_env("pagat", jokrs=2)  # expect: reportCallIssue
bluff_the_bullet_v0.env(jokers=2)  # expect: reportCallIssue
print(cheat_v0.env("pagat").unwrapped.action_nams)  # expect: reportAttributeAccessIssue
make_rules("pagat", jokrs=2)  # expect: reportCallIssue
print(make_rules("pagat").jokrs)  # expect: reportAttributeAccessIssue
print(make_rules("bluff-the-bullet").jokers)  # expect: reportAttributeAccessIssue
Engine("pagat", jokrs=2)  # expect: reportCallIssue
Engine("pagat", encodng="float")  # expect: reportCallIssue
evaluate("cheat/pagat", "random", jokrs=2)  # expect: reportCallIssue
bluff_env.gym.CheatEnv("pagat", jokrs=2)  # expect: reportCallIssue
bluff_env.sb3.BatchedVecEnv("pagat", jokrs=2)  # expect: reportCallIssue
