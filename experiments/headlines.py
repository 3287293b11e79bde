"""The results of the headline games in tables and pictures: who beats whom, when their policies lie, what they suspect.

    python -m experiments.headlines [--game cheat/bullshit/4p ...] [--deals 60] [--study-deals 200] [--seed 0]

For each game it runs two commands, whose files go to ``docs/headlines/GAME/``. ``bluff-env tournament`` seats the
published policies that play the game and every scripted player (``tournament.json`` and ``matrix.png``); ``bluff-env
study`` looks at the policy that was made for it, among its copies (``study.json`` and three pictures). The curves are
drawn from runs that differ in their seed:

    bluff-env curves RUN... --out docs/headlines/cheat-bullshit-4p/curves.png

``make docs`` makes docs/generated/headlines.md from what is there. A game takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bluff_env.core.registry import family_of
from bluff_env.policies.published import GENERALIST, published
from bluff_env.policies.scripted import scripted_players

FOLDER = Path("docs/headlines")  # from the root of the clone, so that the commands in the files hold for everybody
GAMES = (
    "cheat/bullshit/4p", "cheat/pagat/4p", "cheat/cheat/4p", "cheat/eightshit/4p", "cheat/chinese/3p",
    "cheat/i-doubt-it/5p", "bluff-the-bullet/3p",
)  # fmt: skip


def commands(game: str, folder: Path, deals: int, study_deals: int, seed: int) -> list[list[str]]:
    """Return the commands for one game, without ``bluff-env`` in front."""
    variant, _, players = game.rpartition("/")
    family = family_of(variant)
    general = f"{family.name}/{GENERALIST}"
    trained = [name for name in (game, general) if name in published()]
    scripted = scripted_players(family)
    table = ["--variant", variant, "--players", players.removesuffix("p"), "--seed", str(seed)]
    return [
        ["tournament", *trained, *scripted, *table, "--deals", str(deals),
         "--json", str(folder / "tournament.json"), "--picture", str(folder / "matrix.png")],
        ["study", game, *table, "--deals", str(study_deals),
         "--json", str(folder / "study.json"), "--pictures", str(folder)],
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measures game by game. Returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=GAMES, default=GAMES, metavar="GAME", help="the games")
    parser.add_argument("--deals", type=int, default=60, help="of each pair of the tournament")
    parser.add_argument("--study-deals", type=int, default=200, help="of the study")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=FOLDER)
    args = parser.parse_args(argv)
    for game in args.game:
        folder = args.out / game.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        for words in commands(game, folder, args.deals, args.study_deals, args.seed):
            program = Path(sys.executable).with_name("bluff-env")
            done = subprocess.run([str(program), *words], check=False)
            if done.returncode:
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
