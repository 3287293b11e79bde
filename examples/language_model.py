"""Language models: one at a table of bluffers, with a scripted player and a trained one.

    python examples/language_model.py ollama run llama3.2

The words after the name of this file are any program that reads a question from its input and writes an answer; the
last line that it writes counts. In your own code `ask` may be any function from text to text.
"""

import subprocess
import sys

from bluff_env import cheat_v0, load_policy
from bluff_env.text import TextPolicy


def ask(question: str) -> str:
    done = subprocess.run(sys.argv[1:], input=question, capture_output=True, text=True, check=True)
    return done.stdout.strip().split("\n")[-1]


env = cheat_v0.env("specificity", num_players=4)
model = TextPolicy(ask, "specificity", num_players=4)
others = [load_policy("cheat/specificity"), load_policy("scripted/counter"), load_policy("scripted/bluffer")]
players = dict(zip(env.possible_agents, [model, *others], strict=True))
memory = dict.fromkeys(players)  # the rest of a whole move, which is played without further questions

env.reset(seed=7)
for agent in env.agent_iter():
    seen, _, over, _, _ = env.last()
    if over:
        break
    action, memory[agent] = players[agent].predict(seen["observation"], memory[agent], action_masks=seen["action_mask"])
    if agent == "player_0":
        print(env.unwrapped.describe_action(agent, int(action)))
    env.step(int(action))
print(f"payoffs: {env.rewards}; {model.questions} questions, {model.unread} answers that could not be read")
