"""Training scripts. They use the package bluff_env, of which only the command line and the benchmark import them.

rounds.py           the algorithm, to be read from top to bottom: play and advantages ...
selfplay_ppo.py     ... then the update and the run
workers.py          rounds that Ray actors play, on one machine or many
config.py           what a configuration file may say, and what it means
learner.py          what is trained: the networks and their optimiser
device.py           the processor or a GPU, for the networks
critic.py           the centralised critic, which sees all hands
games.py            the games of a run that trains one policy for many
teacher.py          who teaches the policy at first
pool.py             the opponents: scripted players, snapshots and exploiters
run_state.py        saving a run and resuming it
run_folder.py       what the folder of a run may hold
stopping.py         Ctrl-C and SIGTERM, and training that has diverged
curves.py           the figures of a run: curves.csv, TensorBoard
display.py          what a run shows while it trains
pictures.py         the curves, drawn
command_line.py     the options of a training script
main_job.py         a whole training: train, play as opponents, evaluate, draw
responses.py        the configurations of best responses to a policy
exploit.py          a lower bound of how far a policy can be exploited: best responses by selfplay_ppo.py
league.py           a population that grows by best responses, and a main policy that goes on against it
mix_policies.py     a mixture of trained policies, as one policy
rllib_selfplay.py   an example of RLlib: self-play with its PPO, in one process or on a cluster

The package is ``bluff_env.training``, a link to this folder; in a clone the scripts also run as ``training``.
"""
