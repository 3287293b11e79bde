"""Freeze a version of the benchmark: the weights of its populations, and the file that says what is played.

    python -m experiments.benchmark_version [--runs FOLDER]
    python -m experiments.benchmark_version --added

It writes ``checkpoints/bluff-1/`` and ``bluff_env/benchmark/bluff-1.json``, and prints the digest that
``bluff_env/benchmark/version.py`` keeps. Published versions are not made again: a change makes another version. With
``--added`` it writes ``bluff-1-added.json`` alone: the tracks that came after ``bluff-1`` was frozen.

The trained members of a test half are policies that were published once and replaced since, from the history of this
repository; best responses to the published policies, which ``python -m training.exploit`` trained; and self-play of
other methods and seeds. ``--runs`` has the runs that are not in the history.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env import evaluate, load_policy, sample_rules
from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.version import TEST, TRAIN, Game, Member, member_file
from bluff_env.benchmark.words import COUNTS, WordsTrack
from bluff_env.core.registry import FAMILIES, family_of, make_rules
from bluff_env.core.rules import RuleSet
from bluff_env.evaluation.deceptions import INSTRUCTIONS
from bluff_env.policies.document import KEY, SUFFIX
from bluff_env.policies.held_out import HELD_OUT, HELD_OUT_PLAYERS
from bluff_env.policies.published import FOLDER
from bluff_env.policies.scripted import scripted_names
from bluff_env.text import TextPolicy
from bluff_env.utils.files import write_file
from experiments.exact_games import GAMES as EXACT
from training.config import MAX_ROUND, config_from
from training.responses import LEARNING, ONE_LEARNER

NAME = "bluff-1"
PACKAGE = ("0.1", "0.2")  # the first version of the package that plays so, and the first that may not
FILE = Path(__file__).parents[1] / "bluff_env" / "benchmark" / f"{NAME}.json"
GAMES = {  # of the track tables: its name, the preset and the number of players
    "bullshit": ("cheat/bullshit", 4),
    "pagat": ("cheat/pagat", 4),
    "cheat": ("cheat/cheat", 4),
    "chinese": ("cheat/chinese", 3),
    "eightshit": ("cheat/eightshit", 4),
    "british": ("cheat/british", 4),
    "i-doubt-it": ("cheat/i-doubt-it", 5),
    "bluff-the-bullet": ("bluff-the-bullet", 3),
}
ADDED = FILE.with_name(f"{NAME}-added.json")
DEALS = {"tables": 200, "rules": 60, "matches": 60, "response": 1000, "words": 8}
SEEDS = {"tables": 41_000, "rules": 42_000, "exact": 43_000, "matches": 44_000, "response": 45_000, "words": 46_000}
FORMER = {  # policies that were published and replaced: the commits that had them, and their paths there
    "bullshit": ("88c5eec6", "01bd574a", "3e6b1c06"),
    "pagat": ("01bd574a", "e663fef1"),
    "cheat": ("01bd574a", "3b8e61d1", "b708c2e5"),
    "chinese": ("01bd574a",),
    "eightshit": ("01bd574a", "dd62b9bf", "3e6b1c06", "b708c2e5"),
    "british": ("c5c72649",),
    "i-doubt-it": ("01bd574a",),
    "bluff-the-bullet": ("69b76d68",),
}
FORMER_GENERALISTS = ("85550348", "a25400ae", "9740a622")
FOLDERS = ("checkpoints", "bluff_env/published")
RUNS = {  # of each game: how a member was made, the half that it is in, the folder of its policy, and what it is
    "taught-response": (TRAIN, "x-{game}/taught", "a best response to the published policy, which began at random"),
    "own-response": (TEST, "x-{game}/warm", "a best response to the published policy, which began with its weights"),
    "mild": (TEST, "mild-{game}", "self-play under a mild teacher, seed 12"),
    "maskable-ppo": (TEST, "sb3-{game}", "MaskablePPO of Stable-Baselines3 against scripted players"),
}


# --- members ---------------------------------------------------------------------------------------------------------


def former(commit: str, game: str) -> bytes:
    """Return the checkpoint that was published for a game (or ``"generalist"``) in a commit."""
    names = (stem(game), "bullet-3p") if game in GAMES else ("cheat-generalist",)
    for path in (f"{folder}/{name}.safetensors" for folder in FOLDERS for name in names):
        shown = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True)
        if not shown.returncode:
            return shown.stdout
    raise SystemExit(f"commit {commit} has no policy for {game}")


def stem(game: str) -> str:
    """Return the name of the files of a game: ``cheat-bullshit-4p``."""
    variant, players = GAMES[game]
    return f"{variant.replace('/', '-')}-{players}p"


def keep(data: bytes, name: str, half: str) -> str:
    """Write the weights of a member, whose document says if it is held out, and return their SHA-256."""
    if half == TEST:
        data = with_note(data)
    target = member_file(name)
    target.parent.mkdir(exist_ok=True)
    write_file(target, data)
    written: Any = load_policy(target)
    digest: str = written.meta["weights_sha256"]
    return digest


def with_note(data: bytes) -> bytes:
    """Return a checkpoint whose document says that it is held out."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    document = json.loads(header["__metadata__"][KEY])
    header["__metadata__"][KEY] = json.dumps({**document, HELD_OUT: NAME})
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at a multiple of eight bytes
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def trained(game: str, runs: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the trained members of a game's population, whose weights are written."""
    variant, _ = GAMES[game]
    name = f"{NAME}/{stem(game)}"
    digest = keep((FOLDER / f"{stem(game)}{SUFFIX}").read_bytes(), name, TRAIN)
    yield member("published", name, TRAIN, digest, "the policy that the package comes with, as of this version")
    if variant.startswith("cheat/"):
        name = f"{NAME}/cheat-generalist"
        digest = keep((FOLDER / f"cheat-generalist{SUFFIX}").read_bytes(), name, TRAIN)
        about = "the generalist that the package comes with, as of this version"
        yield member("generalist", name, TRAIN, digest, about)
        for number, commit in enumerate(FORMER_GENERALISTS, start=1):
            name = f"{NAME}/cheat-generalist-former-{number}"
            about = f"the generalist that the package came with in commit {commit}"
            digest = keep(former(commit, "generalist"), name, TEST)
            yield member(f"former-generalist-{number}", name, TEST, digest, about)
    for number, commit in enumerate(FORMER[game], start=1):
        name = f"{NAME}/{stem(game)}-former-{number}"
        about = f"the policy that the package came with in commit {commit}"
        yield member(f"former-{number}", name, TEST, keep(former(commit, game), name, TEST), about)
    for made, (half, folder, about) in RUNS.items():
        path = None if runs is None else runs / folder.format(game=stem(game)) / "policy.safetensors"
        if path is not None and path.is_file():
            name = f"{NAME}/{stem(game)}-{made}"
            yield member(made, name, half, keep(path.read_bytes(), name, half), about)


def member(name: str, policy: str, half: str, digest: str | None, about: str) -> dict[str, Any]:
    """Return a member as plain values."""
    return {"name": name, "policy": policy, "half": half, "digest": digest, "about": about}


def scripted(family: str, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the scripted players of a family, or some, as members."""
    about = "a scripted player, docs/generated/players.md"
    every = scripted_names(FAMILIES[family]) if names is None else names
    return [member(n, f"scripted/{n}", TEST if n in HELD_OUT_PLAYERS else TRAIN, None, about) for n in every]


# --- games -----------------------------------------------------------------------------------------------------------


def game(
    name: str, variant: str, rules: Any, players: int, track: str, seed: int, population: Any, group: str = ""
) -> dict[str, Any]:
    """Return a game as plain values, its rules in full."""
    return {
        "name": name,
        "variant": variant,
        "rules": rules.resolve(players).to_dict(),
        "num_players": players,
        "deals": DEALS.get(track, 0),
        "seed": seed,
        "population": population,
        "group": group,
    }


def at_tables(track: str) -> list[dict[str, Any]]:
    """Return the games of the tracks tables and matches, which have the same populations."""
    return [
        game(name, variant, make_rules(variant), players, track, SEEDS[track] + i, name)
        for i, (name, (variant, players)) in enumerate(GAMES.items())
    ]


def populations(runs: Path | None) -> dict[str, list[dict[str, Any]]]:
    """Return the population of each game of the tables, and the one for unseen rules."""
    found = {"reference": scripted("cheat", REFERENCE)}
    for name, (variant, _) in GAMES.items():
        found[name] = scripted(family_of(variant).name) + list(trained(name, runs))
    return found


# --- unseen rules ----------------------------------------------------------------------------------------------------

RULE_SETS = 36  # that are sampled; the others are named
MOST_AT_LIMIT = 0.2  # of the games of counter: a rule set whose games hardly end says little
REFERENCE = ("honest", "counter", "last-card", "sharp")
HELD_OUT_PRESETS = ("flying-solo", "silent", "pagat-adjacent", "same-rank", "only-one")
PAIRS = (  # house rules that the generalist was never trained on together
    ("bullshit", {"check": True, "jokers": 2}),
    ("pagat", {"check": True, "jokers": 1}),
    ("rank-fork", {"check": True, "jokers": 4}),
    ("chinese", {"count": "more"}),
    ("chinese", {"count": "any"}),
    ("bullshit", {"passing": True, "full_set": "automatic"}),
    ("kings-cup", {"full_set": "automatic"}),
)
FIVE = ("pagat", "bullshit", "rank-fork", "fourshit", "i-doubt-it", "cheat", "chinese")  # it never met five players


def ends(rules: RuleSet, players: int) -> bool:
    """Return whether the games of counter end before their limit, most of them."""
    share = evaluate("scripted/counter", "scripted/counter", rules, players, deals=32).length_limit
    return share.value <= MOST_AT_LIMIT


def rule_sets() -> Iterator[tuple[str, str, RuleSet, int, str]]:
    """Yield name, preset, rules, number of players and group of each rule set of the track."""
    for preset in HELD_OUT_PRESETS:
        for players in (3, 4):
            yield f"{preset}-{players}", preset, make_rules(preset), players, "presets"
    for preset, changes in PAIRS:
        name = "-".join([preset, *(f"{field}-{value}" for field, value in changes.items())])
        yield name.lower().replace("_", "-"), preset, make_rules(preset, **changes), 4, "pairs"
    for preset in FIVE:
        yield f"{preset}-5", preset, make_rules(preset), 5, "five players"
    found, seed = 0, 0
    while found < RULE_SETS:
        seed += 1
        players = 2 + seed % 5
        rules = sample_rules(np.random.default_rng([SEEDS["rules"], seed]), players)
        if ends(rules, players):
            found += 1
            yield f"sampled-{found:02}", "pagat", rules, players, "sampled"


def unseen_rules() -> list[dict[str, Any]]:
    """Return the games of the track rules."""
    return [
        game(name, f"cheat/{preset}", rules, players, "rules", SEEDS["rules"] + i, "reference", group)
        for i, (name, preset, rules, players, group) in enumerate(rule_sets())
    ]


def solved() -> list[dict[str, Any]]:
    """Return the games of the track exact."""
    return [
        game(f"{name}-{players}", f"cheat/{name}", make_rules(name), players, "exact", SEEDS["exact"] + i, [])
        for i, (name, players) in enumerate(EXACT)
    ]


# --- tracks that came later -----------------------------------------------------------------------------------------

WORDS = {  # of the track words: short games, and who sits there
    "fourshit": ("cheat/fourshit", 3, ("counter", "bluffer")),
    "liar-liar": ("cheat/liar-liar", 3, ("counter", "bluffer")),
    "pagat": ("cheat/pagat", 3, ("counter", "bluffer")),
}
TIMESTEPS = 16_000_000  # of each response


def in_words() -> Iterator[dict[str, Any]]:
    """Yield the games of the track words."""
    for i, (name, (variant, players, names)) in enumerate(WORDS.items()):
        population = scripted(family_of(variant).name, names)
        found = game(name, variant, make_rules(variant), players, "words", SEEDS["words"] + i, population)
        options = {"instructions": INSTRUCTIONS}
        played = Game(**{**found, "population": tuple(Member(**values) for values in population)}, options=options)
        yield {**found, "options": {**options, **asked(played)}}


def asked(found: Game) -> dict[str, int]:
    """Return how many questions a cell has, as counter would be asked, and how many letters a question has."""
    rng, lengths, track = np.random.default_rng(0), [], WordsTrack()

    def answer(question: str) -> str:
        lengths.append(len(question))
        legal = question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")
        return str(rng.choice(legal))

    cells = track.cells(found)[: found.deals]
    track.measure(cells[0], found, Agent([TextPolicy(answer)]))
    decided = [track.measure(cell, found, Agent("scripted/counter")).mean for cell in cells]
    chances = [mean[COUNTS.index("calls whole")] for mean in decided]
    plays = [mean[COUNTS.index("plays")] for mean in decided]
    questions = round((sum(chances) + sum(plays)) / len(cells))
    return {"questions": questions, "letters": round(sum(lengths) / len(lengths))}


def responses() -> Iterator[dict[str, Any]]:
    """Yield the games of the track response, with the settings of the trainer that matter."""
    for i, (name, (variant, players)) in enumerate(GAMES.items()):
        found = game(name, variant, make_rules(variant), players, "response", SEEDS["response"] + i, [])
        defaults = config_from({"variant": variant, "num_players": players, **ONE_LEARNER}, name)
        num_steps = min(defaults.num_steps * players, MAX_ROUND // defaults.num_envs)
        plain = {key: getattr(defaults, key) for key in (*LEARNING, *ONE_LEARNER) if key != "total_timesteps"}
        settings = {key: v for key, v in plain.items() if key not in ("kickstart", "anchors")}
        yield {
            **found,
            "options": {"timesteps": TIMESTEPS, "seed": 1, "settings": {**settings, "num_steps": num_steps}},
        }


def write(path: Path, table: dict[str, Any]) -> None:
    """Write a file of a version, and print its digest."""
    data = (json.dumps(table, indent=1) + "\n").encode()
    write_file(path, data)
    print(hashlib.sha256(data).hexdigest())


def main() -> int:
    """Write the version, or what was added to it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=Path, help="the folder of the runs that trained members")
    parser.add_argument("--added", action="store_true", help="write only the tracks that came later")
    args = parser.parse_args()
    head = {"version": NAME, "package": PACKAGE}
    if args.added:
        write(ADDED, {**head, "populations": {}, "tracks": {"response": list(responses()), "words": list(in_words())}})
        return 0
    runs = args.runs
    table = {
        **head,
        "populations": populations(runs),
        "tracks": {
            "tables": at_tables("tables"),
            "rules": unseen_rules(),
            "matches": at_tables("matches"),
            "exact": solved(),
        },
    }
    write(FILE, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
