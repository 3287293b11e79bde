"""Mix trained policies of one game into one: at the start of a game one of them is drawn for each seat.

    python -m training.mix_policies cheat/jokers-wild/4p runs/jokers-wild/policy --out runs/jokers-wild-mixed

Opponents of a mixture do not know which member holds a seat, so a best response must win against all of them. Policies
that were trained alike share their weaknesses, and their mixture is no harder to exploit: docs/experiments.md has
figures. The folder gets the mixture as ``policy.safetensors``, which loads as any policy does, and
``evaluation.json``, as a run has them: what the mixture wins against each scripted player.

With ``--average`` it gets one network instead, with the mean of their weights. That needs policies that went on from
one policy: runs of a configuration with several seeds, or such a run and what it began with.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bluff_env.evaluation.games import own_game, plays_any_rules
from bluff_env.policies import load_policy, save_checkpoint
from bluff_env.policies.document import read_document
from bluff_env.policies.held_out import mark_of
from bluff_env.policies.mixture import MixturePolicy, averaged
from bluff_env.policies.network import NetworkPolicy
from bluff_env.policies.source import source_of
from bluff_env.utils.arguments import is_whole
from bluff_env.utils.provenance import command, commit

from .command_line import check_deals, exit_code, run_script
from .config import ConfigError
from .main_job import DEALS, evaluate, say
from .run_folder import EVALUATION, POLICY_FILE, STATE_FILE, check_strangers

MEMBERS, AVERAGED = "members", "averaged"  # keys of a checkpoint: how the policies that it was made of were made
KEPT = ("timesteps", "command", "commit", "weights_sha256")  # of what the checkpoint of a member says


def mix(names: Sequence[str], weights: Sequence[float] | None, out: Path, average: bool = False) -> Path:
    """Write a mixture of policies, or one network with the mean of their weights.

    Its document names the game of the first member and tells how each member was made. It adds up the timesteps that
    are known. It keeps the configuration of the heaviest member, with which best responses to the mixture learn.

    Args:
        names: of trained policies for one game, as :func:`bluff_env.load_policy` reads them.
        weights: how probable each is, or how much it counts, in any unit; by default all alike.
        out: a folder.
        average: of their weights, instead of a mixture.

    Returns:
        The checkpoint.

    Raises:
        ConfigError: for policies that cannot be mixed; the message says why.
        CheckpointError: for what is no policy, or is one of another game.
    """
    told, what = (AVERAGED, "average") if average else (MEMBERS, "mixture")
    if (out / STATE_FILE).exists():
        raise ConfigError(f"--out {out} holds a run, whose policy the {what} would replace: name another folder")
    check_strangers(out, (POLICY_FILE, EVALUATION))
    if (out / POLICY_FILE).exists() and told not in read_document(out / POLICY_FILE):
        raise ConfigError(f"--out {out} holds a policy that is no {what}, and would be lost: name another folder")
    if len(set(names)) < max(2, len(names)):
        raise ConfigError(f"{'an' if average else 'a'} {what} needs two different policies or more")
    shares = [1.0] * len(names) if weights is None else list(weights)
    if len(shares) != len(names) or not all(0 < share < float("inf") for share in shares):
        raise ConfigError(f"--weights has to name a number above 0 for each of the {len(names)} policies")
    for name in filter(plays_any_rules, names):
        raise ConfigError(f"{name} is not a network: name trained policies")
    load_policy(names[0])  # if there is none, this says so
    if source_of(names[0]).game() is None:
        raise ConfigError(f"{names[0]} is not a policy of one game: name policies of one game, trained for it")
    game = own_game(names[0])
    members = [_network(name, game.load(name)) for name in names]
    shares = [share / sum(shares) for share in shares]
    try:
        policy = averaged(members, shares) if average else MixturePolicy(members, shares)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    heaviest = members[shares.index(max(shares))]
    lengths: list[Any] = [member.meta.get("timesteps") for member in members]
    known = [timesteps for timesteps in lengths if is_whole(timesteps) and timesteps > 0]
    made: list[dict[str, Any]] = [
        {"name": member.name, **{key: member.meta.get(key) for key in KEPT}} for member in members
    ]
    document: dict[str, Any] = {
        **{key: members[0].meta[key] for key in ("variant", "rules", "num_players") if key in members[0].meta},
        "config": heaviest.meta.get("config"),
        **({"timesteps": sum(known)} if known else {}),  # networks trained elsewhere need not say theirs
        **mark_of(members),
        told: made,
        "command": command(),
        "commit": commit(),
    }
    (out / EVALUATION).unlink(missing_ok=True)  # of the one that was here before
    return save_checkpoint(out / POLICY_FILE, policy, document)


def _network(name: str, policy: Any) -> NetworkPolicy:
    """Return a member, called as the user calls it."""
    if not isinstance(policy, NetworkPolicy):
        raise ConfigError(f"{name} cannot be a member: name trained policies, each of one network without a memory")
    policy.name = name
    return policy


def main(argv: list[str] | None = None) -> int:
    """Parse the options, mix and evaluate. Return the exit code, as :func:`exit_code` says."""
    parser = argparse.ArgumentParser(description="Mix trained policies of one game into one.")
    parser.add_argument("policies", nargs="+", help="trained policies of one game")
    parser.add_argument("--weights", type=float, nargs="+", help="how probable each is (default: all alike)")
    parser.add_argument("--average", action="store_true", help="make one network, with the mean of their weights")
    parser.add_argument("--out", type=Path, required=True, help="folder of the mixture")
    parser.add_argument("--deals", type=int, default=DEALS, help="deals of each evaluation; 0 for none")
    args = parser.parse_args(argv)

    def work() -> None:
        check_deals(args.deals)
        path = mix(args.policies, args.weights, args.out, args.average)
        say(f"{path}: {'an average' if args.average else 'a mixture'} of {', '.join(args.policies)}")
        if args.deals:
            evaluate(path, own_game(str(path)), args.out, args.deals, 0)

    return exit_code(work)


if __name__ == "__main__":
    run_script(main)
